import { type Model, type ModelStatic, Utils, type WhereOptions } from 'sequelize';

/** A part of Sequelize's query generator that its types don't declare. */
interface ConditionGenerator {
  getWhereConditions(where: object, alias: string, model: unknown): string;
}

/** The SQL of a condition of a model's rows, which may be empty. @param alias of its table, as it is quoted in the query */
export function whereSql(model: ModelStatic<Model>, where: WhereOptions, alias: string): string {
  // Sequelize types it as unknown.
  const generator = model.sequelize?.getQueryInterface().queryGenerator as ConditionGenerator;
  // SQL that stands for a whole condition names columns, not attributes.
  const mapped = where instanceof Utils.SequelizeMethod ? where : Utils.mapWhereFieldNames(where, model);
  return generator.getWhereConditions(mapped, alias, model);
}
