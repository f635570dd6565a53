import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import request, { type Response } from 'supertest';
import type { Context } from '../../src/context.js';
import { AppError } from '../../src/errors.js';
import { createApp } from '../../src/http/server/app.js';
import { createLogger } from '../../src/logger.js';
import { lockOf, sweepThrottle } from '../../src/services/auth/throttle-locks.js';
import { untrustedProxies } from '../../src/services/auth/untrusted-proxy.js';
import { atDepth } from '../support/depth.js';
import { buildUser, factoryPassword, signIn } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { scaled } from '../support/machine.js';
import { until } from '../support/until.js';
import { ada, expectFailure, messages } from './support/expectations.js';

const minuteMs = 60_000;
const rightLogins = atDepth(100, 1000);

function expectLocked(response: Response, minutes: number): void {
  const wait = minutes === 1 ? 'a minute' : `${minutes} minutes`;
  expectFailure(response, 429, `Too many failed attempts. Try again in ${wait}.`);
  expect(Number(response.headers['retry-after'])).to.be.within(minutes * 60 - 60, minutes * 60);
}

describe('The throttle of logins', () => {
  const harness = useHarness({ TRUST_PROXY: '1' });
  const login = (identifier: string, password: string, address = '192.0.2.1', path = 'login') =>
    harness.api('post', `/api/auth/${path}`).set('X-Forwarded-For', address).send({ identifier, password });
  const wrong = (times: number, identifier: string, address?: string) =>
    Promise.all(Array.from({ length: times }, () => login(identifier, 'a wrong guess', address)));

  /** The only row of a kind of subject. */
  async function counted(kind: 'address' | 'pair') {
    const rows = await harness.context.database.models.LoginThrottle.findAll();
    const [row, ...others] = rows.filter(({ subject }) => subject.startsWith(`${kind}:`));
    expect(others).to.deep.equal([]);
    if (!row) throw new Error(`no row of the ${kind}`);
    return row;
  }

  it('lets ten failures through in ten minutes, then nothing, the right password neither', async () => {
    const { email } = await buildUser(harness.context);
    for (let guess = 0; guess < 10; guess += 1)
      expectFailure(await login(email, 'a wrong guess'), 401, messages.wrongPassword);
    expectLocked(await login(email, 'a wrong guess'), 10);
    expectLocked(await login(email, factoryPassword), 10);
    expectLocked(await login(email, factoryPassword, '198.51.100.7', 'trainee-login'), 10);
  });

  it('counts an account once, whether it is called by email or by phone', async () => {
    const { email, phone } = await buildUser(harness.context);
    for (let guess = 0; guess < 5; guess += 1) {
      await login(email, 'a wrong guess').expect(401);
      await login(phone, 'a wrong guess').expect(401);
    }
    expectLocked(await login(phone, factoryPassword), 10);
  });

  it('treats texts that mean no account, inactive accounts and other roles the same', async () => {
    const { email: inactive } = await buildUser(harness.context, { isActive: false });
    const { email: trainer } = await buildUser(harness.context, { role: 'trainer' });
    for (const [identifier, path, address] of [
      ['nobody@example.org', 'login', '192.0.2.1'],
      [inactive, 'login', '192.0.2.2'],
      [trainer, 'trainee-login', '192.0.2.3'],
    ] as const) {
      for (let guess = 0; guess < 10; guess += 1)
        expectFailure(await login(identifier, factoryPassword, address, path), 401, messages.noMatch);
      expectLocked(await login(identifier, factoryPassword, address, path), 10);
    }
    expectLocked(await login(' NOBODY@example.org', factoryPassword), 10);
  });

  it('counts the ways to write a phone number as one, whether an account has it or not', async () => {
    await buildUser(harness.context, { phone: '+44 20 7946 0001', isActive: false });
    for (const [number, address] of [
      ['0001', '192.0.2.1'],
      ['0002', '192.0.2.2'],
    ] as const) {
      const written = [`+44 20 7946 ${number}`, `+44207946${number}`, `+44-20-7946-${number}`, `+44.20.7946.${number}`];
      for (let guess = 0; guess < 10; guess += 1)
        expectFailure(await login(written[guess % 4] ?? '', 'a wrong guess', address), 401, messages.noMatch);
      for (const identifier of written) expectLocked(await login(identifier, 'a wrong guess', '192.0.2.3'), 10);
    }
  });

  it('admits no more than the limit of concurrent attempts', async () => {
    const { email } = await buildUser(harness.context);
    const answers = await wrong(40, email);
    const through = answers.filter(({ status }) => status === 401).length;
    expect(through).to.equal(10);
    for (const { status } of answers) expect(status).to.be.oneOf([401, 429]);
  });

  it('forgets failures after ten minutes, and when the right password comes', async () => {
    const { email } = await buildUser(harness.context);
    await wrong(9, email);
    harness.advance(10 * minuteMs);
    await wrong(9, email);
    await login(email, factoryPassword).expect(200);
    for (const { status } of await wrong(9, email)) expect(status).to.equal(401);
    await login(email, factoryPassword).expect(200);
  });

  it('locks for ten minutes, then twenty, forty, sixty, and never for longer', async () => {
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
    expectLocked(await login(email, factoryPassword), 10);
  });

  it('locks nobody for longer after the clock was hours ahead, nor counts failures of that time', async () => {
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
    // A lock of a clock that is ahead by less is kept: instances differ by that.
    harness.advance(minuteMs);
    await wrong(10, email);
    harness.advance(-minuteMs);
    expectLocked(await login(email, factoryPassword), 11);
  });

  it(`never refuses ${rightLogins} logins in a row with the right password`, async function () {
    this.timeout(scaled(60_000));
    const { email } = await buildUser(harness.context);
    for (let round = 0; round < rightLogins / 5; round += 1) {
      const answers = await Promise.all(Array.from({ length: 5 }, () => login(email, factoryPassword)));
      for (const { status } of answers) expect(status).to.equal(200);
    }
  });

  it('lets an address fail a hundred times an hour, whomever it tries', async () => {
    for (let guess = 0; guess < 100; guess += 10)
      await Promise.all(
        Array.from({ length: 10 }, (_, n) => login(`n${guess + n}@example.org`, 'a wrong guess').expect(401)),
      );
    const { email } = await buildUser(harness.context);
    expectLocked(await login(email, factoryPassword), 60);
    await login(email, factoryPassword, '192.0.2.2').expect(200);
    harness.advance(60 * minuteMs);
    await login(email, factoryPassword).expect(200);
  });

  it('lets those sign in from a locked address who have signed in there lately', async () => {
    const { email } = await buildUser(harness.context);
    const { email: stranger } = await buildUser(harness.context);
    await login(email, factoryPassword).expect(200);
    for (let guess = 0; guess < 100; guess += 10)
      await Promise.all(Array.from({ length: 10 }, (_, n) => login(`n${guess + n}@example.org`, 'a wrong guess')));
    expectLocked(await login(stranger, factoryPassword), 60);
    await login(email, factoryPassword).expect(200);
    // They have a budget of their own there, as small as that of any account.
    for (const { status } of await wrong(10, email)) expect(status).to.equal(401);
    expectLocked(await login(email, factoryPassword), 10);
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

  it('takes an IPv6 network of 56 bits for one address', async () => {
    const guesses = Array.from(
      { length: 100 },
      (_, n) => [`n${n}@example.org`, `2001:db8:0:1${n % 10}::${n + 1}`] as const,
    );
    for (const [identifier, address] of guesses) await login(identifier, 'a wrong guess', address).expect(401);
    const { email } = await buildUser(harness.context);
    expectLocked(await login(email, factoryPassword, '2001:db8:0:ff::1'), 60);
    await login(email, factoryPassword, '2001:db8:0:100::1').expect(200);
  });

  it('recognises an address in every spelling', async () => {
    const { email } = await buildUser(harness.context);
    for (const spellings of [
      ['2001:db8:a::1', '2001:DB8:A::1', '2001:0db8:000a:0000:0000:0000:0000:0001', '2001:db8:a:0:0:0:203.0.113.5'],
      ['192.0.2.77', '::ffff:192.0.2.77', '::FFFF:c000:24d', '0:0:0:0:0:ffff:192.0.2.77'],
    ]) {
      for (let guess = 0; guess < 100; guess += 1)
        await login(`n${guess}@example.org`, 'a wrong guess', spellings[guess % 4]).expect(401);
      for (const address of spellings) expectLocked(await login(email, factoryPassword, address), 60);
      harness.advance(24 * 60 * minuteMs);
    }
    await login(email, factoryPassword, '::ffff:192.0.2.78').expect(200);
  });

  it('counts guesses of the current password of an account too', async () => {
    const { user, token } = await signIn(harness.context);
    const change = (currentPassword: string) =>
      harness.api('put', '/api/auth/change-password', token).send({ currentPassword, newPassword: 'the next one' });
    for (let guess = 0; guess < 10; guess += 1) await change('a wrong guess').expect(400);
    expectLocked(await change(factoryPassword), 10);
    expectLocked(await login(user.email, factoryPassword), 10);
  });

  it('answers 500 when its table is gone: no attempt goes uncounted', async () => {
    const { email } = await buildUser(harness.context);
    const { sequelize } = harness.context.database;
    await sequelize.query('ALTER TABLE login_throttle RENAME TO elsewhere');
    try {
      expectFailure(await login(email, factoryPassword), 500, 'Server error.');
    } finally {
      await sequelize.query('ALTER TABLE elsewhere RENAME TO login_throttle');
    }
    await login(email, factoryPassword).expect(200);
  });

  it('counts nothing of what was not looked at: the hasher had too much to do', async () => {
    const { email } = await buildUser(harness.context);
    const compare = async () => {
      throw new AppError('OVERLOADED');
    };
    const hasher = { ...harness.context.hasher, compare };
    // A getter that makes the secret when it is asked for stays one.
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

  it('counts guesses that are compared, though their sender does not wait for the answer', async () => {
    const { id, email } = await buildUser(harness.context);
    const server = createServer(harness.app).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const body = JSON.stringify({ identifier: email, password: 'a wrong guess' });
    const head = `POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
    const { LoginThrottle } = harness.context.database.models;
    const begun = async () => {
      const row = await LoginThrottle.findByPk(`account:${id}`);
      return row?.failures ?? 0;
    };
    const lock = () => lockOf(harness.context, id);
    // One whose sender leaves before it is compared doesn't count: nobody has learned anything.
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

  it('releases the attempts of an instance that died when their window is over', async () => {
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

  it('deletes rows that no longer count', async () => {
    await wrong(10, 'nobody@example.org');
    harness.advance(25 * 60 * minuteMs);
    await wrong(1, 'somebody@example.org', '192.0.2.2');
    expect(await sweepThrottle(harness.context)).to.equal(2);
  });

  it('is seen and released by the super admin', async () => {
    const { token } = await signIn(harness.context, { role: 'super_admin' });
    const user = await buildUser(harness.context);
    await wrong(10, user.email);
    const shown = await harness.api('get', `/api/users/${user.id}`, token).expect(200);
    expect(new Date(shown.body.user.lockedUntil).getTime()).to.be.greaterThan(Date.now() + 9 * minuteMs);
    const { body } = await harness.api('post', `/api/users/${user.id}/unlock`, token).expect(200);
    expect(body).to.deep.equal({ message: 'User unlocked successfully.' });
    expect(await lockOf(harness.context, user.id)).to.equal(null);
    expect((await harness.api('get', `/api/users/${user.id}`, token)).body.user.lockedUntil).to.equal(null);
    await login(user.email, factoryPassword, '192.0.2.2').expect(200);
    const audit = await harness.api('get', `/api/audit?targetId=${user.id}`, token).expect(200);
    expect(audit.body.entries.map(({ action }: { action: string }) => action)).to.deep.equal(['user.unlock']);
  });

  it('is released for the addresses from which the account has signed in', async () => {
    const { token } = await signIn(harness.context, { role: 'super_admin' });
    const { id, email } = await buildUser(harness.context);
    await login(email, factoryPassword).expect(200);
    await wrong(10, email);
    expectLocked(await login(email, factoryPassword), 10);
    await harness.api('post', `/api/users/${id}/unlock`, token).expect(200);
    await login(email, factoryPassword).expect(200);
    // Nothing is left of the failures before, nor of the lock, which would make the next one longer.
    await wrong(10, email);
    expectLocked(await login(email, factoryPassword), 10);
  });

  it('leaves an account known at its addresses when it is released', async () => {
    const { token } = await signIn(harness.context, { role: 'super_admin' });
    const { id, email } = await buildUser(harness.context);
    const { email: stranger } = await buildUser(harness.context);
    await login(email, factoryPassword).expect(200);
    for (let guess = 0; guess < 100; guess += 10)
      await Promise.all(Array.from({ length: 10 }, (_, n) => login(`n${guess + n}@example.org`, 'a wrong guess')));
    await wrong(10, email);
    await harness.api('post', `/api/users/${id}/unlock`, token).expect(200);
    expectLocked(await login(stranger, factoryPassword), 60);
    await login(email, factoryPassword).expect(200);
  });

  it('is seen and released where it holds at one address only', async () => {
    const { token } = await signIn(harness.context, { role: 'super_admin' });
    const { id, email } = await buildUser(harness.context);
    await login(email, factoryPassword).expect(200);
    await wrong(9, email);
    await login(email, factoryPassword, '198.51.100.7').expect(200);
    await wrong(1, email);
    expectLocked(await login(email, factoryPassword), 10);
    await login(email, factoryPassword, '198.51.100.7').expect(200);

    const show = async () => (await harness.api('get', `/api/users/${id}`, token).expect(200)).body.user.lockedUntil;
    const listed = async (locked: boolean) =>
      (await harness.api('get', `/api/users?role=trainee&locked=${locked}`, token).expect(200)).body.users.map(
        (user: { id: string; lockedUntil: string | null }) => [user.id, user.lockedUntil],
      );
    const lockedUntil = await show();
    expect(new Date(lockedUntil).getTime()).to.be.greaterThan(Date.now() + 9 * minuteMs);
    expect(await listed(true)).to.deep.equal([[id, lockedUntil]]);
    expect(await listed(false)).to.deep.equal([]);
    await harness.api('post', `/api/users/${id}/unlock`, token).expect(200);
    expect(await show()).to.equal(null);
    expect(await listed(true)).to.deep.equal([]);
    expect(await listed(false)).to.deep.equal([[id, null]]);
    await login(email, factoryPassword).expect(200);
  });

  it('is listed once, with its latest end, for an account that is locked as a whole and at addresses', async () => {
    const { token } = await signIn(harness.context, { role: 'super_admin' });
    const { id, email } = await buildUser(harness.context);
    const { email: other } = await buildUser(harness.context);
    for (const address of ['192.0.2.1', '198.51.100.7']) await login(email, factoryPassword, address).expect(200);
    await wrong(9, email);
    await login(email, factoryPassword, '198.51.100.7').expect(200);
    await wrong(1, email);
    harness.advance(minuteMs);
    await wrong(10, email, '198.51.100.7');
    await wrong(10, other, '203.0.113.5');
    const latest = await lockOf(harness.context, id);
    expect(latest?.getTime()).to.be.greaterThan(harness.context.now().getTime() + 9 * minuteMs);
    const { body } = await harness.api('get', '/api/users?locked=true&sortBy=email&sortOrder=ASC', token).expect(200);
    const emails = body.users.map((user: { email: string }) => user.email);
    expect(emails).to.deep.equal([email, other].sort());
    expect(body.pagination.totalItems).to.equal(2);
    const shown = body.users.find((user: { email: string }) => user.email === email);
    expect(shown.lockedUntil).to.equal(latest?.toISOString());
    const overview = await harness.api('get', '/api/overview', token).expect(200);
    expect(overview.body.overview.people.locked).to.equal(2);
  });
});

describe('X-Forwarded-For of an address that TRUST_PROXY does not name', () => {
  const logged: string[] = [];
  const harness = useHarness({}, createLogger('info', { write: (line) => void logged.push(line) }));

  it('is told once an hour, for all who come through it count as one', async () => {
    const ask = () => harness.api('get', '/api/auth/setup-status').set('X-Forwarded-For', '192.0.2.1').expect(200);
    const told = () => logged.filter((line) => line.includes('X-Forwarded-For')).length;
    await harness.api('get', '/api/auth/setup-status').expect(200);
    expect(told()).to.equal(0);
    for (let number = 0; number < 5; number += 1) await ask();
    expect(told()).to.equal(1);
    harness.advance(61 * minuteMs);
    await ask();
    expect(told()).to.equal(2);
    // It is noted beside the requests.
    while ((await untrustedProxies(harness.context)).length === 0) await sleep(10);
    expect(await untrustedProxies(harness.context)).to.deep.equal(['127.0.0.1']);
    harness.advance(25 * 60 * minuteMs);
    expect(await untrustedProxies(harness.context)).to.deep.equal([]);
  });
});

describe('Phones that an account tries', () => {
  const harness = useHarness();
  const change = (token: string, phone: string) => harness.api('put', '/api/auth/profile', token).send({ phone });

  it('are few an hour, whether an account has them or not', async () => {
    const { token, user } = await signIn(harness.context);
    const { phone: taken } = await buildUser(harness.context);
    for (let number = 0; number < 10; number += 1) {
      await change(token, `+1 555 99 ${number}`).expect(200);
      await change(token, taken).expect(400);
    }
    const refused = await change(token, '+1 555 98 0');
    expectFailure(refused, 429, 'Too many phone numbers tried. Try again in 60 minutes.');
    expect(Number(refused.headers['retry-after'])).to.be.within(3500, 3600);
    // What it has, written in another way, is none to be tried; and names are no phones.
    await change(token, '+1 (555) 99-9').expect(200);
    await harness.api('put', '/api/auth/profile', token).send({ firstName: 'Grace' }).expect(200);
    await harness
      .api('post', '/api/auth/login')
      .send({ identifier: user.email, password: factoryPassword })
      .expect(200);
    harness.advance(60 * minuteMs);
    await change(token, '+1 555 98 0').expect(200);
  });
});

describe('Logins and the cost of hashes', () => {
  const harness = useHarness({ BCRYPT_COST: '6' });
  const login = (identifier: string, password: string) =>
    harness.api('post', '/api/auth/login').send({ identifier, password });

  it('hash a password anew that was hashed at a lower cost, and keep it', async () => {
    const user = await buildUser(harness.context, { password: ada.password });
    await login(user.email, ada.password).expect(200);
    await user.reload();
    expect(user.passwordHash.slice(4, 6)).to.equal('06');
    await login(user.email, ada.password).expect(200);
    await login(user.email, 'a wrong guess').expect(401);
  });

  it('take the right password from all who come together, and count none of them as a failure', async () => {
    const { email } = await buildUser(harness.context);
    const answers = await Promise.all(Array.from({ length: 30 }, () => login(email, factoryPassword)));
    expect(answers.map(({ status }) => status)).to.deep.equal(answers.map(() => 200));
    const { LoginThrottle } = harness.context.database.models;
    expect(await LoginThrottle.sum('failures')).to.equal(0);
  });

  it('leave a generated password as it is: it is about to be replaced', async () => {
    const initialPasswordExpiresAt = new Date(Date.now() + 60_000);
    const user = await buildUser(harness.context, { requiresPasswordChange: true, initialPasswordExpiresAt });
    await login(user.email, factoryPassword).expect(200);
    await user.reload();
    expect(user.passwordHash.slice(4, 6)).to.equal('04');
  });
});
