import { type Attributes, type Model, type ModelStatic, QueryTypes, type Transaction } from 'sequelize';
import type { ColumnValue } from './bulk-insert.js';
import { sqlLiteral } from './dialect.js';

/** The rows of a statement. The database searches all of them for the value of each row and column. */
const statementRows = 100;

/** A row by its id, with the attributes that change. */
export type RowUpdate<M extends Model> = { id: string } & Partial<Attributes<M>>;

/**
 * Updates rows, each with values of its own, with few statements. Validates nothing, and sets no `updatedAt`. A key must
 * not move from one of the rows to another: they are updated in any order.
 * @param rows all different
 */
export async function updateRows<M extends Model>(
  model: ModelStatic<M>,
  rows: readonly RowUpdate<M>[],
  transaction: Transaction,
): Promise<void> {
  const { sequelize } = model;
  if (!sequelize) throw new Error(`The model ${model.name} belongs to no database.`);
  const definitions = model.getAttributes();
  const literal = sqlLiteral(sequelize);
  // TypeScript types the keys of any object as text.
  const attributesOf = ({ id: _, ...changes }: RowUpdate<M>) => Object.keys(changes) as (keyof Attributes<M>)[];

  function assignment(attribute: keyof Attributes<M>, some: readonly RowUpdate<M>[], ids: readonly string[]): string {
    const column = `\`${definitions[attribute].field ?? String(attribute)}\``;
    // No model has attributes of other types.
    const values = some.map((row) => row[attribute] as ColumnValue | undefined);
    const [first] = values;
    // The same for all, as the time of the update is.
    if (first !== undefined && values.every((value) => value === first)) return `${column} = ${literal(first)}`;
    const cases = values.flatMap((value, index) =>
      value === undefined ? [] : [`WHEN ${ids[index]} THEN ${literal(value)}`],
    );
    return `${column} = CASE \`id\` ${cases.join(' ')} ELSE ${column} END`;
  }

  for (let at = 0; at < rows.length; at += statementRows) {
    const some = rows.slice(at, at + statementRows);
    const ids = some.map(({ id }) => literal(id));
    const assignments = [...new Set(some.flatMap(attributesOf))].map((attribute) => assignment(attribute, some, ids));
    if (assignments.length === 0) continue;
    const sql = `UPDATE \`${model.tableName}\` SET ${assignments.join(', ')} WHERE \`id\` IN (${ids.join(',')})`;
    await sequelize.query(sql, { type: QueryTypes.UPDATE, transaction });
  }
}
