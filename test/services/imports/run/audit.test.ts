import { expect } from 'chai';
import { buildCourse, buildUser, signIn } from '../../../support/factories.js';
import { runCli } from '../../../support/run-cli.js';
import { breakAt } from '../support/fault.js';
import { people, useImporting } from '../support/importing.js';
import { batchRows } from '../support/running.js';

const header = 'firstName,lastName,email,phone,role,course';

interface Entry {
  action: string;
  actorId: string | null;
  origin: string;
  osUser: string | null;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
}

describe('The audit trail of an account that imports changed', () => {
  const importing = useImporting();
  const cli = (...args: string[]) => runCli(args, { env: importing.env, cwd: importing.folder });

  async function trailOf(target: string, ...flags: string[]) {
    const { stdout } = await cli('audit', 'list', '--target', target, '--json', ...flags);
    return JSON.parse(stdout) as { entries: Entry[]; pagination: { totalItems: number; totalPages: number } };
  }

  const user = async (email: string) =>
    importing.context.database.models.User.findOne({ where: { email }, rejectOnEmpty: true });

  it('has old and new values of an update with its enrollment, and of its undo', async () => {
    const known = await buildUser(importing.context, { email: 'ada@example.org', phone: '1', firstName: 'Ada' });
    const course = await buildCourse(importing.context, await buildUser(importing.context, { role: 'trainer' }));
    const file = importing.write(
      'people.csv',
      `${header}\nAugusta,${known.lastName},ada@example.org,2,,${course.id}\n`,
    );
    const { id: importId } = await importing.json(file, '--on-existing', 'update', '--reset-passwords');
    expect(await cli('imports', 'undo', importId, '--yes')).to.include({ exitCode: 0 });
    const { entries } = await trailOf(known.id);
    expect(entries.map(({ action, origin, before, after }) => ({ action, origin, before, after }))).to.deep.equal([
      {
        action: 'user.undo-import',
        origin: 'cli',
        before: { firstName: 'Augusta', phone: '2', requiresPasswordChange: true, courses: [course.id] },
        after: { importId, line: 2, firstName: 'Ada', phone: '1', requiresPasswordChange: false },
      },
      {
        action: 'user.import',
        origin: 'cli',
        before: { firstName: 'Ada', phone: '1', requiresPasswordChange: false },
        after: {
          importId,
          line: 2,
          firstName: 'Augusta',
          phone: '2',
          requiresPasswordChange: true,
          courses: [course.id],
        },
      },
    ]);
    expect(JSON.stringify(entries)).not.to.match(/\$2[aby]\$/);
  });

  it('names the row and the import that created it, and its values when undo removed it', async () => {
    const { id: importId } = await importing.json(importing.write('people.csv', people(3)));
    const created = await user('p00002@example.org');
    const creation = { action: 'user.import', before: null, after: { importId, line: 3, file: 'people.csv' } };
    const first = await trailOf(created.id);
    expect(first.pagination).to.include({ totalItems: 1, totalPages: 1 });
    expect(first.entries[0]).to.deep.include({ ...creation, actorId: null, origin: 'cli' });
    await cli('users', 'deactivate', created.email);
    await cli('users', 'activate', created.email);
    const actions = async (...flags: string[]) =>
      (await trailOf(created.id, ...flags)).entries.map(({ action }) => action);
    expect(await actions()).to.deep.equal(['user.activate', 'user.deactivate', 'user.import']);
    expect(await actions('--limit', '2', '--page', '1')).to.deep.equal(['user.activate', 'user.deactivate']);
    expect(await actions('--limit', '2', '--page', '2')).to.deep.equal(['user.import']);
    expect(await actions('--limit', '3', '--page', '2')).to.deep.equal([]);
    expect(await actions('--action', 'user.import')).to.deep.equal(['user.import']);
    expect(await actions('--action', 'user.activate')).to.deep.equal(['user.activate']);
    expect(await actions('--target-type', 'course')).to.deep.equal([]);
    expect(await actions('--to', '2020-01-01')).to.deep.equal([]);
    const gone = await user('p00001@example.org');
    await cli('imports', 'undo', importId, '--yes');
    const { entries } = await trailOf(gone.id);
    expect(entries.map(({ action }) => action)).to.deep.equal(['user.undo-import', 'user.import']);
    expect(entries[0]?.before).to.deep.include({ email: 'p00001@example.org', role: 'trainee' });
    expect(entries[0]?.after).to.deep.equal({ importId, line: 2 });
  });

  for (const [how, args] of [
    ['its number', ['imports', 'resume', '1']],
    ['the same command', ['users', 'import', 'people.csv']],
  ] as const)
    it(`names the user of the operating system who started the import, or resumed it by ${how}`, async () => {
      const by = (osUser: string, ...words: readonly string[]) =>
        runCli([...words, '--yes'], { env: importing.env, cwd: importing.folder, osUser });
      importing.write('people.csv', people(batchRows + 10));
      const repair = await breakAt(importing.context, {
        event: 'INSERT',
        table: 'import_rows',
        when: `NEW.line = ${batchRows + 5}`,
      });
      expect(await by('ann', 'users', 'import', 'people.csv')).to.include({ exitCode: 70 });
      await repair();
      expect(await by('ben', ...args)).to.include({ exitCode: 0 });
      const creatorOf = async (email: string) => (await trailOf((await user(email)).id)).entries[0];
      const creation = { action: 'user.import', origin: 'cli' };
      expect(await creatorOf('p00001@example.org')).to.include({ ...creation, osUser: 'ann' });
      expect(await creatorOf('p00060@example.org')).to.include({ ...creation, osUser: 'ben' });
      const { stdout } = await cli('audit', 'list', '--target-type', 'import', '--json');
      const { entries } = JSON.parse(stdout) as { entries: Entry[] };
      expect(entries.map(({ action, osUser }) => `${action} ${osUser}`)).to.deep.equal([
        'import.resume ben',
        'import.start ann',
      ]);
    });

  it('has no entry for rows that changed nothing', async () => {
    const admin = await signIn(importing.context, { role: 'super_admin' });
    const known = await buildUser(importing.context, { email: 'ada@example.org', phone: '1' });
    const { body } = await importing.api('get', `/api/audit?targetId=${known.id}`, admin.token).expect(200);
    expect(body.entries).to.deep.equal([]);
    await importing.json(importing.write('people.csv', `${header}\nNew,Name,ada@example.org,2,,\n`));
    expect((await trailOf(known.id)).entries).to.deep.equal([]);
  });
});
