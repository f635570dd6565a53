import { expect } from 'chai';
import type { User } from '../../../../src/db/models/user.js';
import { recordAudit } from '../../../../src/services/audit.js';
import { operator } from '../../../../src/services/core.js';
import { testEnvironment } from '../../../support/environment.js';
import { buildCourse, buildUser, signIn } from '../../../support/factories.js';
import { useHarness } from '../../../support/harness.js';
import { useCommandLine } from '../../../support/run-cli.js';

interface Entry {
  action: string;
  actorId: string | null;
  before: { lastName?: string } | null;
  after: { lastName?: string } | null;
}

describe('coursectl audit list', () => {
  const harness = useHarness();
  const cli = useCommandLine(() => ({ ...testEnvironment, DATABASE_URL: harness.databaseUrl }));
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

  it('shows a table for people, newest first, with who did it', async () => {
    const { exitCode, stdout, stderr } = await cli.run(['audit', 'list']);
    expect({ exitCode, stderr }).to.deep.equal({ exitCode: 0, stderr: 'Page 1 of 1, 2 entries.\n' });
    const [heading, edited, deactivated] = stdout.split('\n');
    expect(heading).to.match(/^TIME +ACTOR +ACTION +TARGET +NAME$/);
    expect(edited).to.match(/^\d{4}-\S+Z +terminal +user\.update +user +Test Old \(ben@x\.org\)$/);
    expect(deactivated).to.match(
      /^\d{4}-\S+Z +Test \w+ \(admin@x\.org\) +user\.deactivate +user +Test Old \(ben@x\.org\)$/,
    );
  });

  it('names who was at the terminal, at the terminal and over HTTP; of changes over HTTP nobody', async () => {
    await cli.run(['users', 'edit', 'ben@x.org', '--last-name', 'Older'], { osUser: 'müller' });
    const [line] = (await cli.run(['audit', 'list'])).stdout.split('\n').slice(1);
    expect(line).to.match(/^\S+Z +terminal \(müller\) +user\.update /);
    const { body } = await harness.api('get', '/api/audit', token).expect(200);
    expect(body.entries.map(({ osUser }: { osUser: unknown }) => osUser)).to.deep.equal(['müller', null, null]);
  });

  it('names who was at the terminal as the author of a setup there', async () => {
    await admin.destroy();
    const ada = ['--first-name', 'Ada', '--last-name', 'Lovelace', '--email', 'ada@x.org', '--phone', '+44 20 1'];
    const { exitCode, stderr } = await cli.run(['setup', ...ada, '--password-stdin'], {
      stdin: 'difference engine',
      osUser: 'müller',
    });
    expect(exitCode, stderr).to.equal(0);
    const [line] = (await cli.run(['audit', 'list'])).stdout.split('\n').slice(1);
    expect(line).to.match(/^\S+Z +terminal \(müller\) +setup\.complete +user +Ada Lovelace \(ada@x\.org\)$/);
  });

  it('takes the names of a target that lists show, of deleted ones too', async () => {
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
    expect(await actions('--target', '203.0.113.7')).to.deep.equal([]);
  });

  it('takes a title and an email that are longer than an id', async () => {
    const title = `Knots ${'and splices '.repeat(15)}`.trim();
    const email = `${'e'.repeat(60)}@${'long.'.repeat(20)}example.org`;
    const trainer = await buildUser(harness.context, { email, role: 'trainer' });
    await buildCourse(harness.context, trainer, { title });
    await cli.run(['courses', 'edit', title, '--location', 'Harbour']);
    await cli.run(['users', 'edit', email, '--last-name', 'Moe']);
    expect(await actions('--target-type', 'course', '--target', title)).to.deep.equal(['course.update']);
    expect(await actions('--target', email)).to.deep.equal(['user.update']);
  });

  it('takes whole ids of targets and actors in every spelling, of deleted accounts too', async () => {
    for (const isDeleted of [false, true]) {
      if (isDeleted) for (const user of [ben, admin]) await user.destroy();
      for (const spelled of [
        (id: string) => id.toUpperCase(),
        (id: string) => `{${id}}`,
        (id: string) => id.replaceAll('-', ''),
        (id: string) => ` ${id.replaceAll('-', '–')} `,
      ]) {
        for (const type of [[], ['--target-type', 'user']])
          expect(await actions('--target', spelled(ben.id), ...type), spelled(ben.id)).to.deep.equal([
            'user.update',
            'user.deactivate',
          ]);
        expect(await actions('--actor', spelled(admin.id)), spelled(admin.id)).to.deep.equal(['user.deactivate']);
      }
    }
  });

  it('refuses names of no account and no course, saying which', async () => {
    const refusals = [
      [['--target', 'nobody@x.org'], 'User not found: nobody@x.org. To list them: coursectl users list'],
      [
        ['--target-type', 'course', '--target', 'Hitches'],
        'Course not found: Hitches. To list them: coursectl courses list',
      ],
    ] as const;
    for (const [options, said] of refusals)
      expect(await cli.refusal(['audit', 'list', ...options])).to.deep.equal({ exitCode: 1, said });
  });

  it('refuses the end of several ids', async () => {
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

  it('names a deleted course and a deleted account as they were, with their ids on request', async () => {
    const trainer = await buildUser(harness.context, { email: 'eve@x.org', role: 'trainer', lastName: 'Moe' });
    const course = await buildCourse(harness.context, trainer, { title: 'Knots' });
    expect((await cli.run(['courses', 'delete', 'Knots', '--yes'])).exitCode).to.equal(0);
    expect((await cli.run(['users', 'delete', 'eve@x.org', '--yes'])).exitCode).to.equal(0);
    const { stdout } = await cli.run(['audit', 'list', '--columns', 'action,target,targetId']);
    const [, account, deleted] = stdout.split('\n');
    expect(account).to.match(new RegExp(`^user\\.delete +\\w+ Moe \\(eve@x\\.org\\) +${trainer.id}$`));
    expect(deleted).to.match(new RegExp(`^course\\.delete +Knots +${course.id}$`));
  });

  it('counts one entry as one, and says so when there is none', async () => {
    const footer = async (...options: string[]) => (await cli.run(['audit', 'list', ...options])).stderr.trimEnd();
    expect(await footer('--action', 'user.update')).to.equal('Page 1 of 1, 1 entry.');
    expect(await footer('--action', 'user.delete')).to.equal('No entries.');
  });

  it('prints the entry of the API with --json, with old and new values', async () => {
    const { body } = await harness.api('get', '/api/audit', token).expect(200);
    expect(await cli.json(['audit', 'list'])).to.deep.equal(body);
    const [edited] = await entries();
    expect([edited?.before?.lastName, edited?.after?.lastName]).to.deep.equal(['Young', 'Old']);
  });

  it('filters by action, actor, target and time', async () => {
    expect(await actions('--action', 'user.update')).to.deep.equal(['user.update']);
    for (const actor of [admin.id, 'admin@x.org', admin.phone])
      expect(await actions('--actor', actor), actor).to.deep.equal(['user.deactivate']);
    expect(await actions('--target', ben.id, '--target-type', 'user')).to.have.lengthOf(2);
    expect(await actions('--target', admin.id)).to.deep.equal([]);
    expect(await actions('--target-type', 'course')).to.deep.equal([]);
    expect(await actions('--from', '2020-01-01', '--to', '2999-01-01')).to.have.lengthOf(2);
    expect(await actions('--to', '2020-01-01')).to.deep.equal([]);
  });

  it('shows the requested page', async () => {
    expect(await actions('--limit', '1', '--page', '2')).to.deep.equal(['user.deactivate']);
  });

  it('finds entries of deleted accounts by their id', async () => {
    await admin.destroy();
    expect(await actions('--actor', admin.id)).to.deep.equal(['user.deactivate']);
    const { stdout } = await cli.run(['audit', 'list', '--action', 'user.deactivate']);
    expect(stdout.split('\n')[1]).to.match(new RegExp(`Z +${admin.id} +user\\.deactivate`));
  });

  it('refuses unknown values', async () => {
    const refused: [options: string[], exitCode: number, says: RegExp][] = [
      [['--actor', 'nobody@x.org'], 1, /^error: User not found: nobody@x\.org\. To list them: coursectl users list\n$/],
      [['--action', 'user.explode'], 2, /^error: --action must be one of setup\.complete, user\.register, /],
      [
        ['--target-type', 'x'],
        2,
        /^error: --target-type must be one of user, address, import, course, enrollment\.\n$/,
      ],
      [['--from', 'yesterday'], 2, /^error: --from must be a date or time as ISO 8601 has it, such as /],
      [['--limit', '0'], 2, /^error: --limit must be a whole number from 1 to 100\.\n$/],
    ];
    for (const [options, code, says] of refused) {
      const { exitCode, stdout, stderr } = await cli.run(['audit', 'list', ...options]);
      expect({ exitCode, stdout }, options.join(' ')).to.deep.equal({ exitCode: code, stdout: '' });
      expect(stderr).to.match(says);
    }
  });
});
