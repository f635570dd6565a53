import { expect } from 'chai';
import request from 'supertest';
import { v7 as uuidv7 } from 'uuid';
import { loadConfig } from '../../src/config/config.js';
import type { User } from '../../src/db/models/user.js';
import { createApp } from '../../src/http/server/app.js';
import { sweepSessions } from '../../src/services/auth/sessions.js';
import { createContext } from '../../src/services/context.js';
import { testEnvironment } from '../support/environment.js';
import { buildUser, factoryPassword, signIn, tokenFor } from '../support/factories.js';
import { type Harness, useHarness } from '../support/harness.js';
import { until } from '../support/until.js';
import { changesOf, useCast } from './support/cast.js';
import { expectFailure } from './support/expectations.js';

const minute = 60_000;
const day = 86_400_000;
interface Shown {
  id: string;
  createdAt: string;
  expiresAt: string;
  lastUsedAt?: string;
  current: boolean;
}

const list = async (harness: Harness, token: string): Promise<Shown[]> => {
  const { body } = await harness.api('get', '/api/auth/sessions', token).expect(200);
  expect(body).to.have.all.keys('sessions', 'pagination');
  return body.sessions;
};
const me = (harness: Harness, token: string) => harness.api('get', '/api/auth/me', token);
const expectEnded = async (harness: Harness, token: string) => expectFailure(await me(harness, token), 'TOKEN_INVALID');

describe('GET /api/auth/sessions', () => {
  const harness = useHarness();

  it('returns a session with exactly the documented fields, and at most 255 characters of the user agent', async () => {
    const user = await buildUser(harness.context);
    const login = harness.api('post', '/api/auth/login').set('User-Agent', 'x'.repeat(1000));
    const earliest = Date.now();
    const { body } = await login.send({ identifier: user.email, password: factoryPassword }).expect(200);
    const [session, ...others] = await list(harness, body.token);
    expect(others).to.deep.equal([]);
    const { createdAt = '', expiresAt = '', ...rest } = session ?? {};
    expect(rest).to.have.all.keys('id', 'method', 'ip', 'userAgent', 'current');
    expect(rest).to.include({ method: 'password', userAgent: 'x'.repeat(255), current: true });
    expect(rest)
      .to.have.property('ip')
      .that.matches(/127\.0\.0\.1$/);
    expect(new Date(createdAt).getTime()).to.be.within(earliest, Date.now());
    expect(new Date(expiresAt).getTime() - new Date(createdAt).getTime()).to.equal(7 * day);
    expect(createdAt).to.equal(new Date(createdAt).toISOString());
  });

  it("lists the newest first with the current one marked, and neither expired ones nor other accounts'", async () => {
    const { user, token } = await signIn(harness.context);
    await signIn(harness.context);
    harness.advance(minute);
    const second = await tokenFor(harness.context, user);
    harness.advance(minute);
    await tokenFor(harness.context, user);
    const sessions = await list(harness, second);
    const moments = sessions.map(({ createdAt }) => createdAt);
    expect(moments).to.deep.equal([...moments].sort().reverse());
    expect(sessions.map(({ current }) => current)).to.deep.equal([false, true, false]);
    harness.advance(7 * day - 1.5 * minute);
    expect(await list(harness, second)).to.have.length(2);
    await expectEnded(harness, token);
  });

  it('sets lastUsedAt from 5 minutes after the start, and updates it at most every 5 minutes', async () => {
    const { token } = await signIn(harness.context);
    const session = async () => (await list(harness, token))[0];
    const used = async () => new Date((await session())?.lastUsedAt ?? '').getTime();
    harness.advance(4 * minute);
    expect(await session()).not.to.have.property('lastUsedAt');
    harness.advance(minute);
    // One of the requests records the use; on a busy machine, the first request may skip this.
    await until(async () => (await session())?.lastUsedAt !== undefined);
    const first = await used();
    expect(first - new Date((await session())?.createdAt ?? '').getTime()).to.be.within(5 * minute, 6 * minute);
    harness.advance(4 * minute);
    expect(await used()).to.equal(first);
    harness.advance(minute);
    expect((await used()) - first).to.be.within(5 * minute, 6 * minute);
  });
});

describe('The sessions of an account', () => {
  const harness = useHarness({ MAX_SESSIONS: '25' });

  it('are limited and listed in pages: a new session ends the oldest one, also concurrently', async () => {
    const { user, token: oldest } = await signIn(harness.context);
    const other = await signIn(harness.context);
    const count = () => harness.context.database.models.Session.count({ where: { userId: user.id } });
    harness.advance(minute);
    const second = await tokenFor(harness.context, user);
    harness.advance(minute);
    for (let number = 0; number < 23; number += 1) await tokenFor(harness.context, user);
    const page = async (number: number) =>
      (await harness.api('get', `/api/auth/sessions?page=${number}`, oldest).expect(200)).body;
    const [first, last] = [await page(1), await page(2)];
    expect(first.pagination).to.deep.equal({ currentPage: 1, totalPages: 2, totalItems: 25, itemsPerPage: 20 });
    expect(new Set([...first.sessions, ...last.sessions].map(({ id }: Shown) => id)).size).to.equal(25);
    const login = () =>
      harness.api('post', '/api/auth/login').send({ identifier: user.email, password: factoryPassword });
    const { body } = await login().expect(200);
    await expectEnded(harness, oldest);
    for (const token of [body.token, second, other.token]) await me(harness, token).expect(200);
    const responses = await Promise.all(Array.from({ length: 30 }, login));
    for (const { status } of responses) expect(status).to.equal(200);
    expect(await count()).to.equal(25);
  });
});

describe('The address of a session', () => {
  const direct = useHarness();
  const behindProxy = useHarness({ TRUST_PROXY: '1' });
  const addressOf = async (harness: Harness, forwardedFor: string) => {
    const { email } = await buildUser(harness.context);
    const login = harness.api('post', '/api/auth/login').set('X-Forwarded-For', forwardedFor);
    const { body } = await login.send({ identifier: email, password: factoryPassword }).expect(200);
    return ((await list(harness, body.token))[0] as unknown as { ip: string | null }).ip;
  };

  it('is the valid address that the configured proxy names; without a proxy that of the connection', async () => {
    for (const address of ['192.0.2.7', '2001:db8::7', '::ffff:192.0.2.7'])
      expect(await addressOf(behindProxy, `198.51.100.1, ${address}`)).to.equal(address);
    for (const text of ['unknown', 'x'.repeat(300), '\u00e9', '192.0.2.7:4711', `fe80::1%${'z'.repeat(60)}`])
      expect(await addressOf(behindProxy, text)).to.equal(null);
    expect(await addressOf(direct, '192.0.2.7')).to.match(/127\.0\.0\.1$/);
  });
});

describe('The end of sessions', () => {
  const harness = useHarness();
  const end = (token: string, id: string) => harness.api('delete', `/api/auth/sessions/${id}`, token);
  const currentId = async (token: string) =>
    (await list(harness, token)).find(({ current }) => current)?.id ?? 'no current session';

  it("is possible for each of the caller's sessions by its id, also for the current one, but never for another account's", async () => {
    const { user, token } = await signIn(harness.context);
    const stranger = await signIn(harness.context);
    const other = await tokenFor(harness.context, user);
    const id = await currentId(other);
    expect((await end(token, id).expect(200)).body).to.have.all.keys('message');
    await expectEnded(harness, other);
    for (const none of [id, await currentId(stranger.token), 'nothing', "'OR'1'='1", '%25'])
      expectFailure(await end(token, none), 'NOT_FOUND', 'Session not found.');
    expectFailure(await end(token, '%00'), 'NOT_FOUND');
    await me(harness, stranger.token).expect(200);
    await end(token, await currentId(token)).expect(200);
    await expectEnded(harness, token);
  });

  it('is caused for the current session by logout, also concurrently, and for all sessions of the account by logout-all', async () => {
    const { user, token } = await signIn(harness.context);
    const [other, stranger] = [await tokenFor(harness.context, user), await signIn(harness.context)];
    const logout = async (what: string, as: string) => harness.api('post', `/api/auth/${what}`, as);
    const statuses = (await Promise.all(Array.from({ length: 12 }, () => logout('logout', token)))).map(
      ({ status }) => status,
    );
    expect(statuses).to.include(200);
    for (const status of statuses) expect(status).to.be.oneOf([200, 401]);
    await expectEnded(harness, token);
    const again = await tokenFor(harness.context, user);
    expect((await logout('logout-all', other)).status).to.equal(200);
    for (const ended of [other, again]) await expectEnded(harness, ended);
    await me(harness, stranger.token).expect(200);
    await me(harness, await tokenFor(harness.context, user)).expect(200);
  });

  it('takes effect on another instance at its next request', async () => {
    const { config, hasher, logger } = harness.context;
    const env = { ...testEnvironment, DATABASE_URL: harness.databaseUrl, DATA_DIR: config.dataDir };
    const other = await createContext(loadConfig({ env, cwd: config.dataDir }), logger, { hasher });
    try {
      const atOther = (token: string) =>
        request(createApp(other)).get('/api/auth/me').set('Authorization', `Bearer ${token}`);
      const { token } = await signIn(harness.context);
      await atOther(token).expect(200);
      await harness.api('post', '/api/auth/logout', token).expect(200);
      expectFailure(await atOther(token), 'TOKEN_INVALID');
    } finally {
      await other.close();
    }
  });

  it('is followed by the removal of expired ones in batches, between which the service can stop', async () => {
    const { user } = await signIn(harness.context);
    const { Session } = harness.context.database.models;
    harness.advance(8 * day);
    const { token } = await signIn(harness.context);
    const session = { userId: user.id, createdAt: new Date(0), expiresAt: new Date(1), ip: null, userAgent: null };
    await Session.bulkCreate(Array.from({ length: 1099 }, () => ({ id: uuidv7(), ...session })));
    expect(await sweepSessions(harness.context, AbortSignal.abort())).to.equal(1000);
    expect(await sweepSessions(harness.context)).to.equal(100);
    expect(await Session.count()).to.equal(1);
    await me(harness, token).expect(200);
  });
});

describe('The sessions of another account', () => {
  const harness = useHarness();
  const cast = useCast(harness);
  const of = ({ id }: { id: string }, more = '') => `/api/users/${id}/sessions${more}`;
  const asAdmin = (method: 'get' | 'delete', path: string) => harness.api(method, path, cast.admin.token);
  const idsOf = async (user: User): Promise<string[]> =>
    (await asAdmin('get', of(user)).expect(200)).body.sessions.map(({ id }: Shown) => id);

  it('are listed as for the account itself, without a current one', async () => {
    const { user, token } = cast.trainee;
    harness.advance(day);
    await tokenFor(harness.context, user);
    const own = await list(harness, token);
    const { body } = await asAdmin('get', of(user)).expect(200);
    expect(own).to.have.length(2);
    expect(body.sessions).to.deep.equal(own.map((session) => ({ ...session, current: false })));
    const admins = await asAdmin('get', of(cast.admin.user)).expect(200);
    expect(admins.body.sessions[0]).to.include({ current: true });
  });

  it('can be ended one by one and all at once, each audited', async () => {
    const { user, token } = cast.trainee;
    const others = [await tokenFor(harness.context, user), await tokenFor(harness.context, user)];
    const first = (await idsOf(user)).at(-1);
    const one = await asAdmin('delete', of(user, `/${first}`)).expect(200);
    expect(one.body).to.deep.equal({ message: 'Session ended.' });
    await expectEnded(harness, token);
    for (const other of others) await me(harness, other).expect(200);
    for (const endedCount of [2, 0]) {
      const { body } = await asAdmin('delete', of(user)).expect(200);
      expect(body).to.deep.equal({ message: 'All sessions ended.', endedCount });
    }
    for (const other of others) await expectEnded(harness, other);
    await me(harness, cast.foreign.token).expect(200);
    const [entry, ...more] = await changesOf(harness, cast, user.id, cast.admin);
    expect(more).to.deep.equal([{ action: 'user.end-sessions', before: { sessions: 2 }, after: null }]);
    expect(entry).to.deep.include({ action: 'user.end-session', after: null });
    expect(entry?.before).to.have.all.keys('id', 'createdAt', 'ip', 'userAgent');
    expect(entry?.before).to.include({ id: first, ip: '127.0.0.1', userAgent: 'test' });
  });

  it('return 404 for unknown accounts, sessions of another account, and ended or expired sessions', async () => {
    const nobody = { id: uuidv7() };
    for (const [method, path] of [
      ['get', of(nobody)],
      ['delete', of(nobody)],
      ['delete', of(nobody, `/${uuidv7()}`)],
    ] as const)
      expectFailure(await asAdmin(method, path), 'NOT_FOUND', 'User not found.');
    const { user } = cast.trainee;
    const [foreign = ''] = await idsOf(cast.foreign.user);
    const [own = ''] = await idsOf(user);
    await harness.context.database.models.Session.update({ expiresAt: new Date(0) }, { where: { userId: user.id } });
    for (const id of [foreign, uuidv7(), 'x', own])
      expectFailure(await asAdmin('delete', of(user, `/${id}`)), 'NOT_FOUND', 'Session not found.');
    expect(await idsOf(cast.foreign.user)).to.deep.equal([foreign]);
    expect(await changesOf(harness, cast, user.id, cast.admin)).to.deep.equal([]);
  });
});
