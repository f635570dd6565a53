import { expect } from 'chai';
import { buildCourse, buildEnrollment, buildImport, buildLock, buildUser, signIn } from '../../../support/factories.js';
import { useHarnessAndCli } from '../../../support/harness-cli.js';

describe('coursectl overview', () => {
  const { harness, cli } = useHarnessAndCli();

  it('shows tables', async () => {
    const { context } = harness;
    const trainer = await buildUser(context, { role: 'trainer' });
    const course = await buildCourse(context, trainer, { isPublished: true });
    await buildEnrollment(context, await buildUser(context, { requiresPasswordChange: true }), course);
    const { exitCode, stdout, stderr } = await cli.run(['overview']);
    expect({ exitCode, stderr }).to.deep.equal({ exitCode: 0, stderr: '' });
    const lines = stdout.split('\n').map((line) => line.replace(/ {2,}/g, '  '));
    expect(lines[0]).to.match(/^Today is \d{4}-\d\d-\d\d in \S+$/);
    expect(lines).to.include.members([
      'ACCOUNTS  TOTAL  ACTIVE  INACTIVE  INITIAL PASSWORD  LOCKED',
      'trainee  1  1  0  1  0',
      'all  2  2  0  1  0',
      '1 course: 1 published, 0 not published',
      'pending  1',
      '1 request waiting for an answer',
      'No imports.',
      'WEEK  ENROLLMENTS  ACCOUNTS',
      'materials  0  0',
    ]);
  });

  it('names what waits for a person, each with the command that lists it', async () => {
    const { context } = harness;
    const trainer = await buildUser(context, { role: 'trainer' });
    const startDate = new Intl.DateTimeFormat('sv-SE').format(context.now());
    const course = await buildCourse(context, trainer, { title: 'Knots', startDate });
    for (let index = 0; index < 2; index += 1)
      await buildEnrollment(context, await buildUser(context), course, { status: 'pending' });
    await buildLock(context, { accountId: trainer.id });
    const id = await buildImport(context, 1);
    await context.database.models.Import.update({ finishedAt: context.now() }, { where: { id } });
    const { stdout } = await cli.run(['overview']);
    const begin = stdout.indexOf('2 requests');
    expect(stdout.slice(begin, stdout.indexOf('\n\n', begin)).split('\n')).to.deep.equal([
      '2 requests waiting for an answer',
      '  coursectl enrollments list --status pending',
      `2 requests for Knots, which starts on ${startDate}`,
      `  coursectl enrollments list --status pending --course ${course.id}`,
      '1 course starting within 7 days',
      '  coursectl courses list --starts-within 7 --sort soonest',
      '2 requests for 1 course among them',
      '  coursectl enrollments list --status pending --starts-within 7',
      '1 import with rejected rows in the last 7 days',
      '  coursectl imports list --rejected-within 7',
      '1 locked account',
      '  coursectl users list --locked',
    ]);
    for (const [command, key] of [
      [['enrollments', 'list', '--status', 'pending', '--starts-within', '7'], 'enrollments'],
      [['courses', 'list', '--starts-within', '7', '--sort', 'soonest'], 'courses'],
      [['imports', 'list', '--rejected-within', '7'], 'imports'],
    ] as const)
      expect(await cli.json([...command]))
        .to.have.property(key)
        .with.lengthOf(key === 'enrollments' ? 2 : 1);
  });

  it('says that nothing is waiting', async () => {
    expect((await cli.run(['overview'])).stdout).to.contain('\nNothing is waiting for you.\n');
  });

  it('lists the last imports', async () => {
    await harness.context.database.models.Import.create({
      id: '0198c1f2-7a3b-7c4d-8e5f-6a7b8c9d0e1f',
      number: 7,
      status: 'completed',
      origin: 'cli',
      fileName: 'people.csv',
      filePath: '/people.csv',
      fileSha256: 'x',
      optionsJson: '{}',
      createdAt: new Date(Date.UTC(2026, 0, 1)),
      createdCount: 3,
      rejectedCount: 1,
    });
    const { stdout } = await cli.run(['overview']);
    expect(stdout).to.match(/^IMPORT +FILE +STATUS +CREATED +UPDATED +REJECTED +TIME$/m);
    expect(stdout).to.match(/^ +7 +people\.csv +completed +3 +0 +1 +2026-01-01T00:00:00\.000Z$/m);
  });

  it('prints the response of the API for the super admin with --json', async () => {
    const { token } = await signIn(harness.context, { role: 'super_admin' });
    const { body } = await harness.api('get', '/api/overview', token).expect(200);
    expect(await cli.json(['overview'])).to.deep.equal(body);
  });
});
