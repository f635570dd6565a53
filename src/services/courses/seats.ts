import { Op, type WhereOptions } from 'sequelize';
import { isStoredAsFull, refersToOneOf } from '../../db/conditions.js';
import type { Course } from '../../db/models/course.js';
import { rowsOf } from '../../db/page.js';
import type { Core } from '../core.js';
import { coursesWithFreedSeats } from '../freed-seats.js';
import type { FindParts, Parts } from '../paging.js';

/** Up to so many courses are sorted to find a page. */
const maxSorted = 500;

/** Which courses a listing has, and by what they are counted, or found: see `Listing`. */
interface Found {
  where: WhereOptions<Course>;
  counted: WhereOptions<Course>[];
  findParts?: FindParts<Course>;
}

/**
 * Those of some courses that have seats left, or are full; all of them where nothing is wanted. Few are found by an index, once
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
  const [where, byIndex] = [found('in order'), found('by index')];
  const entries = await read(() => rowsOf(models.Course, { where: byIndex, order: [] }).count(maxSorted + 1));
  if (entries > maxSorted) return { where, counted: [byIndex] };
  // By their ids, which that index has: databases may sort courses that they find by another one.
  const few: WhereOptions<Course> = { [Op.and]: [refersToOneOf('`Course`.`id`', models.Course, byIndex)] };
  const parts: Parts<Course> = { parts: [{ where: few }], entries, some: undefined, rows: entries, inOnePass: true };
  return { where, counted: [byIndex], findParts: async () => parts };
}
