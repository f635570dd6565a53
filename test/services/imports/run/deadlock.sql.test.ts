import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { type Connection, createConnection } from 'mysql2/promise';
import { onMysql } from '../../../support/database.js';
import { whileRunning } from '../../../support/until.js';
import { hashedPeople, useImporting } from '../support/importing.js';
import { expectWholeLedger, importFile } from '../support/running.js';

const count = 120;

/** Waits until an insertion of accounts waits for a row that this connection locks. */
async function untilInsertWaits(connection: Connection): Promise<void> {
  for (let seen = 0; seen < 4; ) {
    const [threads] = await connection.query('SHOW PROCESSLIST');
    const waits = (threads as { db: string | null; Info: string | null }[]).some(
      ({ db, Info }) => db === connection.config.database && Info?.startsWith('INSERT INTO `users`'),
    );
    seen = waits ? seen + 1 : 0;
    await sleep(100);
  }
}

/** Inserts the account of a person of the file, like a registration. */
const register = (connection: Connection, number: string) =>
  connection.query(
    `INSERT INTO users (id, first_name, last_name, email, phone, phone_key, password_hash, role, is_active, requires_password_change, search_key, created_at, updated_at)
     VALUES (UUID(), 'Given', 'Family', 'p${number}@example.org', '9${number}', '9${number}', 'x', 'trainee', 1, 0, 'x', NOW(3), NOW(3))`,
  );

(onMysql ? describe : describe.skip)('A deadlock in an import (needs a MySQL or MariaDB server)', () => {
  const importing = useImporting();

  it('rolls back the whole batch, which is then imported a single time', async () => {
    const { models } = importing.context.database;
    const other = await createConnection({ uri: importing.databaseUrl });
    try {
      await other.query('BEGIN');
      // The server aborts the smaller one of two transactions, which is the import's.
      const weights = Array.from({ length: 20_000 }, (_, index) => `('deadlock:${index}', 'x', 0)`);
      await other.query(`INSERT INTO leases (name, owner, expires_at) VALUES ${weights.join(',')}`);
      await register(other, '00040');
      const running = importFile(importing.context, importing.write('people.csv', hashedPeople(count)));
      await whileRunning(running, untilInsertWaits(other));
      await register(other, '00001');
      await other.query('ROLLBACK');
      const { id, counts } = await running;
      expect(counts).to.include({ rows: count, created: count });
      expect(await models.User.count()).to.equal(count);
      await expectWholeLedger(importing, id, count);
    } finally {
      await other.end();
    }
  });
});
