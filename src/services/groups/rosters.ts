import type { Transaction } from 'sequelize';
import type { Group } from '../../db/models/group.js';
import { type ImportOptions, serializeImportOptions } from '../../schemas/import.js';
import type { HeldSync, RecordedHold } from '../../schemas/roster.js';
import { recordAudit } from '../audit/audit.js';
import type { Actor, Core } from '../core.js';
import { comparableTitle } from '../courses/find-course.js';
import { queueMails } from '../mail/outbox.js';
import { groupAuditRecord } from './commands.js';
import { rosterStateOf } from './roster-state.js';

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
 * Adds the remembered options of a roster to those of a request, which come first.
 * @param given raw options, which a schema has yet to check; without `roster`, nothing is added
 */
export async function withRosterOptions(core: Core, given: object): Promise<Partial<ImportOptions>> {
  const { roster } = given as { roster?: unknown };
  if (typeof roster !== 'string') return given;
  const group = await findRoster(core, roster);
  return { ...(group && rosterStateOf(group)?.options), ...given };
}

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
