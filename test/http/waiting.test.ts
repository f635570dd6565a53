import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import request from 'supertest';
import { createApp } from '../../src/http/server/app.js';
import type { Context } from '../../src/services/context.js';
import { buildUser, factoryPassword, signIn } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { scaled } from '../support/machine.js';
import { head, sendRaw } from '../support/raw-http.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { until } from '../support/until.js';
import { type Opened, useListeningService } from './support/listening-service.js';
import { uploadsIn } from './support/uploads.js';

describe('Requests waiting for their clients', () => {
  const service = useListeningService();
  const { harness, start, open } = service;

  const openMany = (count: number, text = '', from?: string) =>
    Promise.all(Array.from({ length: count }, () => open(text, from)));

  const isOpen = ({ socket }: Opened) => !socket.destroyed;

  /** Returns the value of a counter of the service. */
  async function counted(name: string): Promise<number> {
    const { text } = await request(service.url).get('/metrics').expect(200);
    return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1]);
  }

  const json = 'Content-Type: application/json';
  /** Beginning of a login without its body. */
  const stalledLogin = head('POST /api/auth/login HTTP/1.1', json, 'Content-Length: 90');
  const login = (identifier: string, password: string) =>
    sendRaw(service.url, {
      method: 'POST',
      path: '/api/auth/login',
      body: JSON.stringify({ identifier, password }),
      headers: { 'content-type': 'application/json' },
    });

  interface Ready {
    requests: Record<'working' | 'queued' | 'turnedAway', number>;
    waiting: Record<'bodies' | 'uploads' | 'responses' | 'hashes', number>;
    connections: number;
  }
  const ready = async () => (await request(service.url).get('/readyz').expect(200)).body as Ready;
  const bodies = async () => (await ready()).waiting.bodies;

  it('are limited per address: a new request replaces the oldest stalled request, and other requests are served', async () => {
    await start({ MAX_REQUESTS_IN_FLIGHT: '1' });
    const { email } = await buildUser(harness.context);
    const elsewhere = await openMany(20, stalledLogin, '127.0.0.2');
    const oldest = await open(stalledLogin);
    await until(async () => (await bodies()) === 21);
    const { text } = await request(service.url).get('/metrics').expect(200);
    expect(text).to.match(/^coursectl_requests_waiting\{for="bodies"\} 21$/m);
    expect(text).to.match(/^coursectl_connections 2[1-4]$/m);
    const others = await openMany(199, stalledLogin);
    await until(async () => (await bodies()) === 220);
    // A request is stalled if it has sent nothing for half a second.
    await sleep(600);
    await open(stalledLogin);
    await until(() => !isOpen(oldest));
    expect(others.filter(isOpen)).to.have.length(199);
    expect(elsewhere.filter(isOpen)).to.have.length(20);
    expect(await bodies()).to.equal(220);
    expect(await counted('coursectl_requests_cut_total')).to.equal(1);
    expect((await login(email, factoryPassword)).status).to.equal(200);
  });

  it('end when a body arrives more slowly than the minimum rate, but not when it arrives faster', async function () {
    this.timeout(scaled(60_000));
    await start({ MIN_BODY_RATE: '200' });
    const body = JSON.stringify({ identifier: 'nobody@example.org', password: 'x'.repeat(40), more: 'x'.repeat(4000) });
    const beginning = head('POST /api/auth/login HTTP/1.1', json, `Content-Length: ${body.length}`);
    const [slow, fast] = [await open(beginning), await open(beginning)];
    let sent = 0;
    const drip = setInterval(() => {
      slow.socket.write('x');
      fast.socket.write(body.slice(sent, sent + 150));
      sent += 150;
    }, 250);
    await Promise.all([once(slow.socket, 'close'), until(() => fast.received() !== '')]);
    clearInterval(drip);
    expect(slow.received()).to.equal('');
    expect(fast.received()).to.match(/^HTTP\/1\.1 401 /);
  });

  describe('with files of the web console', () => {
    /** More bytes than the system buffers for a connection. */
    const fileBytes = 40_000_000;
    let built: ReturnType<typeof temporaryFolder>;
    beforeEach(() => {
      built = temporaryFolder();
      mkdirSync(path.join(built.path, 'assets'));
      writeFileSync(path.join(built.path, 'manifest.json'), '{}');
      writeFileSync(path.join(built.path, 'index.html'), '<!doctype html>');
      writeFileSync(path.join(built.path, 'assets', 'main.js'), Buffer.alloc(fileBytes, 'x'));
    });
    afterEach(() => built.remove());

    async function leaveUnread(count: number): Promise<void> {
      for (let left = 0; left < count; left += 1) {
        const { socket } = await open();
        socket.pause();
        socket.write(head('GET /assets/main.js HTTP/1.1'));
      }
    }

    it('do not block other requests, and end when their client reads nothing', async () => {
      // Long enough to see all requests waiting.
      const deadlines = { unreadMs: scaled(1000) };
      await start({ MAX_REQUESTS_IN_FLIGHT: '2' }, { consoleFolder: built.path, deadlines });
      await leaveUnread(3);
      await until(async () => (await ready()).waiting.responses === 3);
      expect((await ready()).requests).to.deep.include({ working: 0, queued: 0 });
      await request(service.url).get('/api/auth/setup-status').expect(200);
      await until(async () => (await ready()).waiting.responses === 0);
    });
  });

  describe('with uploads', () => {
    const stalledUpload = (token: string) =>
      `${head(
        'PUT /api/auth/avatar HTTP/1.1',
        `Authorization: Bearer ${token}`,
        'Content-Type: multipart/form-data; boundary=x',
        'Content-Length: 100000',
      )}--x\r\nContent-Disposition: form-data; name="image"; filename="a.png"\r\n\r\nabc`;

    it('are limited to a few per account; other uploads of the account wait', async () => {
      await start({ MAX_REQUESTS_IN_FLIGHT: '4' });
      const { token } = await signIn(harness.context);
      const other = (await signIn(harness.context)).token;
      const stalled = await openMany(30, stalledUpload(token));
      const most = { files: 0 };
      const watch = setInterval(() => {
        most.files = Math.max(most.files, uploadsIn(service.context).length);
      }, 5);
      await until(async () => (await ready()).waiting.uploads > 4);
      const file = { filename: 'a.png', contentType: 'image/png' };
      const response = await request(service.url)
        .put('/api/auth/avatar')
        .set('Authorization', `Bearer ${other}`)
        .attach('image', Buffer.from('no image'), file);
      expect(response.status).to.equal(400);
      // The next uploads replace stalled requests, until all have been admitted.
      await until(() => stalled.filter(isOpen).length <= 4);
      clearInterval(watch);
      // Removing an ended request takes a moment.
      expect(most.files).to.be.within(1, 10);
      await request(service.url).get('/api/auth/me').set('Authorization', `Bearer ${token}`).expect(200);
      for (const { socket } of stalled) socket.destroy();
      await until(() => uploadsIn(service.context).length === 0);
    });
  });

  describe('as connections', () => {
    it('are limited per address: the connection that was idle longest is closed', async () => {
      await start({ MAX_CONNECTIONS_PER_ADDRESS: '10' });
      const elsewhere = await openMany(5, '', '127.0.0.2');
      const first = await open();
      const busy = await open(stalledLogin);
      const idle = await openMany(8);
      await until(async () => (await ready()).connections >= 15);
      // This request itself uses a connection.
      await until(() => !isOpen(first));
      await request(service.url).get('/api/auth/setup-status').expect(200);
      await openMany(9);
      await until(() => !idle.some(isOpen));
      expect(isOpen(busy)).to.equal(true);
      expect(elsewhere.every(isOpen)).to.equal(true);
      await request(service.url).get('/api/auth/setup-status').expect(200);
    });

    it('are not limited for a trusted proxy', async () => {
      await start({ MAX_CONNECTIONS_PER_ADDRESS: '10', TRUST_PROXY: '127.0.0.2' });
      const all = await openMany(40, '', '127.0.0.2');
      await until(async () => (await ready()).connections > 40);
      expect(all.every(isOpen)).to.equal(true);
    });

    it('are closed when they pipeline too many requests, while others are served', async () => {
      await start();
      const flood = await openMany(5, head('GET /readyz HTTP/1.1').repeat(5000));
      await request(service.url).get('/api/auth/setup-status').expect(200);
      await Promise.all(flood.map(({ socket }) => socket.destroyed || once(socket, 'close')));
      expect(await counted('coursectl_connections_closed_total')).to.equal(5);
      const few = await open(
        head('GET /readyz HTTP/1.1').repeat(30) + head('GET /healthz HTTP/1.1', 'Connection: close'),
      );
      await once(few.socket, 'close');
      expect(few.received().match(/HTTP\/1\.1 200 /g)).to.have.length(31);
    });
  });
});

describe('GET /readyz', () => {
  const harness = useHarness();

  it('queries the database once a second, however many clients ask', async () => {
    let asked = 0;
    const schema = {
      ...harness.context.schema,
      assertCurrent: async () => {
        asked += 1;
      },
    };
    const app = createApp(Object.create(harness.context, { schema: { value: schema } }) as Context);
    for (let round = 0; round < 5; round += 1)
      await Promise.all(Array.from({ length: 10 }, () => request(app).get('/readyz').expect(200)));
    const first = asked;
    await sleep(1100);
    await request(app).get('/readyz').expect(200);
    expect(asked).to.be.greaterThan(first);
    expect(first).to.be.lessThan(10);
  });
});
