import type { Context } from '../../../src/services/context.js';

/**
 * Makes the database refuse all writes to the tables with an error that contains the statement.
 * @returns a function that permits writes again
 */
export async function refuseWrites({ database }: Context, tables: readonly string[]): Promise<() => Promise<void>> {
  const refusal =
    database.sequelize.getDialect() === 'sqlite'
      ? "BEGIN SELECT RAISE(FAIL, 'a fault of the database'); END"
      : "FOR EACH ROW SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'a fault of the database'";
  const triggers = tables.flatMap((table) =>
    ['INSERT', 'UPDATE'].map((event) => ({ table, event, name: `refuse_${table}_${event.toLowerCase()}` })),
  );
  for (const { name, table, event } of triggers)
    await database.sequelize.query(`CREATE TRIGGER ${name} BEFORE ${event} ON ${table} ${refusal}`);
  return async () => {
    for (const { name } of triggers) await database.sequelize.query(`DROP TRIGGER ${name}`);
  };
}
