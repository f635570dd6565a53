import { expect } from 'chai';
import type { Transaction } from 'sequelize';
import { deleteUser } from '../../../../src/services/accounts/delete-user.js';
import { operator } from '../../../../src/services/core.js';
import { assignTrainer } from '../../../../src/services/courses/commands.js';
import { applyImport } from '../../../../src/services/imports/queue/apply.js';
import type { ImportResult } from '../../../../src/services/imports/store/repository.js';
import { buildCourse, buildEnrollment, buildUser } from '../../../support/factories.js';
import { emailsOf, hashedPeople, people, recordsOf, useImporting } from '../support/importing.js';
import { applyOptions, batchRows } from '../support/running.js';

const count = 120;
/** Person in the second batch. */
const email = 'p00060@example.org';
const phone = '+1 112 00060';

/** Adds a column to the file. */
function withColumn(column: string, value: string, file = hashedPeople(count)): string {
  const [header, ...rows] = file.trimEnd().split('\n');
  return `${[`${header},${column}`, ...rows.map((row) => `${row},${value}`)].join('\n')}\n`;
}

describe('A batch of an import', () => {
  const importing = useImporting();
  const { models } = importing;

  /** Imports, and makes a change after the decision on the second batch, before it is written. */
  async function importAround(csv: string, options: object, change: () => Promise<unknown>): Promise<ImportResult> {
    const { context } = importing;
    const { database } = context;
    let changed = false;
    async function inTransaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
      if (!changed && (await models().Import.findOne())?.rowsDone === batchRows) {
        changed = true;
        await change();
      }
      return database.inTransaction(work);
    }
    const file = importing.write('people.csv', csv);
    const plan = await importing.plan(file, options);
    const changing = { ...context, database: { ...database, inTransaction } };
    const result = await applyImport(changing, operator, plan, applyOptions());
    expect(result.status).to.equal('completed');
    return result;
  }

  const rejected = ({ rejectsFile }: ImportResult) =>
    recordsOf(rejectsFile).map((row) => `${row.email ?? ''} ${row.code}`);

  it('is decided again if a trainer who becomes a trainee gets a course', async () => {
    const trainer = await buildUser(importing.context, { role: 'trainer', email });
    const result = await importAround(withColumn('role', 'trainee'), { onExisting: 'update' }, () =>
      buildCourse(importing.context, trainer),
    );
    expect(rejected(result)).to.deep.equal([`${email} HAS_COURSES`]);
    expect(await trainer.reload()).to.include({ role: 'trainer' });
  });

  it('is decided again if the account to enroll is no longer a trainee', async () => {
    const trainee = await buildUser(importing.context, { email });
    const course = await buildCourse(importing.context, await buildUser(importing.context, { role: 'trainer' }));
    const result = await importAround(withColumn('course', course.id), {}, () => trainee.update({ role: 'trainer' }));
    expect(rejected(result)).to.deep.equal([`${email} NOT_A_TRAINEE`]);
    expect(await models().Enrollment.count({ where: { userId: trainee.id } })).to.equal(0);
    expect(await models().Enrollment.count()).to.equal(count - 1);
  });

  it('is decided again if the account to enroll was deactivated', async () => {
    const trainee = await buildUser(importing.context, { email });
    const course = await buildCourse(importing.context, await buildUser(importing.context, { role: 'trainer' }));
    const result = await importAround(withColumn('course', course.id), {}, () => trainee.update({ isActive: false }));
    expect(rejected(result)).to.deep.equal([`${email} ACCOUNT_INACTIVE`]);
  });

  it('is decided again if the course gets another trainer', async () => {
    const [one, other] = [
      await buildUser(importing.context, { role: 'trainer' }),
      await buildUser(importing.context, { role: 'trainer' }),
    ];
    const course = await buildCourse(importing.context, one);
    const result = await importAround(hashedPeople(count), { course: course.id }, () =>
      assignTrainer(importing.context, operator, course.id, { trainerId: other.id }),
    );
    expect(result.counts).to.include({ created: count, enrolled: count });
    expect(await models().Enrollment.count({ where: { trainerId: other.id } })).to.equal(count);
  });

  it('is decided again if the capacity of the course was reduced', async () => {
    const course = await buildCourse(importing.context, await buildUser(importing.context, { role: 'trainer' }));
    const result = await importAround(hashedPeople(count), { course: course.id }, () =>
      course.update({ maxStudents: 60 }),
    );
    expect(result.counts).to.include({ created: 60, enrolled: 60, rejected: 60 });
    expect(new Set(recordsOf(result.rejectsFile).map(({ code }) => code))).to.deep.equal(new Set(['COURSE_FULL']));
  });

  it('is decided again if the account to update was edited', async () => {
    const user = await buildUser(importing.context, { email, phone, firstName: 'Old', lastName: 'Family' });
    const result = await importAround(hashedPeople(count), { onExisting: 'update' }, () =>
      user.update({ lastName: 'Edited' }),
    );
    expect(result.counts).to.include({ created: count - 1, updated: 1 });
    expect(await user.reload()).to.include({ firstName: 'Given00060', lastName: 'Family' });
  });

  it('is decided again if the account to update was deleted', async () => {
    const user = await buildUser(importing.context, { email, phone });
    const result = await importAround(hashedPeople(count), { onExisting: 'update' }, () =>
      deleteUser(importing.context, operator, user.id),
    );
    expect(result.counts).to.include({ created: count, updated: 0 });
    expect(await models().User.count({ where: { email } })).to.equal(1);
  });

  it('that is decided again writes each password and each rejected row a single time', async () => {
    const trainee = await buildUser(importing.context, { email });
    const course = await buildCourse(importing.context, await buildUser(importing.context, { role: 'trainer' }));
    // The last batch has one bad row at first. The second decision rejects another row, so one account fewer is created.
    const [wrong, known] = ['p00070@example.org', 'p00099@example.org'];
    const file = withColumn('course', course.id, people(100).replace(wrong, 'nobody'));
    const result = await importAround(file, {}, async () => {
      await trainee.update({ role: 'trainer' });
      await buildUser(importing.context, { email: known, phone: '+1 112 00099' });
    });
    const created = emailsOf(100).filter((one) => ![email, wrong, known].includes(one));
    expect(recordsOf(result.credentialsFile).map((row) => row.email)).to.deep.equal(created);
    expect(recordsOf(result.rejectsFile).map(({ line }) => line)).to.deep.equal(['61', '71']);
  });

  it('is decided again if the cancelled enrollment became active', async () => {
    const trainee = await buildUser(importing.context, { email });
    const course = await buildCourse(importing.context, await buildUser(importing.context, { role: 'trainer' }));
    const enrollment = await buildEnrollment(importing.context, trainee, course, { status: 'cancelled' });
    const { enrolledAt } = enrollment;
    const result = await importAround(withColumn('course', course.id), {}, () =>
      enrollment.update({ status: 'active', progress: 40 }),
    );
    expect(result.counts).to.include({ skipped: 1, enrolled: count - 1 });
    expect((await enrollment.reload()).enrolledAt).to.deep.equal(enrolledAt);
  });

  it('that is decided again without a password leaves no password file', async () => {
    // Only the row of the second batch would get a password.
    const rows = hashedPeople(count).replace(new RegExp(`(${phone.replace('+', '\\+')},).*`), '$1');
    const result = await importAround(rows, {}, () => buildUser(importing.context, { email, phone }));
    expect(result.counts).to.include({ created: count - 1, skipped: 1 });
    expect(result.credentialsFile).to.equal(null);
    expect(importing.files()).to.deep.equal(['people.csv']);
  });
});
