import { readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { QueryTypes, type Transaction } from 'sequelize';
import type { Database } from '../../../src/db/connection.js';
import { createLeaseTable } from '../../../src/db/lease.js';
import { lostThreadCode, type SqliteThread } from '../../../src/db/sqlite/thread.js';
import { onMysql } from '../../support/database.js';
import { atDepth } from '../../support/depth.js';
import { scaled } from '../../support/machine.js';
import { otherWriter } from '../../support/sqlite-lock.js';
import { useDatabases } from '../support/databases.js';

/** Private parts of Sequelize and the driver. */
interface Manager {
  connections: Record<string, { thread?: SqliteThread; threads: { all: Set<SqliteThread> } }>;
}

(onMysql ? describe.skip : describe)('The SQLite driver', () => {
  const databases = useDatabases({ migrated: false });
  let database: Database;
  beforeEach(async () => {
    database = databases.open();
    await createLeaseTable(database);
    await database.sequelize.query("INSERT INTO leases (name, owner, expires_at) VALUES ('a', '', 0)");
  });

  const select = <T extends object>(sql: string, replacements: unknown[] = []) =>
    database.sequelize.query<T>(sql, { type: QueryTypes.SELECT, replacements });
  const add = (transaction: Transaction) =>
    database.sequelize.query("UPDATE leases SET expires_at = expires_at + 1 WHERE name = 'a'", { transaction });
  const transact = () => database.inTransaction(add);
  const file = () => databases.url.replace(/^sqlite:/, '');
  /** Open connections of Sequelize and their shared threads, which its types hide. */
  const connections = () => Object.values((database.sequelize.connectionManager as unknown as Manager).connections);
  const threads = () => [...(connections()[0]?.threads.all ?? [])];

  it('returns stored values, also of no rows and of many rows', async () => {
    const [row] = await select("SELECT 'é' AS text, 1.5 AS real, 9007199254740991 AS whole, NULL AS none");
    expect(row).to.deep.equal({ text: 'é', real: 1.5, whole: 9007199254740991, none: null });
    const bound = await database.sequelize.query('SELECT $1 AS yes, $2 AS no, $3 AS none', {
      type: QueryTypes.SELECT,
      bind: [true, false, null],
    });
    expect(bound).to.deep.equal([{ yes: 1, no: 0, none: null }]);
    expect(await select("SELECT * FROM leases WHERE name = 'nobody'")).to.deep.equal([]);
    const many = await select<{ n: number }>(
      'WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 50000) SELECT n FROM t',
    );
    expect([many.length, many.at(-1)]).to.deep.equal([50_000, { n: 50_000 }]);
  });

  it('returns columns that were added after a statement was compiled, even by another connection', async () => {
    const all = () => select('SELECT * FROM leases');
    await all();
    await database.sequelize.query('ALTER TABLE leases ADD COLUMN extra TEXT');
    expect(await all()).to.deep.equal([{ name: 'a', owner: '', expires_at: 0, extra: null }]);
    const other = await otherWriter(file());
    await other.run('ALTER TABLE leases ADD COLUMN moment DATETIME');
    await other.close();
    await database.sequelize.query("UPDATE leases SET moment = '2026-01-01 00:00:00.000 +00:00'");
    const [described] = await database.sequelize.query('PRAGMA table_info(`leases`)');
    expect(described).to.have.length(5);
    expect((await all())[0]).to.deep.include({ moment: '2026-01-01 00:00:00.000 +00:00' });
  });

  it('reports the error of a statement with or without rows', async () => {
    const failure = (sql: string, options = {}) =>
      database.sequelize.query(sql, options).then(
        () => 'none',
        // The parent of Sequelize's error is the driver's error.
        ({ parent }: { parent: { code: string; message: string } }) => [parent.code, parent.message],
      );
    const unknown = ['SQLITE_ERROR', 'SQLITE_ERROR: no such column: colour'];
    expect(await failure('SELECT colour FROM leases')).to.deep.equal(unknown);
    const twice = "INSERT INTO leases (name, owner, expires_at) VALUES ('a', '', 0)";
    const broken = ['SQLITE_CONSTRAINT', 'SQLITE_CONSTRAINT: UNIQUE constraint failed: leases.name'];
    expect(await failure(twice)).to.deep.equal(broken);
    expect(await failure(`${twice} RETURNING name`, { type: QueryTypes.SELECT })).to.deep.equal(broken);
  });

  it('keeps the event loop free while another program locks the file', async () => {
    const other = await otherWriter(file());
    await other.run('BEGIN IMMEDIATE');
    let written = false;
    const writing = transact().then(() => {
      written = true;
    });
    // This thread releases the lock. If it were blocked, the write would fail.
    for (let turns = 0; turns < 50; turns += 1) await sleep(2);
    expect(written).to.equal(false);
    await other.run('COMMIT');
    await writing;
    await other.close();
    expect(await select('SELECT expires_at FROM leases')).to.deep.equal([{ expires_at: 1 }]);
  });

  it('recovers when the thread of a connection has ended, and repeats the transaction', async () => {
    await select('SELECT 1');
    for (const thread of threads()) await thread.close();
    expect(await database.read(() => select('SELECT 1 AS one'))).to.deep.equal([{ one: 1 }]);
    let attempts = 0;
    await database.inTransaction(async (transaction) => {
      attempts += 1;
      await add(transaction);
      if (attempts > 1) return;
      await Promise.all(connections().map(({ thread }) => thread?.close()));
      await add(transaction);
    });
    expect(attempts).to.equal(2);
    expect(await select('SELECT expires_at FROM leases')).to.deep.equal([{ expires_at: 1 }]);
  });

  it('uses one thread for sequential reads and transactions, and another one for reads during a transaction', async () => {
    const [first] = threads();
    await transact();
    await select('SELECT 1');
    await transact();
    expect(threads()).to.deep.equal([first]);
    await database.inTransaction(async (transaction) => {
      await add(transaction);
      await select('SELECT 1');
      expect(threads().length).to.equal(2);
    });
    await Promise.all([transact(), select('SELECT 1'), transact()]);
    expect(threads().length).to.equal(2);
    expect(await select('SELECT expires_at FROM leases')).to.deep.equal([{ expires_at: 5 }]);
  });

  it('runs no statement of a lost transaction outside of the transaction', async () => {
    const transaction = await database.sequelize.transaction();
    await add(transaction);
    await Promise.all(connections().map(({ thread }) => thread?.close()));
    for (let tries = 0; tries < 2; tries += 1) {
      const error = await add(transaction).catch((reason: unknown) => reason);
      expect(error).to.have.nested.property('parent.code', lostThreadCode);
    }
    await transaction.rollback().catch(() => undefined);
    expect(await select('SELECT expires_at FROM leases')).to.deep.equal([{ expires_at: 0 }]);
  });

  it('reads only committed values during a transaction', async () => {
    const expiry = async () => (await select<{ expires_at: number }>('SELECT expires_at FROM leases'))[0]?.expires_at;
    const seen: unknown[] = [];
    // Requested together: a running read keeps its connection.
    await Promise.all([
      ...Array.from({ length: 5 }, expiry),
      database.inTransaction(async (transaction) => {
        await add(transaction);
        seen.push(await expiry(), ...(await Promise.all([expiry(), expiry()])));
      }),
      ...Array.from({ length: 5 }, expiry),
    ]);
    expect(seen).to.deep.equal([0, 0, 0]);
    expect(await expiry()).to.equal(1);
  });

  it('reuses a connection only without an open transaction', async () => {
    const one = await database.sequelize.transaction();
    await add(one);
    // Releases the connection with its transaction still open, as after a failed commit.
    (one as unknown as { cleanup(): void }).cleanup();
    await transact();
    expect(await select('SELECT expires_at FROM leases')).to.deep.equal([{ expires_at: 1 }]);
  });

  it('leaks neither file descriptors nor memory over many transactions', async function () {
    if (!readdirSync('/proc/self').includes('fd')) return this.skip();
    this.timeout(scaled(600_000));
    const descriptors = () => readdirSync('/proc/self/fd').length;
    const many = atDepth(1500, 20_000);
    const run = async (times: number) => {
      for (let count = 0; count < times; count += 1) {
        await transact();
        if (count % 3 === 0) await select('SELECT name FROM leases WHERE expires_at > ?', [count]);
      }
      return { descriptors: descriptors(), megabytes: process.memoryUsage.rss() / 2 ** 20 };
    };
    // Caches and the heap grow at first.
    const before = await run(Math.min(many, 3000));
    const after = await run(many);
    expect(after.descriptors).to.be.at.most(before.descriptors + 2);
    expect(after.megabytes).to.be.below(before.megabytes + 48);
  });
});
