import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import iconv from 'iconv-lite';
import { useImporting } from '../../../services/imports/support/importing.js';
import { batchRows, importFirstBatch } from '../../../services/imports/support/running.js';
import { runToPlan } from '../../../services/imports/support/submitting.js';
import { signIn } from '../../../support/factories.js';
import { useCommandLine } from '../../../support/run-cli.js';
import { keys } from '../../../support/terminal.js';

const csv = (...rows: string[]) => ['First name;Last name;Email;Phone;Password', ...rows, ''].join('\r\n');
/** Two names have too few letters for a certain encoding. */
const romanian = iconv.encode(
  csv('Ana;Ioniţă;ana@example.org;1;ţaţăţaţăţaţă', 'Radu;Săndulescu;radu@example.org;2;', 'Bob;Moe;bob@example.org;3;'),
  'windows-1250',
);
const japanese = iconv.encode(
  csv(
    ...['山田;太郎', '佐藤;花子', '鈴木;一郎', '高橋;美咲', '田中;健太', 'ポール;表参道'].map(
      (name, at) => `${name};p${at}@example.org;${at};`,
    ),
    '渡辺;大輔;nobody;9;',
  ),
  'shift_jis',
);

describe('An uncertain encoding', () => {
  const importing = useImporting();
  const commandLine = useCommandLine(() => importing.env);
  const names = async () => {
    const users = await importing.models().User.findAll({ order: ['email'] });
    return users.map(({ firstName, lastName }) => `${firstName} ${lastName}`);
  };

  const answer = ['Which of these names are correct?', keys.down + keys.enter] as const;

  it('is chosen at a terminal by sample names, and shown in the plan and its command', async () => {
    const file = importing.write('people.csv', romanian);
    const left = await commandLine.atTerminal(['users', 'import', file], [answer, ['Import these rows?', keys.ctrlC]], {
      columns: 200,
    });
    expect(left.terminal.screen()).to.match(
      /without the questions:\n {2}coursectl users import \S*people\.csv --encoding windows-1250\n/,
    );
    const { exitCode, terminal } = await commandLine.atTerminal(
      ['users', 'import', file],
      [answer, ['Import these rows?', keys.enter]],
      { columns: 100 },
    );
    const screen = terminal.screen();
    expect(exitCode, screen).to.equal(0);
    expect(screen).to.include('Windows-1250 (Central European)');
    expect(screen).to.include('Names beyond ASCII: Ana Ioniţă, Radu Săndulescu');
    expect(screen).not.to.include('ţaţă');
    expect(await names()).to.deep.equal(['Ana Ioniţă', 'Bob Moe', 'Radu Săndulescu']);
  });

  describe('after an interrupted import', () => {
    const more = batchRows + 5;
    const long = Buffer.concat([
      romanian,
      Buffer.from(Array.from({ length: more }, (_, at) => `Al;Bo;al${at}@example.org;7${at};\r\n`).join('')),
    ]);
    beforeEach(() =>
      importFirstBatch(importing.context, importing.write('people.csv', long), {}, { encoding: 'windows-1250' }),
    );
    const expectResumed = async () => {
      const records = await importing.models().Import.findAll();
      expect(records.map(({ status, rowsDone }) => [status, rowsDone])).to.deep.equal([['completed', more + 3]]);
      expect(await names()).to.include('Ana Ioniţă');
    };

    it('is given by --encoding when the import is resumed, also with other headings', async () => {
      await importing.json('people.csv', '--encoding', 'Windows-1250', '--map', 'Email=email');
      await expectResumed();
    });

    it('is asked for again if the same command runs again', async () => {
      const { exitCode, terminal } = await commandLine.atTerminal(
        ['users', 'import', `${importing.folder}/people.csv`],
        [answer, ['Import these rows?', keys.enter]],
      );
      expect(exitCode, terminal.screen()).to.equal(0);
      await expectResumed();
    });
  });

  it('ends the command if no choice is correct', async () => {
    const file = importing.write('people.csv', romanian);
    const { exitCode, terminal } = await commandLine.atTerminal(
      ['users', 'import', file],
      [['Which of these names are correct?', `\u001b[A${keys.enter}`]],
    );
    expect(exitCode, terminal.screen()).to.equal(2);
    expect(terminal.screen().replace(/\s+/g, ' ')).to.include('Save the file as "CSV UTF-8" and import that');
    expect(await names()).to.deep.equal([]);
  });

  it('is refused with --yes; the message lists options and sample names, but no password', async () => {
    const file = importing.write('people.csv', romanian);
    const { exitCode, stderr } = await importing.run(file, '--yes');
    expect(exitCode).to.equal(2);
    expect(stderr).to.include('  --encoding windows-1254: Ana Ionişã, Radu Sãndulescu\n');
    expect(stderr).to.include('  --encoding windows-1250: Ana Ioniţă, Radu Săndulescu\n');
    expect(stderr).not.to.include('ţaţă').and.not.to.include('þaþãþ');
    expect(await names()).to.deep.equal([]);
    const { counts } = await importing.json(file, '--encoding', 'windows-1250');
    expect(counts).to.include({ created: 3 });
  });

  it('is a problem of a plan over HTTP, with the possible encodings', async () => {
    const { token } = await signIn(importing.context, { role: 'super_admin', email: 'root@example.org' });
    const { body } = await importing
      .api('post', '/api/imports', token)
      .attach('file', romanian, 'people.csv')
      .field({ plan: 'true' })
      .expect(202);
    const { id } = body.import;
    await runToPlan(importing, id);
    const show = async () => (await importing.api('get', `/api/imports/${id}`, token).expect(200)).body.import.plan;
    const { problem } = await show();
    expect(problem).to.include({ code: 'IMPORT_FILE_INVALID', reason: 'ENCODING_DOUBTFUL', line: 2 });
    expect(problem.candidates).to.deep.include.members([
      { encoding: 'windows-1250', names: ['Ana Ioniţă', 'Radu Săndulescu'] },
      { encoding: 'windows-1254', names: ['Ana Ionişã', 'Radu Sãndulescu'] },
    ]);
    await importing.api('post', `/api/imports/${id}/plan`, token).send({ encoding: 'windows-1250' }).expect(202);
    await runToPlan(importing, id);
    const plan = await show();
    expect(plan.problem).to.equal(null);
    expect(plan.file).to.deep.include({ encoding: 'windows-1250', names: ['Ana Ioniţă', 'Radu Săndulescu'] });
  });
});

describe('An import of a file in a code page', () => {
  const importing = useImporting();

  it('writes passwords and rejected rows in the same code page', async () => {
    const file = importing.write('people.csv', japanese);
    const { counts, credentialsFile, rejectsFile } = await importing.json(file);
    expect(counts).to.include({ created: 6, rejected: 1 });
    const read = (path: string | null) => iconv.decode(readFileSync(path ?? ''), 'shift_jis');
    expect(read(credentialsFile)).to.include('山田;太郎').and.to.include('ポール;表参道');
    expect(read(rejectsFile)).to.include('渡辺;大輔;nobody');
    const corrected = importing.write(
      'more.csv',
      iconv.encode(read(rejectsFile).replace('nobody', 'd@x.org'), 'shift_jis'),
    );
    expect((await importing.json(corrected, '--encoding', 'shift_jis')).counts).to.include({ created: 1 });
  });

  it('accepts parts of ISO 8859 that match a code page, and suggests the nearest for others', async () => {
    const letters = { 1: 'éßÿ', 8: 'אשת', 9: 'ğİş', 11: 'กฮไ', 13: 'žėū' };
    for (const [part, last] of Object.entries(letters)) {
      const content = `firstName,lastName,email,phone\nAnn,${last},ann@example.org,1\n`;
      const file = importing.write(`${part}.csv`, iconv.encode(content, `iso-8859-${part}`));
      const plan = await importing.plan(file, { encoding: `ISO-8859-${part}` });
      expect(plan.names, part).to.deep.equal([`Ann ${last}`]);
    }
    const file = importing.write('people.csv', 'firstName,lastName,email,phone\n');
    const { exitCode, stderr } = await importing.run(file, '--yes', '--encoding', 'iso-8859-2');
    expect(exitCode).to.equal(2);
    expect(stderr).to.include('windows-1250 for parts 2 and 16');
  });
});
