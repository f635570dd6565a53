import { expect } from 'chai';
import { v7 as uuidv7 } from 'uuid';
import type { Database } from '../../src/db/connection.js';
import type { Course } from '../../src/db/models/course.js';
import type { Enrollment } from '../../src/db/models/enrollment.js';
import type { User } from '../../src/db/models/user.js';
import { enrollmentStatuses } from '../../src/schemas/enrollment-statuses.js';
import { buildCourse, buildEnrollment, buildUser, tokenFor } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { failureOf } from './support/failure.js';

/** Expects that the constraint with this name refuses a change. */
async function expectRefusal(change: Promise<unknown>, constraint: string | RegExp): Promise<void> {
  const error = (await change.then(
    () => new Error('It was not refused.'),
    (failure: unknown) => failure,
  )) as Error & { parent?: Error };
  expect(error.parent?.message ?? error.message).to.match(new RegExp(constraint));
}

const foreignKey = /foreign key constraint/i;

describe('constraints of the database', () => {
  const harness = useHarness();
  let database: Database;
  before(() => {
    database = harness.context.database;
  });
  const user = (given: Parameters<typeof buildUser>[1] = {}) => buildUser(harness.context, given);
  const trainer = () => user({ role: 'trainer' });
  const superAdmin = () => user({ role: 'super_admin' });

  describe('on accounts', () => {
    it('allow one super admin, even if several are inserted at the same time', async () => {
      const outcomes = await Promise.allSettled(Array.from({ length: 20 }, superAdmin));
      const codes = outcomes.map((outcome) =>
        outcome.status === 'fulfilled' ? 'created' : (outcome.reason as { code: string }).code,
      );
      expect(codes.filter((code) => code === 'created')).to.have.length(1);
      expect(codes.filter((code) => code === 'SUPER_ADMIN_EXISTS')).to.have.length(19);
      await expectRefusal((await trainer()).update({ role: 'super_admin' }), 'super_admin');
      await database.models.User.destroy({ where: { role: 'super_admin' } });
      expect((await superAdmin()).role).to.equal('super_admin');
    });

    it('keep the super admin active', async () => {
      await expectRefusal(user({ role: 'super_admin', isActive: false }), 'users_super_admin_active');
      const admin = await superAdmin();
      await expectRefusal(admin.update({ isActive: false }), 'users_super_admin_active');
    });

    it('allow one account for each email and each phone, however the phone is written', async () => {
      await user({ email: 'ada@example.org', phone: '+1 (555) 010-9999' });
      expect((await failureOf(() => user({ email: 'ada@example.org' }))).code).to.equal('EMAIL_TAKEN');
      expect((await failureOf(() => user({ phone: '+1.555.010.9999' }))).code).to.equal('PHONE_TAKEN');
      await expectRefusal((await user()).update({ email: 'ada@example.org' }), 'email');
    });

    it('refuse unknown roles', async () => {
      for (const role of ['admin', 'Trainee'])
        await expectRefusal(user({ role: role as 'trainee' }), 'users_role_known');
    });

    it('require every mandatory column', async () => {
      const { id } = await user();
      const columns = [
        'first_name',
        'email',
        'phone',
        'password_hash',
        'role',
        'is_active',
        'search_key',
        'last_name_key',
      ];
      for (const column of columns) {
        const change = database.sequelize.query(`UPDATE users SET ${column} = NULL WHERE id = ?`, {
          replacements: [id],
        });
        await expectRefusal(change, /cannot be null|NOT NULL/i);
      }
    });
  });

  describe('on courses', () => {
    let owner: User;
    beforeEach(async () => {
      owner = await trainer();
    });
    const course = (given: Partial<Course>) => buildCourse(harness.context, owner, given);

    it('refuse unknown levels and types, an end before the start, and a capacity of 0', async () => {
      const refused: [Partial<Course>, string][] = [
        [{ level: 'expert' as 'advanced' }, 'courses_level_known'],
        [{ courseType: 'Online' as 'online' }, 'courses_type_known'],
        [{ startDate: '2026-03-02', endDate: '2026-03-01' }, 'courses_dates_in_order'],
        [{ maxStudents: 0 }, 'courses_max_students_positive'],
      ];
      for (const [given, constraint] of refused) await expectRefusal(course(given), constraint);
      await course({ level: null, courseType: null, maxStudents: 1 });
      await course({ startDate: '2026-03-02', endDate: '2026-03-02' });
      await course({ startDate: null, endDate: '2026-03-02' });
    });

    it('require an existing trainer, and keep that trainer from being deleted', async () => {
      await expectRefusal(course({ trainerId: uuidv7() }), foreignKey);
      await course({});
      await expectRefusal(owner.destroy(), foreignKey);
      expect(await database.models.User.count()).to.equal(1);
    });
  });

  describe('on enrollments', () => {
    let owner: User;
    let trainee: User;
    let course: Course;
    beforeEach(async () => {
      owner = await trainer();
      trainee = await user();
      course = await buildCourse(harness.context, owner);
    });
    const enroll = (given: Partial<Enrollment> = {}) => buildEnrollment(harness.context, trainee, course, given);

    it('allow one enrollment of a trainee in a course', async () => {
      await enroll();
      await expectRefusal(enroll(), /enrollments_user_course_unique|enrollments\.user_id, enrollments\.course_id/);
      await buildEnrollment(harness.context, await user(), course);
    });

    it('allow every declared status and no other, and a progress from 0 to 100', async () => {
      for (const status of enrollmentStatuses) await (await enroll({ status })).destroy();
      await expectRefusal(enroll({ status: 'done' as 'active' }), 'enrollments_status_known');
      for (const progress of [-1, 101]) await expectRefusal(enroll({ progress }), 'enrollments_progress_range');
      await enroll({ status: 'completed', progress: 100 });
    });

    it("require an existing trainee and course, and follow the course's trainer", async () => {
      const other = await trainer();
      for (const given of [{ userId: uuidv7() }, { courseId: uuidv7() }, { trainerId: other.id }])
        await expectRefusal(enroll(given), foreignKey);
      const enrollment = await enroll();
      await expectRefusal(enrollment.update({ trainerId: other.id }), foreignKey);
      await course.update({ trainerId: other.id });
      expect((await enrollment.reload()).trainerId).to.equal(other.id);
      await owner.destroy();
    });

    it('delete enrollments with their course or their trainee', async () => {
      await enroll();
      const colleague = await buildEnrollment(harness.context, await user(), course);
      await trainee.destroy();
      expect((await database.models.Enrollment.findAll()).map(({ id }) => id)).to.deep.equal([colleague.id]);
      await course.destroy();
      expect(await database.models.Enrollment.count()).to.equal(0);
    });
  });

  describe('on sessions, audit entries and import rows', () => {
    it('delete the sessions of a deleted account, and keep its audit entries', async () => {
      const { AuditEntry, Session } = database.models;
      const account = await user();
      await tokenFor(harness.context, account);
      const entry = { beforeJson: null, afterJson: null, targetType: 'user', targetId: account.id, ip: null };
      const audit = { id: uuidv7(), at: new Date(), actorId: account.id, action: 'user.register', ...entry };
      await AuditEntry.create({ ...audit, origin: 'cli' });
      await account.destroy();
      expect([await Session.count(), await AuditEntry.count()]).to.deep.equal([0, 1]);
      const wrong = AuditEntry.create({ ...audit, id: uuidv7(), origin: 'web' as 'http' });
      await expectRefusal(wrong, 'audit_entries_origin_known');
    });

    it('delete the rows of a deleted import', async () => {
      const { Import, ImportRow } = database.models;
      const file = { fileName: 'people.csv', fileSha256: 'a'.repeat(64), optionsJson: '{}', rowsTotal: 1 };
      const place = { origin: 'cli' as const, filePath: '/people.csv' };
      const started = { id: uuidv7(), number: 1, status: 'running' as const, createdAt: new Date(), ...file, ...place };
      await expectRefusal(Import.create({ ...started, origin: 'web' as 'http' }), 'imports_origin_known');
      await expectRefusal(Import.create({ ...started, status: 'lost' as 'running' }), 'imports_status_valid');
      await Import.create(started);
      const row = { importId: started.id, line: 2, outcome: 'created' as const };
      await expectRefusal(ImportRow.create({ ...row, outcome: 'lost' as 'created' }), 'import_rows_outcome_known');
      await expectRefusal(ImportRow.create({ ...row, importId: uuidv7() }), foreignKey);
      await ImportRow.create(row);
      await expectRefusal(ImportRow.create(row), /PRIMARY|import_rows\.import_id/);
      await Import.destroy({ where: { id: started.id } });
      expect(await ImportRow.count()).to.equal(0);
    });
  });
});
