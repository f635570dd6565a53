import type { Group } from '../../db/models/group.js';
import { contains } from '../../db/sql/conditions.js';
import { countActiveMembers } from '../../db/sql/member-counts.js';
import { notFound } from '../../errors.js';
import { groupListingSchema } from '../../schemas/group.js';
import { searchKey } from '../../schemas/keys.js';
import { validate } from '../../schemas/validate.js';
import type { Core } from '../core.js';
import { comparableTitle } from '../courses/find-course.js';
import { parseId } from '../ids.js';
import { type Page, readPage } from '../paging.js';
import { resolveShortId } from '../short-ids.js';
import { addRoster } from './roster-state.js';

/** Maximum number of counted members of a group. For a page of large groups, 20,000 accounts are read. */
export const memberCounts = { maximum: 1000 };

/** Adds the numbers of active members to groups, with one query. */
async function addMemberCounts({ database }: Core, groups: readonly Group[]): Promise<void> {
  if (groups.length === 0) return;
  const { maximum } = memberCounts;
  const ids = groups.map(({ id }) => id);
  const countOf = await database.read(() => countActiveMembers(database.sequelize, ids, maximum + 1));
  for (const group of groups) {
    const count = countOf.get(group.id) ?? 0;
    group.activeMembers = Math.min(count, maximum);
    group.activeMembersCapped = count > maximum;
  }
}

/** Adds the number of active members and the details of its syncs to a group. */
export async function addDetails(core: Core, group: Group): Promise<void> {
  await addMemberCounts(core, [group]);
  await addRoster(core, group);
}

/** Returns one page of groups by name, with their numbers of active members. Searches names, or an id. @throws AppError `VALIDATION` */
export async function listGroups(core: Core, query: unknown): Promise<Page<Group>> {
  const listing = validate(groupListingSchema, query);
  const { Group } = core.database.models;
  const key = searchKey(listing.search);
  const id = parseId(listing.search ?? '');
  const page = await readPage(core, Group, listing, {
    where: id ? { id } : key === '' ? {} : contains(core.database.sequelize, 'Group.search_key', key),
    order: [
      ['sortKey', 'ASC'],
      ['id', 'ASC'],
    ],
  });
  await addMemberCounts(core, page.items);
  return page;
}

/** Finds a group with its details. @throws AppError `NOT_FOUND` */
export async function findGroup(core: Core, id: string): Promise<Group> {
  const group = await core.database.read(() => core.database.models.Group.findByPk(id));
  if (!group) throw notFound('Group');
  await addDetails(core, group);
  return group;
}

/**
 * Finds a group by an id, its name (ignoring case and repeated spaces), or the last 8 characters of an id.
 * @throws AppError `NOT_FOUND`; `VALIDATION` for the end of several ids
 */
export async function findGroupByName(core: Core, reference: string): Promise<Group> {
  const { models, read } = core.database;
  const whole = parseId(reference);
  if (whole !== undefined) return findGroup(core, whole);
  const named = await read(() => models.Group.findOne({ where: { nameKey: comparableTitle(reference) } }));
  return findGroup(core, named?.id ?? (await resolveShortId(core, 'Group', reference)));
}

/** Returns the groups of an account, by name. */
export async function groupsOfUser({ database }: Core, userId: string): Promise<Group[]> {
  const { Group, GroupMember } = database.models;
  return database.read(async () => {
    const members = await GroupMember.findAll({ attributes: ['groupId'], where: { userId } });
    return Group.findAll({ where: { id: members.map(({ groupId }) => groupId) }, order: ['sortKey', 'id'] });
  });
}
