import { expect } from 'chai';
import { buildCourse, buildUser } from '../../../support/factories.js';
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

describe('The audit trail of an account that an import changed', () => {
  const importing = useImporting();
  const { cli } = importing;

  async function trailOf(target: string, ...flags: string[]) {
    const { stdout } = await cli('audit', 'list', '--target', target, '--json', ...flags);
    return JSON.parse(stdout) as { entries: Entry[]; pagination: { totalItems: number; totalPages: number } };
  }

  const user = async (email: string) =>
    importing.context.database.models.User.findOne({ where: { email }, rejectOnEmpty: true });

  it('contains old and new values of an update with its enrollment, and of its undo', async () => {
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

  it('contains the last values and the import if undo removed the account', async () => {
    const { id: importId } = await importing.json(importing.write('people.csv', people(3)));
    const gone = await user('p00001@example.org');
    expect((await trailOf(gone.id)).entries).to.deep.equal([]);
    await cli('imports', 'undo', importId, '--yes');
    const { entries } = await trailOf(gone.id);
    expect(entries.map(({ action }) => action)).to.deep.equal(['user.undo-import']);
    expect(entries[0]?.before).to.deep.include({ email: 'p00001@example.org', role: 'trainee' });
    expect(entries[0]?.after).to.deep.equal({ importId, line: 2 });
  });

  it('has no entry for rows that changed nothing', async () => {
    const known = await buildUser(importing.context, { email: 'ada@example.org', phone: '1' });
    await importing.json(importing.write('people.csv', `${header}\nNew,Name,ada@example.org,2,,\n`));
    expect((await trailOf(known.id)).entries).to.deep.equal([]);
  });
});

describe('The audit trail of an import', () => {
  const importing = useImporting();

  async function trail() {
    const { stdout } = await importing.cli('audit', 'list', '--target-type', 'import', '--target', '1', '--json');
    return (JSON.parse(stdout) as { entries: (Entry & { targetName: string })[] }).entries;
  }

  for (const [how, args] of [
    ['its number', ['imports', 'resume', '1']],
    ['the same command', ['users', 'import', 'people.csv']],
  ] as const)
    it(`names who started it and who resumed it by ${how}, and contains its counts a single time`, async () => {
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
      const entries = await trail();
      expect(entries.map(({ action, osUser }) => `${action} ${osUser}`)).to.deep.equal([
        'import.finish ben',
        'import.resume ben',
        'import.start ann',
      ]);
      const counts = {
        rows: batchRows + 10,
        created: batchRows + 10,
        updated: 0,
        skipped: 0,
        rejected: 0,
        enrolled: 0,
        waiting: 0,
        leftOut: 0,
        left: 0,
      };
      expect(entries[0]?.after).to.deep.equal({ fileName: 'people.csv', ...counts });
      expect(entries[0]?.targetName).to.equal('people.csv');
    });

  it('contains the counts if a bad row stopped it', async () => {
    const file = importing.write('people.csv', `${people(2)}Bad,Email,none,+1 9\n${people(1, 'q').split('\n')[1]}\n`);
    expect(await importing.json(file, '--on-error', 'stop')).to.include({ status: 'stopped' });
    const [finish] = await trail();
    const counts = {
      rows: 3,
      created: 2,
      updated: 0,
      skipped: 0,
      rejected: 1,
      enrolled: 0,
      waiting: 0,
      leftOut: 0,
      left: 0,
    };
    expect(finish).to.deep.include({ action: 'import.finish', after: { fileName: 'people.csv', ...counts } });
  });
});
