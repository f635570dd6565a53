import { Op, type Transaction } from 'sequelize';
import { type DemoRows, demoFiles, type MigrationWait, unseedDemo } from '../../db/migrations/migrator.js';
import type { StoredFile } from '../../db/models/stored-file.js';
import type { User } from '../../db/models/user.js';
import { AppError } from '../../errors.js';
import { applyEffects } from '../accounts/apply-effects.js';
import { recordAudit } from '../audit/audit.js';
import type { Actor, Core } from '../core.js';
import { removeMarkedFiles } from '../files/files.js';
import { forceIncrementCourseVersions, forceIncrementUserVersions } from '../locks/row-locks.js';
import { demoGuests, demoPassword } from './demo.js';

export interface RemovedDemo {
  accounts: number;
  courses: number;
  enrollments: number;
  /** Whether no account is left, so that the service must be set up again. */
  isEmpty: boolean;
}

const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id);

/** Whether the stored rows differ from the loaded ones, in number or content. */
function differs<Loaded extends { id: string }, Stored extends { id: string }>(
  loaded: readonly Loaded[],
  stored: readonly Stored[],
  isSame: (row: Stored, before: Loaded) => boolean,
): boolean {
  const before = new Map(loaded.map((row) => [row.id, row]));
  const isKept = (row: Stored) => {
    const earlier = before.get(row.id);
    return earlier !== undefined && isSame(row, earlier);
  };
  return stored.length !== loaded.length || !stored.every(isKept);
}

/** Compares an account with the loaded one, by fields that a login doesn't change. */
const isSameUser = (user: User, loaded: DemoRows['users'][number]): boolean =>
  user.firstName === loaded.first_name &&
  user.lastName === loaded.last_name &&
  user.email === loaded.email &&
  user.phone === loaded.phone &&
  // The demo's super admin may have transferred the role to another person.
  (user.role === loaded.role || loaded.role === 'super_admin') &&
  user.isActive === loaded.is_active &&
  user.requiresPasswordChange === loaded.requires_password_change;

/** Whether a row has the loaded time, which loading has moved by a number of milliseconds. */
const hasTime =
  (movedBy: number) =>
  (row: { updatedAt: Date }, loaded: { updated_at: Date }): boolean =>
    row.updatedAt.getTime() === loaded.updated_at.getTime() + movedBy;

/** Returns the milliseconds by which loading has moved the times of the demo. */
function timeMoved(loaded: DemoRows['users'], stored: readonly User[]): number {
  const [user] = stored;
  const before = loaded.find(({ id }) => id === user?.id);
  return user && before ? user.createdAt.getTime() - before.created_at.getTime() : 0;
}

/** Whether the files contain one that the demo hasn't. Deleted files of the demo are nobody's work. */
function hasOtherFiles(files: readonly StoredFile[]): boolean {
  const keyOf = ({ courseId, kind, name }: Pick<StoredFile, 'courseId' | 'kind' | 'name'>) =>
    [courseId, kind, name].join();
  const loaded = new Set(demoFiles().map(keyOf));
  return files.some((file) => !loaded.delete(keyOf(file)));
}

/**
 * Returns the accounts' hashes that match the demo password. There can be several, because a login at another cost renews
 * the hash.
 */
async function demoHashes({ hasher }: Core, users: readonly User[]): Promise<ReadonlySet<string>> {
  const hashes = [...new Set(users.map(({ passwordHash }) => passwordHash))];
  const isDemo = await Promise.all(hashes.map((hash) => hasher.compare(demoPassword, hash)));
  return new Set(hashes.filter((_, index) => isDemo[index]));
}

/**
 * @throws AppError `SEED_REFUSED` if other people would be left without a super admin: then anybody could set the service
 *   up
 */
async function assertSuperAdminStays(core: Core, users: readonly User[], transaction: Transaction): Promise<void> {
  const admin = users.find(({ role }) => role === 'super_admin');
  if (!admin || (await core.database.models.User.count({ transaction })) === users.length) return;
  throw new AppError(
    'SEED_REFUSED',
    `The demo programme was not removed: its ${admin.email} is the super admin of other people. Transfer the role first: coursectl users transfer-super-admin <user>`,
  );
}

/** @throws AppError `SEED_REFUSED` if anything was changed */
async function assertUnchanged(core: Core, rows: DemoRows, users: readonly User[], transaction: Transaction) {
  const { Course, Enrollment, StoredFile } = core.database.models;
  const [userIds, courseIds] = [idsOf(rows.users), idsOf(rows.courses)];
  const ofDemo = { [Op.or]: [{ courseId: courseIds }, { userId: userIds }] };
  const ownCourses = { [Op.or]: [{ id: courseIds }, { trainerId: userIds }] };
  const courses = await Course.findAll({ where: ownCourses, transaction });
  const enrollments = await Enrollment.findAll({ attributes: ['id', 'updatedAt'], where: ofDemo, transaction });
  const files = await StoredFile.findAll({ where: { state: 'live', ...ofDemo }, transaction });
  const isSameTime = hasTime(timeMoved(rows.users, users));
  const hashes = await demoHashes(core, users);
  // The demo's super admin is loaded only if no super admin exists.
  const accounts = rows.users.filter(({ id, role }) => role !== 'super_admin' || users.some((user) => user.id === id));
  const hasSameUser: typeof isSameUser = (user, loaded) => isSameUser(user, loaded) && hashes.has(user.passwordHash);
  const changed = Object.entries({
    accounts: differs(accounts, users, hasSameUser),
    courses: differs(rows.courses, courses, isSameTime),
    enrollments: differs(rows.enrollments, enrollments, isSameTime),
    files: hasOtherFiles(files),
  }).flatMap(([kind, isChanged]) => (isChanged ? kind : []));
  if (changed.length === 0) return;
  throw new AppError(
    'SEED_REFUSED',
    `The demo programme was not removed, because somebody has changed its ${changed.join(', ')}: see coursectl audit list. Delete its parts one by one: coursectl courses delete, coursectl users delete`,
  );
}

/**
 * Removes the unchanged demo programme: its accounts with their sessions, its courses with their files and enrollments.
 * Refuses if other rows refer to them.
 * @returns undefined if the demo programme isn't loaded
 * @throws AppError `SEED_REFUSED` if somebody has changed the demo programme, and the errors of {@link unseedDemo}
 */
export async function removeDemo(
  core: Core,
  actor: Actor,
  waiting: MigrationWait = {},
): Promise<RemovedDemo | undefined> {
  if ((await demoGuests(core)).length === 0) return undefined;
  const { User } = core.database.models;
  let removed: RemovedDemo | undefined;
  await unseedDemo(
    core.database,
    async (transaction, rows) => {
      // Locked, so that nobody changes the checked rows or enrolls in the courses before the removal.
      await forceIncrementCourseVersions(core, idsOf(rows.courses).sort(), transaction);
      const users = await forceIncrementUserVersions(core, idsOf(rows.users).sort(), transaction);
      await assertSuperAdminStays(core, users, transaction);
      await assertUnchanged(core, rows, users, transaction);
      const where = { role: 'super_admin' as const };
      const { id } = await User.findOne({ where, attributes: ['id'], transaction, rejectOnEmpty: true });
      await recordAudit(core, actor, { action: 'demo.remove', targetType: 'user', targetId: id }, transaction);
      const cause = { action: 'demo.remove', actor } as const;
      const changes = users.map((user) => ({ before: user, after: undefined, cause }));
      await applyEffects(core, changes, transaction);
      const { courses, enrollments } = rows;
      const isEmpty = (await User.count({ transaction })) === users.length;
      removed = { accounts: users.length, courses: courses.length, enrollments: enrollments.length, isEmpty };
    },
    waiting,
  );
  await removeMarkedFiles(core, { courseId: demoFiles().map(({ courseId }) => courseId) });
  return removed;
}
