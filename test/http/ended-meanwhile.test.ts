import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { expect } from 'chai';
import request, { type Response } from 'supertest';
import type { Database } from '../../src/db/connection.js';
import { createApp } from '../../src/http/server/app.js';
import { createLogger } from '../../src/logger.js';
import type { Context } from '../../src/services/context.js';
import {
  buildCourse,
  buildEnrollment,
  buildImage,
  buildLock,
  buildMaterial,
  factoryPassword,
  signIn,
} from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { redBlueImage } from '../support/images.js';
import { type Person, serve, useCast } from './support/cast.js';
import { expectFailure } from './support/expectations.js';
import { storedKeys } from './support/uploads.js';

describe('A request during a conflicting change', () => {
  const harness = useHarness();
  const cast = useCast(harness);

  interface Overtaken {
    method: 'post' | 'put' | 'delete';
    path: string;
    by: Person;
    body?: object;
    image?: Buffer;
  }

  /** Sends a request, and completes another one just before the first begins to write. */
  async function overtake(overtaken: Overtaken, other: () => Promise<Response>): Promise<Response> {
    const { database } = harness.context;
    let waiting: typeof other | undefined = other;
    const inTransaction: Database['inTransaction'] = async (work, options) => {
      const next = waiting;
      waiting = undefined;
      if (next) expect((await next()).status).to.equal(200);
      return database.inTransaction(work, options);
    };
    // Object.create() returns `any`.
    const context = Object.create(harness.context, { database: { value: { ...database, inTransaction } } }) as Context;
    const { method, path, by, body, image } = overtaken;
    const call = request(createApp(context))[method](path).set('Authorization', `Bearer ${by.token}`);
    const response = await (image ? call.attach('image', image, 'me.png') : call.send(body));
    expect(waiting, 'what was to come in between').to.equal(undefined);
    return response;
  }

  const change = (method: 'post' | 'put' | 'delete', path: string, by: Person, body: object = {}) =>
    harness.api(method, path, by.token).send(body);
  const logOutEverywhere = (by: Person) => async () => change('post', '/api/auth/logout-all', by);
  const deactivate =
    ({ user }: Person) =>
    async () =>
      change('put', `/api/users/${user.id}/status`, cast.admin, { isActive: false });
  const actions = async (targetId: string) =>
    (await harness.context.database.models.AuditEntry.findAll({ where: { targetId }, order: ['id'] })).map(
      ({ action }) => action,
    );

  const passwords = { currentPassword: factoryPassword, newPassword: 'another password' };
  for (const [what, first] of [
    ['has logged out everywhere', logOutEverywhere],
    ['was deactivated', deactivate],
  ] as const)
    it(`changes neither password, profile nor image of an account that ${what}`, async () => {
      const image = await redBlueImage(20, 20).png().toBuffer();
      for (const overtaken of [
        { method: 'put', path: '/api/auth/change-password', body: passwords },
        { method: 'put', path: '/api/auth/first-password-change', body: passwords },
        { method: 'put', path: '/api/auth/profile', body: { firstName: 'Another' } },
        { method: 'put', path: '/api/auth/avatar', image },
        { method: 'delete', path: '/api/auth/avatar' },
      ] as const) {
        const by = await signIn(harness.context, { requiresPasswordChange: overtaken.path.includes('first') });
        const { storageKey } = await buildImage(harness.context, by.user, await redBlueImage(9, 9).webp().toBuffer());
        const { firstName, avatar, passwordHash } = await by.user.reload();
        expectFailure(await overtake({ ...overtaken, by }, first(by)), 'TOKEN_INVALID');
        expect(await by.user.reload()).to.include({ firstName, avatar, passwordHash });
        expect(await storedKeys(harness.context)).to.include(storageKey);
      }
      expect(await harness.context.database.models.StoredFile.count()).to.equal(5);
    });

  it('creates no course for a trainer who was deactivated or became a trainee', async () => {
    const demote =
      ({ user }: Person) =>
      async () =>
        change('put', `/api/users/${user.id}`, cast.admin, { role: 'trainee' });
    for (const first of [deactivate, demote]) {
      const by = await signIn(harness.context, { role: 'trainer' });
      const body = { title: 'Looms', description: 'Wood.' };
      const response = await overtake({ method: 'post', path: '/api/courses', by, body }, first(by));
      expectFailure(response, 'TOKEN_INVALID');
    }
    expect(await harness.context.database.models.Course.count()).to.equal(0);
  });

  const changesBy = {
    admin: [
      'post /api/auth/register',
      'put /api/users/:account',
      'put /api/users/:account/status',
      'post /api/users/:account/reset-password',
      'post /api/users/:account/unlock',
      'delete /api/users/:account',
      'delete /api/users/:account/sessions',
      'put /api/courses/:course/assign-trainer',
    ],
    owner: [
      'put /api/courses/:course',
      'put /api/courses/:course/publish',
      'delete /api/courses/:course',
      'post /api/enrollments/assign',
      'post /api/enrollments/bulk',
      'put /api/enrollments/:enrollment/status',
      'put /api/enrollments/:enrollment/progress',
      'put /api/enrollments/:enrollment/reply',
      'delete /api/enrollments/:enrollment',
    ],
  } as const;

  for (const who of ['admin', 'owner'] as const)
    for (const operation of changesBy[who])
      it(`stops ${operation} when its caller has logged out everywhere`, async () => {
        const [method, template] = operation.split(' ') as ['post' | 'put' | 'delete', string];
        const { trainee, foreign, [who]: by } = cast;
        const course = await buildCourse(harness.context, cast.owner.user, { isPublished: false });
        const enrollment = await buildEnrollment(harness.context, foreign.user, course);
        if (template.endsWith('unlock')) await buildLock(harness.context, { accountId: trainee.user.id });
        const ids: Record<string, string> = { account: trainee.user.id, course: course.id, enrollment: enrollment.id };
        const path = template.replace(/:(\w+)/, (_: string, name: string) => ids[name] ?? '');
        // Each operation uses only its own fields of this body.
        const names = { firstName: 'Mary', lastName: 'Shelley', email: 'mary@example.org', phone: '555 0199' };
        const others = { password: 'a fine password', role: 'trainer', isActive: false, title: 'Looms' };
        const people = { trainerId: foreign.user.id, traineeId: trainee.user.id, traineeIds: [trainee.user.id] };
        const status = template.endsWith('status') ? 'cancelled' : 'active';
        const body = {
          ...names,
          ...others,
          ...people,
          courseId: course.id,
          isPublished: true,
          status,
          progress: 50,
          reply: 'Hi',
        };
        const stored = async () => {
          const { AuditEntry, Course, Enrollment, User } = harness.context.database.models;
          const inOrder = { order: ['id'], raw: true };
          const [users, courses] = [await User.findAll(inOrder), await Course.findAll(inOrder)];
          return [users, courses, await Enrollment.findAll(inOrder), await AuditEntry.findAll(inOrder)];
        };
        const before = await stored();
        const sent = method === 'delete' ? {} : { body };
        const response = await overtake({ method, path, by, ...sent }, logOutEverywhere(by));
        expectFailure(response, 'TOKEN_INVALID');
        expect(await stored()).to.deep.equal(before);
      });

  it('changes nothing when its body arrives after the logout of its caller', async () => {
    const { context } = harness;
    const course = await buildCourse(context, cast.owner.user, { isPublished: true });
    const { database } = context;
    let admit: () => void = () => undefined;
    const read: Database['read'] = async (work) => {
      const found = await database.read(work);
      admit();
      return found;
    };
    // Object.create() returns `any`.
    const watched = Object.create(context, { database: { value: { ...database, read } } }) as Context;
    const server = await serve(createApp(watched));
    try {
      for (const [by, path, body] of [
        [cast.trainee, '/api/enrollments', { courseId: course.id }],
        [cast.owner, '/api/courses', { title: 'Looms', description: 'Wood.' }],
      ] as const) {
        const text = JSON.stringify(body);
        const headers = { Authorization: `Bearer ${by.token}`, 'Content-Type': 'application/json' };
        const call = httpRequest(`${server.url}${path}`, { method: 'POST', headers });
        const admitted = new Promise<void>((resolve) => {
          admit = resolve;
        });
        call.setHeader('Content-Length', Buffer.byteLength(text));
        call.write(text.slice(0, 1));
        await admitted;
        await change('post', '/api/auth/logout-all', by).expect(200);
        call.end(text.slice(1));
        const [{ statusCode }] = (await once(call, 'response')) as [IncomingMessage];
        expect(statusCode, path).to.equal(401);
      }
    } finally {
      await server.close();
    }
    expect(await database.models.Enrollment.count()).to.equal(0);
    expect(await database.models.Course.count()).to.equal(1);
  });

  // A batch reads accounts and their groups. A workbook reads more rows first, to measure the widths of its columns.
  for (const [format, expectedReads] of [
    ['csv', 4],
    ['xlsx', 6],
  ] as const)
    it(`stops sending ${format} to a caller who logs out during the response`, async () => {
      const { context } = harness;
      const { database } = context;
      let reads = 0;
      const read: Database['read'] = async (work) => {
        reads += 1;
        // The first read is the session check.
        if (reads === 2) await change('post', '/api/auth/logout-all', cast.admin).expect(200);
        return database.read(work);
      };
      // Object.create() returns `any`.
      const watched = Object.create(context, { database: { value: { ...database, read } } }) as Context;
      const call = request(createApp(watched)).get(`/api/users/export.csv?format=${format}`);
      expectFailure(await call.set('Authorization', `Bearer ${cast.admin.token}`), 'TOKEN_INVALID');
      expect(reads).to.equal(expectedReads);
    });

  for (const [what, isDeleted] of [
    ['was deleted meanwhile', true],
    ['is missing in the storage', false],
  ] as const)
    it(`returns 404 for a file that ${what}, ${isDeleted ? 'without an error in the log' : 'and logs an error'}`, async () => {
      const { storage } = harness.context;
      const course = await buildCourse(harness.context, cast.owner.user);
      const { id, storageKey } = await buildMaterial(harness.context, course);
      const path = `/api/courses/${course.id}/files/${id}`;
      const lines: string[] = [];
      const open: typeof storage.open = async (key, range) => {
        if (isDeleted) await change('delete', path, cast.owner).expect(200);
        else await storage.remove([storageKey]);
        return storage.open(key, range);
      };
      // Object.create() returns `any`.
      const context = Object.create(harness.context, {
        storage: { value: { ...storage, open } },
        logger: { value: createLogger('error', { write: (line) => void lines.push(line) }) },
      }) as Context;
      const response = await request(createApp(context)).get(path).set('Authorization', `Bearer ${cast.owner.token}`);
      expectFailure(response, 'NOT_FOUND', 'File not found.');
      const message = lines.map((line) => (JSON.parse(line) as { msg: string }).msg);
      expect(message).to.deep.equal(isDeleted ? [] : ['a file is missing in the storage']);
    });

  it('does not unlock an account that was deleted, and records nothing after the deletion', async () => {
    const { id } = cast.trainee.user;
    const unlock = { method: 'post', path: `/api/users/${id}/unlock`, by: cast.admin } as const;
    const response = await overtake(unlock, async () => change('delete', `/api/users/${id}`, cast.admin));
    expectFailure(response, 'NOT_FOUND', 'User not found.');
    expect(await actions(id)).to.deep.equal(['user.delete']);
  });
});
