import { Op, type Transaction } from 'sequelize';
import { type DemoFile, demoFiles, type MigrationWait, seedDemo } from '../../db/migrations/migrator.js';
import type { StoredFile } from '../../db/models/stored-file.js';
import { AppError, isAppError } from '../../errors.js';
import { recordAudit } from '../audit/audit.js';
import type { Actor, Core } from '../core.js';
import { today } from '../dates.js';
import { atMost, discard, makeLive, putFile } from '../files/files.js';
import { imageUrl } from '../files/images.js';
import { copyToUploads } from '../files/staging.js';

/** Password of all demo accounts. `seeders/` uses it, and the documents name it. */
export const demoPassword = 'demo-password';

/**
 * Ids of the demo's super admin, trainers and first trainee from `seeders/`. Their emails don't identify them, because a
 * real account may have the same email.
 */
const guestIds = [
  '019873e1-4580-7dc1-98b7-e1f0ab8dc50b',
  '01989840-2f40-7940-86b9-8af712017c80',
  '01989d66-8b40-7856-8172-6fb3d9d38d6c',
  '0198a28c-e740-7365-8941-596638be7b40',
  '01993061-11e0-7736-ace7-fd853e307a73',
];

export interface Demo {
  /** `available`: the demo can be loaded. `unavailable`: in production, or if the database has other people. */
  status: 'available' | 'loaded' | 'unavailable';
  /** Emails of the demo's super admin, if loaded, its trainers and a trainee; empty unless the demo is loaded. */
  accounts: string[];
  /** Public password of all demo accounts; null unless the demo is loaded. */
  password: string | null;
}

const isProduction = ({ config }: Core): boolean => config.environment === 'production';

/** Returns the accounts of {@link Demo}, also in production. */
export async function demoGuests({ database }: Core): Promise<string[]> {
  const { User } = database.models;
  const found = await database.read(() =>
    User.findAll({ where: { id: guestIds }, attributes: ['id', 'email'], order: ['id'] }),
  );
  return found.map(({ email }) => email);
}

interface LoadedDemo {
  demo: Demo;
  /** Whether the demo was loaded by this call; false if it was loaded before. */
  isNew: boolean;
}

/** Whether the database has no people except the super admin. */
async function isEmpty({ database }: Core): Promise<boolean> {
  const where = { role: { [Op.ne]: 'super_admin' as const } };
  return (await database.read(() => database.models.User.findOne({ where, attributes: ['id'] }))) === null;
}

/** Returns the state of the demo programme and how to log in to it. */
export async function showDemo(core: Core): Promise<Demo> {
  if (isProduction(core)) return { status: 'unavailable', accounts: [], password: null };
  const accounts = await demoGuests(core);
  if (accounts.length > 0) return { status: 'loaded', accounts, password: demoPassword };
  return { status: (await isEmpty(core)) ? 'available' : 'unavailable', accounts: [], password: null };
}

/** Whether loading the demo programme would mix it with other people, who could not be told apart from the demo later. */
export async function wouldMixDemo(core: Core): Promise<boolean> {
  return !isProduction(core) && (await showDemo(core)).status === 'unavailable';
}

type PutFile = DemoFile & { stored: StoredFile };

async function discardFiles(core: Core, files: readonly PutFile[]): Promise<void> {
  for (const { stored } of files) await discard(core, stored);
}

/** Puts the files of the demo's courses into the storage. @throws AppError `DISK_FULL`, `STORAGE_UNAVAILABLE` */
async function putFiles(core: Core, signal: AbortSignal): Promise<PutFile[]> {
  const files: PutFile[] = [];
  const limit = atMost(core.config.files.materialBytes);
  try {
    for (const file of demoFiles()) {
      const { kind, courseId, trainerId } = file;
      const upload = await copyToUploads(core, { file: file.path, given: file.name, limit, signal });
      const stored = await putFile(core, { kind, owner: { courseId }, uploadedBy: trainerId, upload });
      files.push({ ...file, stored });
    }
  } catch (error) {
    await discardFiles(core, files);
    throw error;
  }
  return files;
}

/** Attaches the files to their courses, whose `updatedAt` stays: the removal of the demo compares it. */
async function attachFiles(core: Core, files: readonly PutFile[], transaction: Transaction): Promise<void> {
  const { Course } = core.database.models;
  for (const { kind, courseId, stored } of files) {
    await makeLive(core, stored, transaction);
    if (kind !== 'thumbnail') continue;
    await Course.update({ thumbnail: imageUrl(stored) }, { where: { id: courseId }, transaction, silent: true });
  }
}

/**
 * Inserts the demo programme with its files, unless it exists.
 * @returns whether it was inserted
 */
async function insertDemo(core: Core, actor: Actor, waiting: MigrationWait): Promise<boolean> {
  const { User } = core.database.models;
  const files = await putFiles(core, waiting.signal ?? new AbortController().signal);
  let isNew = false;
  const alsoInTransaction = async (transaction: Transaction) => {
    await attachFiles(core, files, transaction);
    const where = { role: 'super_admin' as const };
    const { id } = await User.findOne({ where, attributes: ['id'], transaction, rejectOnEmpty: true });
    // An audit entry needs a target: here the super admin, who gets the programme.
    await recordAudit(core, actor, { action: 'demo.load', targetType: 'user', targetId: id }, transaction);
    isNew = true;
  };
  try {
    await seedDemo(core.database, { now: core.now(), today: today(core), alsoInTransaction }, waiting);
  } catch (error) {
    await discardFiles(core, files);
    throw error;
  }
  // Another process has loaded the demo meanwhile.
  if (!isNew) await discardFiles(core, files);
  return isNew;
}

/**
 * Loads the demo programme: 3 trainers, 12 courses with pictures and files, 200 trainees, their enrollments, and a super
 * admin unless one exists. Changes nothing if the demo is loaded already.
 * @throws AppError `SEED_REFUSED` in production, because the password is public; `DISK_FULL` and `STORAGE_UNAVAILABLE`
 *   if the storage doesn't take the files; and the errors of {@link seedDemo}
 */
export async function loadDemo(core: Core, actor: Actor, waiting: MigrationWait = {}): Promise<LoadedDemo> {
  if (isProduction(core)) throw new AppError('SEED_REFUSED');
  const isNew = (await demoGuests(core)).length === 0 && (await insertDemo(core, actor, waiting));
  return { demo: { status: 'loaded', accounts: await demoGuests(core), password: demoPassword }, isNew };
}

/**
 * Loads the demo programme as {@link loadDemo} does, but only into an empty database, because the demo can't be told
 * apart from other people later.
 * @throws AppError `DATABASE_NOT_EMPTY` if other people exist, or an account has an email or phone of a demo account;
 *   and the errors of {@link loadDemo}
 */
export async function loadDemoIfEmpty(core: Core, actor: Actor, waiting: MigrationWait): Promise<LoadedDemo> {
  if (await wouldMixDemo(core)) throw new AppError('DATABASE_NOT_EMPTY');
  try {
    return await loadDemo(core, actor, waiting);
  } catch (error) {
    if (!isAppError(error, 'MIGRATION_FAILED') || !isAppError(error.cause, 'EMAIL_TAKEN', 'PHONE_TAKEN')) throw error;
    throw new AppError(
      'DATABASE_NOT_EMPTY',
      'An account has the email or phone number of a demo account: change it, then load the demo programme again.',
      { cause: error },
    );
  }
}
