import type { Context } from '../../../../src/services/context.js';
import { onMysql } from '../../../support/database.js';

/** A change that the database must refuse. */
interface Refused {
  event: 'INSERT' | 'UPDATE' | 'DELETE';
  table: string;
  /** SQL condition on the row: `NEW.status = 'stopped'`. */
  when: string;
}

/** Makes the database refuse one kind of change, with a trigger. @returns a function that removes the trigger */
export async function breakAt(
  { database: { sequelize } }: Context,
  { event, table, when }: Refused,
): Promise<() => Promise<unknown>> {
  const body = onMysql
    ? `FOR EACH ROW BEGIN IF ${when} THEN SIGNAL SQLSTATE '45000'; END IF; END`
    : `WHEN ${when} BEGIN SELECT RAISE(ABORT, 'a fault'); END`;
  await sequelize.query(`CREATE TRIGGER broken BEFORE ${event} ON ${table} ${body}`);
  return () => sequelize.query('DROP TRIGGER broken');
}
