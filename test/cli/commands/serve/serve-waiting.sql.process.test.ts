import { createServer, type Server } from 'node:net';
import { expect } from 'chai';
import { migrateUp } from '../../../../src/db/migrations/migrator.js';
import { useDatabases } from '../../../db/support/databases.js';
import { startProxy } from '../../../faults/proxy.js';
import { onMysql, runOnServer } from '../../../support/database.js';
import { testEnvironment } from '../../../support/environment.js';
import { scaled } from '../../../support/machine.js';
import { useCommandLine } from '../../../support/run-cli.js';
import { type RunningProcess, useSubprocesses } from '../../../support/subprocess.js';
import { until } from '../../../support/until.js';

interface LogLine {
  level: string;
  msg: string;
  code?: string;
}

describe('coursectl serve without a database server', function () {
  this.timeout(scaled(60_000));
  const processes = useSubprocesses();
  const cli = useCommandLine(() => ({ ...testEnvironment, PATH: process.env.PATH ?? '', DB_POOL_ACQUIRE_MS: '500' }));
  const serve = (url: string, ...more: string[]) =>
    processes.start(['serve', '--port', '0', ...more], { cwd: cli.folder, env: { ...cli.env, DATABASE_URL: url } });
  const nobody = 'mysql://me:s3cr3t@127.0.0.1:1/x';

  const logs = (stderr: string) =>
    stderr
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as LogLine);

  async function waitingServer(url: string, ...more: string[]): Promise<{ server: RunningProcess; url: string }> {
    const server = serve(url, ...more);
    const [, at = ''] = await server.waitForOutput(/Listening on (http:\S+), but not ready\. /);
    return { server, url: at };
  }

  const ready = (url: string) =>
    until(async () => (await fetch(`${url}/readyz`)).status === 200, 'the service is ready');

  it('listens immediately, is alive but not ready, reports the reason a single time, and exits with 0 at SIGTERM', async () => {
    const { server, url } = await waitingServer(nobody, '--migrate');
    expect((await fetch(`${url}/healthz`)).status).to.equal(200);
    for (const route of ['/readyz', '/api/auth/setup-status', '/api/auth/me']) {
      const response = await fetch(url + route);
      expect(response.status, route).to.equal(503);
      expect(response.headers.get('retry-after')).to.match(/^\d+$/);
      expect(await response.json()).to.deep.equal({ error: 'The service is not ready.' });
    }
    await server.staysAlive(1500);
    const startedAt = performance.now();
    server.kill('SIGTERM');
    const { exitCode, stderr } = await server.ended;
    expect(performance.now() - startedAt).to.be.lessThan(scaled(5000));
    expect(exitCode).to.equal(0);
    const lines = logs(stderr);
    expect(lines.filter(({ level }) => level === 'warn').map(({ code }) => code)).to.deep.equal([
      'DATABASE_UNREACHABLE',
    ]);
    expect(lines.map(({ msg }) => msg)).to.include.members(['listening', 'stopped']);
    expect(stderr).to.match(/but not ready\. The database can't be reached .* Retrying until it is\.\n/);
    expect(stderr).not.to.include('s3cr3t');
  });

  it('prints its URL with --json, and stops at SIGTERM, while the server does not answer', async () => {
    const silent: Server = createServer(() => undefined).listen(0, '127.0.0.1');
    await new Promise((resolve) => silent.once('listening', resolve));
    const address = silent.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const server = serve(`mysql://me@127.0.0.1:${port}/x`, '--json');
    const [, url = ''] = await server.waitForOutput(/^\{"url":"(http:[^"]+)"\}$/m);
    expect((await fetch(`${url}/readyz`)).status).to.equal(503);
    server.kill('SIGTERM');
    expect((await server.ended).exitCode).to.equal(0);
    silent.close();
  });

  if (!onMysql) return;
  const databases = useDatabases({ migrated: false });

  /** Runs `work` against a server that is unreachable until its proxy forwards connections. */
  async function whileDown(work: (url: string, comeUp: () => void) => Promise<void>): Promise<void> {
    const proxy = await startProxy(Number(new URL(databases.url).port || 3306));
    proxy.set({ kind: 'reset' });
    const url = new URL(databases.url);
    Object.assign(url, { hostname: '127.0.0.1', port: String(proxy.port) });
    try {
      await work(url.href, () => proxy.set({ kind: 'none' }));
    } finally {
      await proxy.close();
    }
  }

  it('becomes ready when the server starts, and migrates with --migrate', async () => {
    await whileDown(async (databaseUrl, comeUp) => {
      const { server, url } = await waitingServer(databaseUrl, '--migrate');
      comeUp();
      await ready(url);
      expect((await fetch(`${url}/api/auth/setup-status`)).status).to.equal(200);
      await server.waitForOutput(/coursectl is listening on /);
      server.kill('SIGTERM');
      expect((await server.ended).exitCode).to.equal(0);
    });
  });

  it('refuses an outdated schema as soon as the server answers', async () => {
    await whileDown(async (databaseUrl, comeUp) => {
      const { server } = await waitingServer(databaseUrl);
      comeUp();
      const { exitCode, stderr } = await server.ended;
      expect(exitCode).to.equal(1);
      expect(stderr).to.match(
        /error: The database schema is not up to date .*Run: node \S+coursectl\.js migrate up\n$/,
      );
    });
  });

  it('waits until the database is created and its rights are granted', async () => {
    const name = new URL(databases.url).pathname.slice(1);
    await runOnServer(`DROP DATABASE ${name}`);
    const { server, url } = await waitingServer(databases.url, '--migrate');
    expect((await fetch(`${url}/readyz`)).status).to.equal(503);
    await runOnServer(`CREATE DATABASE ${name}`);
    await ready(url);
    server.kill('SIGTERM');
    expect((await server.ended).exitCode).to.equal(0);
    const wrong = new URL(databases.url);
    wrong.password = 's3cr3t-wrong';
    const refused = await waitingServer(wrong.href);
    refused.server.kill('SIGTERM');
    const { stderr } = await refused.server.ended;
    expect(stderr)
      .to.match(/refused the user name or password/)
      .and.not.include('s3cr3t');
  });

  it('stops at SIGTERM while another process migrates', async () => {
    await migrateUp(databases.open());
    const { sequelize } = databases.open();
    await sequelize.query(
      `INSERT INTO leases (name, owner, expires_at) VALUES ('migrations', 'other', ${Date.now() + 300_000})`,
    );
    const server = serve(databases.url, '--migrate');
    await server.waitForDatabase();
    await server.staysAlive(1500);
    server.kill('SIGTERM');
    expect((await server.ended).exitCode).to.equal(0);
  });
});
