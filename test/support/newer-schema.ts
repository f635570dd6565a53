import type { Context } from '../../src/services/context.js';

/**
 * Runs work while the database has a migration that the program doesn't know, as after an upgrade of another instance.
 */
export async function whileSchemaIsNewer(
  { database: { sequelize } }: Context,
  work: () => Promise<void>,
): Promise<void> {
  await sequelize.query("INSERT INTO SequelizeMeta (name) VALUES ('99999999999999-newer.cjs')");
  try {
    await work();
  } finally {
    await sequelize.query("DELETE FROM SequelizeMeta WHERE name = '99999999999999-newer.cjs'");
  }
}
