import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { QueryTypes, type Transaction } from 'sequelize';
import type { Database } from '../../src/db/connection.js';
import { createLeaseTable } from '../../src/db/lease.js';
import { onMysql } from '../support/database.js';
import { relaxedPool, scaled } from '../support/machine.js';
import { otherWriter } from '../support/sqlite-lock.js';
import { useDatabases } from './support/databases.js';
import { failureOf } from './support/failure.js';

/** Returns the value of a counter. The counters are rows in the table of leases. */
const counterOf = async ({ sequelize }: Database, name: string, transaction: Transaction | null = null) => {
  const [row] = await sequelize.query<{ value: number }>('SELECT expires_at AS value FROM leases WHERE name = ?', {
    replacements: [name],
    type: QueryTypes.SELECT,
    transaction,
  });
  return Number(row?.value);
};

const add = ({ sequelize }: Database, name: string, transaction: Transaction) =>
  sequelize.query('UPDATE leases SET expires_at = expires_at + 1 WHERE name = ?', {
    replacements: [name],
    transaction,
  });

/** Returns a promise, and the function that resolves it. */
function gate(): { opened: Promise<void>; open(): void } {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

describe('inTransaction', () => {
  const databases = useDatabases({ migrated: false });
  let database: Database;
  beforeEach(async () => {
    database = databases.open();
    await createLeaseTable(database);
    await database.sequelize.query("INSERT INTO leases (name, owner, expires_at) VALUES ('a', '', 0), ('b', '', 0)");
  });

  it('commits work and returns its result, or rolls it back and rethrows its error', async () => {
    const failure = new Error('no');
    const outcome = database.inTransaction(async (transaction) => {
      await add(database, 'a', transaction);
      throw failure;
    });
    expect(await outcome.catch((error: unknown) => error)).to.equal(failure);
    expect(await counterOf(database, 'a')).to.equal(0);
    const done = database.inTransaction((transaction) => add(database, 'a', transaction).then(() => 'done'));
    expect(await done).to.equal('done');
    expect(await counterOf(databases.open(), 'a')).to.equal(1);
  });

  it('lets 50 concurrent writes of each of two programs succeed', async () => {
    const write = (connection: Database) =>
      connection.inTransaction(async (transaction) => {
        const before = await counterOf(connection, 'b', transaction);
        await sleep(1);
        await add(connection, 'a', transaction);
        return before;
      });
    // On a busy machine the last writes wait longer for a connection.
    const [one, other] = [databases.open(relaxedPool), databases.open(relaxedPool)];
    const connections = Array.from({ length: 50 }, () => [one, other]).flat();
    await Promise.all(connections.map(write));
    expect(await counterOf(database, 'a')).to.equal(100);
  });

  it('does not block reads while it writes', async () => {
    const [written, mayEnd] = [gate(), gate()];
    const writing = database.inTransaction(async (transaction) => {
      await add(database, 'a', transaction);
      written.open();
      await mayEnd.opened;
    });
    await written.opened;
    expect(await database.read(() => counterOf(database, 'a'))).to.equal(0);
    const other = databases.open();
    expect(await other.read(() => counterOf(other, 'a'))).to.equal(0);
    mayEnd.open();
    await writing;
    expect(await other.read(() => counterOf(other, 'a'))).to.equal(1);
  });

  if (onMysql) {
    it('repeats the whole transaction after a deadlock', async () => {
      const [firstHasA, secondHasB] = [gate(), gate()];
      let attempts = 0;
      const crosswise = (one: string, other: string, mine: typeof firstHasA, theirs: typeof firstHasA) =>
        database.inTransaction(async (transaction) => {
          attempts += 1;
          await add(database, one, transaction);
          mine.open();
          await theirs.opened;
          await add(database, other, transaction);
        });
      await Promise.all([crosswise('a', 'b', firstHasA, secondHasB), crosswise('b', 'a', secondHasB, firstHasA)]);
      expect(attempts).to.equal(3);
      expect([await counterOf(database, 'a'), await counterOf(database, 'b')]).to.deep.equal([2, 2]);
    });

    /** Statement that fails like a conflict with another transaction. */
    const conflict = (number: number) =>
      `SIGNAL SQLSTATE '40001' SET MYSQL_ERRNO = ${number}, MESSAGE_TEXT = 'conflict'`;

    it('repeats the whole transaction when a read in it reports a conflict', async () => {
      for (const [index, number] of [1213, 1205, 1020].entries()) {
        let attempts = 0;
        await database.inTransaction(async (transaction) => {
          attempts += 1;
          await add(database, 'a', transaction);
          if (attempts < 3) await database.read(() => database.sequelize.query(conflict(number), { transaction }));
        });
        expect(attempts).to.equal(3);
        expect(await counterOf(database, 'a')).to.equal(index + 1);
      }
    });

    it('tries five times, then reports that the database is busy', async () => {
      let attempts = 0;
      const { code, message } = await failureOf(() =>
        database.inTransaction(async (transaction) => {
          attempts += 1;
          await database.sequelize.query(conflict(1213), { transaction });
        }),
      );
      expect([attempts, code]).to.deep.equal([5, 'OVERLOADED']);
      expect(message).to.match(/^The database is busy with other changes \(mysql:\/\/.*\)\. Try again\.$/);
    });

    it('sees the commits of others in each statement', async () => {
      await database.inTransaction(async (transaction) => {
        expect(await counterOf(database, 'a', transaction)).to.equal(0);
        const other = databases.open();
        await other.inTransaction((another) => add(other, 'a', another));
        expect(await counterOf(database, 'a', transaction)).to.equal(1);
      });
    });

    it('waits for a connection no longer than the limit', async () => {
      // The limit also applies to the first connection, which a busy machine opens slowly.
      const limit = scaled(200);
      const narrow = databases.open({ DB_POOL_MAX: '1', DB_POOL_ACQUIRE_MS: String(limit) });
      await narrow.inTransaction(async () => {
        const { code, message } = await failureOf(() => narrow.read(() => counterOf(narrow, 'a')));
        expect(code).to.equal('DATABASE_UNREACHABLE');
        expect(message).to.match(/^No connection to the database was free within \d+ ms .* raise DB_POOL_MAX\.$/);
        expect(message).to.include(` ${limit} ms `);
      });
    });
  } else {
    /** Runs work while another writer holds the file's lock. */
    async function holdingLock<T>(work: (release: () => Promise<void>) => Promise<T>): Promise<T> {
      const holder = await otherWriter(databases.url.replace(/^sqlite:/, ''));
      await holder.run('BEGIN IMMEDIATE');
      try {
        return await work(() => holder.run('COMMIT'));
      } finally {
        await holder.close();
      }
    }

    it('opens a new file from several connections at the same time', async () => {
      for (let round = 0; round < 10; round += 1) {
        const file = `${databases.url.replace(/[^/]+$/, '')}new-${round}.sqlite`;
        const connections = Array.from({ length: 4 }, () => databases.open({ DATABASE_URL: file }));
        await Promise.all(connections.map(createLeaseTable));
      }
    });

    it('waits for a writer in another program', async () => {
      await holdingLock(async (release) => {
        const writing = database.inTransaction((transaction) => add(database, 'a', transaction));
        await sleep(200);
        expect(await counterOf(database, 'a')).to.equal(0);
        await release();
        await writing;
        expect(await counterOf(database, 'a')).to.equal(1);
      });
    });

    it('repeats the whole transaction when the file was busy, at most five times', async () => {
      const intruder = await otherWriter(databases.url.replace(/^sqlite:/, ''));
      const busyFor = (times: number) => {
        let attempts = 0;
        return database.inTransaction(async (transaction) => {
          attempts += 1;
          await add(database, 'a', transaction);
          // A real SQLITE_BUSY: this transaction has the lock.
          if (attempts <= times) await intruder.run('BEGIN IMMEDIATE');
          return attempts;
        });
      };
      expect(await busyFor(2)).to.equal(3);
      expect(await counterOf(database, 'a')).to.equal(1);
      const { code, message } = await failureOf(() => busyFor(Number.POSITIVE_INFINITY));
      expect(code).to.equal('OVERLOADED');
      expect(message).to.match(/^The database file .* is locked by another program\. Try again\.$/);
      expect(await counterOf(database, 'a')).to.equal(1);
      await intruder.close();
    });
  }
});
