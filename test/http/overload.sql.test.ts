import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import request from 'supertest';
import { loadConfig } from '../../src/config/config.js';
import { type Context, createContext } from '../../src/context.js';
import { type RunningServer, type ServerOptions, startServer } from '../../src/http/server/server.js';
import { createLogger } from '../../src/logger.js';
import { onMysql } from '../support/database.js';
import { testEnvironment } from '../support/environment.js';
import { buildCourse, buildMaterial, buildUser, factoryPassword, signIn } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { scaled } from '../support/machine.js';
import { head } from '../support/raw-http.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { until } from '../support/until.js';
import { expectFailure } from './support/expectations.js';

const deadlines = { bodyMs: 300, unreadMs: 300 };

describe('A service with limits', () => {
  const harness = useHarness();
  const logged: string[] = [];
  const sockets: Socket[] = [];
  let folder: ReturnType<typeof temporaryFolder>;
  let instance: { context: Context; server: RunningServer } | undefined;
  let url = '';

  async function start(settings: Record<string, string> = {}, options: ServerOptions = { deadlines }): Promise<void> {
    const origins = { ALLOWED_ORIGINS: 'https://app.example.org' };
    const env = { ...testEnvironment, DATABASE_URL: harness.databaseUrl, DATA_DIR: folder.path, PORT: '0', ...origins };
    const logger = createLogger('info', { write: (line: string) => void logged.push(line) });
    const context = await createContext(loadConfig({ env: { ...env, ...settings }, cwd: folder.path }), logger, {
      hasher: harness.context.hasher,
    });
    instance = { context, server: await startServer(context, options) };
    ({ url } = instance.server);
  }

  beforeEach(() => {
    folder = temporaryFolder();
    logged.length = 0;
  });
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await instance?.server.close();
    await instance?.context.close();
    instance = undefined;
    folder.remove();
  });

  /** Opens a connection, sends something and keeps what comes. */
  async function open(
    text: string,
    more = '',
  ): Promise<{ socket: Socket; received(): string; closed: Promise<unknown> }> {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    sockets.push(socket);
    let received = '';
    socket.on('data', (data) => {
      received += data.toString('latin1');
    });
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    socket.write(text + more);
    return { socket, received: () => received, closed: new Promise((resolve) => socket.once('close', resolve)) };
  }

  /** Keeps the only place of the service: its statement waits for a row that we hold. */
  async function whileBusy(work: (token: string) => Promise<void>): Promise<void> {
    const { token } = await signIn(harness.context);
    let answer: Promise<unknown> = Promise.resolve();
    await harness.context.database.inTransaction(async (transaction) => {
      await harness.context.database.models.User.update({ lastName: 'Held' }, { where: {}, transaction });
      answer = request(url)
        .put('/api/auth/profile')
        .set('Authorization', `Bearer ${token}`)
        .send({ lastName: 'Waiting' })
        .then(() => undefined);
      await until(async () => (await request(url).get('/readyz')).body.requests.working === 1);
      await work(token);
    });
    await answer;
  }

  const untilQueued = (count: number) =>
    until(async () => (await request(url).get('/readyz')).body.requests.queued >= count);

  it('serves a burst of 200 whole, however long each takes', async () => {
    await start({ MAX_REQUESTS_IN_FLIGHT: '1' });
    const burst: Promise<{ status: number }>[] = [];
    await whileBusy(async () => {
      for (let number = 0; number < 199; number += 1) burst.push(request(url).get('/api/auth/setup-status').then());
      await untilQueued(199);
      // Far longer than a queue that doesn't get empty any more lets wait.
      await sleep(1200);
    });
    const statuses = (await Promise.all(burst)).map(({ status }) => status);
    expect(statuses).to.deep.equal(statuses.map(() => 200));
  });

  it('serves a class of 100 that requests enrollment in one course together', async () => {
    await start();
    const { user } = await signIn(harness.context, { role: 'trainer' });
    const course = await buildCourse(harness.context, user, { isPublished: true });
    const tokens = await Promise.all(Array.from({ length: 100 }, async () => (await signIn(harness.context)).token));
    const answers = await Promise.all(
      tokens.map((token) =>
        request(url).post('/api/enrollments').set('Authorization', `Bearer ${token}`).send({ courseId: course.id }),
      ),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses).to.deep.equal(statuses.map(() => 201));
  });

  it('serves ten classes whole that ask at the same moment, however long each waits', async function () {
    this.timeout(scaled(120_000));
    await start({}, { deadlines, queueWaitMs: () => scaled(20_000) });
    const { user } = await signIn(harness.context, { role: 'trainer' });
    const course = await buildCourse(harness.context, user, { isPublished: true, maxStudents: 50 });
    const tokens: string[] = [];
    while (tokens.length < 120) tokens.push((await signIn(harness.context)).token);
    const paths = ['/api/auth/me', '/api/courses?include=seats', '/api/enrollments/my'];
    const requests = Array.from({ length: 600 }, (_, index) => {
      const token = `Authorization: Bearer ${tokens[index % 10 === 0 ? index / 10 : 60 + (index % 60)]}`;
      if (index % 10 > 0) return head(`GET ${paths[index % paths.length]} HTTP/1.1`, token, 'Connection: close');
      const body = JSON.stringify({ courseId: course.id });
      const json = ['Content-Type: application/json', `Content-Length: ${body.length}`];
      return head('POST /api/enrollments HTTP/1.1', token, 'Connection: close', ...json) + body;
    });
    const clients = await Promise.all(requests.map(() => open('')));
    // All are sent before the service can take the first.
    for (const [index, { socket }] of clients.entries()) socket.write(requests[index] ?? '');
    await Promise.all(clients.map(({ closed }) => closed));
    const answers = clients.map(({ received }) => received().slice(9, 12));
    const count = (status: string) => answers.filter((answer) => answer === status).length;
    expect({ 200: count('200'), 201: count('201'), 400: count('400') }).to.deep.equal({ 200: 540, 201: 50, 400: 10 });
    expect(await harness.context.database.models.Enrollment.count()).to.equal(50);
  });

  it('signs in a class of 100 behind one address together', async () => {
    await start();
    const users = await Promise.all(Array.from({ length: 100 }, () => buildUser(harness.context)));
    const answers = await Promise.all(
      users.map(({ email }) =>
        request(url).post('/api/auth/login').send({ identifier: email, password: factoryPassword }),
      ),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses).to.deep.equal(statuses.map(() => 200));
  });

  it('answers excess requests with 503 and Retry-After, and is alive and ready meanwhile', async () => {
    await start({ MAX_REQUESTS_IN_FLIGHT: '1' }, { deadlines, queueWaitMs: () => 100 });
    await whileBusy(async () => {
      const answers = await Promise.all(
        Array.from({ length: 5 }, () =>
          request(url).get('/api/auth/setup-status').set('Origin', 'https://app.example.org'),
        ),
      );
      for (const response of answers) {
        expectFailure(response, 503, 'The service is busy. Try again shortly.');
        expect(response.headers['retry-after']).to.match(/^\d+$/);
        expect(response.headers['cache-control']).to.equal('no-store');
        expect(response.headers).to.include({ 'x-content-type-options': 'nosniff', 'x-frame-options': 'DENY' });
        expect(response.headers['content-security-policy']).to.include("default-src 'none'");
        expect(response.headers['x-request-id']).to.match(/^[\w-]{36}$/);
        expect(response.headers['access-control-allow-origin']).to.equal('https://app.example.org');
      }
      for (const probe of ['/healthz', '/readyz?now']) await request(url).get(probe).expect(200);
    });
    await request(url).get('/api/auth/setup-status').expect(200);
    await until(() => logged.join('').includes('"count":5'));
    const { text } = await request(url).get('/metrics').expect(200);
    expect(text).to.match(/^coursectl_requests_refused_total 5$/m);
  });

  describe('after a refusal', () => {
    const probe = head('GET /healthz HTTP/1.1');
    /** A connection whose request was refused, and which sends one that is always answered. */
    async function refusedAndBack() {
      const client = await open(head('GET /api/auth/setup-status HTTP/1.1'));
      await until(() => client.received().includes('"error"'));
      expect(client.received()).to.match(/^HTTP\/1\.1 503 /);
      client.socket.write(probe);
      return client;
    }
    const settings = { MAX_REQUESTS_IN_FLIGHT: '1' };
    const queueWaitMs = () => 100;

    it('the connection is not read for a moment', async () => {
      await start(settings, { deadlines, queueWaitMs, refusedRestMs: scaled(500) });
      let client: Awaited<ReturnType<typeof refusedAndBack>> | undefined;
      await whileBusy(async () => {
        client = await refusedAndBack();
        const other = await open(probe);
        await until(() => other.received().includes('HTTP/1.1 200 '));
        expect(client.received()).not.to.include('HTTP/1.1 200 ');
      });
      await until(() => client?.received().includes('HTTP/1.1 200 ') ?? false);
    });

    it('the connection of a trusted proxy is read on, as its next request may be of another client', async () => {
      await start({ ...settings, TRUST_PROXY: 'loopback' }, { deadlines, queueWaitMs, refusedRestMs: scaled(600_000) });
      await whileBusy(async () => {
        const client = await refusedAndBack();
        await until(() => client.received().includes('HTTP/1.1 200 '));
      });
    });
  });

  it('counts the time in the queue as time that a request may wait for a database server', async function () {
    if (!onMysql) this.skip();
    await start({ MAX_REQUESTS_IN_FLIGHT: '1' });
    const { user, token } = await signIn(harness.context);
    const change = async () => {
      const startedAt = performance.now();
      const { status } = await request(url)
        .put('/api/auth/profile')
        .set('Authorization', `Bearer ${token}`)
        .send({ lastName: 'Waiting' });
      return { status, ms: performance.now() - startedAt };
    };
    let answers: Awaited<ReturnType<typeof change>>[] = [];
    await harness.context.database.inTransaction(async (transaction) => {
      await user.update({ lastName: 'Held' }, { transaction });
      const first = change();
      await until(async () => (await request(url).get('/readyz')).body.requests.working === 1);
      answers = await Promise.all([first, change()]);
    });
    expect(answers.map(({ status }) => status)).to.deep.equal([503, 503]);
    const [first, second] = answers;
    // It waits for the first, and would wait as long again for the row.
    expect((second?.ms ?? 0) / (first?.ms ?? 1)).to.be.below(1.6);
  });

  it('queues a few requests for a moment', async () => {
    await start({ MAX_REQUESTS_IN_FLIGHT: '2' });
    const all = Array.from({ length: 3 }, () => request(url).get('/api/auth/setup-status'));
    for (const { status } of await Promise.all(all)) expect(status).to.equal(200);
  });

  it('queues a burst', async () => {
    await start({ MAX_REQUESTS_IN_FLIGHT: '4' });
    const all = Array.from({ length: 40 }, () => request(url).get('/api/auth/setup-status'));
    for (const { status } of await Promise.all(all)) expect(status).to.equal(200);
  });

  it('serves others while logins wait for their hash', async () => {
    await start({ MAX_REQUESTS_IN_FLIGHT: '1', BCRYPT_COST: '13' });
    const order: string[] = [];
    const logins = Array.from({ length: 3 }, async () => {
      await request(url).post('/api/auth/login').send({ identifier: 'nobody@example.org', password: 'a password' });
      order.push('login');
    });
    await sleep(100);
    await request(url).get('/api/auth/setup-status').expect(200);
    order.push('other');
    await Promise.all(logins);
    expect(order[0]).to.equal('other');
  });

  it('cuts off a body that does not come, and works for others meanwhile', async () => {
    await start({ MAX_REQUESTS_IN_FLIGHT: '1' });
    const startedAt = performance.now();
    const slow = await Promise.all(
      Array.from({ length: 4 }, () =>
        open(head('POST /api/auth/login HTTP/1.1', 'Content-Type: application/json', 'Content-Length: 90'), '{"ident'),
      ),
    );
    await sleep(50);
    await request(url).get('/api/auth/setup-status').expect(200);
    await Promise.all(slow.map(({ closed }) => closed));
    expect(performance.now() - startedAt).to.be.within(250, scaled(2000));
    await request(url).get('/api/auth/setup-status').expect(200);
  });

  it('cuts off a client that does not take its download, and works for others meanwhile', async () => {
    await start({ MAX_REQUESTS_IN_FLIGHT: '1' });
    const { user, token } = await signIn(harness.context, { role: 'trainer' });
    const course = await buildCourse(harness.context, user);
    const { id } = await buildMaterial(instance?.context ?? harness.context, course, {}, Buffer.alloc(20_000_000));
    const route = path.posix.join('/api/courses', course.id, 'files', id);
    const idle = await open(head(`GET ${route} HTTP/1.1`, `Authorization: Bearer ${token}`));
    idle.socket.pause();
    await sleep(100);
    await request(url).get('/api/auth/setup-status').expect(200);
    const startedAt = performance.now();
    // The service notices by its own clock, as late as the machine is slow.
    await sleep(scaled(500));
    idle.socket.resume();
    await idle.closed;
    expect(idle.received().slice(0, 15)).to.equal('HTTP/1.1 200 OK');
    expect(idle.received().length).to.be.lessThan(20_000_000);
    expect(performance.now() - startedAt).to.be.lessThan(scaled(2500));
  });

  it('is not ready before it is told to begin, and alive', async () => {
    await start({}, { ready: false });
    await request(url).get('/healthz').expect(200);
    for (const route of ['/readyz', '/api/auth/setup-status', '/api/users']) {
      const response = await request(url).get(route);
      expectFailure(response, 503, 'The service is not ready.');
      expect(response.headers['retry-after']).to.match(/^\d+$/);
    }
    const lines = logged.map((line) => JSON.parse(line) as { level: number; err?: object; reason?: string });
    expect(
      lines.filter(({ level, err }) => level >= 40 || err),
      'starting is no fault',
    ).to.deep.equal([]);
    expect(lines.map(({ reason }) => reason)).to.include('The service is not ready.');
    instance?.server.begin();
    for (const route of ['/readyz', '/api/auth/setup-status']) await request(url).get(route).expect(200);
  });

  it('serves for a moment after it is told to stop, but is no longer ready', async () => {
    await start({ DRAIN_DELAY_MS: '500' });
    const startedAt = performance.now();
    const closed = instance?.server.close();
    expectFailure(await request(url).get('/readyz'), 503, 'The service is shutting down.');
    const response = await request(url).get('/api/auth/setup-status').expect(200);
    expect(response.headers.connection).to.equal('close');
    await closed;
    expect(performance.now() - startedAt).to.be.within(450, scaled(3000));
    const refused = await request(url)
      .get('/healthz')
      .catch((error: Error) => error.message);
    expect(refused).to.match(/ECONNREFUSED/);
    instance = undefined;
  });

  it('closes connections that send no request, or only the beginning of one', async function () {
    this.timeout(scaled(30_000));
    await start();
    const startedAt = performance.now();
    const slow = await Promise.all(['', 'GET /healthz HTTP/1.1\r\nX-A: '].map((text) => open(text)));
    const drip = setInterval(() => slow[1]?.socket.write('x'), 500);
    await Promise.all(slow.map(({ closed }) => closed));
    clearInterval(drip);
    expect(performance.now() - startedAt).to.be.within(9000, scaled(15_000));
  });
});
