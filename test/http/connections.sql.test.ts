import { once } from 'node:events';
import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import request from 'supertest';
import { v7 as uuidv7 } from 'uuid';
import { type FaultyProxy, startProxy } from '../faults/proxy.js';
import { onMysql } from '../support/database.js';
import { buildCourse, signIn } from '../support/factories.js';
import { scaled } from '../support/machine.js';
import { sendRaw } from '../support/raw-http.js';
import { useListeningService } from './support/listening-service.js';

describe('The connections of a service', () => {
  const service = useListeningService();
  const { harness, start, end } = service;
  const open = async () => (await service.open()).socket;
  let proxy: FaultyProxy | undefined;
  afterEach(async () => {
    await end();
    await proxy?.close();
    proxy = undefined;
  });

  const get = (path: string, ...headers: string[]) =>
    `${[`GET ${path} HTTP/1.1`, 'Host: localhost', ...headers].join('\r\n')}\r\n\r\n`;

  it('free their slots when clients that pipelined requests disconnect', async () => {
    await start({ MAX_REQUESTS_IN_FLIGHT: '2' });
    for (let round = 0; round < 20; round += 1) {
      const socket = await open();
      socket.write(get('/api/courses').repeat(3));
      await sleep(round % 5);
      socket.destroy();
      await sleep(20);
    }
    await sleep(600);
    await request(service.url).get('/api/auth/setup-status').expect(200);
    // A request waiting for an impossible response would block the shutdown.
    await end();
  });

  it('stay open during shutdown until clients have read their responses', async () => {
    const { user, token } = await signIn(harness.context, { role: 'trainer' });
    const description = 'ä'.repeat(20_000);
    for (let number = 0; number < 100; number += 1)
      await buildCourse(harness.context, user, { title: `Course ${number}`, description, isPublished: true });
    await start();
    const agent = new Agent({ keepAlive: true });
    const socket = await open();
    socket.pause();
    socket.write(get('/api/courses?limit=100', `Authorization: Bearer ${token}`));
    // The response has been written, but not completely read.
    await sleep(1500);
    await sendRaw(service.url, { method: 'GET', path: '/healthz', agent });
    const ended = end();
    await sleep(200);
    let received = '';
    socket.setEncoding('utf8').on('data', (text: string) => {
      received += text;
    });
    socket.resume();
    await once(socket, 'close');
    agent.destroy();
    const [head = '', body = ''] = received.split('\r\n\r\n');
    expect(Buffer.byteLength(body)).to.equal(Number(/content-length: (\d+)/i.exec(head)?.[1]));
    await ended;
  });

  it('with events of an import end during shutdown, so that clients reconnect to another instance', async () => {
    const { token } = await signIn(harness.context, { role: 'super_admin' });
    const id = uuidv7();
    const file = { fileName: 'people.csv', filePath: '/elsewhere/upload.csv', fileSha256: 'x', optionsJson: '{}' };
    const record = { id, number: 1, status: 'queued', origin: 'http', createdAt: new Date() } as const;
    await harness.context.database.models.Import.create({ ...record, ...file });
    await start();
    const socket = await open();
    socket.write(get(`/api/imports/${id}/events`, `Authorization: Bearer ${token}`));
    const [begun] = await once(socket, 'data');
    expect(String(begun)).to.match(/^HTTP\/1\.1 200 OK/);
    // This header keeps proxies from buffering events.
    expect(String(begun)).to.match(/\r\nX-Accel-Buffering: no\r\n/i);
    const ended = once(socket, 'close');
    await end();
    await ended;
  });

  it('do not block the shutdown when idle, and block it only for a limited time when they never send a complete request', async function () {
    this.timeout(scaled(30_000));
    await start();
    const agent = new Agent({ keepAlive: true });
    await sendRaw(service.url, { method: 'GET', path: '/healthz', agent });
    await end();
    agent.destroy();
    await start();
    await open();
    (await open()).write('GET /healthz HTTP/1.1\r\nX-A: ');
    await end();
  });

  if (onMysql)
    it('to an unresponsive database do not block the shutdown', async () => {
      const to = new URL(harness.databaseUrl);
      proxy = await startProxy(Number(to.port || 3306));
      Object.assign(to, { hostname: '127.0.0.1', port: String(proxy.port) });
      await start({ DATABASE_URL: to.href }, { drainMs: 1000 });
      await sleep(1500);
      proxy.set({ kind: 'black hole' });
      await sleep(1500);
      await end();
    });
});
