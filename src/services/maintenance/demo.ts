import { Op } from 'sequelize';
import { type MigrationWait, seedDemo } from '../../db/migrations/migrator.js';
import { AppError, isAppError } from '../../errors.js';
import { recordAudit } from '../audit/audit.js';
import type { Actor, Core } from '../core.js';

/** What every account of the demo programme logs in with: `seeders/` has it, and the documents name it. */
export const demoPassword = 'demo-password';

/** The ids of the demo's super admin and trainers, as `seeders/` makes them: one of their emails could be somebody's own. */
const staffIds = [
  '019873e1-4580-7dc1-98b7-e1f0ab8dc50b',
  '01989840-2f40-7940-86b9-8af712017c80',
  '01989d66-8b40-7856-8172-6fb3d9d38d6c',
  '0198a28c-e740-7365-8941-596638be7b40',
];

/** The demo programme of this database. */
export interface Demo {
  /** `available`: it can be loaded; `unavailable` in production, and where there are other people. */
  status: 'available' | 'loaded' | 'unavailable';
  /** Emails of its super admin, if it brought one, and of its trainers; none unless it is loaded. */
  accounts: string[];
  /** The public password of all its accounts; null unless it is loaded. */
  password: string | null;
}

const isProduction = ({ config }: Core): boolean => config.environment === 'production';

/** The emails of the demo's super admin and trainers, also in production; none when it isn't loaded. */
export async function demoStaff({ database }: Core): Promise<string[]> {
  const { User } = database.models;
  const found = await database.read(() =>
    User.findAll({ where: { id: staffIds }, attributes: ['id', 'email'], order: [['email', 'ASC']] }),
  );
  return found.map(({ email }) => email);
}

/** What loading the demo programme has done. */
interface LoadedDemo {
  demo: Demo;
  /** Whether it was added now: where it was loaded before, nothing has changed. */
  isNew: boolean;
}

/** Whether there is nobody but the super admin. */
async function isEmpty({ database }: Core): Promise<boolean> {
  const where = { role: { [Op.ne]: 'super_admin' as const } };
  return (await database.read(() => database.models.User.findOne({ where, attributes: ['id'] }))) === null;
}

/** Whether the demo programme can be loaded, or is, and how to log in to it. */
export async function showDemo(core: Core): Promise<Demo> {
  if (isProduction(core)) return { status: 'unavailable', accounts: [], password: null };
  const accounts = await demoStaff(core);
  if (accounts.length > 0) return { status: 'loaded', accounts, password: demoPassword };
  return { status: (await isEmpty(core)) ? 'available' : 'unavailable', accounts: [], password: null };
}

/** Whether loading the demo programme would add it among other people, from whom it couldn't be told apart afterwards. */
export async function wouldMixDemo(core: Core): Promise<boolean> {
  return !isProduction(core) && (await showDemo(core)).status === 'unavailable';
}

/**
 * Adds the demo programme: 3 trainers, 12 courses, 200 trainees, their enrollments, and a super admin unless there is one. It
 * changes nothing where it was loaded before.
 * @throws AppError `SEED_REFUSED` in production, as its password is public; as `seedDemo`
 */
export async function loadDemo(core: Core, actor: Actor, waiting: MigrationWait = {}): Promise<LoadedDemo> {
  if (isProduction(core)) throw new AppError('SEED_REFUSED');
  let isNew = false;
  await seedDemo(core.database, waiting, async (transaction) => {
    const { User } = core.database.models;
    const where = { role: 'super_admin' as const };
    const { id } = await User.findOne({ where, attributes: ['id'], transaction, rejectOnEmpty: true });
    // What it is about needs an id: that of the super admin, who is given the programme.
    await recordAudit(core, actor, { action: 'demo.load', targetType: 'user', targetId: id }, transaction);
    isNew = true;
  });
  return { demo: { status: 'loaded', accounts: await demoStaff(core), password: demoPassword }, isNew };
}

/**
 * As {@link loadDemo}, for an empty database only: among other people the demo's could not be told from them.
 * @throws AppError `DATABASE_NOT_EMPTY` when there are others than the super admin and the demo's, or one has an email or
 *   phone of the demo's; as {@link loadDemo}
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
