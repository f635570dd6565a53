import { Op, type WhereOptions } from 'sequelize';
import type { Enrollment } from '../../db/models/enrollment.js';
import type { User } from '../../db/models/user.js';
import { refersToRowByIndex, refersToRowByLookup } from '../../db/sql/conditions.js';
import { rowQuery } from '../../db/sql/page.js';
import { searchKey } from '../../schemas/keys.js';
import { planAccountSearch, scanForAccounts } from '../accounts/search.js';
import type { Core } from '../core.js';
import { type IndexedParts, maxCounted, narrowParts, searchBounds } from '../paging.js';

/** Maximum number of trainees whose ids a query lists, after a search without an index. */
const maxNamed = 1000;

/** Maximum number of enrollments that are read one by one, with their trainees, to match a search. */
export const searchedEnrollments = { few: 3000 };

/** Condition of a search for enrollments, and how to find and count its matches: see `Listing` in paging.ts. */
export interface EnrollmentSearch {
  where: WhereOptions<Enrollment>;
  /** Maximum number of counted matches; absent for all. */
  maxCounted?: number;
  parts?: IndexedParts<Enrollment> | undefined;
}

/** Matches enrollments of trainees whose name or email matches. Looks up the trainee of each enrollment, so use it for few. */
export function isOfTrainee(core: Core, search: string): WhereOptions<Enrollment> {
  const { User } = core.database.models;
  return { [Op.and]: [refersToRowByLookup('`Enrollment`.`user_id`', User, scanForAccounts(core, search))] };
}

/**
 * Plans a search for trainees' names and emails among all enrollments. If few trainees match, their enrollments are read
 * by the index on trainees. If many match, enrollments are read in the order of the page, which is then soon full.
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
 * Plans a search for enrollments of trainees whose name or email matches.
 * @param narrow other conditions that usually leave few enrollments, such as those of a trainer; undefined for all enrollments
 */
export async function planTraineeSearch(
  core: Core,
  search: string | undefined,
  narrow: WhereOptions<Enrollment> | undefined,
): Promise<EnrollmentSearch> {
  if (search === undefined || searchKey(search) === '') return narrow ? { where: {} } : { where: {}, maxCounted };
  if (!narrow) return planFullSearch(core, search);
  const { few } = searchedEnrollments;
  const among = rowQuery(core.database.models.Enrollment, { where: narrow, order: [] });
  if ((await core.database.read(() => among.count(few + 1))) > few) return planFullSearch(core, search);
  return { where: isOfTrainee(core, search) };
}
