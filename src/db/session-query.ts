import type { ModelAttributeColumnOptions, Sequelize } from 'sequelize';
import type { Database } from './connection.js';
import type { Session } from './models/session.js';
import type { User } from './models/user.js';
import { plainSelect, type Value } from './plain-select.js';

/** A session with its account. */
export interface SessionWithUser extends Pick<Session, 'id' | 'createdAt' | 'lastUsedAt' | 'expiresAt'> {
  user: User;
}

type Convert = (value: Value) => Value | boolean;

/** How a column becomes the attribute of a model, by the type that the model declares. */
const converters: Readonly<Record<string, Convert>> = {
  BOOLEAN: Boolean,
  DATE: (value) => (typeof value === 'string' ? new Date(value) : value),
};

interface Column {
  attribute: string;
  field: string;
  convert: Convert | undefined;
}

const sessionAttributes = ['id', 'createdAt', 'lastUsedAt', 'expiresAt'] as const;

interface Query {
  sql: string;
  session: readonly Column[];
  user: readonly Column[];
}

const queries = new WeakMap<Sequelize, Query>();

/** The statement of a database, written once: its columns are those of the models. */
function queryOf({ sequelize, models: { Session, User } }: Database): Query {
  const known = queries.get(sequelize);
  if (known) return known;
  const columnsOf = (attributes: Record<string, ModelAttributeColumnOptions>, wanted?: readonly string[]): Column[] =>
    Object.entries(attributes)
      .filter(([attribute]) => wanted?.includes(attribute) ?? true)
      .map(([attribute, { field = attribute, type }]) => ({
        ...{ attribute, field },
        // Sequelize's types leave open that a type can be a text.
        convert: converters[(type as { key: string }).key],
      }));
  const session = columnsOf(Session.getAttributes(), sessionAttributes);
  const user = columnsOf(User.getAttributes());
  const list = (table: string, columns: readonly Column[]) =>
    columns.map(({ field }) => `${table}.${field} AS ${table}_${field}`);
  const sql = `SELECT ${[...list('s', session), ...list('u', user)].join(', ')}
    FROM \`sessions\` s JOIN \`users\` u ON u.id = s.user_id WHERE s.id = ? AND s.user_id = ?`;
  const query = { sql, session, user };
  queries.set(sequelize, query);
  return query;
}

function attributesOf(columns: readonly Column[], values: readonly Value[], from: number): Record<string, unknown> {
  const attributes: Record<string, unknown> = {};
  for (const [index, { attribute, convert }] of columns.entries()) {
    const value = values[from + index] ?? null;
    attributes[attribute] = convert && value !== null ? convert(value) : value;
  }
  return attributes;
}

/** The session with this id, if it is the account's. It may have expired. Every request with a token asks for one. */
export async function findSession(
  database: Database,
  id: string,
  userId: string,
): Promise<SessionWithUser | undefined> {
  const { sql, session, user } = queryOf(database);
  const [values] = await plainSelect(database.sequelize, sql, [id, userId]);
  if (!values) return undefined;
  const account = database.models.User.build(
    // The columns of the model are all there, with values of their types.
    attributesOf(user, values, session.length) as never,
    { isNewRecord: false, raw: true },
  );
  // Those of `sessionAttributes`, which are the keys of the type, are all there as well.
  return { ...(attributesOf(session, values, 0) as unknown as Omit<SessionWithUser, 'user'>), user: account };
}
