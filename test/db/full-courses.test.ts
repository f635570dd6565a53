import { expect } from 'chai';
import { insertRows } from '../../src/db/bulk-insert.js';
import type { Database } from '../../src/db/connection.js';
import { migrateDown, migrateUp, migrationStatus } from '../../src/db/migrator.js';
import { enrollmentStatuses } from '../../src/schemas/enrollment.js';
import { userKeys } from '../../src/services/accounts/store.js';
import { courseKeys } from '../../src/services/courses/commands.js';
import { newIds } from '../../src/services/ids.js';
import { scaled } from '../support/machine.js';
import { useDatabases } from './support/databases.js';
import { migration } from './support/migration.js';

const name = '20260101000032-flag-full-courses.cjs';
const step = migration(name);

/** More than a batch of the migration, and no multiple of it. */
const count = 620;
const dates = { createdAt: new Date('2026-01-31T08:00:00.123Z'), updatedAt: new Date('2026-01-31T08:00:00.123Z') };

describe('The flag of full courses', function () {
  this.timeout(scaled(60_000));
  const databases = useDatabases();

  /** Courses without a limit, with one, two or three seats; four of five have an enrollment of each status. @returns the full ones */
  async function fill({ models, inTransaction }: Database): Promise<string[]> {
    const [trainerId = '', ...userIds] = newIds(1 + enrollmentStatuses.length);
    const ids = newIds(count);
    const account = (id: string, index: number, role: 'trainer' | 'trainee') => {
      const names = { firstName: 'Tina', lastName: 'Trainer', email: `tina${index}@example.org` };
      const phone = `+44${index}`;
      return { id, ...names, phone, phoneKey: phone, passwordHash: 'x', role, ...userKeys(names), ...dates };
    };
    const fields = { title: 'Looms', description: 'x' };
    const courses = ids.map((id, index) => ({
      ...{ id, trainerId, ...fields, ...courseKeys(fields), ...dates },
      maxStudents: [null, 1, 2, 3][index % 4] ?? null,
    }));
    const enrolled = courses.filter((_, index) => index % 5 > 0);
    await inTransaction(async (transaction) => {
      const trainees = userIds.map((id, index) => account(id, index, 'trainee'));
      await insertRows(models.User, [account(trainerId, 99, 'trainer'), ...trainees], transaction);
      await insertRows(models.Course, courses, transaction);
      const enrollments = enrolled.flatMap(({ id: courseId }) =>
        enrollmentStatuses.map((status, index) => ({
          ...{ id: newIds(1)[0] ?? '', userId: userIds[index] ?? '', courseId, trainerId, status },
          ...{ enrolledAt: dates.createdAt, ...dates },
        })),
      );
      await insertRows(models.Enrollment, enrollments, transaction);
    });
    // Pending and active ones take a seat.
    return enrolled.flatMap(({ id, maxStudents }) => (maxStudents !== null && maxStudents <= 2 ? id : [])).sort();
  }

  it('is set by the migration of those alone, and can be made again', async () => {
    const database = databases.open();
    const { Course } = database.models;
    const full = await fill(database);
    const flagged = async () =>
      (await Course.findAll({ attributes: ['id'], where: { isFull: true } })).map(({ id }) => id).sort();
    // What is inserted without the column isn't full.
    expect(await flagged()).to.have.length(0);
    const { executed } = await migrationStatus(database);
    await migrateDown(database, executed.length - executed.indexOf(name));
    await migrateUp(database);
    expect(await flagged()).to.deep.equal(full);
    // As an interrupted one leaves it.
    await Course.update({ isFull: false }, { where: {}, limit: count / 2 });
    await step.up(database.sequelize.getQueryInterface());
    expect(await flagged()).to.deep.equal(full);
  });
});
