import { presentGroup, presentGroupDetails } from '../../../presenters/group.js';
import { groupCreationSchema, groupListingSchema, groupUpdateSchema } from '../../../schemas/group.js';
import { validate } from '../../../schemas/validate.js';
import { operator } from '../../../services/core.js';
import { createGroup, deleteGroup, updateGroup } from '../../../services/groups/commands.js';
import { findGroupByName, listGroups } from '../../../services/groups/queries.js';
import { assertCanAsk, confirm } from '../../core/bulk/confirm.js';
import type { yesOption } from '../../core/command/declaration.js';
import type { Result, Run } from '../../core/command/run.js';
import { checkListing, listing, presented } from '../../core/listing/listing.js';
import { fieldsText } from '../../core/listing/table.js';
import { counted } from '../../core/output/output.js';
import { activeMembers, groupColumns } from './columns.js';
import type { createGroupOptions, groupListOptions } from './options.js';
import { rosterFields } from './rosters.js';

/** @throws AppError `USAGE`, `VALIDATION` */
export function checkList(run: Run<'', typeof groupListOptions>): void {
  checkListing(run, groupColumns, groupListingSchema, { search: run.options.search });
}

/** Lists groups by name. @throws AppError `VALIDATION` */
export function list(run: Run<'', typeof groupListOptions>): Promise<Result> {
  const { search } = run.options;
  return listing(run, { key: 'groups', singular: 'group', columns: groupColumns }, async () => {
    const context = await run.context();
    return async (page) => presented(await listGroups(context, { search, ...page }), presentGroup);
  });
}

/** Shows one group. @throws AppError `NOT_FOUND`, `VALIDATION` */
export async function show(run: Run<'<group>'>): Promise<Result> {
  const group = presentGroupDetails(await findGroupByName(await run.context(), run.arguments.group));
  const text = fieldsText(
    [
      ['id', group.id],
      ['name', group.name],
      ['note', group.note],
      ['active members', activeMembers(group)],
      ...rosterFields(run, group),
      ['created', group.createdAt.toISOString()],
      ['changed', group.updatedAt.toISOString()],
    ],
    run.display,
  );
  return { json: { group }, text };
}

const inputOf = (run: Run<'<name>', typeof createGroupOptions>) => ({ ...run.arguments, note: run.options.note });

/** @throws AppError `VALIDATION` */
export function checkCreate(run: Run<'<name>', typeof createGroupOptions>): void {
  validate(groupCreationSchema, inputOf(run));
}

/** Creates a group without members. @throws the errors of {@link createGroup} */
export async function create(run: Run<'<name>', typeof createGroupOptions>): Promise<Result> {
  const group = await createGroup(await run.context(), operator, inputOf(run));
  return { json: { group: presentGroupDetails(group) }, text: `Created "${group.name}" (${group.id}).` };
}

/** @throws AppError `VALIDATION` */
export function checkRename(run: Run<'<group> <name>'>): void {
  validate(groupUpdateSchema, { name: run.arguments.name });
}

/** Renames a group. @throws AppError `NOT_FOUND`, and the errors of {@link updateGroup} */
export async function rename(run: Run<'<group> <name>'>): Promise<Result> {
  const context = await run.context();
  const found = await findGroupByName(context, run.arguments.group);
  const group = await updateGroup(context, operator, found.id, { name: run.arguments.name });
  return { json: { group: presentGroupDetails(group) }, text: `Renamed "${found.name}" to "${group.name}".` };
}

/**
 * Deletes a group after a confirmation.
 * @throws AppError `USAGE`, `NOT_FOUND`, `DECLINED`, `INTERRUPTED`
 */
export async function remove(run: Run<'<group>', typeof yesOption>): Promise<Result> {
  const context = await run.context();
  const found = await findGroupByName(context, run.arguments.group);
  const group = presentGroupDetails(found);
  assertCanAsk(run, 'delete');
  const members = `${group.activeMembersCapped ? 'more than ' : ''}${counted(group.activeMembers, 'active member')}`;
  if (!run.options.yes)
    await confirm(run, {
      about: `"${group.name}" will be deleted. Its members (${members}) keep their accounts and enrollments.`,
      question: 'Delete this group?',
      otherwise: 'Nothing was deleted.',
    });
  await deleteGroup(context, operator, group.id);
  return { json: { group }, text: `Deleted "${group.name}" (${group.id}).` };
}
