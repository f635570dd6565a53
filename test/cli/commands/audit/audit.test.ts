import { expect } from 'chai';
import type { User } from '../../../../src/db/models/user.js';
import { recordAudit } from '../../../../src/services/audit/audit.js';
import { operator } from '../../../../src/services/core.js';
import { newIds } from '../../../../src/services/new-ids.js';
import { testEnvironment } from '../../../support/environment.js';
import { buildCourse, buildUser, signIn } from '../../../support/factories.js';
import { useHarness } from '../../../support/harness.js';
import { useHarnessAndCli } from '../../../support/harness-cli.js';
import { useCommandLine } from '../../../support/run-cli.js';
import { keys } from '../../../support/terminal.js';

interface Entry {
  action: string;
  actorId: string | null;
  before: { lastName?: string } | null;
  after: { lastName?: string } | null;
}

describe('coursectl audit list', () => {
  const { harness, cli } = useHarnessAndCli();
  const entries = async (...options: string[]) =>
    (await cli.json<{ entries: Entry[] }>(['audit', 'list', ...options])).entries;
  const actions = async (...options: string[]) => (await entries(...options)).map(({ action }) => action);

  let admin: User;
  let token: string;
  let ben: User;
  beforeEach(async () => {
    ({ user: admin, token } = await signIn(harness.context, { email: 'admin@x.org', role: 'super_admin' }));
    ben = await buildUser(harness.context, { lastName: 'Young', email: 'ben@x.org' });
    await harness.api('put', `/api/users/${ben.id}/status`, token).send({ isActive: false }).expect(200);
    await cli.run(['users', 'edit', 'ben@x.org', '--last-name', 'Old']);
  });

  it('shows a table with the actor, newest entry first', async () => {
    const { exitCode, stdout, stderr } = await cli.run(['audit', 'list']);
    expect({ exitCode, stderr }).to.deep.equal({ exitCode: 0, stderr: 'Page 1 of 1, 2 entries.\n' });
    const [heading, edited, deactivated] = stdout.split('\n');
    expect(heading).to.match(/^TIME +ACTOR +ACTION +TARGET +NAME$/);
    expect(edited).to.match(/^\d{4}-\S+Z +terminal +user\.update +user +Test Old \(ben@x\.org\)$/);
    expect(deactivated).to.match(
      /^\d{4}-\S+Z +Test \w+ \(admin@x\.org\) +user\.deactivate +user +Test Old \(ben@x\.org\)$/,
    );
  });

  it('records the system user of changes at the terminal only', async () => {
    await cli.run(['users', 'edit', 'ben@x.org', '--last-name', 'Older'], { osUser: 'müller' });
    const [line] = (await cli.run(['audit', 'list'])).stdout.split('\n').slice(1);
    expect(line).to.match(/^\S+Z +terminal \(müller\) +user\.update /);
    const { body } = await harness.api('get', '/api/audit', token).expect(200);
    expect(body.entries.map(({ osUser }: { osUser: unknown }) => osUser)).to.deep.equal(['müller', null, null]);
  });

  it('accepts the names and short ids that lists show, also of deleted targets', async () => {
    const trainer = await buildUser(harness.context, { email: 'eve@x.org', role: 'trainer', phone: '+44 5' });
    const course = await buildCourse(harness.context, trainer, { title: 'Knots' });
    const hitches = await buildCourse(harness.context, trainer, { title: 'Hitches' });
    await cli.run(['courses', 'edit', 'Hitches', '--title', 'Splices']);
    await cli.run(['courses', 'delete', 'Knots', '--yes']);
    await cli.run(['users', 'edit', 'eve@x.org', '--last-name', 'Moe']);
    for (const target of [ben.id, ben.id.slice(-8), ben.id.slice(-12).toUpperCase(), ' Ben@x.org'])
      expect(await actions('--target', target), target).to.deep.equal(['user.update', 'user.deactivate']);
    expect(await actions('--target', course.id.slice(-8))).to.deep.equal(['course.delete']);
    expect(await actions('--target-type', 'course', '--target', 'splices')).to.deep.equal(['course.update']);
    expect(await actions('--target-type', 'course', '--target', hitches.id)).to.deep.equal(['course.update']);
    expect(await actions('--target-type', 'user', '--target', '+44 5')).to.deep.equal(['user.update']);
    expect(await actions('--target-type', 'course', '--target', ben.id.slice(-8))).to.deep.equal([]);
    await cli.run(['groups', 'create', 'Year 9']);
    expect(await actions('--target-type', 'group', '--target', 'year 9')).to.deep.equal(['group.create']);
    expect(await actions('--target', '203.0.113.7')).to.deep.equal([]);
  });

  it('accepts whole ids in every spelling, also of deleted accounts', async () => {
    for (const isDeleted of [false, true]) {
      if (isDeleted) for (const user of [ben, admin]) await user.destroy();
      for (const spelled of [(id: string) => `{${id.toUpperCase()}}`, (id: string) => ` ${id.replaceAll('-', '–')} `]) {
        const target = ['--target', spelled(ben.id)];
        for (const type of [[], ['--target-type', 'user']])
          expect(await actions(...target, ...type), target[1]).to.deep.equal(['user.update', 'user.deactivate']);
        expect(await actions('--actor', spelled(admin.id)), spelled(admin.id)).to.deep.equal(['user.deactivate']);
      }
    }
    const { stdout } = await cli.run(['audit', 'list', '--action', 'user.deactivate']);
    expect(stdout.split('\n')[1]).to.match(new RegExp(`Z +${admin.id} +user\\.deactivate`));
  });

  it('refuses a short id that several ids end with', async () => {
    const end = 'abcdef012345';
    for (const beginning of ['019aa0c4-0000-7000-8000', '019aa0c4-0000-7000-9000'])
      await harness.context.database.inTransaction((transaction) =>
        recordAudit(
          harness.context,
          operator,
          { action: 'user.delete', targetType: 'user', targetId: `${beginning}-${end}` },
          transaction,
        ),
      );
    const { exitCode, stderr } = await cli.run(['audit', 'list', '--target', end]);
    expect(exitCode).to.equal(2);
    expect(stderr).to.include(`019aa0c4-0000-7000-8000-${end}`).and.to.include(`019aa0c4-0000-7000-9000-${end}`);
  });

  it('shows the last names of deleted courses and accounts, and their ids on request', async () => {
    const trainer = await buildUser(harness.context, { email: 'eve@x.org', role: 'trainer', lastName: 'Moe' });
    const course = await buildCourse(harness.context, trainer, { title: 'Knots' });
    expect((await cli.run(['courses', 'delete', 'Knots', '--yes'])).exitCode).to.equal(0);
    expect((await cli.run(['users', 'delete', 'eve@x.org', '--yes'])).exitCode).to.equal(0);
    const { stdout } = await cli.run(['audit', 'list', '--columns', 'action,target,targetId']);
    const [, account, deleted] = stdout.split('\n');
    expect(account).to.match(new RegExp(`^user\\.delete +\\w+ Moe \\(eve@x\\.org\\) +${trainer.id}$`));
    expect(deleted).to.match(new RegExp(`^course\\.delete +Knots +${course.id}$`));
  });

  it('prints the entry of the API with old and new values with --json', async () => {
    const { body } = await harness.api('get', '/api/audit', token).expect(200);
    expect(await cli.json(['audit', 'list'])).to.deep.equal(body);
    const [edited] = await entries();
    expect([edited?.before?.lastName, edited?.after?.lastName]).to.deep.equal(['Young', 'Old']);
  });

  it('filters by action, actor, target and time', async () => {
    expect(await actions('--action', 'user.update')).to.deep.equal(['user.update']);
    for (const actor of ['admin@x.org', admin.phone])
      expect(await actions('--actor', actor), actor).to.deep.equal(['user.deactivate']);
    expect(await actions('--target-type', 'course')).to.deep.equal([]);
    expect(await actions('--from', '2020-01-01', '--to', '2999-01-01')).to.have.lengthOf(2);
    expect(await actions('--to', '2020-01-01')).to.deep.equal([]);
  });

  it('refuses unknown values', async () => {
    for (const [line, code, says] of [
      [
        '--actor nobody@x.org',
        1,
        'User not found: nobody@x.org. To search for them: coursectl users list --search <text>',
      ],
      [
        '--target nobody@x.org',
        1,
        'User not found: nobody@x.org. To search for them: coursectl users list --search <text>',
      ],
      [
        '--target-type course --target x',
        1,
        'Course not found: x. To search for them: coursectl courses list --search <text>',
      ],
      ['--action user.explode', 2, '--action must be one of setup.complete, user.register, '],
      ['--target-type x', 2, '--target-type must be one of user, address, import, course, enrollment, group, mail.'],
      ['--from yesterday', 2, '--from must be a date that exists, such as 2026-01-31.'],
    ] as const) {
      const { exitCode, message } = await cli.refusal(['audit', 'list', ...line.split(' ')]);
      expect(exitCode, line).to.equal(code);
      expect(message).to.include(says);
    }
  });
});

describe('coursectl audit prune', () => {
  const harness = useHarness();
  const unset = () => ({ ...testEnvironment, DATABASE_URL: harness.databaseUrl });
  const cli = useCommandLine(() => ({ ...unset(), AUDIT_RETENTION_DAYS: '30' }));
  const rows = () => harness.context.database.models.AuditEntry.count();
  beforeEach(async () => {
    const past = { ...harness.context, now: () => new Date('2020-01-01T00:00:00.000Z') };
    const records = newIds(2).map((targetId) => ({
      action: 'user.delete' as const,
      targetType: 'user' as const,
      targetId,
    }));
    await harness.context.database.inTransaction((transaction) => recordAudit(past, operator, records, transaction));
  });

  it('refuses when no retention is set, naming the setting', async () => {
    const { exitCode, stderr } = await cli.run(['audit', 'prune', '--yes'], { env: unset() });
    expect(exitCode).to.equal(2);
    expect(stderr).to.match(/kept for ever: set AUDIT_RETENTION_DAYS/);
    expect(await rows()).to.equal(2);
  });

  it('counts with --dry-run, and deletes nothing', async () => {
    const { stdout } = await cli.run(['audit', 'prune', '--dry-run']);
    expect(stdout).to.match(/^2 entries before \S+Z would be exported and deleted\.\nNothing was written\.\n$/);
    expect(await cli.json(['audit', 'prune', '--dry-run'])).to.deep.include({ dryRun: true, prune: { exported: 2 } });
    expect(await rows()).to.equal(2);
  });

  it('exports, deletes, and names the files', async () => {
    const { exitCode, stdout } = await cli.run(['audit', 'prune', '--yes']);
    expect(exitCode).to.equal(0);
    expect(stdout).to.match(/^2 entries exported and deleted\.\n\S+\/retention\/audit-\S+\.ndjson\n$/);
    expect(await rows()).to.equal(0);
    const { prune } = await cli.json<{ prune: object }>(['audit', 'prune', '--yes']);
    expect(prune).to.deep.equal({ exported: 0, files: [] });
  });

  it('deletes nothing when the question is answered with no', async () => {
    const { stderr } = await cli.atTerminal(['audit', 'prune'], [['Prune the audit log?', keys.enter]]);
    expect(stderr)
      .to.match(/2 entries before/)
      .and.to.match(/Nothing was deleted/);
    expect(await rows()).to.equal(2);
  });
});
