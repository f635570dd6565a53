import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { QueryInterface } from 'sequelize';

const require = createRequire(import.meta.url);

/** What a file of `migrations/` exports. */
interface Migration {
  up(queryInterface: QueryInterface): Promise<void>;
  down(queryInterface: QueryInterface): Promise<void>;
}

/** Loads a file of `migrations/`. */
export function migration(name: string): Migration {
  // test/db/migrations.sql.test.ts runs both steps of every file.
  return require(fileURLToPath(new URL(`../../../migrations/${name}`, import.meta.url))) as Migration;
}
