import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { QueryTypes } from 'sequelize';
import type { Database } from '../../src/db/connection.js';
import { createLeaseTable } from '../../src/db/lease.js';
import { type FaultyProxy, startProxy } from '../faults/proxy.js';
import { onMysql } from '../support/database.js';
import { scaled } from '../support/machine.js';
import { useDatabases } from './support/databases.js';
import { failureOf } from './support/failure.js';

if (onMysql)
  describe('a lost connection', () => {
    const databases = useDatabases({ migrated: false });
    let proxy: FaultyProxy;
    let database: Database;
    let direct: Database;
    beforeEach(async () => {
      direct = databases.open();
      await createLeaseTable(direct);
      proxy = await startProxy(Number(new URL(databases.url).port || 3306));
      const url = new URL(databases.url);
      Object.assign(url, { hostname: '127.0.0.1', port: String(proxy.port) });
      database = databases.open({ DATABASE_URL: url.href, DB_POOL_ACQUIRE_MS: '500' });
      await database.read(() => database.sequelize.query('SELECT 1'));
    });
    afterEach(async () => {
      await database.close();
      await proxy.close();
    });

    const namesIn = async (through: Database) =>
      (
        await through.sequelize.query<{ name: string }>('SELECT name FROM leases ORDER BY name', {
          type: QueryTypes.SELECT,
        })
      ).map(({ name }) => name);
    const insert = (name: string, attempts: { count: number }) =>
      database.inTransaction(
        async (transaction) => {
          attempts.count += 1;
          await database.sequelize.query(`INSERT INTO leases (name, owner, expires_at) VALUES ('${name}', '', 0)`, {
            transaction,
          });
          return name;
        },
        { committed: async (made) => (await namesIn(database)).includes(made) },
      );

    /** Breaks the connection a single time: when a client sends these words, or when the server responds. */
    function breakAt(words: string, at: 'drop' | 'drop response' = 'drop'): void {
      proxy.onSent = (data) => {
        if (!data.includes(words)) return 'pass';
        proxy.onSent = undefined;
        return at;
      };
    }

    it('causes a repetition of the whole transaction before the commit, and of a single read', async () => {
      breakAt('INSERT');
      const attempts = { count: 0 };
      await insert('a', attempts);
      expect(attempts.count).to.equal(2);
      expect(await namesIn(direct)).to.deep.equal(['a']);
      breakAt('SELECT');
      expect(await database.read(() => namesIn(database))).to.deep.equal(['a']);
      breakAt('SELECT');
      await database.inTransaction(async (transaction) => {
        attempts.count += 1;
        await database.read(() => database.sequelize.query('SELECT name FROM leases', { transaction }));
      });
      expect(attempts.count).to.equal(4);
    });

    it('causes no repetition during the commit, and the transaction succeeds if its row is found', async () => {
      breakAt('COMMIT;');
      const attempts = { count: 0 };
      const { code } = await failureOf(() => insert('a', attempts));
      expect([code, attempts.count]).to.deep.equal(['DATABASE_UNREACHABLE', 1]);
      expect(await namesIn(direct)).to.deep.equal([]);
      breakAt('COMMIT;', 'drop response');
      expect(await insert('b', attempts)).to.equal('b');
      expect(attempts.count).to.equal(2);
      expect(await namesIn(direct)).to.deep.equal(['b']);
    });

    it('fails the query within the deadline, and frees the pool', async () => {
      proxy.set({ kind: 'black hole' });
      const startedAt = performance.now();
      const attempts = Array.from({ length: 30 }, () =>
        failureOf(() => database.withDeadline({ all: 700 }, () => database.read(() => namesIn(database)))),
      );
      for (const { code } of await Promise.all(attempts)) expect(code).to.equal('DATABASE_UNREACHABLE');
      expect(performance.now() - startedAt).to.be.lessThan(scaled(1500));
      proxy.set({ kind: 'none' });
      await sleep(1200);
      expect(await database.read(() => namesIn(database))).to.deep.equal([]);
    });

    it('ends the transaction at the deadline', async () => {
      const { code, message } = await failureOf(() =>
        database.withDeadline({ all: 300 }, () =>
          database.inTransaction(async (transaction) => {
            await database.sequelize.query("INSERT INTO leases (name, owner, expires_at) VALUES ('a', '', 0)", {
              transaction,
            });
            await database.sequelize.query('SELECT SLEEP(3)', { transaction });
          }),
        ),
      );
      expect(code).to.equal('DATABASE_UNREACHABLE');
      // The server is up and the settings are correct, so the message names other causes.
      expect(message).to.match(
        /^The database did not answer in time \(mysql:.*\)\. Look for slow queries and locks there,/,
      );
      expect(await database.read(() => namesIn(direct))).to.deep.equal([]);
    });
  });

describe('withDeadline', function () {
  /** Duration of a statement in milliseconds. A slow machine adds a fraction of it. */
  const napMs = scaled(200);
  this.timeout(60 * napMs);
  const databases = useDatabases({ migrated: false });
  const sleepStatement = `SELECT SLEEP(${napMs / 1000})`;

  it('counts only the time in the database', async () => {
    if (!onMysql) return;
    const database = databases.open();
    const nap = () => database.read(() => database.sequelize.query(sleepStatement));
    await database.withDeadline({ all: 3 * napMs }, async () => {
      await nap();
      await sleep(3 * napMs);
      await nap();
      expect((await failureOf(() => Promise.all([nap(), nap().then(nap)]))).code).to.equal('DATABASE_UNREACHABLE');
      // A use after the deadline isn't even tried.
      expect((await failureOf(nap)).code).to.equal('DATABASE_UNREACHABLE');
      await database.withDeadline('none', async () => void (await nap()));
    });
    await nap();
  });

  it('limits each use separately with `each`', async () => {
    const database = databases.open();
    const ask = () => database.read(() => database.sequelize.query(onMysql ? sleepStatement : 'SELECT 1'));
    await database.withDeadline({ each: 3 * napMs }, async () => {
      for (let round = 0; round < 4; round += 1) await ask();
    });
  });
});
