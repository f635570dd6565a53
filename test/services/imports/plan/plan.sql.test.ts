import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { v7 as uuidv7 } from 'uuid';
import { planWithRejects } from '../../../../src/services/imports/output/reports.js';
import { failureOf } from '../../../db/support/failure.js';
import { buildCourse, buildUser } from '../../../support/factories.js';
import { hashedPeople, people, useImporting } from '../support/importing.js';

interface PlanJson {
  plan: { id: string; seconds: number };
}

const header = 'firstName,lastName,email,phone,team';

describe('coursectl users import --dry-run', () => {
  const importing = useImporting();
  it('shows the outcomes of the rows, and writes nothing', async () => {
    await buildUser(importing.context, { email: 'bob@example.org' });
    const file = importing.write(
      'people.csv',
      `${header}\nAda,King,ada@example.org,1,red\nBob,King,BOB@example.org,2,red\nCyd,King,nobody,3,blue\n`,
    );
    const before = await importing.contents();
    const { exitCode, stdout, stderr } = await importing.run(file, '--dry-run');
    expect({ exitCode, stderr }).to.deep.equal({ exitCode: 3, stderr: '' });
    const id = /--plan ([0-9a-f]{16})$/m.exec(stdout)?.[1];
    expect(stdout.split('\n')).to.deep.equal([
      `${file}: 3 rows (CSV, comma, UTF-8)`,
      '  1 account to create (1 trainee), 1 of them with a generated password',
      '  1 row to skip (the account exists already)',
      '  1 row to reject:',
      '    1 row EMAIL_INVALID: Email must be a valid email address (line 4)',
      '  Columns:',
      '    firstName  first name; 1 person: Ada',
      '    lastName   last name; 1 person: King',
      '    email      account, sign-in, mails; 2 people: ada@example.org',
      '    phone      sign-in; 1 person: 1',
      '  Columns ignored: team (to import one: --map "team=FIELD")',
      'For example:',
      '  line 2  created  Ada King <ada@example.org>',
      '  line 3  skipped  Bob King <bob@example.org> ALREADY_EXISTS',
      '  line 4  rejected  EMAIL_INVALID: Email "nobody" must be a valid email address.',
      'Nothing was written.',
      'To do exactly this:',
      `  coursectl users import ${file} --plan ${id}`,
      '',
    ]);
    expect(await importing.contents()).to.equal(before);
    expect(importing.files()).to.deep.equal(['people.csv']);
  });

  it('shows each reason of rejected rows a single time among the examples', async () => {
    const rows = ['Bees', 'Bees', 'Bees', 'Bees', 'Knots'].map(
      (course, at) => `Ada,King,ada${at}@x.org,${at + 1},${course}`,
    );
    const file = importing.write('people.csv', `firstName,lastName,email,phone,course\n${rows.join('\n')}\n`);
    const { stdout } = await importing.run(file, '--dry-run');
    expect(stdout).to.match(
      /For example:\n {2}line 2 {2}rejected {2}COURSE_UNKNOWN: .*"Bees".*\n {2}line 6 {2}rejected {2}COURSE_UNKNOWN: .*"Knots"/,
    );
  });

  it('prints the command that applies this plan, with its options quoted for a shell', async () => {
    await buildCourse(importing.context, await buildUser(importing.context, { role: 'trainer' }), {
      title: "Ada's loom",
    });
    const file = importing.write('our people.csv', `${header}\nAda,King,ada@example.org,1,red\n`);
    const options = ['--course', "Ada's loom", '--on-existing', 'update', '--reset-passwords', '--map', 'team=reply'];
    const { stdout } = await importing.run(file, '--dry-run', ...options);
    const [, line = ''] = /To do exactly this:\n {2}coursectl (.*)\n/.exec(stdout) ?? [];
    const words = JSON.parse(
      execFileSync('sh', ['-c', `"$0" -p 'JSON.stringify(process.argv.slice(1))' -- ${line}`, process.execPath], {
        encoding: 'utf8',
      }),
    ) as string[];
    expect(words).to.deep.equal(['users', 'import', file, ...options, '--plan', words.at(-1)]);
    expect((await importing.run(...words.slice(2))).exitCode).to.equal(0);
  });

  it('prints a command that can be copied, whatever the name of the file', async () => {
    for (const [name, shown] of [
      ['-dash.csv', './-dash.csv'],
      ["it's\u001b[31m\u202e \\.csv", "$'it\\'s\\033[31m\\342\\200\\256 \\\\.csv'"],
    ] as const) {
      importing.write(name, `${header}\nAda,King,ada@example.org,1,red\n`);
      const { stdout } = await importing.run('--dry-run', '--', name);
      expect(stdout).to.include(`To do exactly this:\n  coursectl users import ${shown} --plan`);
      const read = execFileSync('bash', ['-c', `printf %s ${shown}`], { encoding: 'utf8' });
      expect(read.replace(/^\.\//, '')).to.equal(name);
    }
  });

  it('exits with the status of the import: 3 if rows would be rejected, otherwise 0', async () => {
    for (const [name, email, code] of [
      ['good', 'ada@example.org', 0],
      ['partial', 'nobody', 3],
    ] as const) {
      const file = importing.write(`${name}.csv`, `${header}\nAda,King,${email},1,red\nBob,King,bob@example.org,2,\n`);
      for (const args of [['--dry-run'], ['--dry-run', '--json'], ['--dry-run', '--rejects', `${name}-bad.csv`]])
        expect((await importing.run(file, ...args)).exitCode, args.join(' ')).to.equal(code);
    }
  });

  it('suggests no command that would be refused', async () => {
    const file = importing.write('people.csv', `${header}\nAda,King,nobody,1,red\n`);
    const { exitCode, stdout } = await importing.run(file, '--dry-run', '--on-error', 'abort');
    expect(exitCode)
      .to.equal((await importing.run(file, '--yes', '--on-error', 'abort')).exitCode)
      .and.to.equal(2);
    expect(stdout).to.match(/\nThis can't be imported: [^\n]+\nNothing was written\.\n$/);
  });

  it('prints one object with --json', async () => {
    const file = importing.write('people.csv', `${header}\nAda,King,ada@example.org,1,red\n,King,nobody,3,\n`);
    const { plan } = JSON.parse((await importing.run(file, '--dry-run', '--json')).stdout) as PlanJson;
    expect(plan.id).to.match(/^[0-9a-f]{16}$/);
    const nothing = { stopsAtLine: null, refusal: null, unfinished: null, interrupted: null, roleWords: {} };
    const none = { names: [], identityChanges: [], identityChangesLeftOut: 0, newGroups: [], warnings: [] };
    const skipping = {
      onExisting: 'skip',
      match: 'email',
      missingPhone: 'reject',
      whenFull: 'reject',
      resetPasswords: false,
    };
    const mails = { invite: false, withPasswords: false, noPassword: false, notify: false };
    const name = 'First name is required. A person with one name needs it in both columns.';
    const rejected = { outcome: 'rejected', count: 1, rows: [3] };
    const column = (index: number, field: string | null, example: string, effect: string | null) => ({
      ...{ index, heading: field, field, suggestion: null, hidden: false },
      ...{ effect, people: 1, mailed: 0, example },
    });
    expect(plan).to.deep.equal({
      ...nothing,
      ...none,
      id: plan.id,
      file,
      options: { role: 'trainee', enrollmentStatus: 'active', ...skipping, ...mails, onError: 'continue' },
      format: { encoding: 'utf-8', delimiter: ',', byteOrderMark: false, sepLine: false, workbook: null },
      columns: [
        column(0, 'firstName', 'Ada', 'first name'),
        column(1, 'lastName', 'King', 'last name'),
        column(2, 'email', 'ada@example.org', 'account, sign-in, mails'),
        column(3, 'phone', '1', 'sign-in'),
        { ...column(4, null, 'red', null), heading: 'team', people: 0 },
      ],
      seconds: plan.seconds,
      counts: {
        rows: 2,
        created: 1,
        updated: 0,
        skipped: 0,
        rejected: 1,
        enrolled: 0,
        waiting: 0,
        leftOut: 0,
        left: 0,
      },
      generatedPasswords: 1,
      invitations: 0,
      news: 0,
      createdByRole: { trainee: 1, trainer: 0 },
      reasons: [
        {
          ...rejected,
          code: 'NAME_MISSING',
          otherCodes: ['EMAIL_INVALID'],
          courseQuestion: null,
          field: null,
          message: `${name} Email must be a valid email address.`,
        },
      ],
      samples: [
        { line: 2, outcome: 'created', person: 'Ada King <ada@example.org>' },
        {
          line: 3,
          outcome: 'rejected',
          code: 'NAME_MISSING',
          reason: `${name} Email "nobody" must be a valid email address.`,
        },
      ],
    });
  });

  it('groups rejected rows by their reasons, the most frequent first', async () => {
    const bad = Array.from({ length: 1005 }, (_, index) => `Ada,King,ada${index}@example.org,4.41E+1${index % 10}`);
    const file = importing.write('people.csv', `${header}\n${bad.join('\n')}\nAda,King,nobody,1\n`);
    const { stdout } = await importing.run(file, '--dry-run');
    expect(stdout.split('\n').slice(3, 6)).to.deep.equal([
      '  1006 rows to reject:',
      '    1005 rows PHONE_MANGLED: Phone was turned into a number by a spreadsheet and its digits are lost. Format the column as text and enter the phone again (lines 2, 3, 4, 5, 6, ...)',
      '    1 row EMAIL_INVALID: Email must be a valid email address (line 1007)',
    ]);
    expect(stdout.match(/^ {2}line \d+ {2}rejected/gm)).to.have.length(3);
    const { samples } = await importing.plan(file);
    expect(samples).to.have.length(10);
  });

  describe('and --rejects', () => {
    it('writes all rows that would be rejected, so that they can be corrected and imported', async () => {
      const file = importing.write(
        'people.csv',
        `${header}\nAda,King,ada@example.org,1,\nBob,King,nobody,2,\nC,King,c@x.org,3,\n`,
      );
      const { exitCode, stdout } = await importing.run(file, '--dry-run', '--rejects', 'bad.csv');
      expect(exitCode).to.equal(3);
      expect(stdout).to.include(
        `\nRejected rows with reasons: ${importing.folder}/bad.csv\nNothing was imported.\nTo do exactly this:\n`,
      );
      expect(stdout).not.to.include('--rejects');
      expect(importing.read('bad.csv').split('\n').slice(1)).to.deep.equal([
        `Bob,King,nobody,2,,3,EMAIL_INVALID,"Email ""nobody"" must be a valid email address."`,
        `C,King,c@x.org,3,,4,NAME_INVALID,"First name ""C"" must be 2 to 50 characters."`,
        '',
      ]);
      writeFileSync(`${importing.folder}/bad.csv`, importing.read('bad.csv').replace('nobody', 'bob@example.org'));
      expect((await importing.json('bad.csv')).counts).to.include({ created: 1, rejected: 1 });
    });

    it('leaves no file if the plan fails or is interrupted, so that the same command works afterwards', async () => {
      const rows = importing.context.config.imports.batchRows;
      const [heading = '', ...good] = hashedPeople(2 * rows).split('\n');
      const text = [heading, 'B,King,nobody,1', ...good].join('\n');
      const file = importing.write('people.csv', `${text}"Ann,King`);
      const dry = ['--dry-run', '--rejects', 'bad.csv'];
      expect((await importing.run(file, ...dry)).exitCode).to.equal(2);
      expect(importing.files()).to.deep.equal(['people.csv']);

      writeFileSync(file, text);
      const breaking = new AbortController();
      const request = { file, options: {}, signal: breaking.signal, onProgress: () => breaking.abort() };
      const { code } = await failureOf(() =>
        planWithRejects(importing.context, request, `${importing.folder}/bad.csv`),
      );
      expect([code, importing.files()]).to.deep.equal(['INTERRUPTED', ['people.csv']]);

      expect((await importing.run(file, ...dry)).exitCode).to.equal(3);
      expect(importing.read('bad.csv')).to.include('nobody');
    });

    it('never overwrites a file, and leaves no file if no row would be rejected', async () => {
      const file = importing.write('people.csv', `${people(2)}A,B,nobody,1\n`);
      importing.write('bad.csv', 'mine');
      const refused = await importing.run(file, '--dry-run', '--rejects', 'bad.csv');
      expect([refused.exitCode, refused.stderr]).to.deep.equal([
        2,
        `error: The file ${importing.folder}/bad.csv exists already and is never overwritten. Name another one.\n`,
      ]);
      expect(importing.read('bad.csv')).to.equal('mine');
      const good = importing.write('good.csv', people(2));
      const { stdout } = await importing.run(good, '--dry-run', '--rejects', 'none.csv', '--json');
      expect(JSON.parse(stdout).plan).to.include({ rejectsFile: null });
      expect(importing.files()).to.deep.equal(['bad.csv', 'good.csv', 'people.csv']);
    });
  });

  it('gives the same id as long as nothing changes', async () => {
    const file = importing.write('people.csv', people(5));
    const { id } = await importing.plan(file);
    expect((await importing.plan(importing.write('elsewhere.csv', people(5)))).id).to.equal(id);
    await buildUser(importing.context, { email: 'somebody.else@example.org', phone: '999' });
    expect((await importing.plan(file)).id).to.equal(id);
  });

  describe('and --plan <id>', () => {
    it('applies the plan without asking', async () => {
      const file = importing.write('people.csv', people(5));
      const { id, counts } = await importing.plan(file);
      const { exitCode, stdout } = await importing.run(file, '--plan', id, '--json');
      expect(exitCode).to.equal(0);
      expect((JSON.parse(stdout) as { import: { counts: object } }).import.counts).to.deep.equal(counts);
      expect(await importing.models().User.count()).to.equal(5);
    });

    const changes: Record<string, (file: string) => unknown> = {
      'the file has changed in any byte': (file) => writeFileSync(file, `${people(5)}\n`),
      'the matching accounts have changed': () => buildUser(importing.context, { phone: '+1 (112) 00002' }),
      'another account matches': async () => {
        await importing.models().User.destroy({ where: { email: 'p00001@example.org' } });
        await buildUser(importing.context, { email: 'p00001@example.org' });
      },
      'its options differ': () => undefined,
    };
    for (const [what, change] of Object.entries(changes))
      it(`refuses if ${what}`, async () => {
        const file = importing.write('people.csv', people(5));
        await buildUser(importing.context, { email: 'p00001@example.org' });
        const { id } = await importing.plan(file);
        await change(file);
        const before = [await importing.contents(), importing.files()];
        const options = what === 'its options differ' ? ['--role', 'trainer'] : [];
        const { exitCode, stdout, stderr } = await importing.run(file, '--plan', id, ...options);
        expect({ exitCode, stdout }).to.deep.equal({ exitCode: 1, stdout: '' });
        expect(stderr).to.match(
          new RegExp(
            `^error: The plan ${id} is out of date: .*\\. Nothing was written\\. The plan is now [0-9a-f]{16}: see it with --dry-run\\.\n$`,
          ),
        );
        expect([await importing.contents(), importing.files()]).to.deep.equal(before);
      });
  });
});

describe('A batch of rows with very many courses', () => {
  const importing = useImporting({ IMPORT_BATCH_ROWS: '2000' });

  it('is planned, by titles and by ids', async () => {
    const trainer = await buildUser(importing.context, { role: 'trainer' });
    const known = await buildCourse(importing.context, trainer, { title: 'Knots' });
    const unknown = Array.from({ length: 1600 }, (_, index) => (index % 2 === 0 ? `Course ${index}` : uuidv7()));
    // The rows are far apart, so that different queries look up their courses.
    const courses = ['Knots', known.id, ...unknown, 'KNOTS', 'knots '];
    const rows = courses.map((course, index) => `Ada,King,ada${index}@example.org,1${index},${course}`);
    const file = importing.write('people.csv', `firstName,lastName,email,phone,course\n${rows.join('\n')}\n`);
    const { counts, reasons } = await importing.plan(file);
    expect(counts).to.include({ rows: 1604, created: 4, rejected: 1600, enrolled: 4 });
    // The first 20 names have a group each.
    const grouped = [1580, ...new Array<number>(20).fill(1)];
    expect(reasons.map(({ code, count }) => [code, count])).to.deep.equal(
      grouped.map((count) => ['COURSE_UNKNOWN', count]),
    );
  });
});

describe('coursectl users import that nobody confirms', () => {
  const importing = useImporting();

  it('imports nothing without a terminal', async () => {
    const before = await importing.contents();
    const { exitCode, stdout, stderr } = await importing.run(importing.write('people.csv', people(3)));
    expect({ exitCode, stdout }).to.deep.equal({ exitCode: 2, stdout: '' });
    expect(stderr).to.equal('error: Confirmation needs a terminal: add --yes to import, or --dry-run to look first.\n');
    expect(await importing.contents()).to.equal(before);
    expect(importing.files()).to.deep.equal(['people.csv']);
  });
});
