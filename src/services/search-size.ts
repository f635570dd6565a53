import type { Attributes, Model, ModelStatic, Sequelize, WhereOptions } from 'sequelize';
import { rowsOf } from '../db/page.js';
import type { Core } from './core.js';

/** How long it is remembered that there are many, in milliseconds: counting them takes longer than most searches. */
const rememberedMs = 60_000;

/** Until when rows are remembered to be many, by their table and condition. */
const remembered = new WeakMap<Sequelize, Map<string, number>>();

/**
 * Whether there are more rows than a search may read (`SEARCH_SCAN_ROWS`).
 * @param among the rows that are searched, by equal values
 */
export async function areMany<M extends Model>(
  { database: { sequelize, read }, config, now }: Core,
  model: ModelStatic<M>,
  among: WhereOptions<Attributes<M>>,
): Promise<boolean> {
  const until = remembered.get(sequelize) ?? new Map<string, number>();
  remembered.set(sequelize, until);
  const name = `${model.name} ${JSON.stringify(among)}`;
  const time = now().getTime();
  if ((until.get(name) ?? 0) > time) return true;
  const most = config.search.scannedRows;
  const isMany = (await read(() => rowsOf(model, { where: among, order: [] }).count(most + 1))) > most;
  if (isMany) until.set(name, time + rememberedMs);
  return isMany;
}
