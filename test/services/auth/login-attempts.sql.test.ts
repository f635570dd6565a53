import { EventEmitter, once } from 'node:events';
import { setImmediate as otherWork } from 'node:timers/promises';
import { expect } from 'chai';
import { loadConfig } from '../../../src/config/config.js';
import { AppError } from '../../../src/errors.js';
import { lockOf } from '../../../src/services/auth/current-locks.js';
import { login } from '../../../src/services/auth/login.js';
import {
  type Attempt,
  countOrRefuse,
  lockAtLimit,
  readThrottle,
  runThrottled,
} from '../../../src/services/auth/throttle.js';
import { type Context, createContext } from '../../../src/services/context.js';
import { failureOf } from '../../db/support/failure.js';
import { type FaultyProxy, startProxy } from '../../faults/proxy.js';
import { onMysql } from '../../support/database.js';
import { testEnvironment } from '../../support/environment.js';
import { buildUser, factoryPassword } from '../../support/factories.js';
import { useHarness } from '../../support/harness.js';

const address = '192.0.2.1';
const client = { ip: address, userAgent: null };

describe('An attempt to log in', () => {
  const harness = useHarness();

  /** Returns the context with another comparison of passwords. Object.create() loses the type. */
  const comparing = (compare: Context['hasher']['compare']) =>
    Object.create(harness.context, { hasher: { value: { ...harness.context.hasher, compare } } }) as Context;
  const codeOf = (work: Promise<unknown>) =>
    work.then(
      () => 'done',
      ({ code }: { code: string }) => code,
    );

  /** Returns the counted failures by kind of subject. */
  async function counted(): Promise<Record<string, number>> {
    const rows = await harness.context.database.models.LoginThrottle.findAll();
    return Object.fromEntries(rows.map(({ subject, failures }) => [subject.replace(/:.*/, ''), failures]));
  }

  /** Makes an attempt that fails with a code, or succeeds without one. */
  async function attempt(accountId: string, code?: 'WRONG_PASSWORD' | 'OVERLOADED', ip: string | null = address) {
    const target = { accountId, passwordHash: '' };
    const work = async ({ count, succeed }: Attempt) => {
      await count();
      await count();
      if (code) throw new AppError(code);
      await harness.context.database.inTransaction((transaction) => succeed(transaction, ''));
    };
    const rows = await readThrottle(harness.context, target, ip);
    return runThrottled(harness.context, target, ip, work, { rows }).catch((error: AppError) => error.code);
  }

  /** Runs work as an attempt without earlier failures. */
  const first = <T>(accountId: string, work: (attempt: Attempt) => Promise<T>, signal?: AbortSignal) =>
    runThrottled(harness.context, { accountId, passwordHash: '' }, address, work, { rows: [], signal });

  it('counts while it runs, and afterwards only if it failed', async () => {
    const { id: accountId } = await buildUser(harness.context);
    expect(await attempt(accountId, 'WRONG_PASSWORD')).to.equal('WRONG_PASSWORD');
    expect(await counted()).to.deep.equal({ account: 1, address: 1 });
    expect(await attempt(accountId, 'OVERLOADED')).to.equal('OVERLOADED');
    expect(await counted()).to.deep.equal({ account: 1, address: 1 });
    await attempt(accountId);
    // Failures of the address stay counted. The account is known there from now on.
    expect(await counted()).to.deep.equal({ account: 0, address: 1, pair: 0 });
    await attempt(accountId, 'WRONG_PASSWORD');
    expect(await counted()).to.deep.equal({ account: 0, address: 1, pair: 1 });
  });

  it('subtracts no failure from a window that began after the failure was counted', async () => {
    const { id: accountId } = await buildUser(harness.context);
    await first(accountId, async ({ count }) => {
      await count();
      harness.advance(61 * 60_000);
      await countOrRefuse(harness.context, [`account:${accountId}`, `address:${address}`], accountId, 'guesses');
      throw new AppError('OVERLOADED');
    }).catch(() => undefined);
    expect(await counted()).to.deep.equal({ account: 1, address: 1 });
  });

  it('is counted in all rows or none, and concurrent attempts never exceed the limit', async () => {
    const { id: accountId } = await buildUser(harness.context);
    const subjects = [`account:${accountId}`, `address:${address}`];
    const all = await Promise.allSettled(
      Array.from({ length: 25 }, () => countOrRefuse(harness.context, subjects, accountId, 'guesses')),
    );
    expect(all.filter(({ status }) => status === 'fulfilled')).to.have.length(10);
    expect(await counted()).to.deep.equal({ account: 10, address: 10 });
    // While these attempts run, others are refused. Afterwards the account is locked.
    expect(await attempt(accountId)).to.equal('TOO_MANY_ATTEMPTS');
    await lockAtLimit(harness.context, subjects);
    expect(await counted()).to.deep.equal({ account: 0, address: 10 });
    expect(await lockOf(harness.context, accountId)).to.be.instanceOf(Date);
  });

  it('is counted correctly when its request exceeds the database deadline', async () => {
    const { id, email } = await buildUser(harness.context);
    const { database, hasher } = harness.context;
    const { LoginThrottle, User } = database.models;
    for (const [password, codes, before, failures] of [
      [factoryPassword, ['OVERLOADED', 'DATABASE_UNREACHABLE'], 0, 0],
      // The failure is counted, but can't lock the account any more.
      ['a wrong password', ['WRONG_PASSWORD'], 9, 10],
    ] as const) {
      await LoginThrottle.update({ failures: before }, { where: {} });
      let isNextBlocked = false;
      const blocked = comparing(async (...given) => {
        const matches = await hasher.compare(...given);
        isNextBlocked = true;
        return matches;
      });
      /** Runs work that waits for rows of another transaction until the deadline of its request. */
      const inTransaction: typeof database.inTransaction = async (work, options) => {
        if (!isNextBlocked) return database.inTransaction(work, options);
        isNextBlocked = false;
        const events = new EventEmitter();
        const locked = once(events, 'locked');
        const over = once(events, 'over');
        const other = database.withDeadline('none', () =>
          database.inTransaction(async (transaction) => {
            await User.findByPk(id, { lock: transaction.LOCK.UPDATE, transaction });
            await LoginThrottle.findAll({ lock: transaction.LOCK.UPDATE, transaction });
            events.emit('locked');
            await over;
          }),
        );
        await locked;
        try {
          return await database.inTransaction(work, options);
        } finally {
          events.emit('over');
          await other;
        }
      };
      Object.defineProperty(blocked, 'database', { value: { ...database, inTransaction } });
      const signingIn = () => login(blocked, { identifier: email, password }, client);
      expect(await codeOf(database.withDeadline({ all: 1000 }, signingIn))).to.be.oneOf([...codes]);
      expect(isNextBlocked, 'an attempt that nothing followed').to.equal(false);
      expect(await database.models.Session.count()).to.equal(0);
      expect(await counted()).to.deep.equal({ account: failures, address: failures });
    }
  });

  it('is not counted when the request exceeds its deadline before the count', async () => {
    const { id: accountId, email } = await buildUser(harness.context);
    await attempt(accountId, 'OVERLOADED');
    const { database } = harness.context;
    const rows = database.models.LoginThrottle;
    const code = await database.inTransaction(async (transaction) => {
      await rows.findAll({ lock: transaction.LOCK.UPDATE, transaction });
      const signingIn = () => login(harness.context, { identifier: email, password: factoryPassword }, client);
      return codeOf(database.withDeadline({ all: 500 }, signingIn));
    });
    expect(code).to.be.oneOf(['OVERLOADED', 'DATABASE_UNREACHABLE']);
    // The waiting transaction is rolled back. This attempt waits behind it.
    await attempt(accountId, 'OVERLOADED');
    expect(await counted()).to.deep.equal({ account: 0, address: 0 });
    expect(await database.models.Session.count()).to.equal(0);
  });

  it('ignores windows and earlier locks that are too old', async () => {
    const { id: accountId } = await buildUser(harness.context);
    const { LoginThrottle } = harness.context.database.models;
    const rowOf = () => LoginThrottle.findByPk(`account:${accountId}`, { rejectOnEmpty: true });
    const fail = async (times: number) => {
      for (let failure = 0; failure < times; failure += 1) await attempt(accountId, 'WRONG_PASSWORD', null);
    };
    await fail(10);
    expect(await rowOf()).to.include({ failures: 0, locks: 1 });
    harness.advance(10 * 60_000);
    await fail(1);
    expect(await rowOf()).to.include({ failures: 1, locks: 1 });
    harness.advance(10 * 60_000);
    await fail(1);
    expect(await rowOf()).to.include({ failures: 1, locks: 1 });
    harness.advance(25 * 60 * 60_000);
    await fail(10);
    const { locks, lockedUntil } = await rowOf();
    expect(locks).to.equal(1);
    expect((lockedUntil?.getTime() ?? 0) - harness.context.now().getTime()).to.be.within(9 * 60_000, 10 * 60_000);
  });

  it('waits for earlier attempts at the same account, one at a time', async () => {
    const { id: accountId } = await buildUser(harness.context);
    const order: number[] = [];
    let underWay = 0;
    const attempts = Array.from({ length: 20 }, (_, number) =>
      first(accountId, async () => {
        underWay += 1;
        expect(underWay).to.equal(1);
        order.push(number);
        await otherWork();
        underWay -= 1;
      }),
    );
    await Promise.all(attempts);
    expect(order).to.deep.equal(attempts.map((_, number) => number));
  });

  it('is cancelled with its request before the password comparison', async () => {
    const { email } = await buildUser(harness.context);
    const left = new AbortController();
    const context = comparing((...given) => {
      left.abort();
      return harness.context.hasher.compare(...given);
    });
    const credentials = { identifier: email, password: 'a wrong password' };
    const code = await codeOf(login(context, credentials, client, { signal: left.signal }));
    expect([code, await counted()]).to.deep.equal(['INTERRUPTED', {}]);
  });

  it('waits with at most a hundred others for the same account, and only until its request is cancelled', async () => {
    const { id: accountId } = await buildUser(harness.context);
    const left = new AbortController();
    const events = new EventEmitter();
    const finished = once(events, 'finish');
    const enter = () => codeOf(first(accountId, () => finished, left.signal));
    const entered = enter();
    await otherWork();
    const waiting = Array.from({ length: 130 }, enter);
    expect(await Promise.race(waiting)).to.equal('OVERLOADED');
    left.abort();
    events.emit('finish');
    await entered;
    const codes = await Promise.all(waiting);
    expect(codes.filter((code) => code === 'OVERLOADED')).to.have.length(30);
    expect(codes.filter((code) => code === 'INTERRUPTED')).to.have.length(100);
  });

  it('makes exactly one password comparison for any account and any password', async () => {
    const { hasher } = harness.context;
    const { email } = await buildUser(harness.context);
    const inactive = await buildUser(harness.context, { isActive: false });
    let comparisons = 0;
    const counting = comparing((...asked) => {
      comparisons += 1;
      return hasher.compare(...asked);
    });
    for (const identifier of [email, inactive.email, 'nobody@example.org', '5550199'])
      for (const password of ['a wrong guess', 'x'.repeat(73), 'x'.repeat(5000), 'secret\0more', 'secret\ud800']) {
        comparisons = 0;
        const { code } = await failureOf(() => login(counting, { identifier, password }, client));
        expect([code, comparisons]).to.deep.equal([identifier === email ? 'WRONG_PASSWORD' : 'NO_MATCHING_ACCOUNT', 1]);
      }
  });

  it('leaves no session when its success cannot be recorded', async () => {
    const { email } = await buildUser(harness.context);
    const { sequelize, models } = harness.context.database;
    const broken = comparing(async () => {
      await sequelize.query('ALTER TABLE login_throttle RENAME TO elsewhere');
      return true;
    });
    try {
      const code = await codeOf(login(broken, { identifier: email, password: 'any password' }, client));
      expect(code).to.equal('SCHEMA_OUTDATED');
      expect(await models.Session.count()).to.equal(0);
    } finally {
      await sequelize.query('ALTER TABLE elsewhere RENAME TO login_throttle');
    }
  });

  if (onMysql)
    describe('whose connection is lost during the commit of its session', () => {
      let proxy: FaultyProxy;
      let context: Context;
      beforeEach(async () => {
        const url = new URL(harness.databaseUrl);
        proxy = await startProxy(Number(url.port || 3306));
        Object.assign(url, { hostname: '127.0.0.1', port: String(proxy.port) });
        const { hasher, logger } = harness.context;
        const env = { ...testEnvironment, DATABASE_URL: url.href };
        context = await createContext(loadConfig({ env, cwd: '/' }), logger, { hasher });
      });
      afterEach(async () => {
        await context.close();
        await proxy.close();
      });

      /** Breaks the connection at the commit after a new session. */
      function breakAtCommit(how: 'drop' | 'drop response'): void {
        let isStarting = false;
        proxy.onSent = (data) => {
          isStarting ||= data.includes('INSERT INTO `sessions`');
          if (!isStarting || !data.includes('COMMIT;')) return 'pass';
          proxy.onSent = undefined;
          return how;
        };
      }

      it('returns the token if the commit succeeded, fails otherwise, and counts no failure', async () => {
        const { email } = await buildUser(harness.context);
        const signingIn = () => login(context, { identifier: email, password: factoryPassword }, client);
        breakAtCommit('drop');
        expect(await codeOf(signingIn())).to.equal('DATABASE_UNREACHABLE');
        expect(await harness.context.database.models.Session.count()).to.equal(0);
        expect(await counted()).to.deep.equal({ account: 0, address: 0 });
        breakAtCommit('drop response');
        await harness.api('get', '/api/auth/me', (await signingIn()).token).expect(200);
        expect(await counted()).to.deep.equal({ account: 0, address: 0, pair: 0 });
      });
    });
});
