import { expect } from 'chai';
import { buildCourse, buildEnrollment, buildUser, signIn } from '../../../support/factories.js';
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
