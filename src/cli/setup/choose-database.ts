import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import Joi from 'joi';
import { AppError, isAppError, systemErrorCode } from '../../errors.js';
import { createPrompts, type Prompts } from '../prompts.js';
import type { Run } from '../run.js';

/**
 * Asks for the database when nobody has chosen one yet, and keeps the answer in an `.env` file. A setup that is
 * configured, by the environment or a file, or that has its SQLite database already, isn't asked again.
 */
export async function chooseDatabase(run: Run): Promise<void> {
  const config = await run.config();
  const envFile = path.join(run.io.cwd, '.env');
  const chosen = run.io.env.DATABASE_URL || run.io.env.DB_NAME || existsSync(envFile);
  if (chosen || (config.database.dialect === 'sqlite' && existsSync(config.database.file))) return;
  const prompts = await createPrompts(run.io);
  const kind = await prompts.choose('Where shall the data be kept?', [
    {
      value: 'sqlite',
      name: `In a file: SQLite, ${path.relative(run.io.cwd, config.dataDir) || '.'}/coursectl.sqlite (nothing to install)`,
    },
    { value: 'server', name: 'On a MySQL or MariaDB server' },
  ]);
  if (kind === 'sqlite') return;
  await keep(envFile, await reachableServer(run, prompts));
  run.say(`Kept in ${envFile}, which only you can read.`);
}

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
    host = await prompts.text('Host', required, host);
    port = await prompts.text('Port', portNumber, port);
    name = await prompts.text('Database', required, name);
    user = await prompts.text('User', required, user);
    const password = await prompts.secret('Password');
    const part = encodeURIComponent;
    const url = `mysql://${part(user)}:${part(password)}@${host.includes(':') ? `[${host}]` : host}:${port}/${part(name)}`;
    try {
      await tryConnection(run, url);
      return url;
    } catch (error) {
      if (!isAppError(error)) throw error;
      run.say(`${error.message}\nTry again, or press Ctrl-C.`);
    }
  }
}

async function tryConnection(run: Run, url: string): Promise<void> {
  const [{ createContext }, { createLogger }] = await Promise.all([
    import('../../context.js'),
    import('../../logger.js'),
  ]);
  const context = await createContext(
    await run.config({ DATABASE_URL: url }),
    createLogger('silent', { write: () => undefined }),
  );
  try {
    await context.schema.serverVersion();
  } finally {
    await context.close();
  }
}

async function keep(envFile: string, url: string): Promise<void> {
  try {
    // A quote in the URL is percent-encoded: the value needs no escaping.
    await writeFile(envFile, `DATABASE_URL="${url}"\n`, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    throw new AppError(
      'FILE_UNUSABLE',
      `The file ${envFile} can't be written (${systemErrorCode(error) ?? 'unknown'}). Set DATABASE_URL in the environment instead.`,
      { cause: error },
    );
  }
}
