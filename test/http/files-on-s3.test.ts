import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import path from 'node:path';
import { expect } from 'chai';
import request, { type Test } from 'supertest';
import type { Course } from '../../src/db/models/course.js';
import type { User } from '../../src/db/models/user.js';
import { uploadBounds } from '../../src/http/overload/clients.js';
import { type RunningServer, startServer } from '../../src/http/server/server.js';
import { type Context, createContext } from '../../src/services/context.js';
import { operator } from '../../src/services/core.js';
import { loadDemo } from '../../src/services/maintenance/demo.js';
import { removeDemo } from '../../src/services/maintenance/demo-removal.js';
import { sweepFiles, sweepStorage } from '../../src/services/maintenance/orphan-cleanup.js';
import { failureOf } from '../db/support/failure.js';
import { faultOf } from '../storage/support/storage-contract.js';
import { buildCourse, buildUser, signIn } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { scaled } from '../support/machine.js';
import { startS3 } from '../support/s3-server.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { until } from '../support/until.js';
import { expectFailure } from './support/expectations.js';
import { emptyStorage, expectNothingLeft, fileRows, image, storedKeys, uploadsIn } from './support/uploads.js';

/**
 * Fault of the proxy to the storage: `cut` ends responses before their content, `held` delays requests until the fault
 * ends.
 */
type ProxyState = 'open' | 'closed' | 'cut' | 'held';

interface StorageProxy {
  server: Server;
  port: number;
  set(state: ProxyState): void;
  /** Delayed requests. */
  held(): number;
}

/** Starts a proxy to a server, which can be closed. */
async function startProxy(port: number): Promise<StorageProxy> {
  let state: ProxyState = 'open';
  const sockets = new Set<Socket>();
  const held = new Map<Socket, () => void>();
  const server = createServer((socket) => {
    const upstream = connect(port, '127.0.0.1');
    sockets.add(socket);
    for (const one of [socket, upstream]) {
      one.on('error', () => undefined);
      one.once('close', () => [socket, upstream].map((other) => other.destroy()));
    }
    socket.once('close', () => {
      sockets.delete(socket);
      held.delete(socket);
    });
    if (state === 'closed') return void socket.destroy();
    const passes = () => void socket.pipe(upstream);
    upstream.on('unpipe', () => held.set(socket, passes));
    if (state === 'held') held.set(socket, passes);
    else passes();
    upstream.on('data', (chunk: Buffer) => {
      const head = chunk.indexOf('\r\n\r\n');
      if (state !== 'cut') return void socket.write(chunk);
      socket.end(chunk.subarray(0, head + 4));
      upstream.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    server,
    // The server listens on a port, so its address is not a text.
    port: (server.address() as AddressInfo).port,
    set(next) {
      state = next;
      for (const socket of sockets)
        if (state === 'closed') socket.destroy();
        else if (state === 'held') socket.unpipe();
      if (state === 'held') return;
      for (const pass of held.values()) pass();
      held.clear();
    },
    held: () => [...held.keys()].filter(({ readableLength }) => readableLength > 0).length,
  };
}

describe('files in a bucket, over HTTP', function () {
  this.timeout(scaled(60_000));
  const harness = useHarness();
  let folder: ReturnType<typeof temporaryFolder>;
  let s3: Awaited<ReturnType<typeof startS3>>;
  let proxy: Awaited<ReturnType<typeof startProxy>>;
  let context: Context;
  let server: RunningServer;
  let trainer: User;
  let token: string;
  let course: Course;

  before(async () => {
    folder = temporaryFolder();
    s3 = await startS3(path.join(folder.path, 's3'), 'courses');
    proxy = await startProxy(s3.port);
    const { config, logger, hasher } = harness.context;
    const storage = {
      kind: 's3' as const,
      endpoint: `http://127.0.0.1:${proxy.port}`,
      region: 'eu-central-1',
      bucket: 'courses',
      prefix: 'coursectl',
      accessKeyId: 'S3RVER',
      secretAccessKey: 'S3RVER',
      forcePathStyle: true,
    };
    const settings = {
      ...config,
      dataDir: path.join(folder.path, 'data'),
      files: { ...config.files, storage },
      http: { ...config.http, host: '127.0.0.1', port: 0 },
    };
    context = await createContext(settings, logger, { hasher });
    server = await startServer(context);
  });
  after(async () => {
    proxy.set('open');
    await server.close();
    await context.close();
    proxy.server.close();
    await s3.close();
    folder.remove();
  });

  beforeEach(async () => {
    proxy.set('open');
    await emptyStorage(context);
    ({ user: trainer, token } = await signIn(context, { role: 'trainer' }));
    course = await buildCourse(context, trainer, { isPublished: true });
  });

  const api = (method: 'get' | 'post' | 'put' | 'delete' | 'head', route: string, as = token): Test =>
    request(server.url)[method](route).set('Authorization', `Bearer ${as}`);
  const routeOf = (id = '') => `/api/courses/${course.id}/files${id && `/${id}`}`;
  const upload = (content: Buffer | string, name = 'notes.txt') =>
    api('post', routeOf()).attach('file', Buffer.from(content), name);
  const thumbnail = async () =>
    api('post', `/api/courses/${course.id}/thumbnail`).attach('image', await image().jpeg().toBuffer(), 'x.jpg');

  it('stores, lists, returns and deletes materials', async () => {
    const content = randomBytes(3_000_000);
    const { file } = (await upload(content, 'film.mp4').expect(201)).body;
    expect((await api('get', routeOf()).expect(200)).body.files).to.deep.equal([file]);
    expect(await storedKeys(context)).to.have.length(1);
    const { headers, body } = await api('get', routeOf(file.id)).expect(200).responseType('blob');
    expect(Buffer.compare(body as Buffer, content)).to.equal(0);
    expect(headers).to.include({ 'content-length': '3000000', 'content-disposition': 'attachment; filename=film.mp4' });
    const head = await api('head', routeOf(file.id)).expect(200);
    expect(head.headers['content-length']).to.equal('3000000');
    await expectNothingLeft(context, 1);
    await api('delete', routeOf(file.id)).expect(200);
    await api('get', routeOf(file.id)).expect(404);
    await expectNothingLeft(context);
    expect(existsSync(path.join(context.config.dataDir, 'files'))).to.equal(false);
  });

  it('of the demo are stored with it and removed with it; without the bucket, no demo is loaded', async () => {
    const demoUsers = () => context.database.models.User.count({ where: { email: 'trainer1@example.com' } });
    // Otherwise the demo's super admin would be needed by the trainer.
    await buildUser(context, { role: 'super_admin' });
    proxy.set('closed');
    expect((await failureOf(() => loadDemo(context, operator))).code).to.equal('STORAGE_UNAVAILABLE');
    expect(await demoUsers()).to.equal(0);
    proxy.set('open');
    await sweepStorage(context, false);
    await loadDemo(context, operator);
    await expectNothingLeft(context, 19);
    await removeDemo(context, operator);
    await expectNothingLeft(context);
    expect(await demoUsers()).to.equal(0);
  });

  it('are unavailable, whole and in ranges, when an object has another size than in the database', async () => {
    const { file } = (await upload('abcdefghij').expect(201)).body;
    await api('get', routeOf(file.id)).set('Range', 'bytes=2-3').expect(206);
    const [key = ''] = await storedKeys(context);
    const shorter = path.join(folder.path, 'shorter');
    writeFileSync(shorter, 'abcdefgh');
    await context.storage.put(key, shorter);
    for (const headers of [{}, { Range: 'bytes=2-3' }, { Range: 'bytes=2-' }])
      expectFailure(await api('get', routeOf(file.id)).set(headers as Record<string, string>), 'UNAVAILABLE');
    expect((await sweepStorage(context, false)).wrongSize).to.deep.equal([{ key, bytes: 10, storedBytes: 8 }]);
    await expectNothingLeft(context, 1);
  });

  it('keep files in use while the cleanup removes partial objects', async () => {
    await upload('abc').expect(201);
    await thumbnail();
    const kept = await storedKeys(context);
    const partial = path.join(folder.path, 'partial');
    writeFileSync(partial, 'partial');
    await context.storage.put(`incoming/${randomUUID()}`, partial);
    const tomorrow = { ...context, now: () => new Date(Date.now() + 86_400_000) };
    expect(await sweepFiles(tomorrow)).to.include({ removed: 0, held: 0, failed: 0, leftovers: 1 });
    expect((await storedKeys(context)).sort()).to.deep.equal(kept.sort());
    await expectNothingLeft(context, 2);
  });

  it('close an object when its reader disconnects', async () => {
    const { file } = (await upload(Buffer.alloc(5_000_000)).expect(201)).body;
    for (let round = 0; round < 5; round += 1) {
      const headers = { Authorization: `Bearer ${token}` };
      await new Promise<void>((resolve) => {
        get(`${server.url}${routeOf(file.id)}`, { headers }, (response) => {
          response.once('data', () => {
            response.destroy();
            resolve();
          });
        });
      });
    }
    await expectNothingLeft(context, 1);
    await api('get', routeOf(file.id)).expect(200);
  });

  describe('that is slow', () => {
    const requests = async () =>
      (await request(server.url).get('/readyz')).body as {
        requests: { working: number };
        waiting: { uploads: number };
      };

    it('receives few files of an account at a time, and blocks no other requests', async () => {
      proxy.set('held');
      const uploads = Array.from({ length: 7 }, (_, index) => upload(`${index}`).then(({ status }) => status));
      await until(async () => uploadsIn(context).length === uploadBounds.perAccount);
      await until(async () => (await requests()).waiting.uploads === 7);
      const image = thumbnail().then(({ status }) => status);
      await until(async () => (await requests()).waiting.uploads === 8);
      // A request that has just begun to wait may still count.
      await until(async () => (await requests()).requests.working === 0);
      expect(uploadsIn(context)).to.have.length(uploadBounds.perAccount);
      await api('get', routeOf()).expect(200);
      proxy.set('open');
      expect(await Promise.all([image, ...uploads])).to.deep.equal([200, ...Array(7).fill(201)]);
      await until(async () => (await requests()).waiting.uploads === 0);
      await expectNothingLeft(context, 8);
    });

    it('blocks no other requests while it returns a file', async () => {
      const { file } = (await upload('x').expect(201)).body;
      proxy.set('held');
      const reads = Array.from({ length: 3 }, () => api('get', routeOf(file.id)).then(({ status }) => status));
      await until(async () => proxy.held() === 3 && (await requests()).requests.working === 0);
      proxy.set('open');
      expect(await Promise.all(reads)).to.deep.equal([200, 200, 200]);
    });
  });

  describe('that is unreachable', () => {
    it('stores nothing, returns Retry-After, and works again when it is back', async () => {
      proxy.set('closed');
      for (const response of [await upload('x'), await thumbnail()]) {
        expectFailure(response, 'UNAVAILABLE');
        expect(Number(response.headers['retry-after'])).to.be.greaterThan(0);
      }
      expect(uploadsIn(context)).to.deep.equal([]);
      // It is unknown whether the storage received the file, so the cleanup checks again.
      expect((await fileRows(context)).map((row) => row.split(' ')[0])).to.deep.equal(['marked', 'marked']);
      expect((await api('get', routeOf()).expect(200)).body.files).to.deep.equal([]);
      proxy.set('open');
      expect(await sweepFiles(context)).to.include({ removed: 2, failed: 0, leftovers: 0 });
      await expectNothingLeft(context);
      await upload('x').expect(201);
      await expectNothingLeft(context, 1);
    });

    it('causes 503, which is not cacheable', async () => {
      const { file } = (await upload('x').expect(201)).body;
      const { imageUrl } = (await thumbnail()).body;
      for (const broken of ['closed', 'cut'] as const) {
        proxy.set(broken);
        for (const route of [routeOf(file.id), imageUrl]) {
          const response = await api('get', route);
          expectFailure(response, 'UNAVAILABLE');
          expect(response.headers).to.include({ 'cache-control': 'no-store', 'retry-after': '5' });
        }
      }
      proxy.set('open');
      await api('get', routeOf(file.id)).expect(200);
    });

    it('allows deleting courses with files, which are removed later', async () => {
      await upload('x').expect(201);
      const { imageUrl } = (await thumbnail()).body;
      proxy.set('closed');
      await api('delete', `/api/courses/${course.id}`).expect(200);
      expectFailure(await api('get', imageUrl), 'NOT_FOUND', 'File not found.');
      expect((await fileRows(context)).map((row) => row.split(' ')[0])).to.deep.equal(['marked', 'marked']);
      expect(await faultOf(sweepFiles(context))).to.include({ code: 'STORAGE_UNAVAILABLE' });
      proxy.set('open');
      expect(await sweepStorage(context, false)).to.deep.include({
        removed: 2,
        leftovers: 0,
        unknown: [],
        missing: [],
      });
      await expectNothingLeft(context);
    });
  });
});
