import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { createConnection } from 'mysql2/promise';
import request from 'supertest';
import { loadConfig } from '../../src/config/config.js';
import { type Context, createContext } from '../../src/context.js';
import { contract } from '../../src/http/api/contract.js';
import type { Operation } from '../../src/http/api/operation.js';
import { createApp } from '../../src/http/server/app.js';
import { createLogger } from '../../src/logger.js';
import { type FaultyProxy, startProxy } from '../faults/proxy.js';
import { onMysql } from '../support/database.js';
import { buildCourse, buildEnrollment, buildUser, signIn } from '../support/factories.js';
import { testEnvironment, useHarness } from '../support/harness.js';
import { scaled } from '../support/machine.js';
import { type Replication, startReplication } from '../support/replication.js';

if (onMysql)
  describe('A replica for reads', function () {
    this.timeout(scaled(120_000));
    // For its hasher and folder: the databases are others.
    const harness = useHarness();
    let replication: Replication;
    let proxy: FaultyProxy;
    let context: Context;
    const logged: string[] = [];
    let app: ReturnType<typeof createApp>;

    before(async () => {
      replication = await startReplication();
      const connection = await createConnection(replication.primary.url);
      await connection.query('CREATE DATABASE replicated');
      await connection.end();
      proxy = await startProxy(Number(new URL(replication.replica.url).port));
    });
    after(async () => {
      await proxy.close();
      await replication.stop();
    });
    beforeEach(async () => {
      const reader = new URL(`${replication.readerUrl}replicated`);
      reader.port = String(proxy.port);
      const env = {
        ...testEnvironment,
        DATABASE_URL: `${replication.primary.url}replicated`,
        DATABASE_READ_URL: reader.href,
        DATA_DIR: harness.context.config.dataDir,
      };
      const logger = createLogger('info', { write: (line: string) => void logged.push(line) });
      context = await createContext(loadConfig({ env, cwd: '/' }), logger, { hasher: harness.context.hasher });
      await context.schema.up();
      app = createApp(context);
      logged.length = 0;
    });
    afterEach(async () => {
      proxy.set({ kind: 'none' });
      await replication.resume();
      await context.close();
    });

    const get = (path: string, token: string) => request(app).get(path).auth(token, { type: 'bearer' });
    const add = async (title: string, token: string): Promise<void> => {
      const course = { title, description: 'Shown at once.' };
      await request(app).post('/api/courses').auth(token, { type: 'bearer' }).send(course).expect(201);
    };
    const titles = async (token: string): Promise<string[]> => {
      const { body } = await get('/api/courses?limit=100', token).expect(200);
      return (body.courses as { title: string }[]).map(({ title }) => title);
    };

    it('is read for listings, by a user who may only read, and for nothing else', async () => {
      const { user, token } = await signIn(context, { role: 'super_admin' });
      const trainer = await buildUser(context, { role: 'trainer' });
      const course = await buildCourse(context, trainer, { isPublished: true });
      const enrollment = await buildEnrollment(context, await buildUser(context), course);
      const values = { trainerId: trainer.id, courseId: course.id, id: course.id };
      const trainee = await signIn(context);
      const operations: Operation[] = Object.values(contract);
      const marked = operations.filter(({ readsReplica }) => readsReplica);
      expect(marked.length).to.be.greaterThan(10);
      for (const { path, method } of marked) {
        expect(method).to.equal('get');
        const named = path.startsWith('/api/enrollments/:id') ? { ...values, id: enrollment.id } : values;
        const route = path.replaceAll(/:(\w+)/g, (_, name: keyof typeof values) => named[name]);
        const query = path.endsWith('available-trainees') ? `?courseId=${course.id}` : '';
        const before = await replication.reads();
        await get(route + query, path.endsWith('/my') ? trainee.token : token).expect(200);
        expect(await replication.reads(), path).to.be.greaterThan(before);
      }
      const before = await replication.reads();
      for (const path of ['/api/auth/me', `/api/users/${user.id}`, '/api/users/export.csv'])
        await get(path, token).expect(200);
      expect(await replication.reads()).to.equal(before);
      expect(logged.join('')).not.to.include('the replica is not used');
    });

    it('always shows what was answered before', async () => {
      const { token } = await signIn(context, { role: 'trainer' });
      for (let round = 0; round < 50; round += 1) {
        await add(`Round ${round}`, token);
        expect((await titles(token))[0]).to.equal(`Round ${round}`);
      }
      expect(logged.join('')).not.to.include('the replica is not used');
    });

    it('is not read while it is behind, and is again when it is not', async () => {
      const { token } = await signIn(context, { role: 'trainer' });
      await titles(token);
      await replication.pause();
      await add('While it is stopped', token);
      for (let round = 0; round < 5; round += 1) expect((await titles(token))[0]).to.equal('While it is stopped');
      expect(logged.join('')).to.include('the replica is not used').and.to.include('more than half a second behind');
      await replication.resume();
      while (!logged.join('').includes('reading from the replica again')) {
        expect((await titles(token))[0]).to.equal('While it is stopped');
        await sleep(100);
      }
      const before = await replication.reads();
      await titles(token);
      expect(await replication.reads()).to.be.greaterThan(before);
    });

    for (const kind of ['black hole', 'reset'] as const)
      it(`fails no request when its server is out of reach: ${kind}`, async () => {
        const { token } = await signIn(context, { role: 'trainer' });
        await add('Before', token);
        await titles(token);
        proxy.set({ kind });
        const startedAt = performance.now();
        const answers = await Promise.all(Array.from({ length: 20 }, () => titles(token)));
        for (const [first] of answers) expect(first).to.equal('Before');
        expect(performance.now() - startedAt).to.be.lessThan(scaled(5000));
        expect(logged.join('')).to.include('the replica is not used');
      });
  });
