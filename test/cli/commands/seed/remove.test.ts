import { expect } from 'chai';
import { login } from '../../../../src/services/auth/login.js';
import { storedKeys } from '../../../http/support/uploads.js';
import { createMigratedDatabase, type TestDatabase } from '../../../support/database.js';
import { testEnvironment } from '../../../support/environment.js';
import { buildCourse, buildEnrollment, buildMaterial, buildUser } from '../../../support/factories.js';
import { scaled } from '../../../support/machine.js';
import { useCommandLine } from '../../../support/run-cli.js';
import { keys } from '../../../support/terminal.js';

const nobody = { ip: null, userAgent: null };

describe('coursectl seed demo --remove', function () {
  this.timeout(scaled(60_000));
  let database: TestDatabase;
  beforeEach(async () => {
    database = await createMigratedDatabase();
  });
  const cli = useCommandLine(() => ({ ...testEnvironment, DATABASE_URL: database.url }));
  afterEach(() => database.drop());

  const load = async () => expect((await cli.run(['seed', 'demo', '--yes'])).exitCode).to.equal(0);
  const models = async () => (await cli.context()).database.models;

  /** Counts the rows of the demo programme. */
  async function rows(): Promise<Record<string, number>> {
    const { User, Course, Enrollment, AccountWord, CourseWord, Session, StoredFile, Certificate } = await models();
    return {
      User: await User.count(),
      Course: await Course.count(),
      Enrollment: await Enrollment.count(),
      AccountWord: await AccountWord.count(),
      CourseWord: await CourseWord.count(),
      Session: await Session.count(),
      StoredFile: await StoredFile.count(),
      Certificate: await Certificate.count(),
    };
  }

  /** @returns the change that the refusal names */
  async function refusedBecause(): Promise<string> {
    const before = await rows();
    const { exitCode, message } = await cli.refusal(['seed', 'demo', '--remove', '--yes']);
    expect(exitCode).to.equal(1);
    expect(await rows()).to.deep.equal(before);
    const [, why = message] =
      /^The demo programme was not removed, because somebody has changed its (.*): see coursectl audit list\. Delete its/.exec(
        message,
      ) ?? [];
    return why;
  }

  it('removes the whole demo programme, and prints the next step if no accounts remain', async () => {
    await load();
    expect(await rows()).to.include({ StoredFile: 19 });
    const { User, Enrollment, AuditEntry } = await models();
    const enrollments = await Enrollment.count();
    const admin = await User.findOne({ where: { role: 'super_admin' }, rejectOnEmpty: true });
    const { exitCode, stdout, stderr } = await cli.run(['seed', 'demo', '--remove', '--yes']);
    expect({ exitCode, stderr }).to.deep.equal({ exitCode: 0, stderr: '' });
    expect(stdout).to.equal(
      `The demo programme was removed: 204 accounts, 12 courses, ${enrollments} enrollments.\n` +
        'There are no accounts any more. Next: coursectl setup\n',
    );
    expect(new Set(Object.values(await rows()))).to.deep.equal(new Set([0]));
    expect(await storedKeys(await cli.context())).to.deep.equal([]);
    const [, entry] = await AuditEntry.findAll({ order: [['at', 'ASC']] });
    expect(entry).to.include({ action: 'demo.remove', origin: 'cli', targetType: 'user', targetId: admin.id });
    // The demo programme can be loaded again.
    await load();
  });

  it('removes only the demo programme among other data, also after logins', async () => {
    const context = await cli.context();
    const admin = await buildUser(context, { role: 'super_admin', email: 'ada@example.org' });
    const trainer = await buildUser(context, { role: 'trainer' });
    await buildEnrollment(context, await buildUser(context), await buildCourse(context, trainer));
    const before = await rows();
    await load();
    for (const identifier of ['trainer1@example.com', 'olivia.bennett@example.com'])
      await login(context, { identifier, password: 'demo-password' }, nobody);
    const { removed } = await cli.json<{ removed: object }>(['seed', 'demo', '--remove', '--yes']);
    expect(removed).to.include({ accounts: 203, courses: 12 });
    expect(await rows()).to.deep.equal(before);
    expect(await admin.reload()).to.include({ role: 'super_admin' });
    expect(await cli.json(['seed', 'demo', '--remove', '--yes'])).to.deep.equal({ removed: null });
    expect((await cli.run(['seed', 'demo', '--remove', '--yes'])).stdout).to.equal(
      'There is no demo programme in this database; nothing was removed.\n',
    );
  });

  it('refuses if the demo data was changed, and names the change', async () => {
    await buildUser(await cli.context(), { role: 'super_admin' });
    await load();
    const { User, Course, Enrollment } = await models();
    const context = await cli.context();
    const find = (email: string) => User.findOne({ where: { email }, rejectOnEmpty: true });
    const olivia = await find('olivia.bennett@example.com');
    const enrollment = await Enrollment.findOne({ where: { status: 'active' }, rejectOnEmpty: true });
    const course = await Course.findByPk(enrollment.courseId, { rejectOnEmpty: true });
    const trainer = await User.findByPk(course.trainerId, { rejectOnEmpty: true });

    const restoreTime = (table: string, { id, updatedAt }: { id: string; updatedAt: Date }) =>
      context.database.sequelize.query(`UPDATE ${table} SET updated_at = :updatedAt WHERE id = :id`, {
        replacements: { id, updatedAt },
      });
    const edit = (firstName: string) => cli.json(['users', 'edit', olivia.email, '--first-name', firstName]);
    await edit('Olive');
    await login(context, { identifier: olivia.email, password: 'demo-password' }, nobody);
    expect(await refusedBecause()).to.equal('accounts');
    await edit('Olivia');
    await cli.json(['courses', 'edit', course.id, '--category', 'Other']);
    expect(await refusedBecause()).to.equal('courses');
    await restoreTime('courses', course);
    const own = await buildCourse(context, trainer, { title: 'Own' });
    expect(await refusedBecause()).to.equal('courses');
    await own.destroy();
    await cli.json(['enrollments', 'progress', enrollment.id, '97']);
    expect(await refusedBecause()).to.equal('enrollments');
    await restoreTime('enrollments', enrollment);
    const added = await buildEnrollment(context, await buildUser(context), course);
    expect(await refusedBecause()).to.equal('enrollments');
    await added.destroy();
    await buildMaterial(context, course);
    expect(await refusedBecause()).to.equal('files');
    const zoe = await find('zoe.mueller@example.com');
    await cli.run(['users', 'reset-password', zoe.email, '--password-stdin', '--yes'], { stdin: 'Ŵ¥ß¶þ§Ðµ' });
    expect(await refusedBecause()).to.equal('accounts, files');
    await zoe.destroy();
    expect(await refusedBecause()).to.equal('accounts, enrollments, files');
  });

  it('keeps its super admin while other people need one; asks first', async () => {
    await load();
    const no = await cli.atTerminal(['seed', 'demo', '--remove'], [['Remove the demo programme?', keys.enter]]);
    expect(no.terminal.screen()).to.include('Nothing was removed.');
    expect((await rows()).User).to.equal(204);
    const other = await buildUser(await cli.context(), { role: 'trainer' });
    const { message } = await cli.refusal(['seed', 'demo', '--remove', '--yes']);
    expect(message).to.equal(
      'The demo programme was not removed: its admin@example.com is the super admin of other people. Transfer the role first: coursectl users transfer-super-admin <user>',
    );
    const { User } = await models();
    await User.update({ role: 'trainer' }, { where: { email: 'admin@example.com' } });
    await User.update({ role: 'super_admin' }, { where: { id: other.id } });
    expect((await cli.run(['seed', 'demo', '--remove', '--yes'])).exitCode).to.equal(0);
    expect((await User.findAll()).map(({ id }) => id)).to.deep.equal([other.id]);
  });
});
