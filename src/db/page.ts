import {
  type Attributes,
  literal,
  type Model,
  type ModelStatic,
  Op,
  type Order,
  Utils,
  type WhereOptions,
} from 'sequelize';

/** What Sequelize keeps to itself of its query generator. */
interface SelectGenerator {
  selectQuery(table: unknown, options: object, model: unknown): string;
}

/**
 * The condition that a row is on a page. The page's ids are found first, from an index alone, and only then are rows
 * read and joined: joined first, every row that matches would be read and sorted, however few are shown.
 */
export function onPage<M extends Model>(
  model: ModelStatic<M>,
  where: WhereOptions<Attributes<M>>,
  order: Order,
  window: { limit: number; offset: number },
): WhereOptions<Attributes<M>> {
  // Sequelize's type asks for a model without attributes of its own.
  const options = Utils.mapFinderOptions({ attributes: ['id'], where, order, ...window }, model as never);
  // Typed as unknown by Sequelize.
  const generator = model.sequelize?.getQueryInterface().queryGenerator as SelectGenerator;
  const ids = generator.selectQuery(model.getTableName(), options, model).replace(/;$/, '');
  // In a table of its own: MySQL takes no LIMIT in a list for IN. "id" is an attribute of each model that is paged.
  return { id: { [Op.in]: literal(`(SELECT id FROM (${ids}) AS page)`) } } as unknown as WhereOptions<Attributes<M>>;
}
