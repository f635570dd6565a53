import { type Attributes, literal, type Model, type ModelStatic, QueryTypes, type WhereOptions } from 'sequelize';
import { selectSql } from './select-sql.js';

/**
 * Counts rows up to a bound: the database stops there, where it would go through all rows for the exact number.
 * @param most at least 1
 * @returns the number of rows, `most` if there are as many or more
 */
export async function countUpTo<M extends Model>(
  model: ModelStatic<M>,
  where: WhereOptions<Attributes<M>>,
  most: number,
): Promise<number> {
  const { sequelize } = model;
  if (!sequelize) throw new Error(`The model ${model.name} belongs to no database.`);
  // No columns: MariaDB and MySQL write the rows to a temporary table.
  const rows = selectSql(model, { attributes: [[literal('1'), 'row']], where, limit: most });
  const [counted] = await sequelize.query<{ total: number }>(`SELECT COUNT(*) AS total FROM (${rows}) AS counted`, {
    type: QueryTypes.SELECT,
  });
  return Number(counted?.total);
}
