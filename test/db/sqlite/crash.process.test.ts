import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { QueryTypes } from 'sequelize';
import { onMysql } from '../../support/database.js';
import { atDepth } from '../../support/depth.js';
import { scaled } from '../../support/machine.js';
import { useDatabases } from '../support/databases.js';

/** Program that commits the numbers 1, 2, 3, ... to two tables, and prints each after its commit. */
const writer = (file: string, from: number) => `
import { writeSync } from 'node:fs';
const { openDatabase } = await import(${JSON.stringify(new URL('../../../src/db/connection.ts', import.meta.url).href)});
const database = openDatabase({ dialect: 'sqlite', file: ${JSON.stringify(file)} });
for (let n = ${from}; ; n += 1) {
  await database.inTransaction(async (transaction) => {
    for (const table of ['one', 'other'])
      await database.sequelize.query('INSERT INTO ' + table + ' VALUES (' + n + ', hex(randomblob(500)))', { transaction });
  });
  writeSync(1, n + '\\n');
}`;

(onMysql ? describe.skip : describe)('A SQLite file whose program is killed in the middle of commits', function () {
  this.timeout(scaled(600_000));
  const databases = useDatabases({ migrated: false });

  it('contains every acknowledged transaction completely, and only one time', async () => {
    const file = databases.url.replace(/^sqlite:/, '');
    const tables = databases.open();
    for (const table of ['one', 'other'])
      await tables.sequelize.query(`CREATE TABLE ${table} (n INTEGER PRIMARY KEY, filling TEXT)`);
    await tables.close();
    let last = 0;
    const rounds = atDepth(4, 30);
    for (let round = 0; round < rounds; round += 1) {
      const program = spawn(
        process.execPath,
        ['--import', 'tsx', '--input-type=module', '-e', writer(file, last + 1)],
        {
          stdio: ['ignore', 'pipe', 'inherit'],
        },
      );
      const exit = once(program, 'exit');
      let message = '';
      program.stdout.setEncoding('utf8').on('data', (text: string) => {
        message += text;
      });
      while (message.split('\n').length < 5 && program.exitCode === null) await once(program.stdout, 'data');
      // At a random moment of a commit.
      await sleep(Math.random() * 20);
      program.kill('SIGKILL');
      expect((await exit)[1]).to.equal('SIGKILL');
      const acknowledged = Number(message.split('\n').at(-2));

      const database = databases.open();
      const numbers = async (table: string) =>
        (
          await database.sequelize.query<{ n: number }>(`SELECT n FROM ${table} ORDER BY n`, {
            type: QueryTypes.SELECT,
          })
        ).map(({ n }) => n);
      const [one, other] = [await numbers('one'), await numbers('other')];
      expect(one).to.deep.equal(other);
      expect(one).to.deep.equal(Array.from({ length: one.length }, (_, index) => index + 1));
      // The last commit may have succeeded without being printed.
      expect(one.length, `round ${round}`).to.be.within(acknowledged, acknowledged + 1);
      const [check] = await database.sequelize.query('PRAGMA integrity_check');
      expect(check).to.deep.equal([{ integrity_check: 'ok' }]);
      await database.close();
      last = one.length;
    }
    expect(last).to.be.at.least(rounds * 4);
  });
});
