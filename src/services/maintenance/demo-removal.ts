import { Op, type Transaction } from 'sequelize';
import { type DemoRows, type MigrationWait, unseedDemo } from '../../db/migrations/migrator.js';
import type { User } from '../../db/models/user.js';
import { AppError } from '../../errors.js';
import { recordAudit } from '../audit/audit.js';
import type { Actor, Core } from '../core.js';
import { forceIncrementCourseVersions, forceIncrementUserVersions } from '../locks/row-locks.js';
import { demoPassword, demoStaff } from './demo.js';

const maxChangesNamed = 5;

/** Rows removed. */
export interface RemovedDemo {
  accounts: number;
  courses: number;
  enrollments: number;
  /** Whether nobody is left, so that the service has to be set up again. */
  isEmpty: boolean;
}

const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id);

const byId = <Row extends { id: string }>(rows: readonly Row[]) => new Map(rows.map((row) => [row.id, row]));

/** The fields of an account that differ from those it was loaded with. Who signed in to look around has changed none. */
function changedFields(loaded: DemoRows['users'][number], user: User, hasDemoPassword: boolean): string[] {
  const fields: [name: string, isSame: boolean][] = [
    ['name', user.firstName === loaded.first_name && user.lastName === loaded.last_name],
    ['email', user.email === loaded.email],
    ['phone', user.phone === loaded.phone],
    // The demo's super admin may have handed the role over to somebody who stays.
    ['role', user.role === loaded.role || loaded.role === 'super_admin'],
    ['active', user.isActive === loaded.is_active],
    ['password', hasDemoPassword && user.requiresPasswordChange === loaded.requires_password_change],
  ];
  return fields.filter(([, isSame]) => !isSame).map(([name]) => name);
}

async function accountChanges(core: Core, { users: rows }: DemoRows, users: readonly User[]): Promise<string[]> {
  const stored = byId(users);
  // Those who haven't signed in share a hash; a login replaces it where hashes cost more by now.
  const hashes = [...new Set(users.map(({ passwordHash }) => passwordHash))];
  const isDemo = await Promise.all(hashes.map((hash) => core.hasher.compare(demoPassword, hash)));
  const demoHashes = new Set(hashes.filter((_, index) => isDemo[index]));
  return rows.flatMap((loaded) => {
    const user = stored.get(loaded.id);
    // It brought no super admin where there was one.
    if (!user) return loaded.role === 'super_admin' ? [] : [`${loaded.email} was deleted`];
    const changed = changedFields(loaded, user, demoHashes.has(user.passwordHash));
    return changed.length > 0 ? [`${loaded.email} was changed (${changed.join(', ')})`] : [];
  });
}

async function courseChanges(core: Core, { users, courses: rows }: DemoRows, transaction: Transaction) {
  const where = { [Op.or]: [{ id: idsOf(rows) }, { trainerId: idsOf(users) }] };
  const courses = await core.database.models.Course.findAll({ where, transaction });
  const [stored, loaded] = [byId(courses), byId(rows)];
  const missing = rows.filter(({ id }) => !stored.has(id)).map(({ title }) => `the course "${title}" was deleted`);
  const others = courses.flatMap(({ id, title, updatedAt }) => {
    const row = loaded.get(id);
    if (!row) return [`the course "${title}" was added`];
    return updatedAt.getTime() === row.updated_at.getTime() ? [] : [`the course "${row.title}" was changed`];
  });
  return [...missing, ...others];
}

async function enrollmentChanges(core: Core, rows: DemoRows, transaction: Transaction): Promise<string[]> {
  const where = { [Op.or]: [{ courseId: idsOf(rows.courses) }, { userId: idsOf(rows.users) }] };
  const attributes = ['id', 'updatedAt'];
  const enrollments = await core.database.models.Enrollment.findAll({ attributes, where, transaction });
  const loaded = byId(rows.enrollments);
  const kept = enrollments.filter(({ id }) => loaded.has(id));
  const changed = kept.filter(({ id, updatedAt }) => updatedAt.getTime() !== loaded.get(id)?.updated_at.getTime());
  const counts = [
    [changed.length, 'changed'],
    [enrollments.length - kept.length, 'added'],
    [rows.enrollments.length - kept.length, 'removed'],
  ] as const;
  return counts.flatMap(([count, what]) =>
    count === 0 ? [] : [`${count} ${count === 1 ? 'enrollment was' : 'enrollments were'} ${what}`],
  );
}

async function fileChanges(core: Core, { users, courses }: DemoRows, transaction: Transaction): Promise<string[]> {
  const where = { state: 'live' as const, [Op.or]: [{ courseId: idsOf(courses) }, { userId: idsOf(users) }] };
  const files = await core.database.models.StoredFile.findAll({ attributes: ['name'], where, transaction });
  return files.map(({ name }) => `the file "${name}" was added`);
}

/** @throws AppError `SEED_REFUSED` when the service would be left with people and without a super admin, open to be set up by anybody */
async function assertSuperAdminStays(core: Core, users: readonly User[], transaction: Transaction): Promise<void> {
  const admin = users.find(({ role }) => role === 'super_admin');
  if (!admin || (await core.database.models.User.count({ transaction })) === users.length) return;
  throw new AppError(
    'SEED_REFUSED',
    `The demo programme stays: its ${admin.email} is the super admin of other people. Hand that over first: coursectl users transfer-super-admin <user>`,
  );
}

/** @throws AppError `SEED_REFUSED` when anything was changed, which is named */
async function assertUnchanged(core: Core, rows: DemoRows, users: readonly User[], transaction: Transaction) {
  const changes = [
    ...(await accountChanges(core, rows, users)),
    ...(await courseChanges(core, rows, transaction)),
    ...(await enrollmentChanges(core, rows, transaction)),
    ...(await fileChanges(core, rows, transaction)),
  ];
  if (changes.length === 0) return;
  const more = changes.length > maxChangesNamed ? `; and ${changes.length - maxChangesNamed} more` : '';
  throw new AppError(
    'SEED_REFUSED',
    `The demo programme stays, because somebody has changed it: ${changes.slice(0, maxChangesNamed).join('; ')}${more}. Delete what you don't need one by one: coursectl courses delete, coursectl users delete`,
  );
}

/**
 * Removes the demo programme as it was loaded: its accounts, with their sessions, its courses and their enrollments. Nothing
 * else refers to them.
 * @returns undefined where it isn't loaded
 * @throws AppError `SEED_REFUSED` when somebody has changed it; as `unseedDemo`
 */
export async function removeDemo(
  core: Core,
  actor: Actor,
  waiting: MigrationWait = {},
): Promise<RemovedDemo | undefined> {
  if ((await demoStaff(core)).length === 0) return undefined;
  const { User } = core.database.models;
  let removed: RemovedDemo | undefined;
  await unseedDemo(
    core.database,
    async (transaction, rows) => {
      // So that nobody changes or enrolls in what is looked at.
      await forceIncrementCourseVersions(core, idsOf(rows.courses).sort(), transaction);
      const users = await forceIncrementUserVersions(core, idsOf(rows.users).sort(), transaction);
      await assertSuperAdminStays(core, users, transaction);
      await assertUnchanged(core, rows, users, transaction);
      const where = { role: 'super_admin' as const };
      const { id } = await User.findOne({ where, attributes: ['id'], transaction, rejectOnEmpty: true });
      await recordAudit(core, actor, { action: 'demo.remove', targetType: 'user', targetId: id }, transaction);
      const { courses, enrollments } = rows;
      const isEmpty = (await User.count({ transaction })) === users.length;
      removed = { accounts: users.length, courses: courses.length, enrollments: enrollments.length, isEmpty };
    },
    waiting,
  );
  return removed;
}
