import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { createConnection } from 'mysql2/promise';
import { QueryTypes } from 'sequelize';
import { runSelect } from '../../src/db/sql/select.js';
import { onMysql } from '../support/database.js';
import { useHarness } from '../support/harness.js';
import { scaled } from '../support/machine.js';

(onMysql ? describe : describe.skip)('A query whose deadline has passed', () => {
  const harness = useHarness();

  /** A query that takes hours. */
  const endless = (name: string) =>
    `SELECT COUNT(*) AS ${name} FROM ${['a', 'b', 'c', 'd'].map((alias) => `information_schema.collations ${alias}`).join(', ')}`;

  it('is ended by the server', async () => {
    const { database } = harness.context;
    const { sequelize } = database;
    const name = `endless_${process.pid}`;
    const operator = await createConnection(harness.databaseUrl);
    const running = async () => {
      const [rows] = await operator.query(
        `SELECT COUNT(*) AS number FROM information_schema.processlist WHERE info LIKE '%${name}%' AND id <> CONNECTION_ID()`,
      );
      return Number((rows as { number: number }[])[0]?.number);
    };
    try {
      const asked = [
        () => sequelize.query(endless(name), { type: QueryTypes.SELECT }),
        () => runSelect(sequelize, endless(name)),
        () =>
          database.inTransaction((transaction) =>
            sequelize.query(endless(name), { type: QueryTypes.SELECT, transaction }),
          ),
      ];
      const outcomes = Promise.all(
        asked.map((ask) => database.withDeadline({ all: 1500 }, () => database.read(ask)).catch(({ code }) => code)),
      );
      while ((await running()) < asked.length) await sleep(20);
      expect(await outcomes).to.deep.equal(asked.map(() => 'DATABASE_UNREACHABLE'));
      while ((await running()) > 0) await sleep(50);
    } finally {
      await operator.end();
    }
  }).timeout(scaled(20_000));

  it('fails with OVERLOADED if the server ends the query first', async () => {
    const { database } = harness.context;
    const { sequelize } = database;
    const limits = '/*M!100102 SET STATEMENT max_statement_time=0.05 FOR */ SELECT /*+ MAX_EXECUTION_TIME(50) */';
    const sql = endless('late').replace('SELECT', limits);
    const failure = await database.read(() => runSelect(sequelize, sql)).catch((error: unknown) => error);
    expect(failure).to.have.property('code', 'OVERLOADED');
  });
});
