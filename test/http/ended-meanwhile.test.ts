import { expect } from 'chai';
import request, { type Response } from 'supertest';
import type { Context } from '../../src/context.js';
import type { Database } from '../../src/db/connection.js';
import { createApp } from '../../src/http/server/app.js';
import { createLogger } from '../../src/logger.js';
import { buildCourse, buildMaterial, buildPicture, factoryPassword, signIn } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { halves } from '../support/pictures.js';
import { type Cast, castOf, type Person } from './support/cast.js';
import { expectFailure, messages } from './support/expectations.js';
import { storedKeys } from './support/uploads.js';

describe('A request that another one overtakes', () => {
  const harness = useHarness();
  let cast: Cast;
  beforeEach(async () => {
    cast = await castOf(harness.context);
  });

  interface Overtaken {
    method: 'post' | 'put' | 'delete';
    path: string;
    by: Person;
    body?: object;
    image?: Buffer;
  }

  /** Sends a request, and answers another one, whole, just before the first begins to write. */
  async function overtake(overtaken: Overtaken, other: () => Promise<Response>): Promise<Response> {
    const { database } = harness.context;
    let waiting: typeof other | undefined = other;
    const inTransaction: Database['inTransaction'] = async (work, options) => {
      const next = waiting;
      waiting = undefined;
      if (next) expect((await next()).status).to.equal(200);
      return database.inTransaction(work, options);
    };
    // Object.create() knows nothing of what it is made from.
    const context = Object.create(harness.context, { database: { value: { ...database, inTransaction } } }) as Context;
    const { method, path, by, body, image } = overtaken;
    const call = request(createApp(context))[method](path).set('Authorization', `Bearer ${by.token}`);
    const answer = await (image ? call.attach('image', image, 'me.png') : call.send(body));
    expect(waiting, 'what was to come in between').to.equal(undefined);
    return answer;
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
  for (const [what, path, given] of [
    ['change a password', '/api/auth/change-password', {}],
    ['choose a first password', '/api/auth/first-password-change', { requiresPasswordChange: true }],
  ] as const)
    it(`does not ${what} after the account has logged out everywhere`, async () => {
      const by = await signIn(harness.context, given);
      const before = (await by.user.reload()).passwordHash;
      const answer = await overtake({ method: 'put', path, by, body: passwords }, logOutEverywhere(by));
      expectFailure(answer, 401, messages.badToken);
      expect((await by.user.reload()).passwordHash).to.equal(before);
    });

  for (const [what, first] of [
    ['has logged out everywhere', logOutEverywhere],
    ['was deactivated', deactivate],
  ] as const)
    it(`changes neither profile nor picture of an account that ${what}`, async () => {
      const image = await halves(20, 20).png().toBuffer();
      for (const overtaken of [
        { method: 'put', path: '/api/auth/profile', body: { firstName: 'Another' } },
        { method: 'put', path: '/api/auth/avatar', image },
        { method: 'delete', path: '/api/auth/avatar' },
      ] as const) {
        const by = await signIn(harness.context);
        const { storageKey } = await buildPicture(harness.context, by.user, await halves(9, 9).webp().toBuffer());
        const { firstName, avatar } = await by.user.reload();
        expectFailure(await overtake({ ...overtaken, by }, first(by)), 401, messages.badToken);
        expect(await by.user.reload()).to.include({ firstName, avatar });
        expect(await storedKeys(harness.context)).to.include(storageKey);
      }
      expect(await harness.context.database.models.StoredFile.count()).to.equal(3);
    });

  it("makes no course of a trainer's own who was deactivated or became a trainee", async () => {
    const demote =
      ({ user }: Person) =>
      async () =>
        change('put', `/api/users/${user.id}`, cast.admin, { role: 'trainee' });
    for (const first of [deactivate, demote]) {
      const by = await signIn(harness.context, { role: 'trainer' });
      const body = { title: 'Looms', description: 'Wood.' };
      const answer = await overtake({ method: 'post', path: '/api/courses', by, body }, first(by));
      expectFailure(answer, 401, messages.badToken);
    }
    expect(await harness.context.database.models.Course.count()).to.equal(0);
  });

  for (const [what, isDeleted] of [
    ['was deleted meanwhile', true],
    ['is missing in the storage', false],
  ] as const)
    it(`finds no file that ${what}, ${isDeleted ? 'which is no error' : 'and logs that'}`, async () => {
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
      // Object.create() knows nothing of what it is made from.
      const context = Object.create(harness.context, {
        storage: { value: { ...storage, open } },
        logger: { value: createLogger('error', { write: (line) => void lines.push(line) }) },
      }) as Context;
      const answer = await request(createApp(context)).get(path).set('Authorization', `Bearer ${cast.owner.token}`);
      expectFailure(answer, 404, 'File not found.');
      const said = lines.map((line) => (JSON.parse(line) as { msg: string }).msg);
      expect(said).to.deep.equal(isDeleted ? [] : ['a file is missing in the storage']);
    });

  it('unlocks no account that was deleted: its audit trail ends there', async () => {
    const { id } = cast.trainee.user;
    const unlock = { method: 'post', path: `/api/users/${id}/unlock`, by: cast.admin } as const;
    const answer = await overtake(unlock, async () => change('delete', `/api/users/${id}`, cast.admin));
    expectFailure(answer, 404, 'User not found.');
    expect(await actions(id)).to.deep.equal(['user.delete']);
  });
});
