import { Op, type Transaction } from 'sequelize';
import type { Import } from '../../../db/models/import.js';
import { AppError } from '../../../errors.js';
import type { ImportStatus } from '../../../schemas/import.js';
import type { Core, Identity } from '../../core.js';
import { forceIncrementUserVersions } from '../../locks/row-locks.js';
import { findCourseOfTrainer, trainerInactive } from '../plan/trainer-course.js';
import type { KeptCode } from './ledger.js';
import { optionsOf } from './repository.js';

const dayMs = 86_400_000;

/** Statuses of imports that may still create accounts. */
const unfinished: readonly ImportStatus[] = ['queued', 'running', 'interrupted'];

/** Loads the trainers of imports, in memory only. */
export async function addTrainers(core: Core, records: readonly Import[]): Promise<void> {
  const ids = records.flatMap(({ trainerId }) => trainerId ?? []);
  if (ids.length === 0) return;
  const { User } = core.database.models;
  const trainers = await core.database.read(() =>
    User.findAll({ attributes: ['id', 'firstName', 'lastName'], where: { id: ids } }),
  );
  for (const record of records) record.trainer = trainers.find(({ id }) => id === record.trainerId) ?? null;
}

/**
 * Makes sure that the trainer of an import is active and has the course of the import. Imports of the super admin always pass.
 * @throws AppError `COURSE_LOST`, `ACCOUNT_INACTIVE`
 */
export async function assertTrainerHasCourse(core: Core, record: Import): Promise<void> {
  const { trainerId, course } = optionsOf(record);
  if (trainerId !== undefined) await findCourseOfTrainer(core, trainerId, course);
}

/**
 * Locks the trainer of an import, so that concurrent requests count invitations one after the other. Transactions call it
 * before they lock the import.
 * @throws AppError `ACCOUNT_INACTIVE`
 */
export async function lockTrainer(
  core: Core,
  { trainerId }: Pick<Import, 'trainerId'>,
  transaction: Transaction,
): Promise<void> {
  if (trainerId === null) return;
  const [trainer] = await forceIncrementUserVersions(core, [trainerId], transaction);
  if (!trainer?.isActive || trainer.role !== 'trainer') throw trainerInactive();
}

/**
 * Counts the new people that other imports of the trainer have invited within 24 hours, or may still invite. Imports may wait
 * or run for longer than that.
 */
async function countInvites(core: Core, trainerId: string, except: string, transaction: Transaction): Promise<number> {
  const since = new Date(core.now().getTime() - dayMs);
  const imports = await core.database.models.Import.findAll({
    attributes: ['status', 'createdCount', 'invitesReserved'],
    where: {
      createdBy: trainerId,
      id: { [Op.ne]: except },
      invitesReservedAt: { [Op.ne]: null },
      [Op.or]: [
        { status: [...unfinished] },
        { invitesReservedAt: { [Op.gt]: since } },
        { finishedAt: { [Op.gt]: since } },
      ],
    },
    transaction,
  });
  const countOf = ({ status, createdCount, invitesReserved }: Import) =>
    unfinished.includes(status) ? invitesReserved : createdCount;
  return imports.reduce((sum, one) => sum + countOf(one), 0);
}

/**
 * Reserves the invitations of a trainer's import. The caller has called {@link lockTrainer} in the transaction, and saves the
 * returned fields with the import.
 * @param wanted number of new people in the file
 * @throws AppError `INVITE_LIMIT`
 */
export async function reserveInvites(
  core: Core,
  record: Import,
  wanted: number,
  transaction: Transaction,
): Promise<Partial<Pick<Import, 'invitesReserved' | 'invitesReservedAt'>>> {
  const { trainerId } = record;
  if (trainerId === null) return {};
  const max = core.config.imports.trainerInvites;
  const used = await countInvites(core, trainerId, record.id, transaction);
  if (wanted > 0 && used + wanted > max)
    throw new AppError(
      'INVITE_LIMIT',
      `A trainer may invite ${max} new people within 24 hours (TRAINER_INVITES_PER_DAY). ${used} are invited already, and this file has ${wanted}. Nothing was written. Apply the import later, use a shorter file, or ask the super admin to import it.`,
      { params: { max } },
    );
  return { invitesReserved: wanted, invitesReservedAt: core.now() };
}

/** Returns the reason to keep an account as a reader may see it. Trainers don't learn how an account was used. */
export const shownKeptCode = ({ role }: Identity, code: KeptCode): KeptCode =>
  role === 'super_admin' || code === 'GONE' ? code : 'IN_USE';

/** Returns the accounts whose names and addresses a reader may see: for trainers, those enrolled in their courses. */
export async function visibleAccounts(
  core: Core,
  reader: Identity,
  ids: readonly string[],
): Promise<readonly string[]> {
  if (reader.role === 'super_admin' || ids.length === 0) return ids;
  const { Enrollment } = core.database.models;
  const where = { userId: [...ids], trainerId: reader.actorId };
  const enrollments = await core.database.read(() => Enrollment.findAll({ attributes: ['userId'], where, raw: true }));
  return enrollments.map(({ userId }) => userId);
}
