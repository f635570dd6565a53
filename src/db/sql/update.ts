import { type Attributes, type Model, type ModelStatic, QueryTypes, type Sequelize, type Transaction } from 'sequelize';
import { type ColumnValue, isSqlite, sqlLiteral, storedValue } from '../dialect.js';

/**
 * Maximum characters of the values of a statement, unless a single row is longer. With quotes escaped in SQL, the
 * statement stays below the limit in insert.ts.
 */
const statementCharacters = 50_000;

/** Id of a row, with the changed attributes. */
export type RowUpdate<M extends Model> = { id: string } & Partial<Attributes<M>>;

interface Group<M extends Model> {
  attributes: readonly (keyof Attributes<M>)[];
  rows: RowUpdate<M>[];
}

/**
 * Updates rows, each with different values, with few statements. The database joins the table with the new values,
 * which are passed as JSON. Validates nothing, and sets no `updatedAt`. A unique value must not move from one row to
 * another, because the rows are updated in any order.
 * @param rows with distinct ids
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

function groupsOf<M extends Model>(rows: readonly RowUpdate<M>[]): Iterable<Group<M>> {
  const groups = new Map<string, Group<M>>();
  for (const row of rows) {
    // TypeScript types keys of objects as string.
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
  /** Type in the model. */
  type: string;
}

function* statementsOf<M extends Model>(
  sequelize: Sequelize,
  model: ModelStatic<M>,
  { attributes, rows }: Group<M>,
): Generator<string> {
  const [literal, stored] = [sqlLiteral(sequelize), storedValue(sequelize)];
  const valueIn = (row: RowUpdate<M>, attribute: keyof Attributes<M>) => row[attribute] as ColumnValue;
  const definitions = model.getAttributes();
  const columns: (Column & { attribute: keyof Attributes<M> })[] = [];
  const assignments: string[] = [];
  const [first, ...others] = rows;
  for (const attribute of attributes) {
    const { field = String(attribute), type } = definitions[attribute];
    // A value that all rows share, such as the time of the update.
    if (first && others.every((row) => row[attribute] === first[attribute]))
      assignments.push(`\`${field}\` = ${literal(valueIn(first, attribute))}`);
    // Sequelize's types also allow a string here.
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

/** @param values literal of a JSON array, with an array of the id and the column values for each row */
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

/** {@link updateOnSqlite} for MySQL and MariaDB. */
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
  // STRAIGHT_JOIN reads the new values first, and finds each row by its id.
  return `UPDATE JSON_TABLE(${values}, '$[*]' COLUMNS (${declared.join(', ')})) AS new_rows STRAIGHT_JOIN \`${table}\` ON \`${table}\`.\`id\` = c0 SET ${all.join(', ')}`;
}

/**
 * Returns the type of a new value. Text has the collation of all tables, and twice the length of its column. MariaDB
 * silently cuts a value longer than the type, but refuses a value longer than the column.
 */
const newValueType = (type: string): string =>
  type.replace(/CHAR\((\d+)\)/, (_, length) => `CHAR(${2 * Number(length)}) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`);
