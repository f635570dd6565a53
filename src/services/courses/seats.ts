import { Op, type WhereOptions } from 'sequelize';
import { hasSeatsLeft, isFull } from '../../db/conditions.js';
import type { Course } from '../../db/models/course.js';
import { rowsOf } from '../../db/page.js';
import { seatStatuses } from '../capacity.js';
import type { Core } from '../core.js';

/** Up to so many full courses are named by their ids in the query of a page. */
const mostNamed = 500;

/** Which courses a listing has, and by what they are counted: see `Listing.counted`. */
interface Found {
  where: WhereOptions<Course>;
  counted: WhereOptions<Course>[];
}

/** Those of some courses that have seats left. Hardly any other has them than those that can't be full, which needn't be counted. */
function withSeatsLeft({ database: { sequelize } }: Core, among: WhereOptions<Course>): Found {
  const where = { [Op.and]: [among, hasSeatsLeft(sequelize, seatStatuses)] };
  return { where, counted: [{ [Op.and]: [among, { mayBeFull: false }] }, where] };
}

/**
 * Those of some courses that are full. Few are found by an index, once, for the page and its number; of many a page is found by
 * reading courses in its order, which soon has enough.
 */
async function thatAreFull({ database }: Core, among: WhereOptions<Course>): Promise<Found> {
  const { sequelize, models, read } = database;
  const full = (how: 'by index' | 'in order') => ({ [Op.and]: [among, isFull(sequelize, seatStatuses, how)] });
  const ids = await read(() => rowsOf(models.Course, { where: full('by index'), order: [] }).ids(mostNamed + 1));
  if (ids.length <= mostNamed) return { where: { id: ids }, counted: [{ id: ids }] };
  return { where: full('in order'), counted: [full('by index')] };
}

/** Those of some courses that have seats left, or are full; all of them where nothing is wanted. */
export async function bySeats(core: Core, among: WhereOptions<Course>, seatsLeft: boolean | undefined): Promise<Found> {
  if (seatsLeft === undefined) return { where: among, counted: [among] };
  return seatsLeft ? withSeatsLeft(core, among) : thatAreFull(core, among);
}
