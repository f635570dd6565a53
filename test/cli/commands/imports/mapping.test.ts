import { expect } from 'chai';
import { useImporting } from '../../../services/imports/support/importing.js';
import { useCommandLine } from '../../../support/run-cli.js';
import { type Dialogue, keys } from '../../../support/terminal.js';

const rows = 'Vorname,Nachname,Kontakt,Rufzeichen,Kleidung,Kennwort\nAda,King,ada@example.org,0151 1,M,top secret\n';

describe('The columns of a file', () => {
  const importing = useImporting();
  const commandLine = useCommandLine(() => importing.env);
  const users = () => importing.models().User;

  /** Answers for the file. The first choice ignores a column, the second is the first remaining field. */
  const answers: Dialogue = [
    ['Column 1 of 6, "Vorname" (Ada)', keys.enter],
    ['Column 2 of 6, "Nachname" (King)', keys.enter],
    // Proposed because of its values.
    ['Column 3 of 6, "Kontakt" (ada@example.org)', keys.enter],
    ['Column 4 of 6, "Rufzeichen" (0151 1)', `${keys.down}${keys.enter}`],
    ['Column 5 of 6, "Kleidung" (M)', keys.enter],
    ['Column 6 of 6, "Kennwort" (••••••)', keys.enter],
  ];
  const question = ['Import these rows?', keys.enter] as const;

  it('are asked for one by one at a terminal of any width if required ones are missing', async () => {
    const file = importing.write('people.csv', rows);
    const { exitCode, terminal } = await commandLine.atTerminal(
      ['users', 'import', file],
      [['The header lacks email, phone.', ''], ...answers, question],
      { columns: 60 },
    );
    expect(exitCode, terminal.screen()).to.equal(0);
    expect(terminal.isRaw()).to.equal(false);
    expect(terminal.screen()).not.to.include('top secret');
    const ada = await users().findOne({ rejectOnEmpty: true });
    expect(ada).to.include({ firstName: 'Ada', lastName: 'King', email: 'ada@example.org', phone: '0151 1' });
  });

  it('are printed in a command if the user declines the import', async () => {
    const file = importing.write('people.csv', rows);
    const { exitCode, terminal } = await commandLine.atTerminal(
      ['users', 'import', file],
      [...answers, ['Import these rows?', keys.ctrlC]],
      { columns: 200 },
    );
    expect(exitCode).to.equal(130);
    expect(terminal.screen()).to.match(/without the questions:\n {2}coursectl users import \S*people\.csv --map /);
    for (const map of ['Kontakt=email', 'Rufzeichen=phone']) expect(terminal.screen()).to.include(`--map ${map}`);
  });

  it('are asked for if no heading is known, or two are the same', async () => {
    const strange = importing.write('strange.csv', 'Rufzeichen;Familie;Dienstmail;Nr\nAda;King;ada@example.org;1\n');
    const first = await commandLine.atTerminal(
      ['users', 'import', strange],
      [
        ['The header lacks firstName, lastName, email, phone.', ''],
        ...['Column 1 of 4', 'Column 2 of 4', 'Column 3 of 4', 'Column 4 of 4'].map(
          // The command proposes `email` for values like email addresses.
          (asked) => [asked, asked.includes('3') ? keys.enter : `${keys.down}${keys.enter}`] as const,
        ),
        question,
      ],
    );
    expect(first.exitCode, first.terminal.screen()).to.equal(0);
    const twice = importing.write('twice.csv', 'Name,Mail,Phone,Mail\nBob King,bob@example.org,2,b@example.org\n');
    const second = await commandLine.atTerminal(
      ['users', 'import', twice],
      [
        ['The header has the column email twice.', ''],
        ...['Column 1 of 4', 'Column 2 of 4', 'Column 3 of 4', 'Column 4 of 4'].map(
          (asked) => [asked, keys.enter] as const,
        ),
        question,
      ],
    );
    expect(second.exitCode, second.terminal.screen()).to.equal(0);
    expect((await users().findAll({ order: ['email'] })).map(({ email, phone }) => [email, phone])).to.deep.equal([
      ['ada@example.org', '1'],
      ['bob@example.org', '2'],
    ]);
  });

  it('are saved in a file, for the same headings in any order', async () => {
    const file = importing.write('people.csv', rows);
    const mapping = `${importing.folder}/columns.json`;
    const first = await commandLine.atTerminal(['users', 'import', file, '--mapping', mapping], [...answers, question]);
    expect(first.exitCode, first.terminal.screen()).to.equal(0);
    const again = importing.write(
      'again.csv',
      'Rufzeichen,Kontakt,Vorname,Nachname,Kennwort,Kleidung\n2,bob@example.org,Bob,King,secret99,L\n',
    );
    expect((await importing.json(again, '--mapping', mapping)).counts).to.include({ created: 1 });
    const other = importing.write('other.csv', 'Vorname,Nachname,Mail-Kontakt,Rufzeichen\nCyd,King,c@example.org,3\n');
    const refused = await importing.run(other, '--mapping', mapping, '--yes');
    expect([refused.exitCode, refused.stderr]).to.deep.equal([
      2,
      `error: The file ${mapping} doesn't have these headings: import once at a terminal without --yes, or use --map.\n`,
    ]);
    importing.write('columns.json', '{"mappings":{}}');
    expect((await importing.run(other, '--mapping', mapping, '--yes')).stderr).to.equal(
      `error: The file ${mapping} has no mappings of columns. Name another file, or a new one.\n`,
    );
  });

  it('are saved after a confirmed import, and asked for again while required ones are missing', async () => {
    const file = importing.write('people.csv', rows);
    const proposals = answers.map(([question]) => [question, keys.enter] as const);
    const again: Dialogue = [['The file has no phone column', ''], ...answers];
    const args = ['users', 'import', file, '--mapping', `${importing.folder}/columns.json`];
    const declined = await commandLine.atTerminal(args, [...proposals, ...again, [question[0], `n${keys.enter}`]]);
    expect([declined.exitCode, importing.files()], declined.terminal.screen()).to.deep.equal([1, ['people.csv']]);

    const map = ['Vorname=firstName', 'Nachname=lastName', 'Kontakt=', 'Rufzeichen=', 'Kleidung=', 'Kennwort='];
    const headings = map.map((one) => one.slice(0, one.indexOf('=')));
    importing.write('columns.json', JSON.stringify({ mappings: [{ headings, map }] }));
    const lack = `The file ${importing.folder}/columns.json maps these headings without email, phone`;
    expect(await importing.run(...args.slice(2), '--yes')).to.include({
      exitCode: 2,
      stderr: `error: ${lack}: import once at a terminal without --yes, or use --map.\n`,
    });
    // The first names are proposed from the saved mappings, not from the headings.
    importing.write(
      'columns.json',
      JSON.stringify({ mappings: [{ headings, map: ['Vorname=lastName', 'Nachname=firstName'] }] }),
    );
    const corrected = await commandLine.atTerminal(args, [['maps these headings without', ''], ...answers, question]);
    expect(corrected.exitCode, corrected.terminal.screen()).to.equal(0);
    expect(await users().findOne()).to.include({ firstName: 'King', lastName: 'Ada', email: 'ada@example.org' });
    expect((await importing.json(file, '--mapping', 'columns.json')).counts).to.include({ skipped: 1 });
  });

  it('are not asked for with --yes or without a header row, and Ctrl-C imports nothing', async () => {
    const file = importing.write('people.csv', rows);
    const { exitCode, stderr } = await importing.run(file, '--yes');
    expect(exitCode).to.equal(2);
    expect(stderr).to.include('Did you mean --map "Kontakt=email"?');
    expect(stderr).to.include('Say which column is phone, such as --map "HEADING=phone".');
    const bare = importing.write('bare.csv', 'Ada,King,ada@example.org,1\n');
    const refused = await commandLine.atTerminal(['users', 'import', bare], [['The file has no header.', '']]);
    expect(refused.exitCode).to.equal(2);
    const left = await commandLine.atTerminal(['users', 'import', file], [['Column 1 of 6', keys.ctrlC]]);
    expect([left.exitCode, left.terminal.isRaw()]).to.deep.equal([130, false]);
    expect(await users().count()).to.equal(0);
  });
});
