import { expect } from 'chai';
import { v7 as uuidv7 } from 'uuid';
import type { User } from '../../src/db/models/user.js';
import { buildUser, signIn, tokenFor } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { type Cast, castOf, changesOf } from './support/cast.js';
import { expectFailure, expectInvalid, messages } from './support/expectations.js';

const day = 86_400_000;

describe('The sessions of another account', () => {
  const harness = useHarness();
  let cast: Cast;
  beforeEach(async () => {
    cast = await castOf(harness.context);
  });
  const of = ({ id }: { id: string }, more = '') => `/api/users/${id}/sessions${more}`;
  const asAdmin = (method: 'get' | 'delete', path: string) => harness.api(method, path, cast.admin.token);
  const idsOf = async (user: User): Promise<string[]> =>
    (await asAdmin('get', of(user)).expect(200)).body.sessions.map(({ id }: { id: string }) => id);

  it('are listed as the account sees them, newest first, without those that have expired', async () => {
    const { user, token } = cast.trainee;
    harness.advance(day);
    await tokenFor(harness.context, user);
    const own = await harness.api('get', '/api/auth/sessions', token).expect(200);
    const { body } = await asAdmin('get', of(user)).expect(200);
    const current = (listed: { current: boolean }[]) => listed.map((session) => ({ ...session, current: false }));
    expect(current(body.sessions)).to.deep.equal(current(own.body.sessions));
    expect(body.pagination).to.deep.equal(own.body.pagination);
    expect(body.sessions).to.have.length(2);
    harness.advance(6.5 * day);
    const admin = await tokenFor(harness.context, cast.admin.user);
    const later = await harness.api('get', of(user), admin).expect(200);
    expect(later.body.sessions).to.have.length(1);
  });

  it('are none of the request, unless the super admin asks for their own', async () => {
    for (const [user, current] of [
      [cast.trainee.user, false],
      [cast.admin.user, true],
    ] as const) {
      const { body } = await asAdmin('get', of(user)).expect(200);
      expect(body.sessions[0]).to.include({ current });
    }
  });

  it('are paged', async () => {
    for (let more = 0; more < 4; more += 1) await tokenFor(harness.context, cast.trainee.user);
    const all = await idsOf(cast.trainee.user);
    const { body } = await asAdmin('get', of(cast.trainee.user, '?page=2&limit=2')).expect(200);
    expect(body.sessions.map(({ id }: { id: string }) => id)).to.deep.equal(all.slice(2, 4));
    expect(body.pagination).to.deep.equal({ currentPage: 2, totalPages: 3, totalItems: 5, itemsPerPage: 2 });
    expectInvalid(await asAdmin('get', of(cast.trainee.user, '?page=0&limit=101')), ['page', 'limit'], 'query');
  });

  it('end one by one, each audited', async () => {
    const { user, token } = cast.trainee;
    const second = await tokenFor(harness.context, user);
    const [, first] = await idsOf(user);
    const { body } = await asAdmin('delete', of(user, `/${first}`)).expect(200);
    expect(body).to.deep.equal({ message: 'Session ended.' });
    expectFailure(await harness.api('get', '/api/auth/me', token), 401, messages.badToken);
    await harness.api('get', '/api/auth/me', second).expect(200);
    const [entry, ...others] = await changesOf(harness, cast, user.id, cast.admin);
    expect(others).to.deep.equal([]);
    expect(entry).to.deep.include({ action: 'user.end-session', after: null });
    expect(entry?.before).to.have.all.keys('id', 'createdAt', 'ip', 'userAgent');
    expect(entry?.before).to.include({ id: first, ip: '127.0.0.1', userAgent: 'test' });
  });

  it('end all at once, audited if there were any', async () => {
    const { user, token } = cast.trainee;
    const second = await tokenFor(harness.context, user);
    const { body } = await asAdmin('delete', of(user)).expect(200);
    expect(body).to.deep.equal({ message: 'All sessions ended.', endedCount: 2 });
    for (const ended of [token, second])
      expectFailure(await harness.api('get', '/api/auth/me', ended), 401, messages.badToken);
    await harness.api('get', '/api/auth/me', cast.foreign.token).expect(200);
    const again = await asAdmin('delete', of(user)).expect(200);
    expect(again.body.endedCount).to.equal(0);
    expect(await changesOf(harness, cast, user.id, cast.admin)).to.deep.equal([
      { action: 'user.end-sessions', before: { sessions: 2 }, after: null },
    ]);
  });

  it('of nobody are 404, and so is a session of another account, one that has ended or expired', async () => {
    const nobody = { id: uuidv7() };
    for (const [method, path] of [
      ['get', of(nobody)],
      ['delete', of(nobody)],
      ['delete', of(nobody, `/${uuidv7()}`)],
    ] as const)
      expectFailure(await asAdmin(method, path), 404, 'User not found.');
    const { user } = cast.trainee;
    const [foreign = ''] = await idsOf(cast.foreign.user);
    const [own = ''] = await idsOf(user);
    for (const id of [foreign, uuidv7(), 'x'])
      expectFailure(await asAdmin('delete', of(user, `/${id}`)), 404, 'Session not found.');
    await harness.context.database.models.Session.update({ expiresAt: new Date(0) }, { where: { userId: user.id } });
    expectFailure(await asAdmin('delete', of(user, `/${own}`)), 404, 'Session not found.');
    expect(await idsOf(cast.foreign.user)).to.deep.equal([foreign]);
    expect(await changesOf(harness, cast, user.id, cast.admin)).to.deep.equal([]);
  });

  it('are for the super admin only', async () => {
    const { user } = await signIn(harness.context);
    for (const { token } of [cast.owner, cast.trainee])
      for (const [method, path] of [
        ['get', of(user)],
        ['delete', of(user)],
        ['delete', of(user, '/x')],
      ] as const)
        await harness.api(method, path, token).expect(403);
  });

  it('end also for an account that is inactive, and has none', async () => {
    const inactive = await buildUser(harness.context, { isActive: false });
    expect(await idsOf(inactive)).to.deep.equal([]);
    expect((await asAdmin('delete', of(inactive)).expect(200)).body.endedCount).to.equal(0);
  });
});
