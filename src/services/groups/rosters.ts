import { Op, type Transaction } from 'sequelize';
import type { Group } from '../../db/models/group.js';
import { AppError } from '../../errors.js';
import { type ImportOptions, importOptionsSchema, serializeImportOptions } from '../../schemas/import.js';
import type { HeldSync, RecordedHold } from '../../schemas/roster.js';
import { validate } from '../../schemas/validate.js';
import { changesBetween, recordAudit } from '../audit/audit.js';
import type { Actor, Core } from '../core.js';
import { comparableTitle } from '../courses/find-course.js';
import { queueMails } from '../mail/outbox.js';
import { groupAuditRecord, lockGroup } from './commands.js';
import { addDetails } from './queries.js';
import { heldSyncOf, rosterStateOf } from './roster-state.js';

/** Finds the group of a roster by its name, regardless of case and repeated spaces. */
export function findRoster(core: Core, name: string, transaction?: Transaction): Promise<Group | null> {
  const find = () =>
    core.database.models.Group.findOne({
      where: { nameKey: comparableTitle(name) },
      ...(transaction && { transaction }),
    });
  return transaction ? find() : core.database.read(find);
}

/**
 * Adds the remembered options of a roster to those of a request, which come first. The options `invite` and `noPassword`
 * exclude each other, so that the request's one replaces the remembered one.
 * @param given raw options, which a schema has yet to check; without `roster`, nothing is added
 */
export async function withRosterOptions(core: Core, given: object): Promise<Partial<ImportOptions>> {
  const { roster } = given as { roster?: unknown };
  if (typeof roster !== 'string') return given;
  const group = await findRoster(core, roster);
  const { invite, noPassword } = given as { invite?: unknown; noPassword?: unknown };
  const replaced = [...(isOn(noPassword) ? ['invite', 'withPasswords'] : []), ...(isOn(invite) ? ['noPassword'] : [])];
  const remembered = Object.entries((group && rosterStateOf(group)?.options) ?? {});
  return { ...Object.fromEntries(remembered.filter(([name]) => !replaced.includes(name))), ...given };
}

/** Whether an option of a form or a JSON body is set. */
const isOn = (value: unknown): boolean => value === true || value === 'true';

const stateJson = (options: ImportOptions, rejects: string | null): string =>
  JSON.stringify({ options: JSON.parse(serializeImportOptions(options)) as object, rejects });

/**
 * Records the end of a sync: the first one stores its options for the next ones.
 * @param sync `rejects`: digest of the rejected rows; null if there are none
 */
export async function completeSync(
  core: Core,
  actor: Actor,
  group: Group,
  {
    options,
    rejects,
    importId,
    left,
  }: { options: ImportOptions; rejects: string | null; importId: string; left: number },
  transaction: Transaction,
): Promise<void> {
  const known = rosterStateOf(group)?.options;
  const syncJson = known ? JSON.stringify({ options: known, rejects }) : stateJson(options, rejects);
  await group.update({ syncJson, syncedAt: core.now(), heldJson: null }, { transaction });
  const after = { importId, left };
  await recordAudit(core, actor, groupAuditRecord('group.sync', group.id, { after }), transaction);
}

/**
 * Changes the options that a roster remembers for its next syncs.
 * @param change `unset`: options that get their defaults again
 * @throws AppError `NOT_FOUND`; `VALIDATION`, also for a group that was never synchronised; `TOKEN_INVALID`
 */
export async function changeRosterOptions(
  core: Core,
  actor: Actor,
  id: string,
  { set, unset }: { set: Partial<ImportOptions>; unset: readonly string[] },
): Promise<Group> {
  const updated = await core.database.inTransaction(async (transaction) => {
    const group = await lockGroup(core, id, transaction);
    const state = rosterStateOf(group);
    if (!state) throw neverSynchronised(group.name);
    const kept = Object.fromEntries(Object.entries(state.options).filter(([name]) => !unset.includes(name)));
    const options = validate(importOptionsSchema, { ...kept, ...set, roster: group.name });
    const names = new Set([...Object.keys(state.options), ...Object.keys(options)]);
    names.delete('roster');
    // A null for each missing option: the audit log shows both sides of a change.
    const valuesOf = (source: Partial<ImportOptions>) =>
      Object.fromEntries([...names].map((name) => [name, source[name as keyof ImportOptions] ?? null]));
    const changes = changesBetween(valuesOf(state.options), valuesOf(options));
    if (Object.keys(changes.after).length === 0) return group;
    await group.update({ syncJson: stateJson(options, state.rejects) }, { transaction });
    await recordAudit(core, actor, groupAuditRecord('group.update', id, changes), transaction);
    return group;
  });
  await addDetails(core, updated);
  return updated;
}

const neverSynchronised = (name: string): AppError =>
  new AppError(
    'VALIDATION',
    `"${name}" was never synchronised, so it has no options. Its first sync sets them: coursectl users sync <file> --roster "${name}"`,
  );

/** Maximum number of groups in {@link heldSyncs}. */
const maxHeldShown = 20;

/** Returns groups whose last sync was held, by name. */
export async function heldSyncs({ database }: Core): Promise<(RecordedHold & { group: Pick<Group, 'id' | 'name'> })[]> {
  const { Group } = database.models;
  const where = { heldJson: { [Op.ne]: null } };
  const groups = await database.read(() => Group.findAll({ where, order: ['sortKey', 'id'], limit: maxHeldShown }));
  return groups.flatMap((group) => {
    const held = heldSyncOf(group);
    return held ? [{ group: { id: group.id, name: group.name }, ...held }] : [];
  });
}

/** Records a sync that changed nothing. */
export async function recordIdleSync(core: Core, group: Group, rejects: string | null): Promise<void> {
  const state = rosterStateOf(group);
  const syncJson = state ? JSON.stringify({ ...state, rejects }) : null;
  await core.database.inTransaction((transaction) =>
    group.update({ syncJson, syncedAt: core.now(), heldJson: null }, { transaction, silent: true }),
  );
}

/** Records a held sync, and mails the super admin about the first one since the last completed sync. */
export async function holdSync(core: Core, actor: Actor, id: string, held: HeldSync & { file: string }): Promise<void> {
  const { Group, User } = core.database.models;
  await core.database.inTransaction(async (transaction) => {
    const group = await Group.findByPk(id, { transaction, lock: transaction.LOCK.UPDATE });
    if (!group) return;
    const isKnown = group.heldJson !== null;
    const hold: RecordedHold = { ...held, at: core.now().toISOString() };
    await group.update({ heldJson: JSON.stringify(hold) }, { transaction, silent: true });
    await recordAudit(core, actor, groupAuditRecord('group.hold', id, { after: held }), transaction);
    if (isKnown) return;
    const admins = await User.findAll({ attributes: ['id'], where: { role: 'super_admin' }, transaction });
    const { leaving, members, file } = held;
    const data = { group: group.name, leaving, members, file };
    await queueMails(
      core,
      admins.map((admin) => ({ kind: 'sync-held', userId: admin.id, data })),
      transaction,
    );
  });
}
