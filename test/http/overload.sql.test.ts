import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import request from 'supertest';
import type { ServerOptions } from '../../src/http/server/server.js';
import { buildCourse, buildUser, factoryPassword, signIn } from '../support/factories.js';
import { scaled } from '../support/machine.js';
import { head } from '../support/raw-http.js';
import { until } from '../support/until.js';
import { expectFailure } from './support/expectations.js';
import { useListeningService } from './support/listening-service.js';

const deadlines = { bodyMs: 300, unreadMs: 300 };

describe('A service with limits', () => {
  const service = useListeningService();
  const { harness, logged, open } = service;
  const start = (settings: Record<string, string> = {}, options: ServerOptions = { deadlines }) =>
    service.start({ ALLOWED_ORIGINS: 'https://app.example.org', ...settings }, options);

  /** Occupies the only slot of the service with a request that waits for a locked row. */
  async function whileBusy(work: (token: string) => Promise<void>): Promise<void> {
    const { token } = await signIn(harness.context);
    let response: Promise<unknown> = Promise.resolve();
    await harness.context.database.inTransaction(async (transaction) => {
      await harness.context.database.models.User.update({ lastName: 'Held' }, { where: {}, transaction });
      response = request(service.url)
        .put('/api/auth/profile')
        .set('Authorization', `Bearer ${token}`)
        .send({ lastName: 'Waiting' })
        .then(() => undefined);
      await until(async () => (await request(service.url).get('/readyz')).body.requests.working === 1);
      await work(token);
    });
    await response;
  }

  const untilQueued = (count: number) =>
    until(async () => (await request(service.url).get('/readyz')).body.requests.queued >= count);

  it('serves all 200 requests of a burst, however long each takes', async () => {
    await start({ MAX_REQUESTS_IN_FLIGHT: '1' });
    const burst: Promise<{ status: number }>[] = [];
    await whileBusy(async () => {
      for (let number = 0; number < 199; number += 1)
        burst.push(request(service.url).get('/api/auth/setup-status').then());
      await untilQueued(199);
      // Far longer than the waiting time under overload.
      await sleep(1200);
    });
    const statuses = (await Promise.all(burst)).map(({ status }) => status);
    expect(statuses).to.deep.equal(statuses.map(() => 200));
  });

  it('serves all requests of ten simultaneous classes, however long each waits', async function () {
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
    const clients = await Promise.all(requests.map(() => open()));
    // All requests are sent before the service can accept the first one.
    for (const [index, { socket }] of clients.entries()) socket.write(requests[index] ?? '');
    await Promise.all(clients.map(({ closed }) => closed));
    const responses = clients.map(({ received }) => received().slice(9, 12));
    const count = (status: string) => responses.filter((response) => response === status).length;
    expect({ 200: count('200'), 201: count('201'), 400: count('400') }).to.deep.equal({ 200: 540, 201: 50, 400: 10 });
    expect(await harness.context.database.models.Enrollment.count()).to.equal(50);
  });

  it('signs in a class of 100 behind one address at the same time', async () => {
    await start();
    const users = await Promise.all(Array.from({ length: 100 }, () => buildUser(harness.context)));
    const responses = await Promise.all(
      users.map(({ email }) =>
        request(service.url).post('/api/auth/login').send({ identifier: email, password: factoryPassword }),
      ),
    );
    const statuses = responses.map(({ status }) => status);
    expect(statuses).to.deep.equal(statuses.map(() => 200));
  });

  it('refuses excess requests with 503 and Retry-After, and stays alive and ready', async () => {
    await start({ MAX_REQUESTS_IN_FLIGHT: '1' }, { deadlines, queueWaitMs: () => 100 });
    await whileBusy(async () => {
      const responses = await Promise.all(
        Array.from({ length: 5 }, () =>
          request(service.url).get('/api/auth/setup-status').set('Origin', 'https://app.example.org'),
        ),
      );
      for (const response of responses) {
        expectFailure(response, 'OVERLOADED');
        expect(response.headers['retry-after']).to.match(/^\d+$/);
        expect(response.headers['error-code']).to.equal('OVERLOADED');
        expect(response.headers['cache-control']).to.equal('no-store');
        expect(response.headers).to.include({ 'x-content-type-options': 'nosniff', 'x-frame-options': 'DENY' });
        expect(response.headers['content-security-policy']).to.include("default-src 'none'");
        expect(response.headers['x-request-id']).to.match(/^[\w-]{36}$/);
        expect(response.headers['access-control-allow-origin']).to.equal('https://app.example.org');
      }
      for (const probe of ['/healthz', '/readyz?now']) await request(service.url).get(probe).expect(200);
    });
    await request(service.url).get('/api/auth/setup-status').expect(200);
    await until(() => logged.join('').includes('"count":5'));
    const { text } = await request(service.url).get('/metrics').expect(200);
    expect(text).to.match(/^coursectl_requests_refused_total 5$/m);
  });

  describe('after a refusal', () => {
    const probe = head('GET /healthz HTTP/1.1');
    /** Opens a connection whose first request is refused, then sends a health check, which is always served. */
    async function refusedAndBack() {
      const client = await open(head('GET /api/auth/setup-status HTTP/1.1'));
      await until(() => client.received().includes('"error"'));
      expect(client.received()).to.match(/^HTTP\/1\.1 503 /);
      client.socket.write(probe);
      return client;
    }
    const settings = { MAX_REQUESTS_IN_FLIGHT: '1' };
    const queueWaitMs = () => 100;

    it('does not read the connection for a while', async () => {
      await start(settings, { deadlines, queueWaitMs, refusedPauseMs: scaled(500) });
      let client: Awaited<ReturnType<typeof refusedAndBack>> | undefined;
      await whileBusy(async () => {
        client = await refusedAndBack();
        const other = await open(probe);
        await until(() => other.received().includes('HTTP/1.1 200 '));
        expect(client.received()).not.to.include('HTTP/1.1 200 ');
      });
      await until(() => client?.received().includes('HTTP/1.1 200 ') ?? false);
    });

    it('keeps reading the connection of a trusted proxy, whose next request may come from another client', async () => {
      await start(
        { ...settings, TRUST_PROXY: 'loopback' },
        { deadlines, queueWaitMs, refusedPauseMs: scaled(600_000) },
      );
      await whileBusy(async () => {
        const client = await refusedAndBack();
        await until(() => client.received().includes('HTTP/1.1 200 '));
      });
    });
  });

  it('serves others while logins wait for their hash', async () => {
    await start({ MAX_REQUESTS_IN_FLIGHT: '1', BCRYPT_COST: '13' });
    const order: string[] = [];
    const logins = Array.from({ length: 3 }, async () => {
      await request(service.url)
        .post('/api/auth/login')
        .send({ identifier: 'nobody@example.org', password: 'a password' });
      order.push('login');
    });
    await sleep(100);
    await request(service.url).get('/api/auth/setup-status').expect(200);
    order.push('other');
    await Promise.all(logins);
    expect(order[0]).to.equal('other');
  });

  it('ends requests whose body does not arrive, and serves other requests until then', async () => {
    await start({ MAX_REQUESTS_IN_FLIGHT: '1' });
    const slow = await Promise.all(
      Array.from({ length: 4 }, () =>
        open(`${head('POST /api/auth/login HTTP/1.1', 'Content-Type: application/json', 'Content-Length: 90')}{"ident`),
      ),
    );
    await request(service.url).get('/api/auth/setup-status').expect(200);
    await Promise.all(slow.map(({ closed }) => closed));
    await request(service.url).get('/api/auth/setup-status').expect(200);
  });

  it('is alive but not ready before begin() is called', async () => {
    await start({}, { ready: false });
    await request(service.url).get('/healthz').expect(200);
    for (const route of ['/readyz', '/api/auth/setup-status', '/api/users']) {
      const response = await request(service.url).get(route);
      expectFailure(response, 'NOT_READY');
      expect(response.headers['retry-after']).to.match(/^\d+$/);
    }
    const lines = logged.map((line) => JSON.parse(line) as { level: number; err?: object; reason?: string });
    expect(
      lines.filter(({ level, err }) => level >= 40 || err),
      'starting is no fault',
    ).to.deep.equal([]);
    expect(lines.map(({ reason }) => reason)).to.include('The service is not ready.');
    service.server.begin();
    for (const route of ['/readyz', '/api/auth/setup-status']) await request(service.url).get(route).expect(200);
  });

  it('serves for a while after close() is called, but is no longer ready', async () => {
    await start({ DRAIN_DELAY_MS: '500' });
    const closed = service.server.close();
    expectFailure(await request(service.url).get('/readyz'), 'NOT_READY', 'The service is shutting down.');
    const response = await request(service.url).get('/api/auth/setup-status').expect(200);
    expect(response.headers.connection).to.equal('close');
    await closed;
    const refused = await request(service.url)
      .get('/healthz')
      .catch((error: Error) => error.message);
    expect(refused).to.match(/ECONNREFUSED/);
  });
});
