import { Op, type WhereOptions } from 'sequelize';
import { refersToMatch, refersToOneOfFew, refersToOneOfMany } from '../../db/conditions.js';
import type { Enrollment } from '../../db/models/enrollment.js';
import type { User } from '../../db/models/user.js';
import { rowsOf } from '../../db/page.js';
import { searchKey } from '../../schemas/keys.js';
import { type AccountSearch, accountsFound } from '../accounts/search.js';
import type { Core } from '../core.js';
import { mostCounted } from '../paging.js';

/** Up to so many trainees are named by their ids in a query, if all accounts were read to find them. */
const mostNamed = 1000;
/** The enrollments of so many are collected, to be sorted. */
const mostCollected = 5000;

/** A condition of enrollments, and those to count them by (see `Listing.counted`). */
export interface Matching {
  where: WhereOptions<Enrollment>;
  counted: WhereOptions<Enrollment>[];
  mostCounted: number;
}

const same = (where: WhereOptions<Enrollment>): Matching => ({ where, counted: [where], mostCounted });

/** Whether so few accounts match that their enrollments can be collected. */
async function areFew({ database: { models, read } }: Core, { byWords, where }: AccountSearch): Promise<boolean> {
  if (!byWords) return false;
  if (byWords.isWhole || byWords.accounts <= mostCollected) return byWords.accounts <= mostCollected;
  return (await read(() => rowsOf(models.User, { where, order: [] }).count(mostCollected + 1))) <= mostCollected;
}

/**
 * The enrollments of trainees whose name or email matches a search, among all enrollments. Those of few trainees are found by
 * an index on trainees, which the database wouldn't choose by itself; a page of those of many is found soon in the order of
 * dates.
 */
async function amongAll(core: Core, search: string): Promise<Matching> {
  const { models, read } = core.database;
  const found = await accountsFound(core, search, { among: {} });
  if (found.ids) return same({ userId: [...found.ids] });
  const all = found.counted.at(-1) ?? {};
  const isOf = (where: WhereOptions<User>, most?: number) => ({
    [Op.and]: [refersToOneOfFew('`Enrollment`.`user_id`', models.User, where, most)],
  });
  if (await areFew(core, found)) return same(isOf(all));
  if (!found.byWords) {
    const users = await read(() => models.User.findAll({ attributes: ['id'], where: all, limit: mostNamed + 1 }));
    if (users.length <= mostNamed) return same({ userId: users.map(({ id }) => id) });
  }
  return {
    where: { [Op.and]: [refersToOneOfMany('`Enrollment`.`user_id`', models.User, found.where)] },
    // Most trainees have an enrollment.
    counted: [...found.counted.map((where) => isOf(where, found.mostCounted + 1)), isOf(all)],
    mostCounted: found.mostCounted,
  };
}

/** The enrollments of trainees whose name or email matches a search. @param isNarrow whether other filters leave few of them */
export async function matchingTrainees(core: Core, search: string | undefined, isNarrow: boolean): Promise<Matching> {
  const sought = searchKey(search);
  if (search === undefined || !sought) return same({});
  if (!isNarrow) return amongAll(core, search);
  return same({ [Op.and]: [refersToMatch(core.database.sequelize, 'Enrollment.user_id', 'users', sought)] });
}
