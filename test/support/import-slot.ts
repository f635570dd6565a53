import type { Context } from '../../src/services/context.js';

/**
 * Occupies the slot of a running import, so that uploaded imports wait.
 * @returns a function that releases the slot
 */
export async function takeImportSlot({ database: { sequelize } }: Context): Promise<() => Promise<void>> {
  const replacements = { expiresAt: Date.now() + 60_000 };
  const taken = "INSERT INTO leases (name, owner, expires_at) VALUES ('import-slot:1', 'x', :expiresAt)";
  await sequelize.query(taken, { replacements });
  return async () => {
    await sequelize.query("DELETE FROM leases WHERE name = 'import-slot:1'");
  };
}
