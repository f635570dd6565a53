import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import iconv from 'iconv-lite';
import { ReportFile } from '../../../../src/services/imports/output/report-file.js';
import { reportFormat } from '../../../../src/services/imports/output/report-workbook.js';
import { buildUser } from '../../../support/factories.js';
import { type Importing, people, recordsOf, textOf, useImporting } from '../support/importing.js';
import { openedByExcel, savedAs } from '../support/spreadsheet.js';

const long = 'x'.repeat(40_000);

/** People in a CSV file of a German spreadsheet. The last cell of Eve's row is surplus. */
const rows = [
  ['Vorname', 'Nachname', 'E-Mail', 'Telefon', 'Rolle', 'Aktiv', 'Passwort', 'Bemerkung', 'Team', 'Team'],
  ['Jürgen', 'Groß', 'juergen', '0301234567', 'trainee', 'ja', '0012345678', 'zwei\nZeilen', '007', '3-4'],
  ['José', 'Núñez "Pepe"', 'jose@', '+493012345678', 'trainer', 'nein', '', 'a;b,c\td|e', '=1+1', '1/2'],
  ['Éva', 'Müller', 'eva@x.org', '4.41E+11', '', '', '', '', '12345678901234', ''],
  ['Eve', 'Moe', 'eve@x.org', '0309999', '', '', '', 'Allergic to nuts', '', '', ' and to bees'],
  ['Max', 'Moritz', 'max@x.org', '(030) 55', '', '', '', '', '', ''],
  ['Zoë', 'Weiß', 'zoe@x.org', "'0301", '', '', '', '', "'12", "'+1"],
];
const text = (delimiter: string, sep = '') =>
  sep +
  rows
    .map((row) =>
      row.map((cell) => (/[;,"\n\t|]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(delimiter),
    )
    .join('\r\n');

const inputs = {
  'UTF-8 with mark and commas': Buffer.from(`\ufeff${text(',')}`),
  'UTF-8 with a sep= line': Buffer.from(text(';', 'sep=;\r\n')),
  'Windows-1252 with semicolons': iconv.encode(text(';'), 'windows-1252'),
  'Windows-1252 with a sep= line': iconv.encode(text(';', 'sep=;\r\n'), 'windows-1252'),
  'UTF-16 with tabs': iconv.encode(text('\t'), 'utf-16le', { addBOM: true }),
} as const;

async function rejectsOf(importing: Importing, file: string, ...args: string[]): Promise<string> {
  const { rejectsFile } = await importing.json(file, ...args);
  return rejectsFile ?? '';
}

describe('Reasons of rejected rows', () => {
  const importing = useImporting();

  it("contain only characters of the file's encoding", async () => {
    await buildUser(importing.context, { firstName: 'Łukasz', lastName: 'Żak', email: 'lz@x.org', phone: '1' });
    await buildUser(importing.context, { firstName: 'Иван', lastName: 'Петров', email: 'ivan@x.org', phone: '2' });
    await buildUser(importing.context, { firstName: 'José', lastName: 'Weiß', email: 'jose@x.org', phone: '3' });
    const text = 'firstName,lastName,email,phone\nJürgen,Groß,a@x.org,1\nZoë,Weiß,b@x.org,2\nEva,Moe,c@x.org,3\n';
    const file = importing.write('people.csv', iconv.encode(text, 'windows-1252'));
    expect(await importing.run(file, '--dry-run', '--rejects', 'dry.csv')).to.include({ exitCode: 3 });
    const { rejectsFile } = await importing.json(file);
    for (const written of [rejectsFile, `${importing.folder}/dry.csv`]) {
      const records = recordsOf(written);
      expect(records.map(({ firstName }) => firstName)).to.deep.equal(['Jürgen', 'Zoë', 'Eva']);
      expect(records.map(({ reason = '' }) => reason.split(',')[0])).to.deep.equal([
        'Phone belongs to Lukasz Zak <lz@x.org>',
        'Phone belongs to account <ivan@x.org>',
        'Phone belongs to José Weiß <jose@x.org>',
      ]);
    }
  });
});

describe('Rejected rows', () => {
  const importing = useImporting();
  for (const [name, bytes] of Object.entries(inputs))
    it(`of ${name} keep its encoding with a byte order mark, delimiter and headings, like passwords, and can be imported`, async () => {
      const file = importing.write('people.csv', bytes);
      const { credentialsFile, rejectsFile } = await importing.json(file);
      const rejects = rejectsFile ?? '';
      const { format } = await importing.plan(file);
      const again = await importing.plan(rejects);
      expect(again.format).to.deep.equal({
        ...format,
        byteOrderMark: format.encoding !== 'windows-1252',
        // A `sep=` line makes Excel ignore a byte order mark of UTF-8.
        sepLine: format.sepLine && format.encoding !== 'utf-8',
      });
      const header = textOf(rejects)
        .replace(/^\ufeff?(sep=.\n)?/, '')
        .split('\n')[0];
      expect(header).to.equal([...(rows[0] ?? []), 'line', 'code', 'reason'].join(format.delimiter));
      expect(textOf(rejects)).to.include('Jürgen').and.include('José').and.include('Éva');
      expect(again.counts).to.include({ rows: 4, rejected: 4 });

      const written = textOf(credentialsFile ?? '');
      expect(written.startsWith('\ufeff')).to.equal(!name.startsWith('Windows'));
      // A letter prints these phones as they are.
      expect(written).to.include('Zoë').and.include('Weiß').and.not.include("'");
      const records = recordsOf(credentialsFile);
      expect(records.map(({ email, phone }) => `${email} ${phone}`)).to.deep.equal([
        'max@x.org (030) 55',
        'zoe@x.org 0301',
      ]);
      for (const { email: identifier, password } of records)
        await importing.api('post', '/api/auth/login').send({ identifier, password }).expect(200);
    });

  it('are rejected again if the rejects file, or the rejects file of that import, is imported unchanged', async () => {
    const first = await rejectsOf(importing, importing.write('people.csv', inputs['Windows-1252 with semicolons']));
    const second = await rejectsOf(importing, first);
    const third = await rejectsOf(importing, second);
    // The lines refer to the file that was imported last.
    expect(readFileSync(third).equals(readFileSync(second))).to.equal(true);
    const cellsOf = (file: string) => recordsOf(file).map(({ line: _, reason: __, ...others }) => others);
    expect(cellsOf(second)).to.deep.equal(cellsOf(first));
    expect(textOf(second)).to.include(' and to bees');
  });

  it('keep surplus cells, and are rejected until the surplus cells are removed', async () => {
    const input =
      'firstName,lastName,email,phone,reply\nEve,Moe,eve@x.org,1,Allergic to nuts, and to bees,,x,\nAda,King,ada@x.org,2,,,\n';
    const rejects = await rejectsOf(importing, importing.write('people.csv', input));
    const reason = 'The row has 8 fields, the header 5. Put fields that contain a comma in quotes.';
    expect(textOf(rejects).split('\n')[1]).to.equal(
      `Eve,Moe,eve@x.org,1,Allergic to nuts,2,SURPLUS_CELLS,"${reason}", and to bees,,x`,
    );
    const { User } = importing.context.database.models;
    expect((await User.findAll()).map(({ email }) => email)).to.deep.equal(['ada@x.org']);
    const again = await importing.json(rejects);
    expect(again.counts).to.include({ rows: 1, rejected: 1, created: 0 });
    expect(textOf(again.rejectsFile ?? '')).to.include(', and to bees,,x\n');
    writeFileSync(
      rejects,
      textOf(rejects)
        .replace('Allergic to nuts', '"Allergic to nuts, and to bees"')
        .replace(/", and to bees.*/, '",,,'),
    );
    expect((await importing.json(rejects)).counts).to.include({ rows: 1, created: 1 });
  });

  it('are rejected even if a spreadsheet padded the header to their length', async () => {
    const input = 'firstName,lastName,email,phone,,\nEve,Moe,eve@x.org,1, and to bees,\nAda,King,ada@x.org,2,,\n';
    const { counts, rejectsFile } = await importing.json(importing.write('people.csv', input));
    expect(counts).to.include({ rows: 2, created: 1, rejected: 1 });
    expect(textOf(rejectsFile ?? '').split('\n')[0]).to.equal('\ufefffirstName,lastName,email,phone,line,code,reason');
  });

  it('of a file with the maximum number of columns can be imported again', async () => {
    const more = Array.from({ length: 252 }, (_, index) => `c${index}`);
    const input = `firstName,lastName,email,phone,${more}\nEve,Moe,eve,1,${more}\n`;
    const rejects = await rejectsOf(importing, importing.write('people.csv', input));
    expect((await importing.json(rejects)).counts).to.include({ rows: 1, rejected: 1 });
    const { exitCode } = await importing.run(importing.write('wider.csv', input.replace('c0', 'c,c0')), '--dry-run');
    expect(exitCode).to.equal(2);
  });

  for (const [name, input, separator] of [
    ['CSV UTF-8, commas', 'UTF-8 with mark and commas', ','],
    ['CSV UTF-8, commas', 'Windows-1252 with a sep= line', ','],
    ['CSV, semicolons, Windows-1252', 'Windows-1252 with semicolons', ';'],
    ['CSV, semicolons, Windows-1252', 'UTF-16 with tabs', ';'],
    ['Unicode text, tabs', 'Windows-1252 with semicolons', ';'],
  ] as const)
    it(`of ${input} can be corrected in Excel, saved as "${name}" and imported without loss`, async () => {
      const save = savedAs[name];
      const rejects = await rejectsOf(importing, importing.write('people.csv', inputs[input]));
      const sheet = openedByExcel(rejects, separator);
      const [header = [], ...cells] = sheet;
      const at = (heading: string) => header.indexOf(heading);
      // The file is opened and saved without changes: the rows are rejected as before, and nothing is lost.
      writeFileSync(rejects, save(sheet));
      const same = await importing.json(rejects);
      expect(same.counts).to.include({ rows: 4, rejected: 4, created: 0 });
      for (const row of cells) {
        const name = row[at('Vorname')] ?? '';
        if (name === 'Jürgen') row[at('E-Mail')] = 'juergen@x.org';
        if (name === 'José') row[at('E-Mail')] = 'jose@x.org';
        if (name === 'Éva') row[at('Telefon')] = '+44 1';
        if (name === 'Eve') {
          row[at('Bemerkung')] += row.at(-1) ?? '';
          row[row.length - 1] = '';
        }
      }
      writeFileSync(rejects, save([header, ...cells]));
      const corrected = await importing.json(rejects);
      expect(corrected).to.deep.include({ exitCode: 0, rejectsFile: null });
      expect(corrected.counts).to.include({ rows: 4, created: 4 });
      const users = await importing.context.database.models.User.findAll({ order: ['email'] });
      const found = users.map(({ firstName, lastName, phone, role, isActive }) => [
        firstName,
        lastName,
        phone,
        role,
        isActive,
      ]);
      expect(found).to.deep.equal([
        ['Éva', 'Müller', '+44 1', 'trainee', true],
        ['Eve', 'Moe', '0309999', 'trainee', true],
        ['José', 'Núñez "Pepe"', '+493012345678', 'trainer', false],
        ['Jürgen', 'Groß', '0301234567', 'trainee', true],
        ['Max', 'Moritz', '(030) 55', 'trainee', true],
        ['Zoë', 'Weiß', '0301', 'trainee', true],
      ]);
      await importing
        .api('post', '/api/auth/login')
        .send({ identifier: 'juergen@x.org', password: '0012345678' })
        .expect(200);
    });

  it('keep cells that are longer than a spreadsheet can hold', async () => {
    const input = `firstName,lastName,email,phone,Essay\nEve,Moe,eve,1,${long}\n`;
    const rejects = await rejectsOf(importing, importing.write('people.csv', input));
    expect(recordsOf(rejects)[0]?.Essay).to.equal(long);
    expect(recordsOf(await rejectsOf(importing, rejects))[0]?.Essay).to.equal(long);
  });

  it('are written in chunks, because together they may exceed the maximum string length', async () => {
    const file = path.join(importing.folder, 'people.rejected.csv');
    const format = reportFormat('rejects');
    const report = new ReportFile({ kind: 'rejects', header: ['Essay'], format, paths: [file] });
    await report.begin();
    const lengths = new Set<number>();
    let isWritten = false;
    const writing = report.append(new Array<string[]>(200).fill([long])).then(() => {
      isWritten = true;
    });
    for (; !isWritten; await nextTurn()) lengths.add(report.length);
    await writing;
    expect(recordsOf(file)).to.have.lengthOf(200);
    // The file grows while other code runs.
    expect(lengths.size).to.be.above(3);
    await report.discard();
  });
});

describe('Passwords', () => {
  const importing = useImporting();

  it('get an apostrophe before formulas, but not before a country code', async () => {
    const file = importing.write(
      'people.csv',
      'firstName,lastName,email,phone\n=1+1,@home,=f@x.org,+49 30 1\nBo,Do,bo@x.org,+49-30-2\n',
    );
    const { credentialsFile } = await importing.json(file);
    const lines = textOf(credentialsFile ?? '').split('\n');
    expect(lines[1]).to.match(/^2,'=1\+1,'@home,'=f@x\.org,\+49 30 1,[a-z0-9-]+$/);
    expect(lines[2]).to.match(/^3,Bo,Do,bo@x\.org,'\+49-30-2,[a-z0-9-]+$/);
  });
});

describe('An export of accounts that is imported again', () => {
  const importing = useImporting();
  const users = async () => JSON.stringify(await importing.context.database.models.User.findAll({ order: ['id'] }));

  for (const flags of [[], ['--on-existing', 'update']])
    it(`changes nothing${flags.length > 0 ? `, with ${flags.join(' ')} too` : ''}`, async () => {
      await importing.json(importing.write('people.csv', people(20)));
      for (const given of [
        { firstName: '=SUM(A1)', lastName: '+Plus, "quoted"', email: '=formula@example.org', phone: '+44 (0) 20' },
        { firstName: '@home', lastName: "'quoted", phone: '-1', role: 'trainer', isActive: false } as const,
        { firstName: 'Zoë', lastName: '李小龙', phone: "'=1" },
        { firstName: 'Ann;=cmd|A0', lastName: `King;'=1,+2`, phone: '1;"=2"' },
      ])
        await buildUser(importing.context, given);
      const before = await users();
      const { stdout } = await importing.cli('users', 'export');
      const run = await importing.json(importing.write('export.csv', stdout), ...flags);
      expect(run).to.deep.include({ exitCode: 0, credentialsFile: null, rejectsFile: null });
      expect(run.counts).to.include({ rows: 24, skipped: 24, created: 0, updated: 0, rejected: 0 });
      expect(await users()).to.equal(before);
    });

  it('changes nothing after a spreadsheet has opened and saved it', async () => {
    for (const [index, phone] of ['0301234567', '+493012345', '(030) 55', "'0301", '441234567890123', '1/2'].entries())
      await buildUser(importing.context, { firstName: 'Jürgen', lastName: 'Groß', email: `a${index}@x.org`, phone });
    const before = await users();
    const { stdout } = await importing.cli('users', 'export');
    for (const [name, save] of Object.entries(savedAs)) {
      const sheet = openedByExcel(importing.write('export.csv', stdout), ',');
      const saved = importing.write(`${name}.csv`, save(sheet));
      expect((await importing.json(saved, '--on-existing', 'update')).counts, name).to.include({ rows: 6, skipped: 6 });
      expect(await users()).to.equal(before);
    }
  });
});
