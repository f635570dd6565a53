import type { Attributes, Includeable, Model, ModelStatic, OrderItem, WhereOptions } from 'sequelize';
import { bothOf } from '../db/both-of.js';
import { onPage } from '../db/page.js';
import type { Paging, Sorting } from '../schemas/listing.js';
import type { Core } from './core.js';

/** One page of a listing, with the numbers for paging. */
export interface Page<T> {
  items: T[];
  pagination: { currentPage: number; totalPages: number; totalItems: number; itemsPerPage: number };
}

interface Listing<M extends Model> {
  where: WhereOptions<Attributes<M>>;
  /** A total order: ties are broken by id. */
  order: OrderItem[];
  attributes?: string[];
  include?: Includeable[];
  /** Runs instead of the second query when there are no rows; then the two queries don't run concurrently. */
  ifNone?: (() => Promise<void>) | false;
}

/** The stored keys of the texts that are sorted as in a dictionary. */
const sortKeys = new Map([
  ['lastName', 'lastNameKey'],
  ['firstName', 'firstNameKey'],
  ['title', 'titleKey'],
  ['category', 'categoryKey'],
]);

/** The requested order; ties are broken by id, so that no row is repeated or skipped between pages. */
export function orderOf({ sortBy, sortOrder }: Sorting<string>): OrderItem[] {
  return [
    [sortKeys.get(sortBy) ?? sortBy, sortOrder],
    ['id', sortOrder],
  ];
}

/** Counts the rows and reads one page, with two queries. */
export async function pageOf<M extends Model>(
  core: Core,
  model: ModelStatic<M>,
  { page, limit }: Paging,
  { where, order, attributes, include, ifNone }: Listing<M>,
): Promise<Page<M>> {
  const offset = (page - 1) * limit;
  const shown = { ...(attributes && { attributes }), ...(include && { include }) };
  const rows = () => model.findAll({ where: onPage(model, where, order, { limit, offset }), order, ...shown });
  return core.database.read(async () => {
    let [totalItems, items]: [number, M[]] = [0, []];
    if (ifNone) {
      totalItems = await model.count({ where });
      if (totalItems === 0) await ifNone();
      else items = await rows();
    } else [totalItems, items] = await bothOf(core.database, () => model.count({ where }), rows);
    return {
      items,
      pagination: { currentPage: page, totalPages: Math.ceil(totalItems / limit), totalItems, itemsPerPage: limit },
    };
  });
}
