import { expect } from 'chai';
import { loadConfig } from '../../../src/config/config.js';
import { type Context, createContext } from '../../../src/context.js';
import { login } from '../../../src/services/auth/login.js';
import { beginAttempt } from '../../../src/services/auth/throttle.js';
import { failureOf } from '../../db/support/failure.js';
import { type FaultyProxy, startProxy } from '../../faults/proxy.js';
import { onMysql } from '../../support/database.js';
import { testEnvironment } from '../../support/environment.js';
import { buildUser, factoryPassword } from '../../support/factories.js';
import { useHarness } from '../../support/harness.js';
import { until } from '../../support/until.js';

const address = '192.0.2.1';
const client = { ip: address, userAgent: null };

describe('An attempt to log in', () => {
  const harness = useHarness();

  /** What is counted, by kind of subject. The row of the account at the address exists from the first attempt. */
  async function counted(): Promise<Record<string, [failures: number, underWay: number]>> {
    const rows = await harness.context.database.models.LoginThrottle.findAll();
    return Object.fromEntries(
      rows.map(({ subject, failures, attempts }) => [
        subject.replace(/:.*/, ''),
        [failures, Object.keys(attempts).length],
      ]),
    );
  }

  it('ends once, however often its end is noted', async () => {
    const { id: accountId } = await buildUser(harness.context);
    const [mine, other] = await Promise.all([
      beginAttempt(harness.context, { accountId }, address),
      beginAttempt(harness.context, { accountId }, address),
    ]);
    expect(await counted()).to.deep.equal({ account: [0, 2], address: [0, 2], pair: [0, 2] });
    // As after a connection that was lost during the commit: the end may have been recorded or not.
    for (let time = 0; time < 3; time += 1) await mine.failed();
    await mine.abandoned();
    await mine.succeeded();
    expect(await counted()).to.deep.equal({ account: [1, 1], address: [1, 1], pair: [0, 1] });
    await other.abandoned();
    await other.failed();
    expect(await counted()).to.deep.equal({ account: [1, 0], address: [1, 0], pair: [0, 0] });
  });

  it('frees the place of no other one when it ends long after it began', async () => {
    const { id: accountId } = await buildUser(harness.context);
    const old = await beginAttempt(harness.context, { accountId }, address);
    harness.advance(61_000);
    await beginAttempt(harness.context, { accountId }, address);
    await old.failed();
    expect(await counted()).to.deep.equal({ account: [1, 1], address: [1, 1], pair: [0, 1] });
  });

  for (const [what, password, isRight] of [
    ['a right', factoryPassword, true],
    ['a wrong', 'a wrong password', false],
  ] as const)
    it(`with ${what} password takes no room when the request has no more time for the database`, async () => {
      const { id, email } = await buildUser(harness.context);
      const { database, hasher } = harness.context;
      const { LoginThrottle, User } = database.models;
      let isNextBlocked = false;
      const compare: typeof hasher.compare = async (...given) => {
        isNextBlocked = true;
        return hasher.compare(...given);
      };
      /** Work that waits for rows of another transaction until the time of its request is over. */
      const inTransaction: typeof database.inTransaction = async (work, options) => {
        if (!isNextBlocked) return database.inTransaction(work, options);
        isNextBlocked = false;
        let onLocked: () => void = () => undefined;
        let onOver: () => void = () => undefined;
        const locked = new Promise<void>((resolve) => {
          onLocked = resolve;
        });
        const over = new Promise<void>((resolve) => {
          onOver = resolve;
        });
        const other = database.withDeadline('none', () =>
          database.inTransaction(async (transaction) => {
            await User.findByPk(id, { lock: transaction.LOCK.UPDATE, transaction });
            await LoginThrottle.findAll({ lock: transaction.LOCK.UPDATE, transaction });
            onLocked();
            await over;
          }),
        );
        await locked;
        try {
          return await database.inTransaction(work, options);
        } finally {
          onOver();
          await other;
        }
      };
      // Object.create() knows nothing of what it is made from.
      const blocked = Object.create(harness.context, {
        database: { value: { ...database, inTransaction } },
        hasher: { value: { ...hasher, compare } },
      }) as Context;
      const failure = await database
        .withDeadline({ all: 1000 }, () => login(blocked, { identifier: email, password }, client))
        .catch((error: unknown) => error);
      if (isRight) expect(failure).to.have.property('code').that.is.oneOf(['OVERLOADED', 'DATABASE_UNREACHABLE']);
      else expect(failure).to.have.property('code', 'WRONG_PASSWORD');
      expect(isNextBlocked, 'an attempt that nothing followed').to.equal(false);
      expect(await harness.context.database.models.Session.count()).to.equal(0);
      const failures = isRight ? 0 : 1;
      expect(await counted()).to.deep.equal({ account: [failures, 0], address: [failures, 0], pair: [0, 0] });
    });

  it('counts against nobody when its request has no more time while it waits to be counted', async () => {
    const { id: accountId, email } = await buildUser(harness.context);
    await (await beginAttempt(harness.context, { accountId }, address)).abandoned();
    const { database } = harness.context;
    const rows = database.models.LoginThrottle;
    const failure = await database.inTransaction(async (transaction) => {
      await rows.findAll({ lock: transaction.LOCK.UPDATE, transaction });
      const signingIn = () => login(harness.context, { identifier: email, password: factoryPassword }, client);
      return database.withDeadline({ all: 500 }, signingIn).catch((error: unknown) => error);
    });
    expect(failure).to.have.property('code').that.is.oneOf(['OVERLOADED', 'DATABASE_UNREACHABLE']);
    // The server still executes what waited for the rows; what follows waits behind it.
    const last = await beginAttempt(harness.context, { accountId }, address);
    await last.abandoned();
    const isNobodyPending = async () => Object.values(await counted()).every(([, underWay]) => underWay === 0);
    await until(isNobodyPending, 'no attempt is under way');
    expect(await counted()).to.deep.equal({ account: [0, 0], address: [0, 0], pair: [0, 0] });
    expect(await database.models.Session.count()).to.equal(0);
  });

  it('is counted once when the statement that counts it is repeated', async () => {
    const { id: accountId } = await buildUser(harness.context);
    const { database } = harness.context;
    // As after a connection that was lost when the statement had been executed.
    const inStatement: typeof database.inStatement = async (run) => {
      for (let time = 0; time < 2; time += 1) await database.inStatement(run);
      return database.inStatement(run);
    };
    const repeating = Object.create(harness.context, { database: { value: { ...database, inStatement } } }) as Context;
    for (let count = 1; count <= 10; count += 1) {
      await beginAttempt(repeating, { accountId }, address);
      expect(await counted()).to.deep.equal({ account: [0, count], address: [0, count], pair: [0, count] });
    }
  });

  it('finds its window and its earlier locks over when they are too old', async () => {
    const { id: accountId } = await buildUser(harness.context);
    const { LoginThrottle } = harness.context.database.models;
    const rowOf = () => LoginThrottle.findByPk(`account:${accountId}`, { rejectOnEmpty: true });
    for (let failure = 0; failure < 10; failure += 1)
      await (await beginAttempt(harness.context, { accountId }, null)).failed();
    expect(await rowOf()).to.include({ failures: 0, locks: 1 });
    harness.advance(10 * 60_000);
    await (await beginAttempt(harness.context, { accountId }, null)).failed();
    expect(await rowOf()).to.include({ failures: 1, locks: 1 });
    harness.advance(10 * 60_000);
    const begun = harness.context.now();
    await beginAttempt(harness.context, { accountId }, null);
    const { windowStartedAt, ...later } = (await rowOf()).get({ plain: true });
    expect(windowStartedAt.getTime()).to.be.at.least(begun.getTime());
    expect(later).to.include({ failures: 0, locks: 1 });
    harness.advance(25 * 60 * 60_000);
    await beginAttempt(harness.context, { accountId }, null);
    const last = await rowOf();
    expect(last).to.include({ failures: 0, locks: 0, lockedUntil: null });
    // The one that was never ended is too old even to fail.
    expect(Object.keys(last.attempts)).to.have.length(1);
  });

  it('leaves no room in one row that another does not have', async () => {
    const { id: accountId } = await buildUser(harness.context);
    const { LoginThrottle } = harness.context.database.models;
    // What was read before says nothing of the failures of others at the address.
    const failures = 100;
    const row = { failures, windowStartedAt: harness.context.now(), attemptsJson: null, signedInAt: null };
    const lockedUntil = new Date(harness.context.now().getTime() + 60_000);
    await LoginThrottle.create({ ...row, subject: `address:${address}`, lockedUntil, locks: 1 });
    const refused = await beginAttempt(harness.context, { accountId }, address, { rows: [] }).catch(
      (error: unknown) => error,
    );
    expect(refused).to.have.property('code', 'TOO_MANY_ATTEMPTS');
    expect(await counted()).to.deep.equal({ address: [failures, 0] });
  });

  it('names its account in rows that are older than the name', async () => {
    const { id: accountId } = await buildUser(harness.context);
    const { LoginThrottle } = harness.context.database.models;
    await (await beginAttempt(harness.context, { accountId }, address)).failed();
    await LoginThrottle.update({ accountId: null }, { where: {} });
    await (await beginAttempt(harness.context, { accountId }, address)).failed();
    const rows = await LoginThrottle.findAll({ order: ['subject'] });
    expect(rows.map((row) => [row.subject.replace(/:.*/, ''), row.accountId])).to.deep.equal([
      ['account', accountId],
      ['address', null],
      ['pair', accountId],
    ]);
  });

  it('starts before those that came later, however many wait', async () => {
    const { id: accountId } = await buildUser(harness.context);
    const order: number[] = [];
    const attempts = Array.from({ length: 30 }, async (_, number) => {
      const attempt = await beginAttempt(harness.context, { accountId }, address);
      order.push(number);
      await attempt.abandoned();
    });
    await Promise.all(attempts);
    expect(order).to.deep.equal(attempts.map((_, number) => number));
  });

  it('ends with its request, where its password is not being compared yet', async () => {
    const { email } = await buildUser(harness.context);
    const { hasher } = harness.context;
    const left = new AbortController();
    let compared = 0;
    const compare: typeof hasher.compare = (password, hash, request) => {
      left.abort();
      return hasher.compare(password, hash, request).finally(() => {
        compared += 1;
      });
    };
    const context = Object.create(harness.context, { hasher: { value: { ...hasher, compare } } }) as Context;
    const failure = await login(context, { identifier: email, password: 'a wrong password' }, client, {
      signal: left.signal,
    }).catch((error: unknown) => error);
    expect(failure).to.have.property('code', 'INTERRUPTED');
    expect(compared).to.equal(1);
    expect(await counted()).to.deep.equal({ account: [0, 0], address: [0, 0], pair: [0, 0] });
  });

  it('stops waiting for others with its request', async () => {
    const { id: accountId } = await buildUser(harness.context);
    const others = await Promise.all(
      Array.from({ length: 10 }, () => beginAttempt(harness.context, { accountId }, address)),
    );
    const left = new AbortController();
    const waiting = beginAttempt(harness.context, { accountId }, address, { signal: left.signal }).catch(
      (error: unknown) => error,
    );
    left.abort();
    expect(await waiting).to.have.property('code', 'INTERRUPTED');
    for (const other of others) await other.abandoned();
    expect(await counted()).to.deep.equal({ account: [0, 0], address: [0, 0], pair: [0, 0] });
  });

  it('waits with a hundred others of the same account, and no more', async () => {
    const { id: accountId } = await buildUser(harness.context);
    const others = await Promise.all(
      Array.from({ length: 10 }, () => beginAttempt(harness.context, { accountId }, address)),
    );
    const left = new AbortController();
    const begin = { signal: left.signal };
    const waiting = Array.from({ length: 130 }, () =>
      beginAttempt(harness.context, { accountId }, address, begin).catch(({ code }: { code: string }) => code),
    );
    expect(await Promise.race(waiting)).to.equal('OVERLOADED');
    left.abort();
    const codes = await Promise.all(waiting);
    expect(codes.filter((code) => code === 'OVERLOADED')).to.have.length(30);
    expect(codes.filter((code) => code === 'INTERRUPTED')).to.have.length(100);
    for (const other of others) await other.abandoned();
  });

  it('spends one comparison, whoever is named and whatever the password is', async () => {
    const { hasher } = harness.context;
    const { email } = await buildUser(harness.context);
    const inactive = await buildUser(harness.context, { isActive: false });
    let comparisons = 0;
    const compare: typeof hasher.compare = (...asked) => {
      comparisons += 1;
      return hasher.compare(...asked);
    };
    const counting: Context = Object.create(harness.context, { hasher: { value: { ...hasher, compare } } });
    for (const identifier of [email, inactive.email, 'nobody@example.org', '5550199'])
      for (const password of ['a wrong guess', 'x'.repeat(73), 'x'.repeat(5000), 'secret\0more', 'secret\ud800']) {
        comparisons = 0;
        const { code } = await failureOf(() => login(counting, { identifier, password }, client));
        expect([code, comparisons]).to.deep.equal([identifier === email ? 'WRONG_PASSWORD' : 'NO_MATCHING_ACCOUNT', 1]);
      }
  });

  it('leaves no session when its end can not be noted', async () => {
    const { email } = await buildUser(harness.context);
    const { sequelize, models } = harness.context.database;
    const compare = async () => {
      await sequelize.query('ALTER TABLE login_throttle RENAME TO elsewhere');
      return true;
    };
    const broken = Object.create(harness.context, { hasher: { value: { ...harness.context.hasher, compare } } });
    try {
      const failure = await login(broken as Context, { identifier: email, password: 'any password' }, client).catch(
        (error: unknown) => error,
      );
      expect(failure).to.have.property('code', 'SCHEMA_OUTDATED');
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

      /** The connection breaks at the commit that follows upon a new session. */
      function breakAtCommit(how: 'drop' | 'drop answer'): void {
        let isStarting = false;
        proxy.onSent = (data) => {
          isStarting ||= data.includes('INSERT INTO `sessions`');
          if (!isStarting || !data.includes('COMMIT;')) return 'pass';
          proxy.onSent = undefined;
          return how;
        };
      }

      it('gives the token when the commit took place, and counts nothing', async () => {
        const { email } = await buildUser(harness.context);
        breakAtCommit('drop answer');
        const { token } = await login(context, { identifier: email, password: factoryPassword }, client);
        const answer = await harness.api('get', '/api/auth/me', token);
        expect(answer.status).to.equal(200);
        expect(await counted()).to.deep.equal({ account: [0, 0], address: [0, 0], pair: [0, 0] });
      });

      it('fails when it did not, and counts nothing', async () => {
        const { email } = await buildUser(harness.context);
        breakAtCommit('drop');
        const failure = await login(context, { identifier: email, password: factoryPassword }, client).catch(
          (error: unknown) => error,
        );
        expect(failure).to.have.property('code', 'DATABASE_UNREACHABLE');
        expect(await harness.context.database.models.Session.count()).to.equal(0);
        expect(await counted()).to.deep.equal({ account: [0, 0], address: [0, 0], pair: [0, 0] });
      });
    });
});
