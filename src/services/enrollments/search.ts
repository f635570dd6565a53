import { Op, type WhereOptions } from 'sequelize';
import { refersToCollected, refersToMatch, refersToOneOf, refersToOneOfMany } from '../../db/conditions.js';
import type { Enrollment } from '../../db/models/enrollment.js';
import type { User } from '../../db/models/user.js';
import { searchKey } from '../../schemas/keys.js';
import { accountsFound } from '../accounts/search.js';
import type { Core } from '../core.js';
import { type FindParts, maxCounted, partsOf } from '../paging.js';

/** Up to so many trainees are named by their ids in a query, if all accounts were read to find them. */
const maxNamed = 1000;

/** A condition of enrollments, and how they are found and counted (see `Listing`). */
export interface Matching {
  where: WhereOptions<Enrollment>;
  maxCounted: number;
  findParts?: FindParts<Enrollment> | undefined;
}

const same = (where: WhereOptions<Enrollment>, most = maxCounted): Matching => ({ where, maxCounted: most });

/**
 * The enrollments of trainees whose name or email matches a search, among all enrollments. Those of few trainees are found by
 * an index on trainees, which the database wouldn't choose by itself; a page of those of many is found soon in the order of
 * dates.
 */
async function amongAll(core: Core, search: string): Promise<Matching> {
  const { models, read } = core.database;
  const found = await accountsFound(core, search, { among: {}, onlyIds: true });
  const { ids, where, findParts, maxCounted: most } = found;
  if (ids) return same({ userId: [...ids] }, most);
  const isOfMany = { [Op.and]: [refersToOneOfMany('`Enrollment`.`user_id`', models.User, where)] };
  if (findParts) {
    const isOf = (part: WhereOptions<User>) => ({
      [Op.and]: [refersToOneOf('`Enrollment`.`user_id`', models.User, part)],
    });
    const findEnrollments: FindParts<Enrollment> = async (...few) => {
      const accounts = await findParts(...few);
      const parts = partsOf<User, Enrollment>(accounts, isOf);
      const conditions = accounts.parts.map((part) => part.where);
      if (conditions.length === 0) return parts;
      const collected = refersToCollected('`Enrollment`.`user_id`', models.User, conditions);
      return { ...parts, collected: { [Op.and]: [collected] } };
    };
    return { where: isOfMany, maxCounted: most, findParts: findEnrollments };
  }
  const users = await read(() => models.User.findAll({ attributes: ['id'], where, limit: maxNamed + 1 }));
  return same(users.length <= maxNamed ? { userId: users.map(({ id }) => id) } : isOfMany);
}

/** The enrollments of trainees whose name or email matches a search. @param isNarrow whether other filters leave few of them */
export async function matchingTrainees(core: Core, search: string | undefined, isNarrow: boolean): Promise<Matching> {
  const sought = searchKey(search);
  if (search === undefined || !sought) return same({});
  if (!isNarrow) return amongAll(core, search);
  return same({ [Op.and]: [refersToMatch(core.database.sequelize, 'Enrollment.user_id', 'users', sought)] });
}
