import { Op, type WhereOptions } from 'sequelize';
import type { Enrollment } from '../../db/models/enrollment.js';
import type { User } from '../../db/models/user.js';
import { refersToRowByIndex, refersToRowByLookup, refersToSearchMatch } from '../../db/sql/conditions.js';
import { rowQuery } from '../../db/sql/page.js';
import { searchKey } from '../../schemas/keys.js';
import { planAccountSearch } from '../accounts/search.js';
import type { Core } from '../core.js';
import { type IndexedParts, maxCounted, narrowParts, searchBounds } from '../paging.js';

/** Up to so many trainees are named by their ids in a query, if all accounts were read to find them. */
const maxNamed = 1000;

/** Up to so many enrollments are read one by one, with their trainees, to see which a search matches. */
export const searchedEnrollments = { few: 3000 };

/** A condition of enrollments, and how they are found and counted: see `Listing`. */
export interface EnrollmentSearch {
  where: WhereOptions<Enrollment>;
  /** All are counted where it is absent. */
  maxCounted?: number;
  parts?: IndexedParts<Enrollment> | undefined;
}

/**
 * The enrollments of trainees whose name or email matches a search, among all enrollments. Those of few trainees are found by
 * an index on trainees; a page of those of many is found soon in the order of dates.
 */
async function planFullSearch(core: Core, search: string): Promise<EnrollmentSearch> {
  const { models, read } = core.database;
  const trainee = '`Enrollment`.`user_id`';
  const found = await planAccountSearch(core, search, { among: {}, few: searchBounds.countedOfEnrollments });
  const { where, parts, maxCounted: most } = found;
  const isOfMany = { [Op.and]: [refersToRowByLookup(trainee, models.User, where)] };
  if (parts) {
    const isOf = (part: WhereOptions<User>) => ({ [Op.and]: [refersToRowByIndex(trainee, models.User, part)] });
    return { where: isOfMany, maxCounted: most, parts: narrowParts<User, Enrollment>(parts, isOf) };
  }
  const users = await read(() => models.User.findAll({ attributes: ['id'], where, limit: maxNamed + 1 }));
  if (users.length > maxNamed) return { where: isOfMany, maxCounted };
  const ofNamed = { userId: users.map(({ id }) => id) };
  return { where: ofNamed, maxCounted, parts: { parts: [{ where: ofNamed }], areFew: true } };
}

/**
 * The enrollments of trainees whose name or email matches a search.
 * @param narrow other conditions that leave few enrollments in most cases, such as those of a trainer; absent for all enrollments
 */
export async function planTraineeSearch(
  core: Core,
  search: string | undefined,
  narrow: WhereOptions<Enrollment> | undefined,
): Promise<EnrollmentSearch> {
  const sought = searchKey(search);
  if (search === undefined || !sought) return narrow ? { where: {} } : { where: {}, maxCounted };
  if (!narrow) return planFullSearch(core, search);
  const { few } = searchedEnrollments;
  const among = rowQuery(core.database.models.Enrollment, { where: narrow, order: [] });
  if ((await core.database.read(() => among.count(few + 1))) > few) return planFullSearch(core, search);
  return { where: { [Op.and]: [refersToSearchMatch(core.database.sequelize, 'Enrollment.user_id', 'users', sought)] } };
}
