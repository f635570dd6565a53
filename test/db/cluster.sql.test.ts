import { expect } from 'chai';
import { QueryTypes } from 'sequelize';
import type { Database } from '../../src/db/connection.js';
import { serverProblems } from '../../src/db/dialect.js';
import { isCluster } from '../../src/db/mysql/cluster.js';
import { onMysql } from '../support/database.js';
import { useDatabases } from './support/databases.js';
import { failureOf } from './support/failure.js';

/** What only a cluster shows is measured by `npm run test:faults -- R10 R14`. */
const describeOnMysql = onMysql ? describe : describe.skip;

describeOnMysql('a server without a cluster', () => {
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

describeOnMysql('the problems of a server', () => {
  const databases = useDatabases({ migrated: false });
  const variable = 'group_replication_enforce_update_everywhere_checks';

  /** The problems where the server says this of the variable, as one of MySQL with Group Replication does. */
  async function problemsWith(rows: { Variable_name: string; Value: string }[]) {
    const { sequelize, settings } = databases.open();
    const query = sequelize.query;
    sequelize.query = ((...args: Parameters<typeof query>) =>
      String(args[0]).startsWith('SHOW VARIABLES')
        ? Promise.resolve([rows, undefined])
        : query.apply(sequelize, args)) as typeof query; // The overloads of query() are lost in its parameters.
    return (await serverProblems(sequelize, settings)).map(({ problem }) => problem);
  }

  it('include that its group refuses changes of tables with cascading foreign keys', async () => {
    const others = await problemsWith([]);
    expect(await problemsWith([{ Variable_name: variable, Value: 'OFF' }])).to.deep.equal(others);
    expect(await problemsWith([{ Variable_name: variable, Value: 'ON' }])).to.deep.equal([
      ...others,
      `${variable} is ON: the server refuses most changes`,
    ]);
  });
});

describeOnMysql('errors of cluster nodes', () => {
  const databases = useDatabases({ migrated: false });

  const losses = {
    'on Galera': "'08S01' SET MYSQL_ERRNO = 1047, MESSAGE_TEXT = 'WSREP has not yet prepared node'",
    'in a group of MySQL':
      "'HY000' SET MYSQL_ERRNO = 3796, MESSAGE_TEXT = 'cannot be used on the current member state'",
  };
  for (const [where, loss] of Object.entries(losses))
    it(`without the others ${where}: reports the database as unreachable, without retries`, async () => {
      const database = databases.open();
      let attempts = 0;
      const alone = `SIGNAL SQLSTATE ${loss}`;
      const { code, message } = await failureOf(() =>
        database.inTransaction(async (transaction) => {
          attempts += 1;
          await database.sequelize.query(alone, { transaction });
        }),
      );
      expect([attempts, code]).to.deep.equal([1, 'DATABASE_UNREACHABLE']);
      expect(message).to.match(
        /^The database has lost (the other nodes of its cluster|its group), .* \(mysql:\/\/.*\)\. Look at /,
      );
      expect((await failureOf(() => database.read(() => database.sequelize.query(alone)))).code).to.equal(code);
    });

  it('with several primaries that refuse our tables: says what to do', async () => {
    const database = databases.open();
    const refusal =
      "SIGNAL SQLSTATE 'HY000' SET MYSQL_ERRNO = 3098, MESSAGE_TEXT = 'The table does not comply with the requirements'";
    const { code, message } = await failureOf(() =>
      database.inTransaction((transaction) => database.sequelize.query(refusal, { transaction })),
    );
    expect(code).to.equal('DATABASE_NOT_WRITABLE');
    expect(message).to.match(/ \(mysql:\/\/.*\)\. Let the group have a single primary: SELECT \w+\(\)\.$/);
  });

  const refusals = {
    Galera: "1180, MESSAGE_TEXT = 'Got error 149 during COMMIT'",
    'Group Replication': "3101, MESSAGE_TEXT = 'Plugin instructed the server to rollback the current transaction.'",
  };
  for (const [cluster, refusal] of Object.entries(refusals))
    it(`when ${cluster} refuses a commit: repeats the whole transaction`, async () => {
      const database = databases.open();
      let attempts = 0;
      const outcome = await database.inTransaction(async (transaction) => {
        attempts += 1;
        const statement = `SIGNAL SQLSTATE 'HY000' SET MYSQL_ERRNO = ${refusal}`;
        if (attempts < 3) await database.sequelize.query(statement, { transaction });
        return 'done';
      });
      expect([attempts, outcome]).to.deep.equal([3, 'done']);
    });
});
