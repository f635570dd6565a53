import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import request from 'supertest';
import { loadConfig } from '../../src/config/config.js';
import { createApp } from '../../src/http/server/app.js';
import { createLogger } from '../../src/logger.js';
import { type Context, createContext } from '../../src/services/context.js';
import { type FaultyProxy, startProxy } from '../faults/proxy.js';
import { onMysql } from '../support/database.js';
import { testEnvironment } from '../support/environment.js';
import { signIn, tokenFor } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { scaled } from '../support/machine.js';
import { otherWriter } from '../support/sqlite-lock.js';
import { expectFailure } from './support/expectations.js';

const minuteMs = 60_000;

if (onMysql)
  describe('The API on a database that', () => {
    const harness = useHarness();
    let proxy: FaultyProxy;
    let context: Context;
    beforeEach(async () => {
      const url = new URL(harness.databaseUrl);
      proxy = await startProxy(Number(url.port || 3306));
      Object.assign(url, { hostname: '127.0.0.1', port: String(proxy.port) });
      const env = { ...testEnvironment, DATABASE_URL: url.href, DATA_DIR: harness.context.config.dataDir };
      const silent = createLogger('silent', { write: () => undefined });
      const { hasher, now } = harness.context;
      context = await createContext(loadConfig({ env, cwd: '/' }), silent, { hasher, now });
    });
    afterEach(async () => {
      proxy.set({ kind: 'none' });
      await context.close();
      await proxy.close();
    });

    const get = (path: string, token: string) => request(createApp(context)).get(path).auth(token, { type: 'bearer' });

    it('does not respond returns 503 within 5 s, also for downloads, and works again when it is back', async () => {
      const { token } = await signIn(harness.context, { role: 'super_admin' });
      const paths = ['/api/auth/me', '/api/users', '/api/users/export.csv', '/readyz'];
      for (const path of paths) await get(path, token).expect(200);
      // Opens all connections of the pool; some become idle.
      await Promise.all(Array.from({ length: 12 }, () => get('/api/auth/me', token).expect(200)));
      proxy.set({ kind: 'black hole' });
      const startedAt = performance.now();
      const responses = await Promise.all([...paths, ...paths, ...paths, ...paths].map((path) => get(path, token)));
      expect(performance.now() - startedAt).to.be.lessThan(scaled(5000));
      for (const response of responses) {
        expectFailure(response, 'UNAVAILABLE');
        expect(response.headers['retry-after']).to.match(/^\d+$/);
      }
      await request(createApp(context)).get('/healthz').expect(200);
      proxy.set({ kind: 'none' });
      await sleep(3500);
      for (const path of paths) await get(path, token).expect(200);
    });

    for (const [when, statement, fate] of [
      ['before a change', 'INSERT INTO `courses`', 'drop'],
      ['during its commit', 'COMMIT;', 'drop response'],
    ] as const)
      it(`loses the connection ${when} reports the real outcome, and applies the change once`, async () => {
        const { token } = await signIn(harness.context, { role: 'trainer' });
        proxy.onSent = (data) => {
          if (!data.includes(statement)) return 'pass';
          proxy.onSent = undefined;
          return fate;
        };
        const course = { title: 'Once only', description: 'Not twice.' };
        await request(createApp(context)).post('/api/courses').auth(token, { type: 'bearer' }).send(course).expect(201);
        expect(await harness.context.database.models.Course.count({ where: { title: course.title } })).to.equal(1);
      });

    it('refuses writes serves reads, also long after the login', async () => {
      const { token } = await signIn(harness.context);
      const { models, sequelize } = harness.context.database;
      const lastUse = async () => (await models.Session.findOne())?.lastUsedAt;
      harness.advance(6 * minuteMs);
      const refusal = "SIGNAL SQLSTATE 'HY000' SET MYSQL_ERRNO = 1290, MESSAGE_TEXT = 'read-only'";
      await sequelize.query(`CREATE TRIGGER readonly BEFORE UPDATE ON sessions FOR EACH ROW ${refusal}`);
      try {
        await get('/api/auth/me', token).expect(200);
      } finally {
        await sequelize.query('DROP TRIGGER readonly');
      }
      await get('/api/auth/me', token).expect(200);
      expect(await lastUse()).to.equal(null);
      harness.advance(minuteMs);
      await get('/api/auth/me', token).expect(200);
      expect(await lastUse()).to.be.a('date');
    });

    it('delays writes serves reads, also long after the login', async () => {
      const { user, token } = await signIn(harness.context);
      const others = [await tokenFor(harness.context, user), await tokenFor(harness.context, user)];
      harness.advance(6 * minuteMs);
      const { sequelize } = harness.context.database;
      await sequelize.transaction(async (transaction) => {
        await sequelize.query('SELECT id FROM sessions FOR UPDATE', { transaction });
        let hasChangeEnded = false;
        const logout = request(createApp(context)).post('/api/auth/logout').auth(token, { type: 'bearer' });
        const change = logout.then((response) => {
          hasChangeEnded = true;
          return response;
        });
        for (const tokens of [[token, token, ...others], [token]])
          await Promise.all(tokens.map((each) => get('/api/auth/me', each).expect(200)));
        expect(hasChangeEnded).to.equal(false);
        expectFailure(await change, 'UNAVAILABLE');
      });
    });
  });
else
  describe('The API on a file that', () => {
    const harness = useHarness();

    it('another program keeps writing to returns 503 within 5 s for changes', async () => {
      const { token } = await signIn(harness.context);
      // After a while, the next use of a session updates lastUsedAt.
      harness.advance(6 * minuteMs);
      const intruder = await otherWriter(harness.databaseUrl.replace(/^sqlite:/, ''));
      await intruder.run('BEGIN IMMEDIATE');
      const startedAt = performance.now();
      const change = () => harness.api('put', '/api/auth/profile', token).send({ lastName: 'Waiting' });
      let changesEnded = 0;
      const changes = Array.from({ length: 5 }, async () => {
        const response = await change();
        changesEnded += 1;
        return response;
      });
      for (let round = 0; round < 2; round += 1) {
        const reads = Array.from({ length: 5 }, () => harness.api('get', '/api/auth/me', token).expect(200));
        await Promise.all(reads);
      }
      expect(changesEnded).to.equal(0);
      expect(performance.now() - startedAt).to.be.lessThan(scaled(2000));
      for (const response of await Promise.all(changes)) {
        expectFailure(response, 'OVERLOADED');
        expect(response.headers['retry-after']).to.match(/^\d+$/);
      }
      expect(performance.now() - startedAt).to.be.within(3000, scaled(5000));
      const waiting = change().expect(200);
      setTimeout(() => void intruder.run('COMMIT'), 1000);
      expect((await waiting).body.user.lastName).to.equal('Waiting');
      await intruder.close();
    });
  });
