import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { QueryTypes } from 'sequelize';
import type { Database } from '../../src/db/connection.js';
import { activeLeases, createLeaseTable, type Lease, withLease } from '../../src/db/lease.js';
import { AppError } from '../../src/errors.js';
import { scaled } from '../support/machine.js';
import { useDatabases } from './support/databases.js';
import { failureOf } from './support/failure.js';

const refusal = () => new AppError('MIGRATION_LOCKED', 'Another process has the lease.');

function lease<T>(database: Database, waitMs: number, work: () => Promise<T>, name = 'work'): Promise<T> {
  return withLease(database, name, waitMs, refusal, work);
}

const leasesIn = (database: Database) =>
  database.sequelize.query<{ name: string; owner: string; expires_at: number }>('SELECT * FROM leases ORDER BY name', {
    type: QueryTypes.SELECT,
  });

/** Inserts a lease of another owner. */
const insertOtherLease = (database: Database, expiresAt: number) =>
  database.sequelize.query('INSERT INTO leases (name, owner, expires_at) VALUES (?, ?, ?)', {
    replacements: ['work', 'another', expiresAt],
  });

describe('a lease', () => {
  const databases = useDatabases({ migrated: false });
  let database: Database;
  beforeEach(async () => {
    database = databases.open();
    await createLeaseTable(database);
  });

  it('fails if the database is unreachable', async () => {
    const gone = databases.open({ DATABASE_URL: 'mysql://me@127.0.0.1:1/x' });
    const { code } = await failureOf(() => lease(gone, 0, () => Promise.resolve()));
    expect(code).to.equal('DATABASE_UNREACHABLE');
  });

  it('is released after the work, whose result is returned or whose error is rethrown', async () => {
    const held = await lease(database, 0, () => leasesIn(database));
    expect(held.map(({ name }) => name)).to.deep.equal(['work']);
    expect(Number(held[0]?.expires_at) - Date.now()).to.be.within(20_000, 30_000);
    expect(await leasesIn(database)).to.deep.equal([]);
    const failure = new Error('broken');
    const outcome = lease(database, 0, () => Promise.reject(failure));
    expect(await outcome.catch((error: unknown) => error)).to.equal(failure);
    expect(await leasesIn(database)).to.deep.equal([]);
  });

  it("expires by the database's clock, not the machine's", async () => {
    const { now } = Date;
    const names = async () => [...(await activeLeases(database, ['work']))];
    try {
      for (const offMs of [3_600_000, -3_600_000]) {
        await lease(database, 0, async () => {
          Date.now = () => now() + offMs;
          expect(await names()).to.deep.equal(['work']);
          const { code } = await failureOf(() => lease(database, 0, () => Promise.reject(new Error('not now'))));
          expect(code).to.equal('MIGRATION_LOCKED');
          Date.now = now;
        });
        // A lease acquired by a machine with this clock.
        Date.now = () => now() + offMs;
        await lease(database, 0, async () => {
          Date.now = now;
          expect(await names()).to.deep.equal(['work']);
          const [held] = await leasesIn(database);
          expect(Number(held?.expires_at) - now()).to.be.within(20_000, 35_000);
        });
      }
    } finally {
      Date.now = now;
    }
  });

  it('is refused while another owner has it', async () => {
    await insertOtherLease(database, Date.now() + 60_000);
    const { code, message } = await failureOf(() => lease(database, 50, () => Promise.reject(new Error('not now'))));
    expect([code, message]).to.deep.equal(['MIGRATION_LOCKED', 'Another process has the lease.']);
    expect((await leasesIn(database)).map(({ owner }) => owner)).to.deep.equal(['another']);
  });

  it('is refused to another connection while work runs, but a lease with another name is not', async () => {
    await lease(database, 0, async () => {
      const { code } = await failureOf(() => lease(databases.open(), 50, () => Promise.resolve()));
      expect(code).to.equal('MIGRATION_LOCKED');
      const other = () => lease(databases.open(), 0, () => Promise.resolve('both'), 'other work');
      expect(await other()).to.equal('both');
    });
  });

  it('can be acquired after its owner died, even if the clock was ahead when the owner acquired it', async () => {
    for (const expiresAt of [Date.now() - 1, Date.now() + 86_400_000]) {
      await insertOtherLease(database, expiresAt);
      expect([...(await activeLeases(database, ['work']))]).to.deep.equal([]);
      expect(await lease(database, 0, () => Promise.resolve('done'))).to.equal('done');
      expect(await leasesIn(database)).to.deep.equal([]);
    }
  });

  it('expires after the usual time when it is renewed after the clock was set back', async () => {
    const work = async ({ renew }: Lease) => {
      await database.sequelize.query('UPDATE leases SET expires_at = expires_at + 86400000');
      expect(await database.inTransaction(renew)).to.equal(true);
      expect(Number((await leasesIn(database))[0]?.expires_at) - Date.now()).to.be.within(20_000, 30_000);
    };
    await withLease(database, 'work', 0, refusal, work);
  });

  it('is acquired if the lease of another owner expires in time', async () => {
    await insertOtherLease(database, Date.now() + 300);
    expect(await lease(database, 5000, () => Promise.resolve('done'))).to.equal('done');
  });

  it('is renewed while the work runs', async () => {
    const expiresAt = async () => Number((await leasesIn(database))[0]?.expires_at);
    const work = async () => {
      const endedAt = await expiresAt();
      while ((await expiresAt()) <= endedAt + 300) await sleep(20);
      return 'renewed';
    };
    expect(await withLease(database, 'work', 0, refusal, work, { durationMs: 300 })).to.equal('renewed');
    expect(await leasesIn(database)).to.deep.equal([]);
  });

  it('can be renewed by its owner, and after its expiry unless the options forbid that', async () => {
    const cases: [changed: string, isRenewedWhenExpired: boolean, expected: boolean][] = [
      ['owner = owner', true, true],
      ["owner = 'another'", true, false],
      ['expires_at = 1', true, true],
      ['expires_at = 1', false, false],
    ];
    for (const [changed, isRenewedWhenExpired, expected] of cases) {
      const work = async ({ renew }: Lease) => {
        await database.sequelize.query(`UPDATE leases SET ${changed}`);
        expect(await database.inTransaction(renew), changed).to.equal(expected);
      };
      await withLease(database, 'work', 0, refusal, work, { isRenewedWhenExpired });
      await database.sequelize.query('DELETE FROM leases');
    }
  });

  it('is still renewed after the work exceeds its database deadline', async () => {
    const eachMs = scaled(150);
    const durationMs = 6 * eachMs;
    const work = async ({ renew }: Lease) => {
      const stall = () => database.inTransaction(() => sleep(2 * eachMs));
      // A server breaks the connection, a file keeps its lock. Both have exceeded the deadline.
      await stall().catch(({ code }: AppError) => expect(code).to.equal('DATABASE_UNREACHABLE'));
      await sleep(1.5 * durationMs);
      const { code } = await failureOf(() => lease(databases.open(), 0, () => Promise.resolve()));
      expect(code).to.equal('MIGRATION_LOCKED');
      return database.inTransaction(renew);
    };
    const held = () => withLease(database, 'work', 0, refusal, work, { durationMs });
    expect(await database.withDeadline({ each: eachMs }, held)).to.equal(true);
    expect(await leasesIn(database)).to.deep.equal([]);
  });

  it("keeps the new owner's lease when the former owner releases it", async () => {
    await lease(database, 0, () =>
      database.sequelize.query("UPDATE leases SET owner = 'another', expires_at = ?", {
        replacements: [Date.now() + 9000],
      }),
    );
    expect((await leasesIn(database)).map(({ owner }) => owner)).to.deep.equal(['another']);
  });

  /**
   * Starts contenders at the same moment.
   * @returns the maximum number that worked at the same time, and the total number
   */
  async function contend(): Promise<{ most: number; done: number }> {
    let [working, most, done] = [0, 0, 0];
    const work = async () => {
      working += 1;
      most = Math.max(most, working);
      await sleep(20);
      working -= 1;
      done += 1;
    };
    const contenders = [databases.open(), databases.open(), databases.open()];
    const queue = contenders.flatMap((contender) => [contender, contender]);
    await Promise.all(queue.map((contender) => lease(contender, 15_000, work)));
    return { most, done };
  }

  it('runs many contenders one after the other, also when all find an expired lease', async () => {
    expect(await contend()).to.deep.equal({ most: 1, done: 6 });
    await insertOtherLease(database, Date.now() - 1);
    expect(await contend()).to.deep.equal({ most: 1, done: 6 });
  });
});
