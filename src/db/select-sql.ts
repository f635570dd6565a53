import { type Attributes, type FindOptions, type Model, type ModelStatic, Utils } from 'sequelize';

/** A part of Sequelize's query generator that its types don't declare. */
interface SelectGenerator {
  selectQuery(table: unknown, options: object, model: unknown): string;
}

/** The SQL of a query of a model, without a semicolon, to be put into another query. */
export function selectSql<M extends Model>(model: ModelStatic<M>, options: FindOptions<Attributes<M>>): string {
  // Sequelize's types accept neither expressions among the attributes nor a model with attributes.
  const mapped: FindOptions = Utils.mapFinderOptions({ ...options } as never, model as never);
  // Sequelize types it as unknown.
  const generator = model.sequelize?.getQueryInterface().queryGenerator as SelectGenerator;
  return generator.selectQuery(model.getTableName(), mapped, model).replace(/;$/, '');
}
