import { once } from 'node:events';
import { Agent } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import request from 'supertest';
import { v7 as uuidv7 } from 'uuid';
import { loadConfig } from '../../src/config/config.js';
import { type Context, createContext } from '../../src/context.js';
import { type RunningServer, type ServerOptions, startServer } from '../../src/http/server/server.js';
import { type FaultyProxy, startProxy } from '../faults/proxy.js';
import { onMysql } from '../support/database.js';
import { testEnvironment } from '../support/environment.js';
import { buildCourse, signIn } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { scaled } from '../support/machine.js';
import { sendRaw } from '../support/raw-http.js';
import { temporaryFolder } from '../support/temporary-folder.js';

describe('The connections of a service', () => {
  const harness = useHarness();
  const sockets: Socket[] = [];
  let folder: ReturnType<typeof temporaryFolder>;
  let instance: { context: Context; server: RunningServer } | undefined;
  let proxy: FaultyProxy | undefined;
  let url = '';

  async function start(settings: Record<string, string> = {}, options: ServerOptions = {}): Promise<RunningServer> {
    const env = {
      ...testEnvironment,
      DATABASE_URL: harness.databaseUrl,
      DATA_DIR: folder.path,
      PORT: '0',
      ...settings,
    };
    const { hasher, logger } = harness.context;
    const context = await createContext(loadConfig({ env, cwd: folder.path }), logger, { hasher });
    const server = await startServer(context, options);
    instance = { context, server };
    ({ url } = server);
    return server;
  }

  /** Ends the service. @returns how long it took, in milliseconds */
  async function end(): Promise<number> {
    const startedAt = performance.now();
    await instance?.server.close();
    await instance?.context.close();
    instance = undefined;
    return performance.now() - startedAt;
  }

  beforeEach(() => {
    folder = temporaryFolder();
  });
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await end();
    await proxy?.close();
    proxy = undefined;
    folder.remove();
  });

  async function open(): Promise<Socket> {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    sockets.push(socket);
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    return socket;
  }

  const get = (path: string, ...headers: string[]) =>
    `${[`GET ${path} HTTP/1.1`, 'Host: x', ...headers].join('\r\n')}\r\n\r\n`;

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
    await request(url).get('/api/auth/setup-status').expect(200);
    // Whatever waits for an answer that can't be given any more would keep the program from ending.
    expect(await end()).to.be.lessThan(scaled(2000));
  });

  it('carry pipelined requests, each with its response', async () => {
    await start();
    const socket = await open();
    let received = '';
    socket.on('data', (data) => {
      received += data.toString('latin1');
    });
    socket.write(get('/healthz') + get('/api/nowhere') + get('/readyz', 'Connection: close'));
    await once(socket, 'close');
    expect(received.match(/HTTP\/1\.1 \d+/g)).to.deep.equal(['HTTP/1.1 200', 'HTTP/1.1 404', 'HTTP/1.1 200']);
  });

  it('are not broken off when the service ends, while clients take their answers', async () => {
    const { user, token } = await signIn(harness.context, { role: 'trainer' });
    const description = 'ä'.repeat(20_000);
    for (let number = 0; number < 100; number += 1)
      await buildCourse(harness.context, user, { title: `Course ${number}`, description, isPublished: true });
    await start();
    const agent = new Agent({ keepAlive: true });
    const socket = await open();
    socket.pause();
    socket.write(get('/api/courses?limit=100', `Authorization: Bearer ${token}`));
    // It has been written by then, but not all of it taken.
    await sleep(1500);
    await sendRaw(url, { method: 'GET', path: '/healthz', agent });
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
    expect(await ended).to.be.lessThan(scaled(3000));
  });

  it('on which an import is watched are ended, so that it is watched elsewhere', async () => {
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
    // A proxy that kept events back would make them late.
    expect(String(begun)).to.match(/\r\nX-Accel-Buffering: no\r\n/i);
    const ended = once(socket, 'close');
    expect(await end()).to.be.lessThan(scaled(3000));
    await ended;
  });

  it('do not keep the service from ending when they are idle', async () => {
    await start();
    const agent = new Agent({ keepAlive: true });
    await sendRaw(url, { method: 'GET', path: '/healthz', agent });
    expect(await end()).to.be.lessThan(scaled(2000));
    agent.destroy();
  });

  it('do not keep the service from ending for long when they never send a request', async function () {
    this.timeout(scaled(30_000));
    await start();
    await open();
    expect(await end()).to.be.lessThan(scaled(15_000));
  });

  if (onMysql)
    it('to a database that answers nothing any more do not keep the service from ending in time', async () => {
      const to = new URL(harness.databaseUrl);
      proxy = await startProxy(Number(to.port || 3306));
      Object.assign(to, { hostname: '127.0.0.1', port: String(proxy.port) });
      await start({ DATABASE_URL: to.href }, { drainMs: 1000 });
      await sleep(1500);
      proxy.set({ kind: 'black hole' });
      await sleep(1500);
      expect(await end()).to.be.lessThan(scaled(6000));
    });
});
