import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import path from 'node:path';
import Joi from 'joi';
import { envFile } from '../../../config/config.js';
import type { Schema } from '../../../context.js';
import { AppError, isAppError, systemErrorCode } from '../../../errors.js';
import { printable } from '../../core/printable.js';
import { createPrompts, type Prompts } from '../../core/prompts.js';
import type { Run } from '../../core/run.js';

/**
 * Asks for the database when none is configured, and saves the answer in an `.env` file. It doesn't ask when the
 * environment or a file configures one, or the SQLite database exists already.
 */
export async function chooseDatabase(run: Run): Promise<void> {
  const config = await run.config();
  const settingsFile = envFile(run.io);
  if (run.io.env.DATABASE_URL || run.io.env.DB_NAME || existsSync(settingsFile)) return;
  if (config.database.dialect === 'sqlite' && existsSync(config.database.file) && (await hasTables(run))) return;
  const prompts = await createPrompts(run.io);
  const kind = await prompts.choose('Where should the data be stored?', [
    {
      value: 'sqlite',
      name: `In a file: SQLite, ${path.relative(run.io.cwd, config.dataDir) || '.'}/coursectl.sqlite (nothing to install)`,
    },
    { value: 'server', name: 'On a MySQL or MariaDB server' },
  ]);
  if (kind === 'sqlite') return;
  await keep(settingsFile, await reachableServer(run, prompts));
  run.say(`Saved in ${settingsFile}, which only you can read.`);
}

// As loose as DB_HOST, but for a colon, which only an IPv6 address has.
const hostName = Joi.string()
  .trim()
  .custom((text: string, helpers) => (/^[\w.-]+$/.test(text) || isIP(text) !== 0 ? text : helpers.error('any.invalid')))
  .messages({ '*': 'The host is a name or an address, without a port.' });
const required = Joi.string().trim().min(1).messages({ '*': 'Please answer.' });
const portNumber = Joi.string()
  .custom((text: string, helpers) =>
    /^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= 65535 ? text : helpers.error('any.invalid'),
  )
  .messages({ '*': 'The port is a whole number from 1 to 65535.' });

/** Asks until the answers lead to a database that can be used; what was answered before is offered again. */
async function reachableServer(run: Run, prompts: Prompts): Promise<string> {
  let [host, port, name, user] = ['127.0.0.1', '3306', 'coursectl', 'coursectl'];
  for (;;) {
    host = await prompts.text('Host', hostName, host);
    port = await prompts.text('Port', portNumber, port);
    name = await prompts.text('Database', required, name);
    user = await prompts.text('User', required, user);
    const password = await prompts.secret('Password');
    const part = encodeURIComponent;
    const url = `mysql://${part(user)}:${part(password)}@${host.includes(':') ? `[${host}]` : host}:${port}/${part(name)}`;
    try {
      await withSchema(run, { DATABASE_URL: url }, (schema) => schema.serverVersion());
      return url;
    } catch (error) {
      if (!isAppError(error)) throw error;
      run.io.stderr.write(`${printable(error.message)}\nTry again, or press Ctrl-C.\n`);
    }
  }
}

/** A database file without tables was not chosen: something else has created it, such as `touch`. */
async function hasTables(run: Run): Promise<boolean> {
  return withSchema(run, {}, async (schema) => (await schema.status()).executed.length > 0);
}

/** Opens a database to inspect it, and closes it again. */
async function withSchema<T>(
  run: Run,
  settings: Record<string, string>,
  look: (schema: Schema) => Promise<T>,
): Promise<T> {
  const [{ createContext }, { createLogger }] = await Promise.all([
    import('../../../context.js'),
    import('../../../logger.js'),
  ]);
  const context = await createContext(await run.config(settings), createLogger('silent', { write: () => undefined }));
  try {
    return await look(context.schema);
  } finally {
    await context.close();
  }
}

async function keep(file: string, url: string): Promise<void> {
  try {
    // A quote in the URL is percent-encoded: the value needs no escaping.
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(file, `DATABASE_URL="${url}"\n`, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    throw new AppError(
      'FILE_UNUSABLE',
      `The file ${file} can't be written (${systemErrorCode(error) ?? 'unknown'}). Set DATABASE_URL in the environment instead.`,
      { cause: error },
    );
  }
}
