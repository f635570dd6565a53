import { Op } from 'sequelize';
import { type MigrationWait, seedDemo } from '../../db/migrations/migrator.js';
import { AppError, isAppError } from '../../errors.js';
import { recordAudit } from '../audit/audit.js';
import type { Actor, Core } from '../core.js';

/** Password of all demo accounts. `seeders/` uses it, and the documents name it. */
export const demoPassword = 'demo-password';

/**
 * Ids of the demo's super admin and trainers from `seeders/`. Their emails don't identify them, because a real account may
 * have the same email.
 */
const staffIds = [
  '019873e1-4580-7dc1-98b7-e1f0ab8dc50b',
  '01989840-2f40-7940-86b9-8af712017c80',
  '01989d66-8b40-7856-8172-6fb3d9d38d6c',
  '0198a28c-e740-7365-8941-596638be7b40',
];

export interface Demo {
  /** `available`: the demo can be loaded. `unavailable`: in production, or if the database has other people. */
  status: 'available' | 'loaded' | 'unavailable';
  /** Emails of the demo's super admin, if loaded, and its trainers; empty unless the demo is loaded. */
  accounts: string[];
  /** Public password of all demo accounts; null unless the demo is loaded. */
  password: string | null;
}

const isProduction = ({ config }: Core): boolean => config.environment === 'production';

/** Returns the emails of the demo's super admin and trainers, also in production; empty unless the demo is loaded. */
export async function demoStaff({ database }: Core): Promise<string[]> {
  const { User } = database.models;
  const found = await database.read(() =>
    User.findAll({ where: { id: staffIds }, attributes: ['id', 'email'], order: [['email', 'ASC']] }),
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
  const accounts = await demoStaff(core);
  if (accounts.length > 0) return { status: 'loaded', accounts, password: demoPassword };
  return { status: (await isEmpty(core)) ? 'available' : 'unavailable', accounts: [], password: null };
}

/** Whether loading the demo programme would mix it with other people, who could not be told apart from the demo later. */
export async function wouldMixDemo(core: Core): Promise<boolean> {
  return !isProduction(core) && (await showDemo(core)).status === 'unavailable';
}

/**
 * Loads the demo programme: 3 trainers, 12 courses, 200 trainees, their enrollments, and a super admin unless one
 * exists. Changes nothing if the demo is loaded already.
 * @throws AppError `SEED_REFUSED` in production, because the password is public; and the errors of {@link seedDemo}
 */
export async function loadDemo(core: Core, actor: Actor, waiting: MigrationWait = {}): Promise<LoadedDemo> {
  if (isProduction(core)) throw new AppError('SEED_REFUSED');
  let isNew = false;
  await seedDemo(core.database, waiting, async (transaction) => {
    const { User } = core.database.models;
    const where = { role: 'super_admin' as const };
    const { id } = await User.findOne({ where, attributes: ['id'], transaction, rejectOnEmpty: true });
    // An audit entry needs a target: here the super admin, who gets the programme.
    await recordAudit(core, actor, { action: 'demo.load', targetType: 'user', targetId: id }, transaction);
    isNew = true;
  });
  return { demo: { status: 'loaded', accounts: await demoStaff(core), password: demoPassword }, isNew };
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
