import { readdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import path from 'node:path';
import { expect } from 'chai';
import { createEmptyDatabase, migrate, type TestDatabase } from '../support/database.js';
import { testEnvironment } from '../support/environment.js';
import { useCommandLine } from '../support/run-cli.js';
import { doNotWait, expectFailure, needDatabase, needTables } from './support/expected-failures.js';

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

  it('is reported for an unreachable server', async () => {
    const failure = {
      code: 'DATABASE_UNREACHABLE',
      says: /can't be reached \(mysql:\/\/me@127\.0\.0\.1:1\/x\): ECONNREFUSED\. Check that the server runs and that DATABASE_URL is correct\./,
    };
    for (const argv of doNotWait) await expectFailure(cli, argv, failure, withUrl('mysql://me:s3cr3t@127.0.0.1:1/x'));
  });

  it('is reported for a server that does not answer', async () => {
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

  it('is reported for a database file in an impossible folder', async () => {
    writeFileSync(path.join(cli.folder, 'file'), '');
    const failure = {
      code: 'DATABASE_UNREACHABLE',
      says: /file\/x\.sqlite can't be opened\. Check that its folder exists/,
    };
    for (const argv of needDatabase) await expectFailure(cli, argv, failure, withUrl('sqlite:file/x.sqlite'));
  });

  it('is reported for a file that is not a database', async () => {
    writeFileSync(path.join(cli.folder, 'letter.txt'), 'Dear Ada, '.repeat(500));
    const failure = {
      code: 'DATABASE_UNUSABLE',
      says: /letter\.txt is not a usable SQLite database\. Restore it from a backup/,
    };
    for (const argv of needDatabase) await expectFailure(cli, argv, failure, withUrl('sqlite:letter.txt'));
  });

  it('is reported for an old schema', async () => {
    const failure = { code: 'SCHEMA_OUTDATED', says: /schema is not up to date.*Run: coursectl migrate up/ };
    for (const argv of needTables) await expectFailure(cli, argv, failure);
    expect(readdirSync(cli.folder)).to.deep.equal([]);
  });

  it('is reported for a read-only folder', async () => {
    await migrate(database);
    writeFileSync(path.join(cli.folder, 'file'), '');
    const secretNowhere = { env: { ...cli.env, JWT_SECRET: '', DATA_DIR: 'file/data' } };
    const says = /signing secret can't be kept in .*\(ENOTDIR\)\. Make DATA_DIR writable, or set JWT_SECRET\./;
    await expectFailure(cli, ['serve', '--port', '0'], { code: 'FILE_UNUSABLE', says }, secretNowhere);
  });

  it('is reported for a port in use, or an address of another machine', async () => {
    await cli.run(['migrate', 'up']);
    const taken = createServer();
    const port = await listening(taken);
    const inUse = /Port \d+ on 127\.0\.0\.1 is in use by another program\. Stop it, or set PORT to another one\./;
    await expectFailure(cli, ['serve', '--port', `${port}`], { code: 'PORT_UNAVAILABLE', says: inUse });
    taken.close();
    const foreign = /can't be opened: HOST is not an address of this machine\./;
    await expectFailure(cli, ['serve', '--host', '192.0.2.1'], { code: 'PORT_UNAVAILABLE', says: foreign });
  });

  it('is reported for an unusable setting', async () => {
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
