import { copyFileSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { runCli } from '../../../support/run-cli.js';
import { breakAt } from '../support/fault.js';
import { people, reportOf, sheetOf, useImporting, withoutProgress, workbookOf } from '../support/importing.js';
import { expectWholeLedger, importFile, importFirstBatch } from '../support/running.js';

const good = 120;
const rows = good + 2;
const [header, ...others] = people(good).trimEnd().split('\n');
const mixed = `${[header, 'A,King,nobody,030 1', ...others, "Bo,'=1+1,no one,1/2"].join('\n')}\n`;

describe('Report files that are named .xlsx', () => {
  const importing = useImporting();
  const inFolder = (name: string) => path.join(importing.folder, name);
  const files = () => ({ credentialsFile: inFolder('pw.xlsx'), rejectsFile: inFolder('fix.xlsx') });
  let file: string;
  beforeEach(() => {
    file = importing.write('people.csv', mixed);
  });

  /** Expects that the import has ended with two complete workbooks and no other files. */
  async function expectWorkbooks(...besides: string[]): Promise<void> {
    expect(importing.files()).to.deep.equal(['fix.xlsx', 'people.csv', 'pw.xlsx', ...besides].sort());
    const passwords = await reportOf(inFolder('pw.xlsx'));
    expect(passwords.map(({ line }) => Number(line))).to.deep.equal(others.map((_, index) => index + 3));
    const rejected = await reportOf(inFolder('fix.xlsx'));
    expect(rejected.map(({ line, code }) => `${line} ${code}`)).to.deep.equal([
      '2 NAME_INVALID',
      `${rows + 1} EMAIL_INVALID`,
    ]);
    for (const name of ['fix.xlsx', 'pw.xlsx']) expect(statSync(inFolder(name)).mode & 0o777).to.equal(0o600);
  }

  it('are workbooks after the import, with unchanged cells and the reason in a separate column', async () => {
    const result = await importing.json(file, '--credentials', 'pw.xlsx', '--rejects', 'fix.xlsx');
    expect(result).to.include({ exitCode: 3, status: 'completed', ...files() });
    await expectWorkbooks();
    expect((await sheetOf(inFolder('fix.xlsx'))).map((cells) => cells.slice(0, 6))).to.deep.equal([
      ['firstName', 'lastName', 'email', 'phone', 'line', 'code'],
      ['A', 'King', 'nobody', '030 1', '2', 'NAME_INVALID'],
      ['Bo', '=1+1', 'no one', '1/2', String(rows + 1), 'EMAIL_INVALID'],
    ]);
    const record = await importing.models().Import.findByPk(result.id, { rejectOnEmpty: true });
    expect(Number(record.rejectsBytes)).to.equal(statSync(inFolder('fix.xlsx')).size);
    const { number } = result;
    expect((await importing.cli('imports', 'show', String(number))).stdout).to.include(
      `\nrejects    ${inFolder('fix.xlsx')}\n`,
    );
  });

  it('are CSV until the resumed import ends', async () => {
    const begun = await importFirstBatch(importing.context, file, files());
    expect(begun).to.include({ credentialsFile: inFolder('pw.xlsx.csv'), rejectsFile: inFolder('fix.xlsx.csv') });
    expect(importing.files()).to.deep.equal(['fix.xlsx.csv', 'people.csv', 'pw.xlsx.csv']);
    // The command names the import by its number, so the names of the reports aren't given again.
    const { exitCode } = await importing.cli('imports', 'resume', String(begun.number), '--yes');
    expect(exitCode).to.equal(3);
    await expectWorkbooks();
    await expectWholeLedger(importing, begun.id, rows);
  });

  it('are workbooks after the import stops at a bad row', async () => {
    const result = await importing.json(file, '--on-error', 'stop', '--rejects', 'fix.xlsx');
    expect(result).to.include({ status: 'stopped', rejectsFile: inFolder('fix.xlsx') });
    expect(importing.files()).to.deep.equal(['fix.xlsx', 'people.csv']);
    expect(await reportOf(inFolder('fix.xlsx'))).to.have.length(1);
  });

  it('become workbooks after the import is recorded as completed', async () => {
    const when = "NEW.status = 'completed'";
    const repair = await breakAt(importing.context, { event: 'UPDATE', table: 'imports', when });
    const failed = await importFile(importing.context, file, files()).then(() => null, String);
    await repair();
    expect(failed).not.to.equal(null);
    expect(importing.files()).to.deep.equal(['fix.xlsx.csv', 'people.csv', 'pw.xlsx.csv']);
    const result = await importFile(importing.context, file, files());
    expect(result).to.include({ status: 'completed', ...files() });
    await expectWorkbooks();
  });

  it("stay CSV if the workbook can't be written, and the error says so", async () => {
    // No file can be created in place of this folder.
    mkdirSync(inFolder('fix.xlsx.part'));
    const { exitCode, stderr } = await importing.run(file, '--yes', '--rejects', 'fix.xlsx');
    const number = (await importing.models().Import.findOne({ rejectOnEmpty: true })).number;
    expect(exitCode).to.equal(1);
    expect(withoutProgress(stderr)).to.match(
      new RegExp(
        `^error: The import ${number} is completed\\. The file ${inFolder('fix.xlsx')} can't be written .*, or take ${inFolder('fix.xlsx.csv')}\\.\n$`,
      ),
    );
    const { stdout } = await importing.cli('imports', 'rejects', String(number));
    expect(stdout).to.include('EMAIL_INVALID');
    const made = await importing.cli('imports', 'rejects', String(number), '--output', 'again.xlsx');
    expect(made.exitCode).to.equal(0);
    expect(await reportOf(inFolder('again.xlsx'))).to.have.length(2);
  });

  it('get the next free name if another file got their name during the import', async () => {
    await importFirstBatch(importing.context, file, files());
    copyFileSync(file, inFolder('pw.xlsx'));
    const result = await importFile(importing.context, file);
    expect(result.credentialsFile).to.equal(inFolder('pw-2.xlsx'));
    expect(readFileSync(inFolder('pw.xlsx'), 'utf8')).to.equal(mixed);
    expect(await reportOf(inFolder('pw-2.xlsx'))).to.have.length(good);
    expect(importing.files()).to.deep.equal(['fix.xlsx', 'people.csv', 'pw-2.xlsx', 'pw.xlsx']);
  });

  for (const taken of ['fix.xlsx', 'fix.xlsx.csv'])
    it(`are refused before writing anything if ${taken} exists`, async () => {
      importing.write(taken, 'mine\n');
      const before = await importing.contents();
      for (const mode of ['--yes', '--dry-run']) {
        const { exitCode, stderr } = await importing.run(file, mode, '--rejects', 'fix.xlsx');
        expect([exitCode, stderr]).to.deep.equal([
          2,
          `error: The file ${inFolder('fix.xlsx')} exists already and is never overwritten. Name another one.\n`,
        ]);
      }
      expect(await importing.contents()).to.equal(before);
      expect(importing.files()).to.deep.equal([taken, 'people.csv'].sort());
    });

  it('stay CSV if a cell is too long for a workbook', async () => {
    writeFileSync(file, `notes,${header}\n${'x'.repeat(33_000)},A,King,nobody,1\n`);
    const { rejectsFile } = await importing.json(file, '--rejects', 'fix.xlsx');
    expect(rejectsFile).to.equal(inFolder('fix.xlsx.csv'));
    expect((await reportOf(rejectsFile))[0]?.notes).to.have.length(33_000);
    expect(importing.files()).to.deep.equal(['fix.xlsx.csv', 'people.csv']);
  });

  it('are also written by a dry run', async () => {
    const { stdout } = await importing.run(file, '--dry-run', '--rejects', 'fix.xlsx');
    expect(stdout).to.include(`Rejected rows with reasons: ${inFolder('fix.xlsx')}\n`);
    expect(importing.files()).to.deep.equal(['fix.xlsx', 'people.csv']);
    expect((await reportOf(inFolder('fix.xlsx'))).map(({ line }) => line)).to.deep.equal(['2', String(rows + 1)]);
  });
});

describe('The rejected rows of a workbook', () => {
  const importing = useImporting();
  const header = ['Team', 'First name', 'Last name', 'E-mail', 'Phone'];
  const people = [
    ['=red', 'Ada', 'King', 'ada@example.org', '0301 1'],
    ['two\nlines', 'A', 'King', 'nobody', '=030 2'],
    ['-', "O'Neal", 'King', 'oneal', '0301234'],
  ];

  it('are a workbook, which can be corrected and imported without options', async () => {
    const file = importing.write('people.xlsx', await workbookOf([header, ...people]));
    const { stdout, exitCode } = await importing.run(file, '--yes', '--sheet', 'People');
    expect(exitCode).to.equal(3);
    expect(stdout).to.match(/: .*\/people\.rejected\.xlsx \(correct them and import that file\)\n$/);
    expect(importing.files()).to.deep.equal(['people.credentials.csv', 'people.rejected.xlsx', 'people.xlsx']);
    const rejects = await sheetOf(`${importing.folder}/people.rejected.xlsx`);
    expect(rejects.map((cells) => cells.slice(0, -1))).to.deep.equal([
      [...header, 'line', 'code'],
      [...(people[1] ?? []), '3', 'NAME_INVALID'],
      [...(people[2] ?? []), '4', 'EMAIL_INVALID'],
    ]);
    const corrected = rejects.map((cells) =>
      cells.map((cell) => ({ A: 'Al', nobody: 'al@x.org', '=030 2': '030 2', oneal: 'o@x.org' })[cell] ?? cell),
    );
    importing.write('people.rejected.xlsx', await workbookOf(corrected, 'Rejected rows'));
    const again = await importing.run('people.rejected.xlsx', '--yes');
    expect([again.exitCode, withoutProgress(again.stderr)], again.stdout).to.deep.equal([0, '']);
    const users = await importing.models().User.findAll({ order: ['email'], raw: true });
    expect(users.map(({ firstName, phone }) => `${firstName} ${phone}`)).to.deep.equal([
      'Ada 0301 1',
      'Al 030 2',
      "O'Neal 0301234",
    ]);
  });

  it('are CSV on request, and each format can be converted to the other', async () => {
    const file = importing.write('people.xlsx', await workbookOf([header, ...people]));
    const csv = await importing.json(file, '--rejects', 'fix.csv');
    expect(importing.read('fix.csv')).to.include("\n'-,O'Neal,King,oneal,'0301234,4,EMAIL_INVALID,");
    const output = async (number: number, name: string) => {
      const { exitCode, stderr } = await importing.cli('imports', 'rejects', String(number), '--output', name);
      expect(exitCode, stderr).to.equal(0);
      return path.join(importing.folder, name);
    };
    const workbook = await output(csv.number, 'one.xlsx');
    const rows = await sheetOf(workbook);
    expect(rows.map(([, name]) => name)).to.deep.equal(['First name', 'A', "O'Neal"]);

    await importing.models().User.destroy({ where: { email: 'ada@example.org' } });
    const { number } = await importing.json(file, '--on-existing', 'update');
    expect(await sheetOf(await output(number, 'copy.xlsx'))).to.deep.equal(rows);
    expect(readFileSync(await output(number, 'two.csv'), 'utf8')).to.equal(importing.read('fix.csv'));
    // A person reads it at a terminal.
    const atTerminal = (...args: string[]) =>
      runCli(['imports', 'rejects', String(number), ...args], {
        env: importing.env,
        cwd: importing.folder,
        screen: { columns: 80, rows: 24 },
      });
    expect((await atTerminal()).stdout).to.include("O'Neal,King,oneal");
    expect((await atTerminal('--output', 'xlsx')).stderr).to.include("A workbook can't be shown at a terminal");
    const piped = await importing.cli('imports', 'rejects', String(number));
    expect(piped.stdout.slice(0, 2)).to.equal('PK');
    importing.write('people.rejected.xlsx', await workbookOf(rows));
    const changed = await importing.cli('imports', 'rejects', String(number), '--output', 'three.csv');
    expect(changed.stderr).to.include("with the rejected rows can't be read (it was changed since)");
  });
});
