import { expect } from 'chai';
import { v7 as uuidv7 } from 'uuid';
import { sweepSessions } from '../../src/services/auth/sessions.js';
import { buildUser, factoryPassword, signIn, tokenFor } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { until } from '../support/until.js';
import { expectFailure, messages } from './support/expectations.js';

const minute = 60_000;
const day = 86_400_000;
interface Shown {
  id: string;
  createdAt: string;
  lastUsedAt?: string;
  current: boolean;
}

describe('GET /api/auth/sessions', () => {
  const harness = useHarness();
  const list = async (token: string): Promise<Shown[]> => {
    const { body } = await harness.api('get', '/api/auth/sessions', token).expect(200);
    expect(body).to.have.all.keys('sessions', 'pagination');
    return body.sessions;
  };

  it('shows a session with exactly the documented fields', async () => {
    const user = await buildUser(harness.context);
    const login = harness.api('post', '/api/auth/login').set('User-Agent', 'Mosaic/1.0');
    const earliest = Date.now();
    const { body } = await login.send({ identifier: user.email, password: factoryPassword }).expect(200);
    const [session, ...others] = await list(body.token);
    expect(others).to.deep.equal([]);
    expect(session).to.have.all.keys('id', 'createdAt', 'expiresAt', 'ip', 'userAgent', 'current');
    expect(session).to.include({ userAgent: 'Mosaic/1.0', current: true });
    expect(session)
      .to.have.property('ip')
      .that.matches(/127\.0\.0\.1$/);
    const { createdAt, expiresAt } = session as Shown & { expiresAt: string };
    expect(new Date(createdAt).getTime()).to.be.within(earliest, Date.now());
    expect(new Date(expiresAt).getTime() - new Date(createdAt).getTime()).to.equal(7 * day);
    expect(createdAt).to.equal(new Date(createdAt).toISOString());
  });

  it('marks the session that asks as the current one, and no other', async () => {
    const { user, token } = await signIn(harness.context);
    const other = await tokenFor(harness.context, user);
    const [mine, theirs] = [await list(token), await list(other)];
    expect(mine).to.have.length(2);
    expect(mine.filter(({ current }) => current)).to.have.length(1);
    expect(mine.find(({ current }) => current)?.id).to.equal(theirs.find(({ current }) => !current)?.id);
  });

  it('shows the newest first', async () => {
    const { user, token } = await signIn(harness.context);
    harness.advance(minute);
    await tokenFor(harness.context, user);
    harness.advance(minute);
    const newest = await tokenFor(harness.context, user);
    const moments = (await list(token)).map(({ createdAt }) => createdAt);
    expect(moments).to.deep.equal([...moments].sort().reverse());
    expect((await list(newest)).map(({ current }) => current)).to.deep.equal([true, false, false]);
  });

  /** The use is recorded by one of the requests: on a busy machine one may leave it to the next. */
  async function usedSession(token: string) {
    await until(async () => (await list(token))[0]?.lastUsedAt !== undefined);
    return (await list(token))[0];
  }

  it('shows lastUsedAt once the session was used 5 minutes after its start or later', async () => {
    const { token } = await signIn(harness.context);
    harness.advance(4 * minute);
    expect((await list(token))[0]).not.to.have.property('lastUsedAt');
    harness.advance(minute);
    const session = await usedSession(token);
    const used = new Date(session?.lastUsedAt ?? '').getTime();
    expect(used - new Date(session?.createdAt ?? '').getTime()).to.be.within(5 * minute, 6 * minute);
  });

  it('moves lastUsedAt at most every 5 minutes', async () => {
    const { token } = await signIn(harness.context);
    harness.advance(5 * minute);
    const first = await usedSession(token);
    harness.advance(4 * minute);
    expect((await list(token))[0]?.lastUsedAt).to.equal(first?.lastUsedAt);
    harness.advance(minute);
    const moved =
      new Date((await list(token))[0]?.lastUsedAt ?? '').getTime() - new Date(first?.lastUsedAt ?? '').getTime();
    expect(moved).to.be.within(5 * minute, 6 * minute);
  });

  it("shows neither expired sessions nor other accounts'", async () => {
    const { user } = await signIn(harness.context);
    await signIn(harness.context);
    harness.advance(7 * day);
    const token = await tokenFor(harness.context, user);
    expect(await list(token)).to.have.length(1);
  });

  it('keeps at most 255 characters of the user agent', async () => {
    const user = await buildUser(harness.context);
    const login = harness.api('post', '/api/auth/login').set('User-Agent', 'x'.repeat(1000));
    const { body } = await login.send({ identifier: user.email, password: factoryPassword }).expect(200);
    expect((await list(body.token))[0]).to.include({ userAgent: 'x'.repeat(255) });
  });
});

describe('The sessions of an account', () => {
  const harness = useHarness({ MAX_SESSIONS: '25' });
  const login = (identifier: string) =>
    harness.api('post', '/api/auth/login').send({ identifier, password: factoryPassword });

  it('are as many as may be at most: a new one ends the oldest', async () => {
    const { user, token: oldest } = await signIn(harness.context);
    const other = await signIn(harness.context);
    harness.advance(minute);
    const second = await tokenFor(harness.context, user);
    harness.advance(minute);
    for (let number = 0; number < 23; number += 1) await tokenFor(harness.context, user);
    await harness.api('get', '/api/auth/me', oldest).expect(200);
    const { body } = await login(user.email).expect(200);
    expectFailure(await harness.api('get', '/api/auth/me', oldest), 401, messages.badToken);
    for (const token of [body.token, second, other.token]) await harness.api('get', '/api/auth/me', token).expect(200);
    expect(await harness.context.database.models.Session.count({ where: { userId: user.id } })).to.equal(25);
  });

  it('are no more when many sign in at the same moment, and each has its own', async () => {
    const { email, id } = await buildUser(harness.context);
    const answers = await Promise.all(Array.from({ length: 30 }, () => login(email)));
    for (const { status } of answers) expect(status).to.equal(200);
    expect(await harness.context.database.models.Session.count({ where: { userId: id } })).to.equal(25);
  });

  it('are shown a page at a time', async () => {
    const { user, token } = await signIn(harness.context);
    for (let number = 0; number < 24; number += 1) await tokenFor(harness.context, user);
    const { body: first } = await harness.api('get', '/api/auth/sessions', token).expect(200);
    expect(first.sessions).to.have.length(20);
    expect(first.pagination).to.deep.equal({ currentPage: 1, totalPages: 2, totalItems: 25, itemsPerPage: 20 });
    const { body: second } = await harness.api('get', '/api/auth/sessions?page=2', token).expect(200);
    const ids = [...first.sessions, ...second.sessions].map(({ id }: Shown) => id);
    expect(new Set(ids).size).to.equal(25);
    await harness.api('get', '/api/auth/sessions?limit=101', token).expect(400);
  });
});

describe('The address of a session', () => {
  const harness = useHarness({ TRUST_PROXY: '1' });
  const addressBehindProxy = async (forwardedFor: string) => {
    const { email } = await buildUser(harness.context);
    const login = harness.api('post', '/api/auth/login').set('X-Forwarded-For', forwardedFor);
    const { body } = await login.send({ identifier: email, password: factoryPassword }).expect(200);
    const { body: listing } = await harness.api('get', '/api/auth/sessions', body.token).expect(200);
    return listing.sessions[0].ip;
  };

  it('is the one that the configured proxy names', async () => {
    for (const address of ['192.0.2.7', '2001:db8::7', '::ffff:192.0.2.7']) {
      expect(await addressBehindProxy(`198.51.100.1, ${address}`)).to.equal(address);
    }
  });

  it('is left out where the proxy names something that is no address', async () => {
    for (const text of [
      'unknown',
      'x'.repeat(300),
      '\u00e9',
      '192.0.2.7:4711',
      `fe80::1%${'z'.repeat(60)}`,
      '<script>',
    ]) {
      expect(await addressBehindProxy(text)).to.equal(null);
    }
  });
});

describe('The address of a session without a configured proxy', () => {
  const harness = useHarness();

  it("is the connection's, whatever the request says", async () => {
    const { email } = await buildUser(harness.context);
    const login = harness.api('post', '/api/auth/login').set('X-Forwarded-For', '192.0.2.7');
    const { body } = await login.send({ identifier: email, password: factoryPassword }).expect(200);
    const { body: listing } = await harness.api('get', '/api/auth/sessions', body.token).expect(200);
    expect(listing.sessions[0].ip).to.match(/127\.0\.0\.1$/);
  });
});

describe('DELETE /api/auth/sessions/:id', () => {
  const harness = useHarness();
  const end = (token: string, id: string) => harness.api('delete', `/api/auth/sessions/${id}`, token);
  const currentId = async (token: string) => {
    const { body } = await harness.api('get', '/api/auth/sessions', token).expect(200);
    return body.sessions.find(({ current }: Shown) => current).id as string;
  };

  it("ends one of the caller's other sessions", async () => {
    const { user, token } = await signIn(harness.context);
    const other = await tokenFor(harness.context, user);
    const { body } = await end(token, await currentId(other)).expect(200);
    expect(body).to.have.all.keys('message');
    expectFailure(await harness.api('get', '/api/auth/me', other), 401, messages.badToken);
    await harness.api('get', '/api/auth/me', token).expect(200);
  });

  it("ends the caller's own session", async () => {
    const { token } = await signIn(harness.context);
    await end(token, await currentId(token)).expect(200);
    expectFailure(await harness.api('get', '/api/auth/me', token), 401, messages.badToken);
  });

  it("answers 404 for another account's session, as for one that does not exist", async () => {
    const { token } = await signIn(harness.context);
    const other = await signIn(harness.context);
    for (const id of [await currentId(other.token), 'nothing', "'OR'1'='1", '%25']) {
      expectFailure(await end(token, id), 404, 'Session not found.');
    }
    expectFailure(await end(token, '%00'), 404, 'Resource not found.');
    await harness.api('get', '/api/auth/me', other.token).expect(200);
  });

  it('answers 404 for a session that has ended already', async () => {
    const { user, token } = await signIn(harness.context);
    const id = await currentId(await tokenFor(harness.context, user));
    await end(token, id).expect(200);
    expectFailure(await end(token, id), 404, 'Session not found.');
  });
});

describe('POST /api/auth/logout', () => {
  const harness = useHarness();

  it("ends the caller's session and no other", async () => {
    const { user, token } = await signIn(harness.context);
    const other = await tokenFor(harness.context, user);
    const { body } = await harness.api('post', '/api/auth/logout', token).expect(200);
    expect(body).to.have.all.keys('message');
    expectFailure(await harness.api('get', '/api/auth/me', token), 401, messages.badToken);
    expectFailure(await harness.api('post', '/api/auth/logout', token), 401, messages.badToken);
    await harness.api('get', '/api/auth/me', other).expect(200);
  });

  it('is no failure for any of several requests at the same moment', async () => {
    const { token } = await signIn(harness.context);
    const answers = await Promise.all(Array.from({ length: 12 }, () => harness.api('post', '/api/auth/logout', token)));
    const statuses = answers.map(({ status }) => status);
    expect(statuses).to.include(200);
    for (const status of statuses) expect(status).to.be.oneOf([200, 401]);
  });
});

describe('POST /api/auth/logout-all', () => {
  const harness = useHarness();

  it("ends all of the account's sessions and no other account's", async () => {
    const { user, token } = await signIn(harness.context);
    const [other, stranger] = [await tokenFor(harness.context, user), await signIn(harness.context)];
    const { body } = await harness.api('post', '/api/auth/logout-all', token).expect(200);
    expect(body).to.have.all.keys('message');
    for (const ended of [token, other])
      expectFailure(await harness.api('get', '/api/auth/me', ended), 401, messages.badToken);
    await harness.api('get', '/api/auth/me', stranger.token).expect(200);
  });

  it('lets the user sign in again', async () => {
    const { user, token } = await signIn(harness.context);
    await harness.api('post', '/api/auth/logout-all', token).expect(200);
    const credentials = { identifier: user.email, password: factoryPassword };
    const { body } = await harness.api('post', '/api/auth/login').send(credentials).expect(200);
    await harness.api('get', '/api/auth/me', body.token).expect(200);
  });
});

describe('Expired sessions', () => {
  const harness = useHarness();

  it('are removed in time, those that last stay', async () => {
    const { user } = await signIn(harness.context);
    harness.advance(8 * 86_400_000);
    const { token } = await signIn(harness.context);
    await tokenFor(harness.context, user);
    const { Session } = harness.context.database.models;
    expect(await Session.count()).to.equal(3);
    expect(await sweepSessions(harness.context)).to.equal(1);
    expect(await sweepSessions(harness.context)).to.equal(0);
    await harness.api('get', '/api/auth/me', token).expect(200);
  });

  it('are removed in batches, after each of which the service can end', async () => {
    const { user } = await signIn(harness.context);
    const { Session } = harness.context.database.models;
    const session = { userId: user.id, createdAt: new Date(0), expiresAt: new Date(1), ip: null, userAgent: null };
    await Session.bulkCreate(Array.from({ length: 1100 }, () => ({ id: uuidv7(), ...session })));
    expect(await sweepSessions(harness.context, AbortSignal.abort())).to.equal(1000);
    expect(await sweepSessions(harness.context)).to.equal(100);
  });
});
