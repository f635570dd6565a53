import { Op, type WhereOptions } from 'sequelize';
import { isStoredAsFull } from '../../db/conditions.js';
import type { Course } from '../../db/models/course.js';
import { rowsOf } from '../../db/page.js';
import type { Core } from '../core.js';
import { coursesWithFreedSeats } from '../freed-seats.js';

/** Up to so many courses are named by their ids in the query of a page. */
const mostNamed = 500;

/** Which courses a listing has, and by what they are counted: see `Listing.counted`. */
interface Found {
  where: WhereOptions<Course>;
  counted: WhereOptions<Course>[];
}

/**
 * Those of some courses that have seats left, or are full; all of them where nothing is wanted. Few are found by an index, once,
 * for the page and its number; of many a page is found by reading courses in its order, which soon has enough.
 */
export async function bySeats(core: Core, among: WhereOptions<Course>, seatsLeft: boolean | undefined): Promise<Found> {
  if (seatsLeft === undefined) return { where: among, counted: [among] };
  const { models, read } = core.database;
  const freed = await read(() => coursesWithFreedSeats(core));
  const found = (how: 'by index' | 'in order'): WhereOptions<Course> => {
    const stored = isStoredAsFull(!seatsLeft, how);
    if (freed.length === 0) return { [Op.and]: [among, stored] };
    const actual = seatsLeft
      ? { [Op.or]: [stored, { id: freed }] }
      : { [Op.and]: [stored, { id: { [Op.notIn]: freed } }] };
    return { [Op.and]: [among, actual] };
  };
  const ids = await read(() => rowsOf(models.Course, { where: found('by index'), order: [] }).ids(mostNamed + 1));
  if (ids.length <= mostNamed) return { where: { id: ids }, counted: [{ id: ids }] };
  return { where: found('in order'), counted: [found('by index')] };
}
