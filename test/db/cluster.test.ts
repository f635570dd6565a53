import { expect } from 'chai';
import { QueryTypes } from 'sequelize';
import { isCluster } from '../../src/db/cluster.js';
import type { Database } from '../../src/db/connection.js';
import { onMysql } from '../support/database.js';
import { useDatabases } from './support/databases.js';
import { failureOf } from './support/failure.js';

/** What only a cluster shows is measured by `npm run test:faults -- R10`. */
if (onMysql) {
  describe('a server without a cluster', () => {
    const databases = useDatabases({ migrated: false });
    const waiting = ({ sequelize }: Database) =>
      sequelize.query<{ Value: string }>("SHOW VARIABLES LIKE 'wsrep_sync_wait'", { type: QueryTypes.SELECT });

    it('is not treated as a cluster, and does not wait for other nodes', async () => {
      const database = databases.open();
      // MySQL doesn't know the variable, MariaDB has it in any case.
      for (const { Value } of await waiting(database)) expect(Value).to.equal('0');
      expect(isCluster(database.settings)).to.equal(false);
    });
  });

  describe('errors of cluster nodes', () => {
    const databases = useDatabases({ migrated: false });

    it('without a quorum: reports the database as unreachable, without retries', async () => {
      const database = databases.open();
      let attempts = 0;
      const alone = "SIGNAL SQLSTATE '08S01' SET MYSQL_ERRNO = 1047, MESSAGE_TEXT = 'WSREP has not yet prepared node'";
      const { code, message } = await failureOf(() =>
        database.inTransaction(async (transaction) => {
          attempts += 1;
          await database.sequelize.query(alone, { transaction });
        }),
      );
      expect([attempts, code]).to.deep.equal([1, 'DATABASE_UNREACHABLE']);
      expect(message).to.match(/^The database has lost the other nodes of its cluster, .* \(mysql:\/\/.*\)\. Look at /);
      expect((await failureOf(() => database.read(() => database.sequelize.query(alone)))).code).to.equal(code);
    });

    it('when a commit is refused: repeats the whole transaction', async () => {
      const database = databases.open();
      const refusal = "SIGNAL SQLSTATE 'HY000' SET MYSQL_ERRNO = 1180, MESSAGE_TEXT = 'Got error 149 during COMMIT'";
      let attempts = 0;
      const outcome = await database.inTransaction(async (transaction) => {
        attempts += 1;
        if (attempts < 3) await database.sequelize.query(refusal, { transaction });
        return 'done';
      });
      expect([attempts, outcome]).to.deep.equal([3, 'done']);
    });
  });
}
