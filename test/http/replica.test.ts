import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { createConnection } from 'mysql2/promise';
import request from 'supertest';
import { contract } from '../../src/http/api/contract.js';
import type { Operation } from '../../src/http/api/operation.js';
import { createApp } from '../../src/http/server/app.js';
import { onMysql } from '../support/database.js';
import { buildCourse, buildEnrollment, buildImport, buildUser, signIn } from '../support/factories.js';
import { scaled } from '../support/machine.js';
import { replicated, useReplicated } from './support/replicated.js';

if (onMysql)
  describe('A replica for reads', function () {
    this.timeout(scaled(120_000));
    const replica = useReplicated();
    let app: ReturnType<typeof createApp>;
    beforeEach(() => {
      app = createApp(replica.context);
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
      const { user, token } = await signIn(replica.context, { role: 'super_admin' });
      const trainer = await buildUser(replica.context, { role: 'trainer' });
      const course = await buildCourse(replica.context, trainer, { isPublished: true });
      const enrollment = await buildEnrollment(replica.context, await buildUser(replica.context), course);
      const values = { trainerId: trainer.id, courseId: course.id, id: course.id };
      const ids = new Map([
        ['enrollments', enrollment.id],
        ['imports', await buildImport(replica.context, 1)],
      ]);
      const trainee = await signIn(replica.context);
      const operations: Operation[] = Object.values(contract);
      const marked = operations.filter(({ readsReplica }) => readsReplica);
      expect(marked.length).to.be.greaterThan(10);
      for (const { path, method } of marked) {
        expect(method).to.equal('get');
        const [, group = ''] = path.split('/').slice(1);
        const named = { ...values, id: ids.get(group) ?? course.id };
        const route = path.replaceAll(/:(\w+)/g, (_, name: keyof typeof values) => named[name]);
        const query = path.endsWith('available-trainees') ? `?courseId=${course.id}` : '';
        await replica.replication.catchUp();
        const before = await replica.replication.reads();
        await get(route + query, path.endsWith('/my') ? trainee.token : token).expect(200);
        expect(await replica.replication.reads(), path).to.be.greaterThan(before);
      }
      const before = await replica.replication.reads();
      for (const path of ['/api/auth/me', `/api/users/${user.id}`, '/api/imports']) await get(path, token).expect(200);
      expect(await replica.replication.reads()).to.equal(before);
      expect(replica.logged()).not.to.include('the replica is not used');
    });

    it('always shows what was answered before', async () => {
      const { token } = await signIn(replica.context, { role: 'trainer' });
      for (let round = 0; round < 50; round += 1) {
        await add(`Round ${round}`, token);
        expect((await titles(token))[0]).to.equal(`Round ${round}`);
      }
      expect(replica.logged()).not.to.include('the replica is not used');
    });

    it('is not read while it is behind, and is again when it is not', async () => {
      const { token } = await signIn(replica.context, { role: 'trainer' });
      await titles(token);
      const marks = () =>
        replica.context.database.sequelize.query("SELECT name FROM leases WHERE name LIKE 'replica %'");
      const [[...marked]] = await marks();
      await replica.replication.pause();
      await add('While it is stopped', token);
      for (let round = 0; round < 5; round += 1) expect((await titles(token))[0]).to.equal('While it is stopped');
      expect(replica.logged()).to.include('the replica is not used').and.to.include('more than half a second behind');
      await replica.replication.resume();
      while (!replica.logged().includes('reading from the replica again')) {
        expect((await titles(token))[0]).to.equal('While it is stopped');
        await sleep(100);
      }
      // Its data may have been restored meanwhile: it must have what is written now.
      expect((await marks())[0]).to.have.lengthOf(marked.length + 1);
      const before = await replica.replication.reads();
      await titles(token);
      expect(await replica.replication.reads()).to.be.greaterThan(before);
    });

    it('is not read where it has another database, or copies another server', async () => {
      const { database } = replica.context;
      await buildUser(replica.context, { email: 'another@x.org' });
      await replica.replication.catchUp();
      await database.sequelize.query('CREATE DATABASE IF NOT EXISTS restored');
      const { href } = new URL('/restored', replica.replication.primary.url);
      const ofAnother = await replica.contextWith({ DATABASE_URL: href });
      await ofAnother.schema.up();
      expect(await ofAnother.replica?.problem()).to.match(
        /^its database "replicated" lacks .* the database "restored", so/,
      );

      // It has got further than the new server, which the position alone would show.
      for (let row = 0; row < 300; row += 1)
        await database.sequelize.query(`INSERT INTO leases VALUES ('row ${row}', '', 0)`);
      await replica.replication.catchUp();
      const server = await replica.replication.startPrimary();
      try {
        const created = await createConnection(server.url);
        await created.query(`CREATE DATABASE ${replicated}`);
        await created.end();
        const moved = await replica.contextWith({ DATABASE_URL: `${server.url}${replicated}` });
        await moved.schema.up();
        const { user, token } = await signIn(moved, { role: 'super_admin' });
        const { body } = await request(createApp(moved)).get('/api/users').auth(token, { type: 'bearer' }).expect(200);
        expect((body.users as { id: string }[]).map(({ id }) => id)).to.deep.equal([user.id]);
        // MySQL's positions name the server.
        expect(await moved.replica?.problem()).to.match(/so it is no copy of it|more than half a second behind/);
      } finally {
        await server.stop();
      }
    });

    it('is not read without the right to read all tables, and what to do about that and other faults is said', async () => {
      const reader = new URL(`${replica.replication.readerUrl}${replicated}`);
      const admin = await createConnection(replica.replication.replica.url);
      await admin.query("CREATE USER few@'%' IDENTIFIED BY 'few'");
      await admin.query(`GRANT SELECT ON ${replicated}.leases TO few@'%'`);
      await admin.query(`GRANT SELECT ON ${replicated}.users TO few@'%'`);
      await admin.end();
      const saidWith = async (changed: Partial<Record<'username' | 'password' | 'port' | 'pathname', string>>) => {
        const { href } = Object.assign(new URL(reader), changed);
        return (await replica.contextWith({ DATABASE_READ_URL: href })).replica?.problem();
      };
      expect(await saidWith({})).to.equal(undefined);
      expect(await saidWith({ username: 'few', password: 'few' })).to.match(
        /^The user of the replica may not read all of the database "replicated" .*: GRANT SELECT ON `replicated`\.\* TO 'few'@'<host>'/,
      );
      expect(await saidWith({ username: 'few', password: 'few', pathname: '/other' })).to.match(
        /^The user of the replica has no rights on the database "other", .* DATABASE_READ_URL, .*: GRANT SELECT ON `other`\.\* /,
      );
      expect(await saidWith({ pathname: '/nodb' })).to.match(
        /^The replica at \S+ has no database "nodb"\. Check the name in DATABASE_READ_URL, and that the server copies/,
      );
      expect(await saidWith({ pathname: '/mysql' })).to.match(/^The database "mysql" of the replica lacks tables /);
      expect(await saidWith({ password: 'wrong' })).to.match(/ \(mysql:.*\)\. Check DATABASE_READ_URL\.$/);
      expect(await saidWith({ port: '1' })).to.match(
        /Check that the server runs and that DATABASE_READ_URL is right\.$/,
      );
    });

    it('stays in use when a query takes too long on it', async () => {
      const { replica: read } = replica.context;
      const slow = await read?.read(({ read: ask, sequelize }) => ask(() => sequelize.query('SELECT SLEEP(10)')));
      expect(slow).to.equal(undefined);
      expect(replica.logged()).not.to.include('the replica is not used');
      const { token } = await signIn(replica.context, { role: 'trainer' });
      await replica.replication.catchUp();
      const before = await replica.replication.reads();
      await titles(token);
      expect(await replica.replication.reads()).to.be.greaterThan(before);
    });

    it('is not taken for working after requests that failed before they read it', async () => {
      const { token } = await signIn(replica.context, { role: 'trainer' });
      await titles(token);
      replica.proxy.set({ kind: 'reset' });
      await titles(token);
      expect(replica.logged()).to.include('the replica is not used');
      // So long it isn't asked.
      await sleep(5500);
      for (let round = 0; round < 3; round += 1) await get('/api/courses?limit=0', token).expect(400);
      expect(replica.logged()).not.to.include('reading from the replica again');
    });

    for (const kind of ['black hole', 'reset'] as const)
      it(`fails no request when its server is out of reach: ${kind}`, async () => {
        const { token } = await signIn(replica.context, { role: 'trainer' });
        await add('Before', token);
        await titles(token);
        replica.proxy.set({ kind });
        const startedAt = performance.now();
        const answers = await Promise.all(Array.from({ length: 20 }, () => titles(token)));
        for (const [first] of answers) expect(first).to.equal('Before');
        expect(performance.now() - startedAt).to.be.lessThan(scaled(5000));
        expect(replica.logged()).to.include('the replica is not used');
      });
  });
