import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { parse } from 'csv-parse/sync';
import { buildTrainees, buildUser } from '../../../support/factories.js';
import { useHarnessAndCli } from '../../../support/harness-cli.js';
import { rowsOfWorkbook } from '../../../support/workbooks.js';

type Row = Record<string, string>;
const rowsOf = (csv: string): Row[] => parse<Row>(csv, { columns: true, bom: true });

describe('coursectl users export', () => {
  const { harness, cli } = useHarnessAndCli();
  const file = (name: string) => path.join(cli.folder, name);

  it('writes all accounts as CSV to standard output, with the fields of "users show"', async () => {
    const ada = await buildUser(harness.context, {
      firstName: 'Ada, "the first"',
      lastName: "O'Hara",
      role: 'trainer',
    });
    await buildUser(harness.context, { email: 'zoë@example.org', isActive: false, firstName: '=HYPERLINK("x")' });
    const { exitCode, stdout, stderr } = await cli.run(['users', 'export']);
    expect({ exitCode, stderr }).to.deep.equal({ exitCode: 0, stderr: '' });
    const [first, second, ...others] = rowsOf(stdout);
    expect(others).to.deep.equal([]);
    expect(first).to.deep.equal({
      id: ada.id,
      firstName: 'Ada, "the first"',
      lastName: "O'Hara",
      email: ada.email,
      phone: `'${ada.phone}`,
      role: 'trainer',
      isActive: 'true',
      requiresPasswordChange: 'false',
      lastLogin: '',
      language: '',
      createdAt: ada.createdAt.toISOString(),
      group: '',
    });
    // A formula is exported as text.
    expect(second).to.include({ email: 'zoë@example.org', isActive: 'false', firstName: '\'=HYPERLINK("x")' });
    expect(stdout).not.to.include(ada.passwordHash);
  });

  it('writes only matching accounts, and only the header if no account matches', async () => {
    await buildUser(harness.context, { email: 'a@x.org', firstName: 'Zoë', role: 'trainer' });
    await buildUser(harness.context, { email: 'b@x.org', isActive: false });
    await buildUser(harness.context, { email: 'c@x.org', requiresPasswordChange: true });
    for (const [line, found] of [
      ['--role trainer', ['a@x.org']],
      ['--active', ['a@x.org', 'c@x.org']],
      ['--inactive', ['b@x.org']],
      ['--requires-password-change', ['c@x.org']],
      ['--search zoe', ['a@x.org']],
    ] as const) {
      const { stdout } = await cli.run(['users', 'export', ...line.split(' ')]);
      expect(rowsOf(stdout).map(({ email }) => email)).to.deep.equal(found);
    }
    const { stdout } = await cli.run(['users', 'export', '--role', 'super_admin']);
    expect(stdout).to.match(/^\ufeffid,firstName,lastName,email,[\w,]+\n$/);
    const wrong = await cli.refusal(['users', 'export', '--role', 'boss', '--output', 'boss.csv']);
    expect(wrong).to.deep.equal({ exitCode: 2, message: 'Role must be one of super_admin, trainer, trainee.' });
    expect(readdirSync(cli.folder)).to.deep.equal([]);
  });

  it('writes to a new file that only the current user can read', async () => {
    await buildUser(harness.context);
    const { exitCode, stdout } = await cli.run(['users', 'export', '--output', 'users.csv']);
    expect({ exitCode, stdout }).to.deep.equal({ exitCode: 0, stdout: '1 account written to users.csv.\n' });
    expect(statSync(file('users.csv')).mode & 0o777).to.equal(0o600);
    expect(readFileSync(file('users.csv'), 'utf8')).to.equal((await cli.run(['users', 'export'])).stdout);
    const json = await cli.json(['users', 'export', '--output', 'again.csv']);
    expect(json).to.deep.equal({ exported: 1, file: 'again.csv' });
  });

  it('writes a workbook to an .xlsx file, or with "xlsx" to a pipe, but not to a terminal', async () => {
    const ada = await buildUser(harness.context, { firstName: '=1+1', phone: '0151 1234567' });
    const { stdout } = await cli.run(['users', 'export', '--output', 'users.XLSX']);
    expect(stdout).to.equal('1 account written to users.XLSX.\n');
    expect(statSync(file('users.XLSX')).mode & 0o777).to.equal(0o600);
    const [heading = [], row = []] = await rowsOfWorkbook(file('users.XLSX'));
    const { createdAt = '', ...others } = Object.fromEntries(heading.map((name, index) => [name, row[index] ?? '']));
    expect(Date.parse(`${createdAt}Z`)).to.be.closeTo(ada.createdAt.getTime(), 500);
    expect(others).to.deep.equal({
      id: ada.id,
      firstName: '=1+1',
      lastName: ada.lastName,
      email: ada.email,
      phone: '0151 1234567',
      role: ada.role,
      isActive: 'TRUE',
      requiresPasswordChange: 'FALSE',
      lastLogin: '',
      language: '',
      group: '',
    });
    expect((await cli.run(['users', 'export', '--output', 'xlsx'])).stdout).to.match(/^PK/);
    expect(readdirSync(cli.folder)).to.deep.equal(['users.XLSX']);
    const atTerminal = { screen: { columns: 80, rows: 24 } };
    expect(await cli.refusal(['users', 'export', '--output', 'xlsx'], atTerminal)).to.deep.equal({
      exitCode: 2,
      message: "A workbook can't be shown at a terminal: name a file, such as --output table.xlsx.",
    });
  });

  it('writes a workbook whose import changes nothing', async () => {
    await buildUser(harness.context, { firstName: '1E5', phone: '0151 1234567', role: 'trainer', isActive: false });
    await buildUser(harness.context, { firstName: "'Sep", phone: '+49 151 7654321', language: 'de' });
    await cli.run(['users', 'export', '--output', 'people.xlsx']);
    const { plan } = await cli.json<{ plan: object }>([
      ...['users', 'import', 'people.xlsx', '--on-existing', 'update', '--dry-run'],
    ]);
    expect(plan).to.deep.include({
      counts: {
        rows: 2,
        created: 0,
        updated: 0,
        skipped: 2,
        rejected: 0,
        enrolled: 0,
        waiting: 0,
        leftOut: 0,
        left: 0,
      },
    });
    expect(plan).to.have.property('warnings').that.deep.equals([]);
  });

  it('never overwrites a file, and reports an unusable path', async () => {
    writeFileSync(file('mine'), 'precious');
    const cases = [
      ['mine', 'The file mine exists already and is never overwritten. Name another one.'],
      [
        'no/where.csv',
        "The file no/where.csv can't be written (its folder does not exist). Make that folder, or name another file.",
      ],
      [
        'mine/x.csv',
        "The file mine/x.csv can't be written (its folder is a file). Correct the path, or name another file.",
      ],
    ] as const;
    for (const [output, says] of cases) {
      const { exitCode, stdout, stderr } = await cli.run(['users', 'export', '--output', output]);
      expect({ exitCode, stdout, stderr }).to.deep.equal({ exitCode: 2, stdout: '', stderr: `error: ${says}\n` });
    }
    expect(readFileSync(file('mine'), 'utf8')).to.equal('precious');
  });

  it('writes no faster than its reader reads, to bound memory', async () => {
    await buildTrainees(harness.context, 3500);
    // The stream has no reader yet. Its two buffers hold two batches of a thousand rows.
    const stdout = new PassThrough();
    const { runProgram } = await import('../../../../src/cli/program.js');
    const io = { stdin: new PassThrough(), stderr: new PassThrough(), env: cli.env, cwd: cli.folder };
    const running = runProgram(['users', 'export'], { ...io, stdout, signal: new AbortController().signal });
    const buffered = () => stdout.readableLength + stdout.writableLength;
    while (buffered() === 0) await sleep(10);
    // Without back-pressure, the export would write all rows in this time.
    await sleep(300);
    const waiting = buffered();
    const pieces: Buffer[] = [];
    stdout.on('data', (piece: Buffer) => pieces.push(piece));
    expect(await running).to.equal(0);
    expect(waiting).to.be.within(1, Buffer.concat(pieces).length * 0.7);
    // Each account appears once.
    expect(new Set(rowsOf(String(Buffer.concat(pieces))).map(({ id }) => id)).size).to.equal(3500);
  });

  it('leaves no incomplete file after Ctrl-C', async () => {
    await buildTrainees(harness.context, 1500);
    for (const name of ['users.csv', 'users.xlsx']) {
      const interrupts = new AbortController();
      const running = cli.run(['users', 'export', '--output', name], { signal: interrupts.signal });
      while (!existsSync(file(name))) await sleep(1);
      interrupts.abort();
      const { exitCode, stderr } = await running;
      expect({ exitCode, stderr }).to.deep.equal({ exitCode: 130, stderr: 'error: Interrupted.\n' });
      expect(readdirSync(cli.folder)).to.deep.equal([]);
    }
  });
});
