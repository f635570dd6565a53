import { readdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import path from 'node:path';
import { expect } from 'chai';
import { createEmptyDatabase, migrate, onMysql, onServer, type TestDatabase } from '../support/database.js';
import { testEnvironment } from '../support/environment.js';
import { type CliOptions, type CommandLine, useCommandLine } from '../support/run-cli.js';

const person = ['--first-name', 'Ada', '--last-name', 'Lovelace', '--email', 'ada@example.org', '--phone', '1'];

/** A command line of every command that needs the database. */
const needDatabase: readonly (readonly string[])[] = [
  ['setup', '--yes', ...person, '--password-stdin'],
  ['serve', '--port', '0'],
  ['serve', '--migrate', '--port', '0'],
  ['migrate', 'up'],
  ['migrate', 'down', '--yes'],
  ['migrate', 'status'],
  ['seed', 'demo'],
  ['users', 'register', ...person, '--role', 'trainee', '--password-stdin'],
  ['users', 'list'],
  ['users', 'show', 'ada@example.org'],
  ['users', 'activate', 'ada@example.org'],
  ['users', 'deactivate', 'ada@example.org'],
  ['users', 'reset-password', 'ada@example.org'],
  ['users', 'export'],
  ['users', 'export', '--output', 'users.csv'],
  ['users', 'import', path.resolve('examples/trainees.csv'), '--yes'],
];

/** They end; the service waits for a server that doesn't let it in. */
const doNotWait = needDatabase.filter(([name]) => name !== 'serve');

const makeTables = new Set(['setup', 'serve --migrate', 'migrate up', 'migrate down', 'migrate status']);
const needTables = needDatabase.filter((argv) => !makeTables.has(argv.join(' ').split(/ --(?!migrate)/)[0] ?? ''));

interface Failure {
  code: string;
  /** What is wrong and what to do, in one sentence or two. */
  says: RegExp;
}

/** The command fails as promised: one line that names cause and remedy, a stack only when asked for, an object for programs. */
async function expectFailure(
  cli: CommandLine,
  argv: readonly string[],
  { code, says }: Failure,
  options: Partial<CliOptions> = {},
): Promise<void> {
  const what = argv.join(' ');
  const run = (...more: string[]) => cli.run([...argv, ...more], { stdin: 'difference engine', ...options });
  const plain = await run();
  expect(plain.stderr, what).to.match(/^error: [^\n]+\n$/);
  expect(plain, what).to.include({ exitCode: 1, stdout: '' });
  expect(plain.stderr, what).to.match(says);

  const verbose = await run('--verbose');
  expect(verbose, what).to.include({ exitCode: 1, stdout: '' });
  expect(verbose.stderr, what)
    .to.include(plain.stderr.trimEnd())
    .and.to.match(/\n {4}at /);

  if (argv[1] === 'reset-password' || what === 'users export') return;
  const json = await run('--json');
  expect(json, what).to.include({ exitCode: 1, stderr: '' });
  const { error } = JSON.parse(json.stdout) as { error: { code: string; message: string } };
  expect(error.code, what).to.equal(code);
  expect(plain.stderr, what).to.equal(`error: ${error.message}\n`);
  for (const { stdout, stderr } of [plain, verbose, json]) expect(stdout + stderr, what).not.to.include('s3cr3t');
}

function listening(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address ? address.port : 0);
    });
  });
}

describe('An expected failure', () => {
  let database: TestDatabase;
  const cli = useCommandLine(() => ({ ...testEnvironment, DATABASE_URL: database.url }));
  before(async () => {
    database = await createEmptyDatabase();
  });
  after(() => database.drop());
  const withUrl = (DATABASE_URL: string) => ({ env: { ...cli.env, DATABASE_URL } });

  it('is a server that is not there', async () => {
    const failure = {
      code: 'DATABASE_UNREACHABLE',
      says: /can't be reached \(mysql:\/\/me@127\.0\.0\.1:1\/x\): ECONNREFUSED\. Check that the server runs and that DATABASE_URL is right\./,
    };
    for (const argv of doNotWait) await expectFailure(cli, argv, failure, withUrl('mysql://me:s3cr3t@127.0.0.1:1/x'));
  });

  it('is a server that answers nothing', async () => {
    const silent = createServer(() => undefined);
    const port = await listening(silent);
    const { env } = withUrl(`mysql://me:s3cr3t@127.0.0.1:${port}/x`);
    const options = { env: { ...env, DB_POOL_ACQUIRE_MS: '300' } };
    await expectFailure(
      cli,
      ['users', 'list'],
      { code: 'DATABASE_UNREACHABLE', says: /Check the server|Check that/ },
      options,
    );
    silent.close();
  });

  it('is a database file in a folder that can not be made', async () => {
    writeFileSync(path.join(cli.folder, 'file'), '');
    const failure = {
      code: 'DATABASE_UNREACHABLE',
      says: /file\/x\.sqlite can't be opened\. Check that its folder exists/,
    };
    for (const argv of needDatabase) await expectFailure(cli, argv, failure, withUrl('sqlite:file/x.sqlite'));
  });

  it('is a file that is no database', async () => {
    writeFileSync(path.join(cli.folder, 'letter.txt'), 'Dear Ada, '.repeat(500));
    const failure = {
      code: 'DATABASE_UNUSABLE',
      says: /letter\.txt is not a usable SQLite database\. Restore it from a backup/,
    };
    for (const argv of needDatabase) await expectFailure(cli, argv, failure, withUrl('sqlite:letter.txt'));
  });

  describe(`of a server${onMysql ? '' : ' (left out: there is none on this leg)'}`, () => {
    const user = 'coursectl_failures';
    before(async function () {
      if (!onMysql) return this.skip();
      await onServer(`DROP USER IF EXISTS '${user}'@'%'`, `CREATE USER '${user}'@'%' IDENTIFIED BY 's3cr3t'`);
    });
    after(async () => {
      if (onMysql) await onServer(`DROP USER '${user}'@'%'`);
    });
    const as = (name: string, password: string, schema?: string) => {
      const url = new URL(database.url);
      [url.username, url.password] = [name, password];
      if (schema !== undefined) url.pathname = `/${schema}`;
      return withUrl(url.href);
    };

    it('is a wrong password', async () => {
      const says =
        /refused the user name or password \(mysql:\/\/app@.*\)\. Check DATABASE_URL, or DB_USER and DB_PASSWORD\./;
      for (const argv of doNotWait)
        await expectFailure(cli, argv, { code: 'DATABASE_ACCESS_DENIED', says }, as('app', 's3cr3t-wrong'));
    });

    it('is a user without rights', async () => {
      const says =
        /has no rights on the database "\w+"\. Grant them: GRANT ALL ON `\w+`\.\* TO 'coursectl_failures'@'%'\./;
      await expectFailure(cli, ['users', 'list'], { code: 'DATABASE_ACCESS_DENIED', says }, as(user, 's3cr3t'));
    });

    it('is a database that does not exist', async () => {
      const says = /"coursectl_no_such" does not exist on .*\. Create it: CREATE DATABASE `coursectl_no_such`\./;
      const { username, password } = new URL(database.url);
      for (const argv of doNotWait)
        await expectFailure(cli, argv, { code: 'DATABASE_MISSING', says }, as(username, password, 'coursectl_no_such'));
    });
  });

  it('is an old schema', async () => {
    const failure = { code: 'SCHEMA_OUTDATED', says: /schema is not up to date.*Run "coursectl migrate up"\./ };
    for (const argv of needTables) await expectFailure(cli, argv, failure);
    expect(needTables).to.have.lengthOf(11);
    expect(readdirSync(cli.folder)).to.deep.equal([]);
  });

  it('is a folder that can not be written', async () => {
    await migrate(database);
    writeFileSync(path.join(cli.folder, 'file'), '');
    const secretNowhere = { env: { ...cli.env, JWT_SECRET: '', DATA_DIR: 'file/data' } };
    const says = /signing secret can't be kept in .*\(ENOTDIR\)\. Make DATA_DIR writable, or set JWT_SECRET\./;
    await expectFailure(cli, ['serve', '--port', '0'], { code: 'FILE_UNUSABLE', says }, secretNowhere);
  });

  it('is a port in use, or an address that is not ours', async () => {
    await cli.run(['migrate', 'up']);
    const taken = createServer();
    const port = await listening(taken);
    const inUse = /Port \d+ on 127\.0\.0\.1 is in use by another program\. Stop it, or set PORT to another one\./;
    await expectFailure(cli, ['serve', '--port', `${port}`], { code: 'PORT_UNAVAILABLE', says: inUse });
    taken.close();
    const foreign = /can't be opened: HOST is not an address of this machine\./;
    await expectFailure(cli, ['serve', '--host', '192.0.2.1'], { code: 'PORT_UNAVAILABLE', says: foreign });
  });

  it('is a setting that can not be used', async () => {
    const env = { ...cli.env, NODE_ENV: 'production', JWT_SECRET: 's3cr3t', BCRYPT_COST: '12' };
    const says = /error: JWT_SECRET is shorter than 32 bytes; make one with: openssl rand -base64 48\./;
    for (const argv of [...needDatabase, ['config']]) {
      const { exitCode, stdout, stderr } = await cli.run(argv, { env, stdin: 'difference engine' });
      expect({ exitCode, stdout, lines: stderr.split('\n').length }).to.deep.equal({
        exitCode: 1,
        stdout: '',
        lines: 2,
      });
      expect(stderr).to.match(says).and.not.include('s3cr3t');
    }
  });
});
