import type { Sequelize } from 'sequelize';
import type { Database } from './connection.js';
import type { Session } from './models/session.js';
import type { User } from './models/user.js';
import { attributesOf, type Column, columnsOf, plainSelect } from './plain-select.js';

/** A session with its account. */
export interface SessionWithUser extends Pick<Session, 'id' | 'createdAt' | 'lastUsedAt' | 'expiresAt'> {
  user: User;
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
