import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { useDatabases } from '../../../db/support/databases.js';
import { childrenOf, commandLineOf, isRunning } from '../../../support/child-processes.js';
import { createMigratedDatabase, onMysql, type TestDatabase } from '../../../support/database.js';
import { testEnvironment } from '../../../support/environment.js';
import { scaled } from '../../../support/machine.js';
import { sendRaw } from '../../../support/raw-http.js';
import { useCommandLine } from '../../../support/run-cli.js';
import { type Running, useSubprocesses } from '../../../support/subprocess.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';
import { until } from '../../../support/until.js';

const reason =
  'WORKERS must be 1 or auto with SQLite, where one process writes at a time and others would only wait; for more, use MySQL or MariaDB.';

const secret = 'a secret of the test of workers, long enough';

/** Connections that stay open would all be of one worker. */
const unkept = new Agent({ keepAlive: false });

/** Sends requests, each on a connection of its own. */
async function ask(url: string, path: string, times: number): Promise<void> {
  for (let sent = 0; sent < times; sent += 1)
    expect((await sendRaw(url, { method: 'GET', path, agent: unkept })).status).to.equal(200);
}

async function figures(url: string, settings = {}): Promise<(line: string) => number> {
  const { text } = await sendRaw(url, { method: 'GET', path: '/metrics', agent: unkept, ...settings });
  return (line) =>
    Number(
      text
        .split('\n')
        .find((one) => one.startsWith(`${line} `))
        ?.slice(line.length + 1) ?? 0,
    );
}

if (!onMysql)
  describe('coursectl serve --workers on SQLite', () => {
    const cli = useCommandLine(() => ({ ...testEnvironment }));

    it('is refused with the reason, and with the exit code of what says so', async () => {
      const byOption = await cli.run(['serve', '--migrate', '--workers', '2']);
      expect(byOption.stderr).to.equal(`error: ${reason}\n`);
      expect(byOption.exitCode).to.equal(2);
      cli.env.WORKERS = '2';
      const bySetting = await cli.run(['serve', '--migrate']);
      expect(bySetting.stderr).to.equal(`error: ${reason}\n`);
      expect(bySetting.exitCode).to.equal(1);
    });
  });

if (onMysql)
  describe('coursectl serve --workers', function () {
    this.timeout(scaled(90_000));
    const processes = useSubprocesses();
    const databases = useDatabases();
    const cli = useCommandLine(() => ({ ...testEnvironment, PATH: process.env.PATH ?? '' }));
    const left: number[] = [];
    afterEach(() => {
      for (const pid of left.splice(0).filter(isRunning)) process.kill(pid, 'SIGKILL');
    });

    function start(settings: Record<string, string> = {}, ...more: string[]): Running {
      const env = { ...cli.env, DATABASE_URL: databases.url, JWT_SECRET: secret, PORT: '0', ...settings };
      return processes.start(['serve', '--workers', '2', ...more], { cwd: cli.folder, env });
    }

    async function serve(
      settings?: Record<string, string>,
    ): Promise<{ server: Running; url: string; workers: number[] }> {
      const server = start(settings);
      const [, url = ''] = await server.says(/coursectl is listening on (\S+)\n/);
      const workers = childrenOf(server.pid);
      left.push(...workers);
      expect(workers).to.have.length(2);
      return { server, url, workers };
    }

    const setups =
      'coursectl_http_request_duration_seconds_count{method="GET",path="/api/auth/setup-status",status="200"}';

    it('adds up the figures of all workers, also of those that are replaced by SIGHUP, and ends with 0 at SIGTERM', async () => {
      const { server, url, workers } = await serve();
      await ask(url, '/api/auth/setup-status', 12);
      const earlier = await figures(url);
      expect(earlier(setups)).to.equal(12);
      expect(earlier('coursectl_workers')).to.equal(2);
      expect(earlier('coursectl_worker_failures_total')).to.equal(0);
      // A gauge: the connection that asks.
      expect(earlier('coursectl_connections')).to.equal(1);
      server.kill('SIGHUP');
      await server.says(/"replaced":2,"msg":"workers were replaced"/);
      const next = childrenOf(server.pid);
      left.push(...next);
      expect(next).to.have.length(2);
      expect(next.filter((pid) => workers.includes(pid))).to.deep.equal([]);
      await ask(url, '/api/auth/setup-status', 5);
      const later = await figures(url);
      expect(later(setups)).to.equal(17);
      expect(later('coursectl_worker_failures_total')).to.equal(0);
      server.kill('SIGTERM');
      const { exitCode, stdout, stderr } = await server.ended;
      expect(exitCode).to.equal(0);
      expect(stdout).to.equal('');
      expect([...workers, ...next].filter(isRunning)).to.deep.equal([]);
      // Both have answered, and the log says which one.
      for (const worker of [1, 2]) expect(stderr).to.match(new RegExp(`"worker":${worker},"req":`));
    });

    it('ends with the reason when a worker does not become ready, time after time', async () => {
      const { server, workers } = await serve();
      // As if a newer program had changed the schema.
      await databases.open().sequelize.query("INSERT INTO SequelizeMeta (name) VALUES ('99-of-the-future.cjs')");
      process.kill(workers[0] ?? 0, 'SIGKILL');
      const { exitCode, stderr } = await server.ended;
      expect(exitCode).to.equal(1);
      expect(stderr).to.match(
        /^error: Worker [12] ended before it was ready, 5 times in a row: The database schema is newer than this program/m,
      );
      expect(workers.filter(isRunning)).to.deep.equal([]);
    });

    it('keeps the workers when their replacement does not become ready', async () => {
      const { server, url, workers } = await serve();
      await databases.open().sequelize.query("INSERT INTO SequelizeMeta (name) VALUES ('99-of-the-future.cjs')");
      server.kill('SIGHUP');
      await server.says(/The database schema is newer.*"msg":"the replacement of a worker did not become ready/);
      await server.says(/"replaced":0,"msg":"workers were replaced"/);
      expect(childrenOf(server.pid)).to.have.members(workers);
      await ask(url, '/healthz', 4);
      server.kill('SIGTERM');
      expect((await server.ended).exitCode).to.equal(0);
    });

    it('listens without a database server, answers 503, and ends with 0', async () => {
      const server = start({ DATABASE_URL: 'mysql://me:s3cr3t@127.0.0.1:1/x', DB_POOL_ACQUIRE_MS: '500' }, '--migrate');
      const [, url = ''] = await server.says(/Listening on (http:\S+), but not ready\. /);
      left.push(...childrenOf(server.pid));
      await ask(url, '/healthz', 2);
      expect((await sendRaw(url, { method: 'GET', path: '/readyz' })).status).to.equal(503);
      server.kill('SIGTERM');
      const { exitCode, stderr } = await server.ended;
      expect(exitCode).to.equal(0);
      expect(stderr.match(/DATABASE_UNREACHABLE/g)).to.have.length(1);
    });

    it('completes what its workers are doing when the primary process is killed, and leaves nothing', async () => {
      const { server, url, workers } = await serve({ BCRYPT_COST: '12' });
      const body = JSON.stringify({ identifier: 'nobody@example.org', password: 'a password' });
      const headers = { 'content-type': 'application/json' };
      const login = sendRaw(url, { method: 'POST', path: '/api/auth/login', headers, body });
      // The comparison takes long enough to be under way.
      await sleep(60);
      server.kill('SIGKILL');
      expect((await login).status).to.equal(401);
      await until(() => !workers.some(isRunning), 'no worker runs');
      const again = start({ PORT: new URL(url).port });
      await again.says(/coursectl is listening on/);
      left.push(...childrenOf(again.pid));
      again.kill('SIGTERM');
      expect((await again.ended).exitCode).to.equal(0);
    });

    it('ends at once at the second signal, with all workers', async () => {
      const { server, workers } = await serve({ DRAIN_DELAY_MS: '20000' });
      server.kill('SIGTERM');
      await server.says(/Stopping: /);
      server.kill('SIGTERM');
      expect((await server.ended).exitCode).to.equal(130);
      await until(() => !workers.some(isRunning), 'no worker runs');
    });
  });

if (onMysql)
  describe('A service with workers', function () {
    this.timeout(scaled(90_000));
    let database: TestDatabase;
    let server: Running;
    let url = '';
    const folder = temporaryFolder();
    // Before what still runs is killed.
    after(async () => {
      const workers = childrenOf(server.pid);
      server.kill('SIGTERM');
      expect((await server.ended).exitCode).to.equal(0);
      expect(workers.filter(isRunning)).to.deep.equal([]);
      await database.drop();
      folder.remove();
    });
    // One for all of these tests: each start takes three processes.
    const processes = useSubprocesses({ killed: 'after all tests' });
    const command = (port = '0') => ['serve', '--workers', '2', '--port', port];
    const authorized = { headers: { authorization: 'Bearer a-token-of-the-figures' } };
    const surroundings = () => ({
      cwd: folder.path,
      env: {
        ...testEnvironment,
        PATH: process.env.PATH ?? '',
        DATABASE_URL: database.url,
        JWT_SECRET: secret,
        METRICS_TOKEN: 'a-token-of-the-figures',
      },
    });

    before(async () => {
      database = await createMigratedDatabase();
      server = processes.start(command(), surroundings());
      [, url = ''] = await server.says(/coursectl is listening on (\S+)\n/);
      expect(childrenOf(server.pid)).to.have.length(2);
    });

    const untilBothServe = () =>
      until(async () => (await figures(url, authorized))('coursectl_workers') === 2, 'two workers serve');

    it('shows no secret among the processes', async () => {
      const workers = childrenOf(server.pid);
      const shown = workers.map(commandLineOf).map((line) => line.trim());
      expect(shown).to.have.members(['coursectl worker 1 of 2', 'coursectl worker 2 of 2']);
    });

    it('asks for the token of the figures at every worker', async () => {
      for (let sent = 0; sent < 4; sent += 1)
        expect((await sendRaw(url, { method: 'GET', path: '/metrics', agent: unkept })).status).to.equal(401);
      const counted = await figures(url, authorized);
      expect(counted('coursectl_workers')).to.equal(2);
    });

    it('closes the connections that a worker has when it is replaced, each after an answer that says so', async () => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      const statuses = new Set<number>();
      const closed: string[] = [];
      server.kill('SIGHUP');
      let replaced = false;
      const over = server.says(/workers were replaced/).then(() => {
        replaced = true;
      });
      while (!replaced) {
        const { status, headers } = await sendRaw(url, { method: 'GET', path: '/readyz', agent });
        statuses.add(status);
        if (headers.connection === 'close') closed.push(url);
      }
      await over;
      agent.destroy();
      expect([...statuses]).to.deep.equal([200]);
      expect(closed).not.to.deep.equal([]);
    });

    it('starts a worker again that was killed', async () => {
      const workers = childrenOf(server.pid);
      const [first = 0] = workers;
      process.kill(first, 'SIGKILL');
      await server.says(/"worker":[12],"end":"SIGKILL","pauseMs":\d+,"msg":"a worker has ended, and is started again"/);
      await untilBothServe();
      expect((await figures(url, authorized))('coursectl_worker_failures_total')).to.equal(1);
      expect(childrenOf(server.pid)).to.have.length(2).and.not.include(first);
    });

    it('gives a connection that a killed worker has not accepted to another one', async () => {
      const workers = childrenOf(server.pid);
      const [first = 0] = workers;
      // It is still offered connections: one, as it doesn't answer.
      process.kill(first, 'SIGSTOP');
      let answered = 0;
      const requests = Array.from({ length: 6 }, async () => {
        const { status } = await sendRaw(url, { method: 'GET', path: '/healthz', agent: unkept });
        answered += 1;
        return status;
      });
      await until(() => answered === 5, 'all but one are answered');
      process.kill(first, 'SIGKILL');
      expect(await Promise.all(requests)).to.deep.equal([200, 200, 200, 200, 200, 200]);
      await untilBothServe();
    });

    it('says once that its port is in use', async () => {
      const { port } = new URL(url);
      const second = processes.start(command(port), surroundings());
      const { exitCode, stderr } = await second.ended;
      expect(exitCode).to.equal(1);
      expect(stderr).to.equal(
        `error: Port ${port} on 127.0.0.1 is in use by another program. Stop it, or set PORT to another one.\n`,
      );
    });
  });
