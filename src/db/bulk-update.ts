import { type Attributes, type Model, type ModelStatic, QueryTypes, type Transaction } from 'sequelize';
import type { ColumnValue } from './bulk-insert.js';
import { sqlLiteral } from './dialect.js';

/** The rows of a statement. The database searches all of them for the value of each row and column. */
const statementRows = 50;

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

  function assignment(attribute: keyof Attributes<M>, some: readonly RowUpdate<M>[]): string {
    const column = `\`${definitions[attribute].field ?? String(attribute)}\``;
    const cases = some.flatMap((row) => {
      // No model has attributes of other types.
      const value = row[attribute] as ColumnValue | undefined;
      return value === undefined ? [] : [`WHEN ${literal(row.id)} THEN ${literal(value)}`];
    });
    return `${column} = CASE \`id\` ${cases.join(' ')} ELSE ${column} END`;
  }

  for (let at = 0; at < rows.length; at += statementRows) {
    const some = rows.slice(at, at + statementRows);
    const assignments = [...new Set(some.flatMap(attributesOf))].map((attribute) => assignment(attribute, some));
    if (assignments.length === 0) continue;
    const ids = some.map(({ id }) => literal(id)).join(',');
    const sql = `UPDATE \`${model.tableName}\` SET ${assignments.join(', ')} WHERE \`id\` IN (${ids})`;
    await sequelize.query(sql, { type: QueryTypes.UPDATE, transaction });
  }
}
