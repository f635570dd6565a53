import { expect } from 'chai';
import { QueryTypes } from 'sequelize';
import type { Database } from '../../../src/db/connection.js';
import { serverProblems } from '../../../src/db/dialect.js';
import { isCluster } from '../../../src/db/mysql/cluster.js';
import { onMysql } from '../../support/database.js';
import { useDatabases } from '../support/databases.js';
import { failureOf } from '../support/failure.js';

/** Behaviour that needs a real cluster is measured by `npm run test:faults -- R10 R14`. */
const describeOnMysql = onMysql ? describe : describe.skip;

describeOnMysql('a server without a cluster', () => {
  const databases = useDatabases({ migrated: false });
  const waiting = ({ sequelize }: Database) =>
    sequelize.query<{ Value: string }>("SHOW VARIABLES LIKE 'wsrep_sync_wait'", { type: QueryTypes.SELECT });

  it('is not treated as a cluster, and does not wait for other nodes', async () => {
    const database = databases.open();
    // MySQL doesn't know the variable. MariaDB always has it.
    for (const { Value } of await waiting(database)) expect(Value).to.equal('0');
    expect(isCluster(database.settings)).to.equal(false);
  });
});

describeOnMysql('the problems of a server', () => {
  const databases = useDatabases({ migrated: false });

  it('include a group that refuses changes of tables with cascading foreign keys', async () => {
    const variable = 'group_replication_enforce_update_everywhere_checks';
    const { sequelize, settings } = databases.open();
    const query = sequelize.query;
    /** Returns the problems for these values of the variable. A server of MySQL with Group Replication has the variable. */
    const problemsWith = async (...values: string[]) => {
      const rows = values.map((Value) => ({ Variable_name: variable, Value }));
      sequelize.query = ((...args: Parameters<typeof query>) =>
        String(args[0]).startsWith('SHOW VARIABLES')
          ? Promise.resolve([rows, undefined])
          : query.apply(sequelize, args)) as typeof query; // The overloads of query() are lost in its parameters.
      return (await serverProblems(sequelize, settings)).map(({ problem }) => problem);
    };
    const others = await problemsWith();
    expect(await problemsWith('OFF')).to.deep.equal(others);
    expect(await problemsWith('ON')).to.deep.equal([...others, `${variable} is ON: the server refuses most changes`]);
  });
});

describeOnMysql('errors of cluster nodes', () => {
  const databases = useDatabases({ migrated: false });

  const failing = (sqlState: string, number: number, text: string) =>
    `SIGNAL SQLSTATE '${sqlState}' SET MYSQL_ERRNO = ${number}, MESSAGE_TEXT = '${text}'`;

  /** Runs a transaction in which the statement fails the first `times` times. */
  async function transact(statement: string, times = Number.POSITIVE_INFINITY) {
    const database = databases.open();
    const outcome = { attempts: 0, code: '', message: '' };
    const work = database.inTransaction(async (transaction) => {
      outcome.attempts += 1;
      if (outcome.attempts <= times) await database.sequelize.query(statement, { transaction });
    });
    if (times === Number.POSITIVE_INFINITY) {
      const { code, message } = await failureOf(() => work);
      Object.assign(outcome, { code, message });
    } else await work;
    return outcome;
  }

  it('report a node without quorum as an unreachable database, without retries', async () => {
    for (const alone of [
      failing('08S01', 1047, 'WSREP has not yet prepared node'),
      failing('HY000', 3796, 'cannot be used on the current member state'),
    ]) {
      const { attempts, code, message } = await transact(alone);
      expect([attempts, code]).to.deep.equal([1, 'DATABASE_UNREACHABLE']);
      expect(message).to.match(
        /^The database has lost (the other nodes of its cluster|its group), .* \(mysql:\/\/.*\)\. Look at /,
      );
      const database = databases.open();
      expect((await failureOf(() => database.read(() => database.sequelize.query(alone)))).code).to.equal(code);
    }
  });

  it('report a group with several primaries, with the statement that fixes it', async () => {
    const refusal = failing('HY000', 3098, 'The table does not comply with the requirements');
    const { code, message } = await transact(refusal);
    expect(code).to.equal('DATABASE_NOT_WRITABLE');
    expect(message).to.match(/ \(mysql:\/\/.*\)\. Switch the group to a single primary: SELECT \w+\(\)\.$/);
  });

  it('repeat the whole transaction when Galera or Group Replication refuses the commit', async () => {
    for (const refusal of [
      failing('HY000', 1180, 'Got error 149 during COMMIT'),
      failing('HY000', 3101, 'Plugin instructed the server to rollback the current transaction.'),
    ])
      expect((await transact(refusal, 2)).attempts).to.equal(3);
  });
});
