import { Op, type WhereOptions } from 'sequelize';
import { hasSeatsLeft, isFull } from '../../db/conditions.js';
import type { Course } from '../../db/models/course.js';
import { addSeats, seatStatuses } from '../capacity.js';
import type { Core } from '../core.js';

/** Of so many courses that may be full the seats are counted, and those that are full are named in the query. */
const mostNamed = 200;

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
 * Those of some courses that are full. Where few may be, they are found by an index; where many may be, by reading courses in
 * the order of the page, which soon has enough.
 */
async function thatAreFull(core: Core, among: WhereOptions<Course>): Promise<Found> {
  const { sequelize, models, read } = core.database;
  const where = { [Op.and]: [among, { mayBeFull: true }] };
  const candidates = await read(() =>
    models.Course.findAll({ attributes: ['id', 'maxStudents'], where, limit: mostNamed + 1 }),
  );
  if (candidates.length <= mostNamed) {
    await addSeats(core, candidates);
    const full = { id: candidates.filter((course) => course.seatsLeft === 0).map(({ id }) => id) };
    return { where: full, counted: [full] };
  }
  const full = (how: 'by index' | 'in order') => ({ [Op.and]: [among, isFull(sequelize, seatStatuses, how)] });
  return { where: full('in order'), counted: [full('by index')] };
}

/** Those of some courses that have seats left, or are full; all of them where nothing is wanted. */
export async function bySeats(core: Core, among: WhereOptions<Course>, seatsLeft: boolean | undefined): Promise<Found> {
  if (seatsLeft === undefined) return { where: among, counted: [among] };
  return seatsLeft ? withSeatsLeft(core, among) : thatAreFull(core, among);
}
