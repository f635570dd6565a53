import { existsSync } from 'node:fs';
import path from 'node:path';
import { envFile, readSettings } from '../../../config/config.js';
import type { Run } from '../../core/command/run.js';
import { createPrompts } from '../../core/prompts/prompts.js';
import { reachableServer, withSchema } from './server-answers.js';
import { addSettings } from './settings-file.js';
import type { Change } from './undo.js';

/**
 * Asks for the database, and saves the answer in the `.env` file. Doesn't ask if the environment or the file configures a
 * database, or if the SQLite database exists.
 * @returns whether the file was written
 */
export async function chooseDatabase(run: Run, changes: Change[]): Promise<boolean> {
  const config = await run.config();
  const { values } = readSettings(run.io);
  if (values.DATABASE_URL !== undefined || values.DB_NAME !== undefined) return false;
  if (config.database.dialect === 'sqlite' && existsSync(config.database.file) && (await hasTables(run))) return false;
  const prompts = await createPrompts(run.io);
  const kind = await prompts.choose('Where should the data be stored?', [
    {
      value: 'sqlite',
      name: `In a file: SQLite, ${path.relative(run.io.cwd, config.dataDir) || '.'}/coursectl.sqlite (nothing to install)`,
      short: 'SQLite',
    },
    { value: 'server', name: 'On a MySQL or MariaDB server', short: 'MySQL or MariaDB' },
  ]);
  if (kind === 'sqlite') return false;
  const url = await reachableServer(run, changes);
  const settingsFile = envFile(run.io);
  changes.push(await addSettings(settingsFile, { DATABASE_URL: url }));
  run.say(`Saved DATABASE_URL in ${settingsFile}.`);
  return true;
}

/**
 * Whether the database file has tables. A file without tables doesn't count as chosen: another program such as `touch`
 * may have created it.
 */
async function hasTables(run: Run): Promise<boolean> {
  return withSchema(run, {}, async (schema) => (await schema.status()).executed.length > 0);
}
