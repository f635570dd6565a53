import { once } from 'node:events';
import { chmodSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import path from 'node:path';
import { expect } from 'chai';
import { recordAudit } from '../../../../src/services/audit/audit.js';
import { operator } from '../../../../src/services/core.js';
import { newIds } from '../../../../src/services/new-ids.js';
import { createEmptyDatabase, migrate, onMysql, type TestDatabase } from '../../../support/database.js';
import { testEnvironment } from '../../../support/environment.js';
import { buildUser } from '../../../support/factories.js';
import { type CommandLine, useCommandLine } from '../../../support/run-cli.js';
import { canLoseRights, withoutRights } from '../../../support/without-rights.js';

interface Check {
  name: string;
  status: 'ok' | 'warning' | 'failed';
  detail: string;
  remedy?: string;
}

/** Runs doctor with and without --json, and checks that both outputs agree. */
async function examine(
  cli: CommandLine,
  changed: Record<string, string> = {},
  ...options: string[]
): Promise<Record<string, Check>> {
  const env = { ...cli.env, ...changed };
  const { exitCode, stdout, stderr } = await cli.run(['doctor', ...options], { env });
  expect(stderr).to.equal('');
  const { healthy, checks } = await cli.json<{ healthy: boolean; checks: Check[] }>(['doctor', ...options], { env });
  expect(healthy).to.equal(checks.every(({ status }) => status !== 'failed'));
  expect(exitCode).to.equal(healthy ? 0 : 1);
  const words = { ok: 'ok     ', warning: 'warning', failed: 'FAILED ' };
  const lines = stdout.split('\n').slice(0, -1);
  expect(lines).to.have.lengthOf(checks.length + 1);
  expect(lines.at(-1)).to.match(/^\d+ warnings?, \d+ failures?(: |$)/);
  for (const [index, { name, status, detail, remedy }] of checks.entries()) {
    // The clock differs between the two runs, and servers estimate sizes each time.
    const differs = name === 'clock' || name === 'growing tables';
    const message = `${words[status]}  ${name}: ${differs ? '' : detail + (remedy ? ` -> ${remedy}` : '')}`;
    expect(lines[index]).to.satisfy((line: string) => line.startsWith(message), message);
  }
  return Object.fromEntries(checks.map((check) => [check.name, check]));
}

describe('coursectl doctor', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await createEmptyDatabase();
  });
  const cli = useCommandLine(() => ({ ...testEnvironment, DATABASE_URL: database.url }));
  afterEach(() => database.drop());
  const migrated = () => migrate(database);

  it('prints one line for each check of a working installation', async () => {
    await migrated();
    await buildUser(await cli.context(), { role: 'super_admin' });
    const checks = await examine(cli);
    expect(Object.keys(checks)).to.have.members([
      'configuration',
      'settings',
      'settings file',
      'session cookies',
      'data folder',
      ...(onMysql ? [] : ['database file']),
      'logo',
      'signing secret',
      'file storage',
      'address',
      'time zone',
      'mail server',
      'sign-in',
      'connection',
      'server settings',
      'schema',
      'database writes',
      'super admin',
      'growing tables',
      'phones',
      'locked addresses',
      'proxy',
      'clock',
      'password hashing',
    ]);
    for (const { name, status } of Object.values(checks)) {
      // The test doesn't depend on the settings of this leg's server.
      if (name !== 'server settings') expect(status, name).to.equal('ok');
    }
    expect(checks.configuration?.detail).to.equal('valid (test)');
    expect(checks.connection?.detail).to.match(/^(SQLite|MariaDB|MySQL) \d[\w.-]+ at (sqlite:|mysql:\/\/\w+@)/);
    expect(checks.schema?.detail).to.match(/^up to date \(\d+ migrations\)$/);
    expect(checks.clock?.detail).to.match(/^\d{4}-\d\d-\d\dT.*Z, within 5 s of the database$/);
  });

  it('fails in each case in which serve does not start, with the same message', async () => {
    await migrated();
    const folder = cli.folder;
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const inUse = String((taken.address() as AddressInfo).port);
    writeFileSync(path.join(folder, 'notes.txt'), 'no image');
    writeFileSync(path.join(folder, 'file'), '');
    mkdirSync(path.join(folder, 'damaged'));
    writeFileSync(path.join(folder, 'damaged', 'jwt-secret'), 'short');
    const faults: readonly (readonly [name: string, env: Record<string, string>, isWordedAlike: boolean])[] = [
      ['logo', { PROGRAMME_LOGO: 'logo.png' }, true],
      ['logo', { PROGRAMME_LOGO: 'notes.txt' }, true],
      ['address', { HOST: '192.0.2.1' }, true],
      ['address', { HOST: 'no-such-host.invalid' }, true],
      ['address', { PORT: inUse }, true],
      ['signing secret', { JWT_SECRET: '', DATA_DIR: 'damaged' }, true],
      ['data folder', { JWT_SECRET: '', DATA_DIR: 'file/data' }, false],
      ['configuration', { LOG_LEVEL: 'loud' }, false],
    ];
    for (const [name, changed, isWordedAlike] of faults) {
      const { exitCode, message } = await cli.refusal(['serve'], { env: { ...cli.env, ...changed } });
      expect(exitCode, message).to.equal(1);
      const { [name]: found } = await examine(cli, changed);
      expect(found?.status, message).to.equal('failed');
      if (isWordedAlike) expect(found?.detail).to.equal(message);
    }
    taken.close();
  });

  it('fails for misspelt settings', async () => {
    await migrated();
    writeFileSync(path.join(cli.folder, '.env'), 'SMTP_ULR=smtp://localhost\nPORT 80\n', { mode: 0o600 });
    const { settings } = await examine(cli, { DATABSE_URL: 'sqlite:x' });
    expect(settings?.status).to.equal('failed');
    for (const part of ['Did you mean SMTP_URL?', 'line 2 has no effect', 'Did you mean DATABASE_URL?'])
      expect(settings?.detail).to.include(part);
  });

  it('lists problems last, and ends with their number and names at 24 lines', async () => {
    await migrated();
    writeFileSync(path.join(cli.folder, '.env'), 'LOG_LEVLE=info\n', { mode: 0o644 });
    const terminal = { screen: { columns: 80, rows: 24 }, env: { ...cli.env, NO_COLOR: '1' } };
    const { stdout } = await cli.run(['doctor'], terminal);
    const lines = stdout.trimEnd().split('\n');
    expect(lines.length).to.be.lessThan(24);
    expect(lines[0]).to.match(/^ok {7}configuration, /);
    const problems = lines.filter((line) => /^(warning|FAILED)/.test(line)).map((line) => line.split(':')[0]);
    expect(problems).to.include.members(['warning  settings file', 'warning  super admin']);
    expect(problems.at(-1)).to.equal('FAILED   settings');
    expect(lines.at(-1)).to.match(/^\d warnings, 1 failure: settings, settings file, .*super admin$/);
    const all = await cli.run(['doctor', '--verbose'], terminal);
    expect(all.stdout).to.match(/^ok {7}clock: /m);
  });

  it('estimates the sizes of growing tables, and shows the retention of audit entries', async () => {
    await migrated();
    const { 'growing tables': unset } = await examine(cli);
    expect(unset?.status).to.equal('ok');
    expect(unset?.detail).to.match(/^audit_entries about 0 rows \(under 1 MB\); .*; AUDIT_RETENTION_DAYS is not set/);
    const context = { ...(await cli.context()), now: () => new Date('2020-02-03T00:00:00.000Z') };
    const records = newIds(400).map((targetId) => ({
      action: 'user.delete' as const,
      targetType: 'user' as const,
      targetId,
    }));
    await context.database.inTransaction((transaction) => recordAudit(context, operator, records, transaction));
    if (onMysql) await context.database.sequelize.query('ANALYZE TABLE audit_entries');
    const { 'growing tables': set } = await examine(cli, { AUDIT_RETENTION_DAYS: '365' });
    expect(set?.detail).to.match(
      /^audit_entries about 400 rows .*; oldest audit entry of 2020-02-03; .*_DAYS is 365; /,
    );
  });

  it('shows the day of the oldest import with rows, and the retention of rows', async () => {
    await migrated();
    const { models } = (await cli.context()).database;
    const file = { fileName: 'a.csv', filePath: '/a.csv', fileSha256: '', optionsJson: '{}' };
    const records = await models.Import.bulkCreate(
      newIds(3).map((id, index) => {
        const createdAt = new Date(Date.UTC(2020 + index, 1, 3));
        return { ...file, id, number: index + 1, createdAt, status: 'completed', origin: 'cli' };
      }),
    );
    const { 'growing tables': none } = await examine(cli);
    expect(none?.detail).not.to.match(/oldest import/);
    expect(none?.detail).to.match(/; IMPORT_RETENTION_DAYS is not set: rows of imports stay$/);
    const rows = records.slice(1).map(({ id }) => ({ importId: id, line: 2, outcome: 'skipped' as const }));
    await models.ImportRow.bulkCreate(rows);
    const { 'growing tables': some } = await examine(cli, { IMPORT_RETENTION_DAYS: '90' });
    expect(some?.detail).to.match(/; oldest import with rows of 2021-02-03; .*; IMPORT_RETENTION_DAYS is 90$/);
  });

  it('leaves no file behind in an empty folder', async () => {
    const checks = await examine(cli, { DATABASE_URL: '' });
    expect(checks.connection).to.include({ status: 'failed', remedy: 'Run: coursectl setup' });
    expect(checks['data folder']).to.include({ status: 'ok' });
    expect(readdirSync(cli.folder)).to.deep.equal([]);
  });

  it('explains how to generate a signing secret: fails in production, warns otherwise, never shows the secret', async () => {
    await migrated();
    const { configuration } = await examine(cli, { NODE_ENV: 'production', BCRYPT_COST: '12', JWT_SECRET: '' });
    expect(configuration?.status).to.equal('failed');
    expect(configuration?.detail).to.match(/JWT_SECRET .*; make one with: openssl rand -base64 48\.$/);
    const { 'signing secret': weak } = await examine(cli, { JWT_SECRET: 's3cr3t' });
    expect(weak).to.include({ status: 'warning', detail: 'JWT_SECRET is shorter than 32 bytes' });
    expect(weak?.remedy).to.equal('Generate one with: openssl rand -base64 48');
    const { 'signing secret': generated } = await examine(cli, { JWT_SECRET: '' });
    expect(generated).to.include({ status: 'ok', detail: 'generated, kept in DATA_DIR (development)' });
    const secrets = { JWT_SECRET: 'k7Qw2mZ9'.repeat(6), JWT_SECRET_PREVIOUS: 's3cr3t' };
    const { 'signing secret': previous } = await examine(cli, secrets, '--production');
    expect(previous).to.include({
      status: 'failed',
      detail: 'JWT_SECRET_PREVIOUS is shorter than 32 bytes',
      remedy: 'Remove it. This ends the sessions that it has signed.',
    });
    expect((await examine(cli, secrets))['signing secret']?.status).to.equal('warning');
    const rotated = { ...secrets, JWT_SECRET_PREVIOUS: 'Zz91mP4x'.repeat(6) };
    expect((await examine(cli, rotated, '--production'))['signing secret']).to.include({ status: 'ok' });
  });

  it('warns in production of session cookies without Secure', async () => {
    await migrated();
    const production = { NODE_ENV: 'production', BCRYPT_COST: '12', JWT_SECRET: 'k7Qw2mZ9'.repeat(6) };
    const plain = 'Secure for loopback hosts only: without TRUST_PROXY all requests count as plain HTTP';
    for (const TRUST_PROXY of ['', 'false'])
      expect((await examine(cli, { ...production, TRUST_PROXY }))['session cookies']).to.deep.include({
        status: 'warning',
        detail: plain,
        remedy: 'Run a proxy with TLS in front that sets X-Forwarded-Proto, and set TRUST_PROXY to its address.',
      });
    expect((await examine(cli, { ...production, TRUST_PROXY: '1' }))['session cookies']).to.deep.include({
      status: 'ok',
      detail: 'Secure in requests that came to the proxy by HTTPS',
    });
    expect((await examine(cli))['session cookies']).to.deep.include({ status: 'ok', detail: plain });
  });

  it('lists with --production what a development installation lacks', async () => {
    await migrated();
    const { 'demo programme': none } = await examine(cli, { JWT_SECRET: '' }, '--production');
    expect(none).to.include({ status: 'ok', detail: 'not loaded' });
    expect(await cli.run(['seed', 'demo'])).to.include({ exitCode: 0 });
    const checks = await examine(cli, { JWT_SECRET: '' }, '--production');
    const statuses = Object.fromEntries(Object.values(checks).map(({ name, status }) => [name, status]));
    expect(statuses).to.include({
      configuration: 'ok',
      'signing secret': 'failed',
      'session cookies': 'warning',
      metrics: 'warning',
      'demo programme': 'failed',
    });
    expect(checks['signing secret']?.remedy).to.match(/^Generate one with: openssl rand -base64 48\./);
    expect(checks['demo programme']?.detail).to.match(/^loaded: its accounts, such as \S+@example\.com, have a public/);
    expect(checks['demo programme']?.remedy).to.match(/^Remove it: coursectl seed demo --remove\./);
    const { metrics } = await examine(cli, { METRICS_TOKEN: 'a-token-of-metrics' }, '--production');
    expect(metrics).to.deep.equal({ name: 'metrics', status: 'ok', detail: '/metrics asks for METRICS_TOKEN' });
    expect(Object.keys(await examine(cli))).not.to.include.members(['metrics', 'demo programme']);
  });

  it('reports why the database is unreachable and what to check, without the password', async () => {
    const checks = await examine(cli, { DATABASE_URL: 'mysql://me:s3cr3t@127.0.0.1:1/courses' });
    expect(Object.keys(checks), 'nothing more is asked').not.to.include('schema');
    expect(checks.connection?.status).to.equal('failed');
    expect(checks.connection?.detail).to.match(
      /^The database can't be reached \(mysql:\/\/me@127\.0\.0\.1:1\/courses\): ECONNREFUSED\. Check that the server runs/,
    );
    expect(JSON.stringify(checks)).not.to.include('s3cr3t');
  });

  it('reports an older or newer schema, and a missing super admin', async () => {
    await migrated();
    expect((await examine(cli))['super admin']).to.include({ status: 'warning', remedy: 'Run: coursectl setup' });
    await cli.run(['migrate', 'down', '--yes']);
    const behind = { status: 'failed', detail: '1 migration pending', remedy: 'Run: coursectl migrate up' };
    expect((await examine(cli)).schema).to.include(behind);
    await cli.run(['migrate', 'up']);
    const { sequelize } = (await cli.context()).database;
    await sequelize.query("INSERT INTO `SequelizeMeta` (name) VALUES ('29991231235959-future.cjs')");
    const { schema } = await examine(cli);
    expect(schema).to.include({ status: 'failed', remedy: 'Update coursectl.' });
    expect(schema?.detail).to.equal('newer than this program: 29991231235959-future.cjs');
  });

  it('reports a data folder that can not be written', async () => {
    await migrated();
    writeFileSync(path.join(cli.folder, 'file'), '');
    const { 'data folder': folder } = await examine(cli, { DATA_DIR: 'file/data' });
    expect(folder?.status).to.equal('failed');
    expect(folder?.detail).to.equal(`${path.join(cli.folder, 'file/data')} can't be written (ENOTDIR)`);
    expect(folder?.remedy).to.equal('Make DATA_DIR writable for this user, or name another folder.');
  });

  it('fails for a read-only database file, and warns if others write all the time', async function () {
    if (onMysql || !canLoseRights) return this.skip();
    await migrated();
    const { database: other, close } = await cli.context();
    await other.inTransaction(async () => {
      const { 'database writes': busy } = await examine(cli);
      expect(busy?.status).to.equal('warning');
      expect(busy?.detail).to.match(/^The database file \/.* is (busy with other changes|locked by another program)\./);
    });
    await close();
    const file = database.url.replace('sqlite:', '');
    for (const folder of [path.dirname(file), cli.folder]) chmodSync(folder, 0o777);
    chmodSync(file, 0o444);
    const checks = await withoutRights(() => examine(cli));
    const detail = `The database file ${file} can't be written. Make the file and its folder writable for this user.`;
    expect(checks['database writes']).to.deep.equal({ name: 'database writes', status: 'failed', detail });
    expect([checks.connection?.status, checks.schema?.status]).to.deep.equal(['ok', 'ok']);
  });

  it('distinguishes an inaccessible folder from a missing database', async function () {
    if (onMysql || !canLoseRights) return this.skip();
    const folder = path.join(cli.folder, 'data');
    mkdirSync(path.join(folder, 'files'), { recursive: true });
    writeFileSync(path.join(folder, 'coursectl.sqlite'), '');
    chmodSync(cli.folder, 0o777);
    // Loads the imports of the checks with the permissions of this user.
    expect((await examine(cli, { DATABASE_URL: '' })).schema?.status).to.equal('failed');
    chmodSync(folder, 0o000);
    const checks = await withoutRights(() => examine(cli, { DATABASE_URL: '' }));
    const file = path.join(folder, 'coursectl.sqlite');
    expect(checks['database file']).to.include({ status: 'failed', detail: `${file} can't be read by this user` });
    const connection = checks.connection?.detail;
    expect(connection).to.match(
      /^The database file \/.* can't be opened by this user\. Run this as the user of the service, /,
    );
    expect(checks['file storage']?.detail).to.match(/^The folder .* can't be used: check that it belongs to the user /);
    expect(checks['data folder']?.status).to.equal('failed');
    expect(JSON.stringify(checks)).not.to.include('coursectl setup');
  });

  it('warns if every user of the machine can read .env or the database', async function () {
    if (onMysql || process.platform === 'win32') return this.skip();
    const settings = path.join(cli.folder, '.env');
    writeFileSync(settings, 'LOG_LEVEL=info\n');
    const file = database.url.replace('sqlite:', '');
    for (const [folderMode, fileMode, status, settingsMode, settingsStatus] of [
      [0o755, 0o644, 'warning', 0o644, 'warning'],
      [0o755, 0o600, 'ok', 0o602, 'warning'],
      [0o700, 0o644, 'ok', 0o640, 'ok'],
    ] as const) {
      chmodSync(path.dirname(file), folderMode);
      chmodSync(file, fileMode);
      chmodSync(settings, settingsMode);
      const { 'database file': found, 'settings file': other } = await examine(cli);
      expect([found?.status, other?.status]).to.deep.equal([status, settingsStatus]);
      if (status === 'warning') expect(found?.remedy).to.equal(`Run: chmod 600 ${file}*`);
      if (settingsStatus === 'warning') expect(other?.remedy).to.include(`chmod 600 ${settings}`);
    }
  });

  it('tests an existing file storage, leaves nothing in it, and reports faults without secrets', async () => {
    await migrated();
    const folder = path.join(cli.folder, 'data', 'files');
    const storage = async (env = {}) => (await examine(cli, env))['file storage'];
    expect(await storage()).to.include({ status: 'ok', detail: `${folder}, created with the first file` });
    mkdirSync(folder, { recursive: true });
    expect(await storage()).to.include({ status: 'ok', detail: `${folder} stores and returns files` });
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    expect(files).to.deep.equal([]);
    rmSync(folder, { recursive: true });
    writeFileSync(folder, 'in the way');
    const detail = `The folder "${folder}" isn't a folder: check the path.`;
    expect(await storage()).to.include({ status: 'failed', detail });
    const s3 = {
      FILE_STORAGE: 's3',
      S3_ENDPOINT: 'http://127.0.0.1:1',
      S3_BUCKET: 'files',
      S3_ACCESS_KEY_ID: 'me',
      S3_SECRET_ACCESS_KEY: 's3cr3t',
    };
    const remote = await storage(s3);
    expect(remote?.status).to.equal('failed');
    expect(remote?.detail).to.include("can't be reached (ECONNREFUSED): check the endpoint and the network.");
    expect(JSON.stringify(remote)).not.to.include('s3cr3t');
  });

  it('warns if the server allows fewer connections than the pool needs', async function () {
    if (!onMysql) return this.skip();
    const { 'server settings': settings } = await examine(cli, { DB_POOL_MAX: '500' });
    expect(settings?.status).to.equal('warning');
    expect(settings?.detail).to.match(/max_connections is \d+, and each instance opens up to 500 \(DB_POOL_MAX\)/);
    expect(settings?.remedy).to.include('Raise max_connections, or lower DB_POOL_MAX.');
  });
});
