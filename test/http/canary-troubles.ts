import type { Context } from '../../src/context.js';
import { canaries, type Trouble } from './canaries.js';

/** Triggers that refuse every write of accounts, sessions and the rest: errors that carry the whole statement. */
const guardedTables = ['users', 'sessions', 'login_throttle', 'imports', 'courses', 'enrollments', 'files'];

async function refuseWrites({ database }: Context): Promise<() => Promise<void>> {
  const isSqlite = database.sequelize.getDialect() === 'sqlite';
  const triggers = guardedTables.flatMap((table) => ['INSERT', 'UPDATE'].map((event) => ({ table, event })));
  const nameOf = ({ table, event }: (typeof triggers)[number]) => `refuse_${table}_${event.toLowerCase()}`;
  for (const trigger of triggers) {
    const refusal = isSqlite
      ? "BEGIN SELECT RAISE(FAIL, 'a fault of the database'); END"
      : "FOR EACH ROW SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'a fault of the database'";
    await database.sequelize.query(
      `CREATE TRIGGER ${nameOf(trigger)} BEFORE ${trigger.event} ON ${trigger.table} ${refusal}`,
    );
  }
  return async () => {
    for (const trigger of triggers) await database.sequelize.query(`DROP TRIGGER ${nameOf(trigger)}`);
  };
}

/** Takes the table of accounts away, so that every statement on it fails. */
async function hideAccounts({ database }: Context): Promise<() => Promise<void>> {
  await database.sequelize.query('ALTER TABLE login_throttle RENAME TO login_throttle_hidden');
  return async () =>
    void (await database.sequelize.query('ALTER TABLE login_throttle_hidden RENAME TO login_throttle'));
}

/** A bug, with all that an error may carry. */
function thrown(): never {
  throw Object.assign(new TypeError('a bug'), {
    ...{ sql: `INSERT ... '${canaries.password}'`, parameters: [canaries.newPassword], password: canaries.password },
    ...{ original: new Error(canaries.password), config: { headers: { authorization: canaries.token } } },
  });
}

/** The program with a bug in a part that every login and every change of a password needs. */
function buggy(context: Context): Context {
  const hasher = { ...context.hasher, compare: async () => thrown(), hash: async () => thrown() };
  // A getter that makes the secret when it is asked for stays one.
  return Object.create(context, { hasher: { value: hasher } }) as Context;
}

/** The ways in which requests end. */
export function troubles(context: Context): Trouble[] {
  return [
    { name: 'all well', troubled: context },
    { name: 'writes refused by the database', troubled: context, begin: () => refuseWrites(context) },
    { name: 'a table gone', troubled: context, begin: () => hideAccounts(context) },
    { name: 'a bug', troubled: buggy(context) },
  ];
}
