import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import request, { type Response } from 'supertest';
import { AppError } from '../../src/errors.js';
import { createApp } from '../../src/http/server/app.js';
import { createLogger } from '../../src/logger.js';
import { lockOf } from '../../src/services/auth/current-locks.js';
import { addKnownAddress } from '../../src/services/auth/throttle.js';
import { sweepThrottle } from '../../src/services/auth/throttle-locks.js';
import { untrustedProxies } from '../../src/services/auth/untrusted-proxy.js';
import type { Context } from '../../src/services/context.js';
import { buildLock, buildUser, factoryPassword, signIn } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { until } from '../support/until.js';
import { expectFailure } from './support/expectations.js';

const minuteMs = 60_000;

function expectLocked(response: Response, minutes: number): void {
  const wait = minutes === 1 ? 'a minute' : `${minutes} minutes`;
  expectFailure(response, 'TOO_MANY_ATTEMPTS', `Too many failed attempts. Try again in ${wait}.`);
  expect(Number(response.headers['retry-after'])).to.be.within(minutes * 60 - 60, minutes * 60);
}

describe('The throttle of logins', () => {
  const harness = useHarness({ TRUST_PROXY: '1' });
  const login = (identifier: string, password: string, address = '192.0.2.1', path = 'login') =>
    harness.api('post', `/api/auth/${path}`).set('X-Forwarded-For', address).send({ identifier, password });
  const wrong = (times: number, identifier: string, address?: string) =>
    Promise.all(Array.from({ length: times }, () => login(identifier, 'a wrong guess', address)));

  /** Returns the only row for a kind of subject. */
  async function counted(kind: 'address' | 'pair') {
    const rows = await harness.context.database.models.LoginThrottle.findAll();
    const [row, ...others] = rows.filter(({ subject }) => subject.startsWith(`${kind}:`));
    expect(others).to.deep.equal([]);
    if (!row) throw new Error(`no row of the ${kind}`);
    return row;
  }

  it('allows ten failures in ten minutes, also concurrent ones, then refuses even the correct password', async () => {
    const { email } = await buildUser(harness.context);
    const responses = await wrong(15, email);
    const statuses = responses.map(({ status }) => status).sort();
    expect(statuses).to.deep.equal([...Array(10).fill(401), ...Array(5).fill(429)]);
    expectLocked(await login(email, factoryPassword), 10);
    expectLocked(await login(email, factoryPassword, '198.51.100.7', 'trainee-login'), 10);
  });

  it('counts failures by email and by phone for the same account', async () => {
    const { email, phone } = await buildUser(harness.context);
    for (const identifier of [email, phone]) await wrong(5, identifier);
    expectLocked(await login(phone, factoryPassword), 10);
  });

  it('also locks unknown identifiers, inactive accounts and accounts with other roles', async () => {
    const { email: inactive } = await buildUser(harness.context, { isActive: false });
    const { email: trainer } = await buildUser(harness.context, { role: 'trainer' });
    for (const [identifier, path, address] of [
      ['nobody@example.org', 'login', '192.0.2.1'],
      [inactive, 'login', '192.0.2.2'],
      [trainer, 'trainee-login', '192.0.2.3'],
    ] as const) {
      const guess = () => login(identifier, factoryPassword, address, path);
      for (const response of await Promise.all(Array.from({ length: 10 }, guess)))
        expectFailure(response, 'NO_MATCHING_ACCOUNT');
      expectLocked(await guess(), 10);
    }
    expectLocked(await login(' NOBODY@example.org', factoryPassword), 10);
  });

  it('forgets failures after ten minutes, and after a login', async () => {
    const { email } = await buildUser(harness.context);
    await wrong(9, email);
    harness.advance(10 * minuteMs);
    await wrong(9, email);
    await login(email, factoryPassword).expect(200);
    for (const { status } of await wrong(9, email)) expect(status).to.equal(401);
    await login(email, factoryPassword).expect(200);
  });

  it('locks for ten minutes, then twenty, forty, and at most sixty', async () => {
    const { email } = await buildUser(harness.context);
    for (const [round, minutes] of [10, 20, 40, 60, 60].entries()) {
      await wrong(10, email, `192.0.2.${round + 10}`);
      expectLocked(await login(email, factoryPassword), minutes);
      harness.advance(minutes * minuteMs - 30_000);
      expectLocked(await login(email, factoryPassword), 1);
      harness.advance(30_000);
    }
    await login(email, factoryPassword).expect(200);
    await wrong(10, email, '192.0.2.99');
    expectLocked(await login(email, factoryPassword, '198.51.100.7'), 10);
  });

  it('never locks an account at an address with a recent login because of failures from other addresses, also for the super admin', async () => {
    const { email: admin } = await buildUser(harness.context, { role: 'super_admin' });
    const { email: trainee } = await buildUser(harness.context);
    for (const email of [admin, trainee]) {
      const token = (await login(email, factoryPassword).expect(200)).body.token;
      for (const stranger of ['198.51.100.1', '198.51.100.2']) await wrong(6, email, stranger);
      expectLocked(await login(email, factoryPassword, '198.51.100.3'), 10);
      await login(email, factoryPassword).expect(200);
      await harness
        .api('put', '/api/auth/change-password', token)
        .set('X-Forwarded-For', '192.0.2.1')
        .send({ currentPassword: factoryPassword, newPassword: 'the next one' })
        .expect(200);
      await login(email, 'the next one').expect(200);
      // The address of the strangers stays locked.
      expectLocked(await login(email, 'the next one', '198.51.100.3'), 10);
    }
  });

  it('limits failures at an address with a recent login, which lock the account only there', async () => {
    const { email } = await buildUser(harness.context);
    const here = '2001:db8:a::1';
    await login(email, factoryPassword, here).expect(200);
    const statuses = (await wrong(15, email, '2001:db8:a::2')).map(({ status }) => status).sort();
    expect(statuses).to.deep.equal([...Array(10).fill(401), ...Array(5).fill(429)]);
    expectLocked(await login(email, factoryPassword, here), 10);
    await login(email, factoryPassword, '198.51.100.7').expect(200);
  });

  it('forgets the known addresses of an account after a change of its password, except the address of the change', async () => {
    const { email } = await buildUser(harness.context);
    const [here, there] = ['192.0.2.1', '192.0.2.2'];
    const { token } = (await login(email, factoryPassword, here).expect(200)).body;
    await login(email, factoryPassword, there).expect(200);
    await harness
      .api('put', '/api/auth/change-password', token)
      .set('X-Forwarded-For', here)
      .send({ currentPassword: factoryPassword, newPassword: 'the next one' })
      .expect(200);
    await wrong(10, email, '198.51.100.7');
    expectLocked(await login(email, 'the next one', there), 10);
    await login(email, 'the next one', here).expect(200);
  });

  it('remembers a known address of an account for thirty days', async () => {
    const { email } = await buildUser(harness.context);
    await login(email, factoryPassword).expect(200);
    harness.advance(30 * 24 * 60 * minuteMs - minuteMs);
    await wrong(10, email, '198.51.100.7');
    await login(email, factoryPassword).expect(200);
    harness.advance(30 * 24 * 60 * minuteMs);
    await wrong(10, email, '198.51.100.7');
    expectLocked(await login(email, factoryPassword), 10);
  });

  it('shortens locks and ignores failures from a time when the clock was hours ahead', async () => {
    const { user, token } = await signIn(harness.context, { role: 'super_admin' });
    const { id, email } = await buildUser(harness.context);
    const locked = async () =>
      (await harness.api('get', '/api/users?locked=true', token).expect(200)).body.users.length;
    harness.advance(3 * 60 * minuteMs);
    await wrong(9, user.email);
    await wrong(10, email);
    expectLocked(await login(email, factoryPassword), 10);
    expect(await locked()).to.equal(1);
    harness.advance(-3 * 60 * minuteMs);
    expect(await locked()).to.equal(0);
    expect(await lockOf(harness.context, id)).to.equal(null);
    for (const { status } of await wrong(9, user.email)) expect(status).to.equal(401);
    await wrong(9, email);
    await login(email, factoryPassword).expect(200);
    // Smaller differences are accepted, because the clocks of instances differ.
    harness.advance(minuteMs);
    await wrong(10, email);
    harness.advance(-minuteMs);
    expectLocked(await login(email, factoryPassword), 11);
  });

  it('allows an address a hundred failures an hour; accounts with a recent login there can still sign in', async () => {
    const { email } = await buildUser(harness.context);
    const { email: stranger } = await buildUser(harness.context);
    await login(email, factoryPassword).expect(200);
    for (let guess = 0; guess < 100; guess += 10)
      await Promise.all(
        Array.from({ length: 10 }, (_, n) => login(`n${guess + n}@example.org`, 'a wrong guess').expect(401)),
      );
    expectLocked(await login(stranger, factoryPassword), 60);
    await login(email, factoryPassword).expect(200);
    // Known accounts have their own limit at the address, as small as that of any account.
    for (const { status } of await wrong(10, email)) expect(status).to.equal(401);
    expectLocked(await login(email, factoryPassword), 10);
    harness.advance(60 * minuteMs);
    await login(stranger, factoryPassword).expect(200);
    // After 30 days, the account is no longer known at the address.
    harness.advance(31 * 24 * 60 * minuteMs);
    await wrong(10, 'nobody@example.org');
    expect((await counted('address')).failures).to.equal(10);
    await wrong(1, email);
    expect((await counted('address')).failures).to.equal(11);
  });

  it('does not count the failures of a known account against its address', async () => {
    const { email } = await buildUser(harness.context);
    await login(email, factoryPassword).expect(200);
    await wrong(9, email);
    expect((await counted('address')).failures).to.equal(0);
    expect((await counted('pair')).failures).to.equal(9);
  });

  it('recognises an address in every notation, and counts an IPv6 network of 56 bits as one address', async () => {
    const { email } = await buildUser(harness.context);
    const { LoginThrottle } = harness.context.database.models;
    for (const [spellings, other] of [
      [
        ['2001:db8:a::1', '2001:DB8:A::1', '2001:0db8:000a:0000:0000:0000:0000:0001', '2001:db8:a:0:0:0:203.0.113.5'],
        '2001:db8:a:100::1',
      ],
      [['2001:db8:b:10::1', '2001:db8:b:1f::2', '2001:db8:b:ff::3'], '2001:db8:b:100::1'],
      [['192.0.2.77', '::ffff:192.0.2.77', '::FFFF:c000:24d', '0:0:0:0:0:ffff:192.0.2.77'], '::ffff:192.0.2.78'],
    ] as const) {
      await LoginThrottle.destroy({ where: {} });
      for (const address of spellings) await login(`${address}@example.org`, 'a wrong guess', address).expect(401);
      const row = await counted('address');
      expect(row.failures).to.equal(spellings.length);
      await row.update({ failures: 99 });
      await login('n@example.org', 'a wrong guess', spellings[0]).expect(401);
      for (const address of spellings) expectLocked(await login(email, factoryPassword, address), 60);
      await login(email, factoryPassword, other).expect(200);
    }
  });

  it('also counts wrong current passwords of a signed-in account', async () => {
    const { user, token } = await signIn(harness.context);
    const change = (currentPassword: string) =>
      harness.api('put', '/api/auth/change-password', token).send({ currentPassword, newPassword: 'the next one' });
    for (let guess = 0; guess < 10; guess += 1) await change('a wrong guess').expect(400);
    expectLocked(await change(factoryPassword), 10);
    expectLocked(await login(user.email, factoryPassword), 10);
  });

  it('causes 500 when its table is missing, so that every attempt is counted', async () => {
    const { email } = await buildUser(harness.context);
    const { sequelize } = harness.context.database;
    await sequelize.query('ALTER TABLE login_throttle RENAME TO elsewhere');
    try {
      expectFailure(await login(email, factoryPassword), 'SERVER_ERROR');
    } finally {
      await sequelize.query('ALTER TABLE elsewhere RENAME TO login_throttle');
    }
    await login(email, factoryPassword).expect(200);
  });

  it('does not count attempts that were refused because the hasher was busy', async () => {
    const { email } = await buildUser(harness.context);
    const compare = async () => {
      throw new AppError('OVERLOADED');
    };
    const hasher = { ...harness.context.hasher, compare };
    // Keeps getters, such as the lazily created secret.
    const busy = createApp(Object.create(harness.context, { hasher: { value: hasher } }) as Context);
    for (let round = 0; round < 3; round += 1) {
      const guesses = Array.from({ length: 10 }, () =>
        request(busy).post('/api/auth/login').send({ identifier: email, password: 'a wrong guess' }),
      );
      for (const { status } of await Promise.all(guesses)) expect(status).to.equal(503);
    }
    const { LoginThrottle } = harness.context.database.models;
    const rows = await LoginThrottle.findAll();
    expect(rows.map(({ failures }) => failures)).to.deep.equal(rows.map(() => 0));
    await login(email, factoryPassword).expect(200);
  });

  it('counts compared passwords even if their sender disconnects', async () => {
    const { id, email } = await buildUser(harness.context);
    const server = createServer(harness.app).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const body = JSON.stringify({ identifier: email, password: 'a wrong guess' });
    const head = `POST /api/auth/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
    const { LoginThrottle } = harness.context.database.models;
    const begun = async () => {
      const row = await LoginThrottle.findByPk(`account:${id}`);
      return row?.failures ?? 0;
    };
    const lock = () => lockOf(harness.context, id);
    // An attempt whose sender leaves before the comparison doesn't count, because nobody learned the result.
    for (let guess = 0; guess < 50 && (await lock()) === null; guess += 1) {
      const before = await begun();
      const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
      await once(socket, 'connect');
      await new Promise<void>((resolve) => socket.write(head + body, () => resolve()));
      while ((await begun()) === before && (await lock()) === null) await sleep(1);
      socket.resetAndDestroy();
    }
    await until(async () => (await lock()) !== null, 'the account is locked');
    server.close();
  });

  it('releases the attempts of a crashed instance when their window ends', async () => {
    const { id, email } = await buildUser(harness.context);
    const row = {
      subject: `account:${id}`,
      accountId: id,
      failures: 10,
      windowStartedAt: harness.context.now(),
      locks: 0,
    };
    await harness.context.database.models.LoginThrottle.create(row);
    expect((await login(email, factoryPassword)).status).to.equal(429);
    harness.advance(10 * minuteMs);
    await login(email, factoryPassword).expect(200);
  });

  it('deletes expired rows', async () => {
    await wrong(10, 'nobody@example.org');
    harness.advance(25 * 60 * minuteMs);
    await wrong(1, 'somebody@example.org', '192.0.2.2');
    expect(await sweepThrottle(harness.context)).to.equal(2);
  });

  it('is shown to the super admin and can be released, also at known addresses of the account', async () => {
    const { token } = await signIn(harness.context, { role: 'super_admin' });
    const { id, email } = await buildUser(harness.context);
    const { email: stranger } = await buildUser(harness.context);
    const show = async () => (await harness.api('get', `/api/users/${id}`, token).expect(200)).body.user.lockedUntil;
    const unlock = () => harness.api('post', `/api/users/${id}/unlock`, token).expect(200);
    await wrong(10, email);
    expect(new Date(await show()).getTime()).to.be.greaterThan(Date.now() + 9 * minuteMs);
    expect((await unlock()).body).to.deep.equal({ message: 'User unlocked successfully.' });
    expect([await lockOf(harness.context, id), await show()]).to.deep.equal([null, null]);
    await login(email, factoryPassword).expect(200);
    for (let round = 0; round < 2; round += 1) {
      await wrong(10, email);
      // The released lock doesn't make this lock longer.
      expectLocked(await login(email, factoryPassword), 10);
      if (round === 1) await (await counted('address')).update({ lockedUntil: new Date(Date.now() + 60 * minuteMs) });
      await unlock();
    }
    // The account stays known at the addresses of its logins.
    expectLocked(await login(stranger, factoryPassword), 60);
    await login(email, factoryPassword).expect(200);
    const audit = await harness.api('get', `/api/audit?targetId=${id}`, token).expect(200);
    const actions = audit.body.entries.map(({ action }: { action: string }) => action);
    expect(actions).to.deep.equal(Array(3).fill('user.unlock'));
  });

  it('is shown and can be released for locks at single addresses; the account is listed once with the latest end', async () => {
    const { token } = await signIn(harness.context, { role: 'super_admin' });
    const { id, email } = await buildUser(harness.context);
    const { email: other } = await buildUser(harness.context);
    const [here, there] = ['192.0.2.1', '198.51.100.7'];
    for (const address of [here, there]) await login(email, factoryPassword, address).expect(200);
    await wrong(9, email, here);
    await login(email, factoryPassword, there).expect(200);
    await wrong(1, email, here);
    expectLocked(await login(email, factoryPassword, here), 10);
    await login(email, factoryPassword, there).expect(200);
    const listed = async (locked: boolean) => {
      const query = `/api/users?role=trainee&sortBy=email&locked=${locked}`;
      const { users } = (await harness.api('get', query, token).expect(200)).body;
      return users.map((user: { email: string; lockedUntil: string | null }) => [user.email, user.lockedUntil]);
    };
    expect(await listed(true)).to.deep.equal([[email, (await lockOf(harness.context, id))?.toISOString()]]);
    expect(await listed(false)).to.deep.equal([[other, null]]);
    harness.advance(minuteMs);
    await wrong(10, email, there);
    await wrong(10, other, '203.0.113.5');
    const latest = await lockOf(harness.context, id);
    expect(latest?.getTime()).to.be.greaterThan(harness.context.now().getTime() + 9 * minuteMs);
    const both = await listed(true);
    expect(both.map(([name]: string[]) => name)).to.have.members([email, other]);
    expect(Object.fromEntries(both)[email]).to.equal(latest?.toISOString());
    const overview = await harness.api('get', '/api/overview', token).expect(200);
    expect(overview.body.overview.people.locked).to.equal(2);
    await harness.api('post', `/api/users/${id}/unlock`, token).expect(200);
    expect(await listed(false)).to.deep.equal([[email, null]]);
    for (const address of [here, there]) await login(email, factoryPassword, address).expect(200);
  });
});

describe('X-Forwarded-For of an address that TRUST_PROXY does not name', () => {
  const logged: string[] = [];
  const harness = useHarness({}, createLogger('info', { write: (line) => void logged.push(line) }));

  it('is logged once an hour, because all its clients count as one', async () => {
    const ask = () => harness.api('get', '/api/auth/setup-status').set('X-Forwarded-For', '192.0.2.1').expect(200);
    const told = () => logged.filter((line) => line.includes('X-Forwarded-For')).length;
    await harness.api('get', '/api/auth/setup-status').expect(200);
    expect(told()).to.equal(0);
    for (let number = 0; number < 5; number += 1) await ask();
    expect(told()).to.equal(1);
    harness.advance(61 * minuteMs);
    await ask();
    expect(told()).to.equal(2);
    // The warning is written in the background.
    while ((await untrustedProxies(harness.context)).length === 0) await sleep(10);
    expect(await untrustedProxies(harness.context)).to.deep.equal(['127.0.0.1']);
    harness.advance(25 * 60 * minuteMs);
    expect(await untrustedProxies(harness.context)).to.deep.equal([]);
  });
});

describe('Phones tried by an account', () => {
  const harness = useHarness();
  const change = (token: string, phone: string) => harness.api('put', '/api/auth/profile', token).send({ phone });

  it('are limited per hour, whether they are taken or not', async () => {
    const { token, user } = await signIn(harness.context);
    const { phone: taken } = await buildUser(harness.context);
    for (let number = 0; number < 10; number += 1) {
      await change(token, `+1 555 99 ${number}`).expect(200);
      await change(token, taken).expect(400);
    }
    const refused = await change(token, '+1 555 98 0');
    expectFailure(refused, 'TOO_MANY_ATTEMPTS', 'Too many phone numbers tried. Try again in 60 minutes.');
    expect(Number(refused.headers['retry-after'])).to.be.within(3500, 3600);
    // Its own phone in another notation doesn't count, and neither do names.
    await change(token, '+1 (555) 99-9').expect(200);
    await harness.api('put', '/api/auth/profile', token).send({ firstName: 'Grace' }).expect(200);
    const credentials = { identifier: user.email, password: factoryPassword };
    await harness.api('post', '/api/auth/login').send(credentials).expect(200);
    harness.advance(60 * minuteMs);
    await change(token, '+1 555 98 0').expect(200);
  });
});

describe('Logins and the cost of hashes', () => {
  const harness = useHarness({ BCRYPT_COST: '6', TRUST_PROXY: '1' });

  it('rehash a password of lower cost and keep it, but not a generated one', async () => {
    const initialPasswordExpiresAt = new Date(Date.now() + 60_000);
    for (const [given, cost] of [
      [{}, '06'],
      // A generated password will be replaced soon.
      [{ requiresPasswordChange: true, initialPasswordExpiresAt }, '04'],
    ] as const) {
      const user = await buildUser(harness.context, given);
      const login = (password: string) =>
        harness.api('post', '/api/auth/login').send({ identifier: user.email, password });
      await login(factoryPassword).expect(200);
      expect((await user.reload()).passwordHash.slice(4, 6)).to.equal(cost);
      // The account is known at this address with the new hash.
      await buildLock(harness.context, { accountId: user.id });
      await login(factoryPassword).expect(200);
      await login('a wrong guess').expect(401);
    }
  });

  it('remember all known addresses of an account after a rehash', async () => {
    const user = await buildUser(harness.context);
    const login = (address: string, password = factoryPassword) =>
      harness.api('post', '/api/auth/login').set('X-Forwarded-For', address).send({ identifier: user.email, password });
    await harness.context.database.inTransaction((transaction) =>
      addKnownAddress(harness.context, user, '203.0.113.9', transaction),
    );
    await login('192.0.2.1').expect(200);
    expect((await user.reload()).passwordHash.slice(4, 6)).to.equal('06');
    for (let failure = 1; failure <= 10; failure += 1) await login('198.51.100.7', 'a wrong guess').expect(401);
    expectLocked(await login('198.51.100.7'), 10);
    await login('203.0.113.9').expect(200);
  });
});
