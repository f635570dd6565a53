import { type Attributes, type Model, type ModelStatic, QueryTypes, type Sequelize, type Transaction } from 'sequelize';
import { type ColumnValue, isSqlite, sqlLiteral, storedValue } from '../dialect.js';

/**
 * The most characters of the values of a statement, unless a single row has more. With the quotes that are escaped in SQL it stays
 * below what a statement of insert.ts has.
 */
const statementCharacters = 50_000;

/** A row by its id, with the attributes that change. */
export type RowUpdate<M extends Model> = { id: string } & Partial<Attributes<M>>;

/** Rows that change the same attributes. */
interface Group<M extends Model> {
  attributes: readonly (keyof Attributes<M>)[];
  rows: RowUpdate<M>[];
}

/**
 * Updates rows, each with values of its own, with few statements: the database joins the table with the new values, which it
 * gets as JSON. Validates nothing, and sets no `updatedAt`. A key must not move from one of the rows to another: they are
 * updated in any order.
 * @param rows all different
 */
export async function updateRows<M extends Model>(
  model: ModelStatic<M>,
  rows: readonly RowUpdate<M>[],
  transaction: Transaction,
): Promise<void> {
  const { sequelize } = model;
  if (!sequelize) throw new Error(`The model ${model.name} belongs to no database.`);
  for (const group of groupsOf(rows))
    for (const sql of statementsOf(sequelize, model, group))
      await sequelize.query(sql, { type: QueryTypes.UPDATE, transaction });
}

/** The rows by the attributes that they change. */
function groupsOf<M extends Model>(rows: readonly RowUpdate<M>[]): Iterable<Group<M>> {
  const groups = new Map<string, Group<M>>();
  for (const row of rows) {
    // TypeScript types the keys of any object as text.
    const attributes = (Object.keys(row) as (keyof Attributes<M>)[]).filter(
      (attribute) => attribute !== 'id' && row[attribute] !== undefined,
    );
    if (attributes.length === 0) continue;
    const key = attributes.join(' ');
    const group = groups.get(key);
    if (group) group.rows.push(row);
    else groups.set(key, { attributes, rows: [row] });
  }
  return groups.values();
}

/** A column whose values differ between rows. */
interface Column {
  field: string;
  /** As the model declares it. */
  type: string;
}

/** The statements that update a group; each is made when it is asked for. */
function* statementsOf<M extends Model>(
  sequelize: Sequelize,
  model: ModelStatic<M>,
  { attributes, rows }: Group<M>,
): Generator<string> {
  const [literal, stored] = [sqlLiteral(sequelize), storedValue(sequelize)];
  // No model has attributes of other types.
  const valueIn = (row: RowUpdate<M>, attribute: keyof Attributes<M>) => row[attribute] as ColumnValue;
  const definitions = model.getAttributes();
  const columns: (Column & { attribute: keyof Attributes<M> })[] = [];
  const assignments: string[] = [];
  const [first, ...others] = rows;
  for (const attribute of attributes) {
    const { field = String(attribute), type } = definitions[attribute];
    // One value for all rows, such as the time of the update.
    if (first && others.every((row) => row[attribute] === first[attribute]))
      assignments.push(`\`${field}\` = ${literal(valueIn(first, attribute))}`);
    // Sequelize's types leave open that a type can be a text.
    else columns.push({ attribute, field, type: (type as { toSql(): string }).toSql() });
  }
  const update = isSqlite(sequelize) ? updateOnSqlite : updateOnServer;
  let values = '';
  for (const row of rows) {
    const json = JSON.stringify([row.id, ...columns.map(({ attribute }) => stored(valueIn(row, attribute)))]);
    if (values !== '' && values.length + json.length > statementCharacters) {
      yield update(model.tableName, literal(`[${values}]`), columns, assignments);
      values = '';
    }
    values += values === '' ? json : `,${json}`;
  }
  yield update(model.tableName, literal(`[${values}]`), columns, assignments);
}

/** @param values literal of a JSON array: for each row an array of its id and the values of the columns */
function updateOnSqlite(
  table: string,
  values: string,
  columns: readonly Column[],
  assignments: readonly string[],
): string {
  const all = [
    ...columns.map(({ field }, index) => `\`${field}\` = JSON_EXTRACT(new_row.value, '$[${index + 1}]')`),
    ...assignments,
  ];
  return `UPDATE \`${table}\` SET ${all.join(', ')} FROM JSON_EACH(${values}) AS new_row WHERE \`${table}\`.\`id\` = JSON_EXTRACT(new_row.value, '$[0]')`;
}

/** {@link updateOnSqlite}, for MySQL and MariaDB. */
function updateOnServer(
  table: string,
  values: string,
  columns: readonly Column[],
  assignments: readonly string[],
): string {
  const declared = [{ field: 'id', type: 'CHAR(36)' }, ...columns].map(
    ({ type }, index) => `c${index} ${newValueType(type)} PATH '$[${index}]' ERROR ON ERROR`,
  );
  const all = [...columns.map(({ field }, index) => `\`${field}\` = c${index + 1}`), ...assignments];
  // The new values first: for each the row is found by its id.
  return `UPDATE JSON_TABLE(${values}, '$[*]' COLUMNS (${declared.join(', ')})) AS new_rows STRAIGHT_JOIN \`${table}\` ON \`${table}\`.\`id\` = c0 SET ${all.join(', ')}`;
}

/**
 * The type of a new value: text with the collation of all tables, and with twice the length of its column. MariaDB cuts what is
 * longer than the type, without an error; storing what is longer than the column is one.
 */
const newValueType = (type: string): string =>
  type.replace(/CHAR\((\d+)\)/, (_, length) => `CHAR(${2 * Number(length)}) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`);
