import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { format } from 'node:util';
import { databaseUrlForDisplay } from '../../../config/database-url.js';
import { type AppError, type ErrorCode, isAppError } from '../../../errors.js';
import { startServer } from '../../../http/server/server.js';
import type { Logger } from '../../../logger.js';
import { setupStatus } from '../../../services/accounts/setup.js';
import type { Context } from '../../../services/context.js';
import type { Result, Run } from '../../core/command/run.js';
import { withCommandLines } from '../../core/output/output.js';
import { startChecks } from './start-checks.js';

type ServeOptions = Record<'--migrate' | '--host <address>' | '--port <number>', string>;

export async function serve(run: Run<'', ServeOptions>): Promise<Result> {
  const { host, port, migrate } = run.options;
  const { signal } = run.io;
  const context = await run.context({
    ...(host !== undefined && { HOST: host }),
    ...(port !== undefined && { PORT: port }),
  });
  for (const check of Object.values(startChecks)) await check(context);
  const server = await startServer(context, { ready: false });
  const restoreConsole = logConsoleWarnings(context.logger);
  try {
    const announce = firstTimeOnly(async () => {
      context.logger.info({ url: server.url, database: context.config.database.dialect }, 'listening');
      if (run.options.json) await run.emit(JSON.stringify({ url: server.url }));
    });
    const welcome = await untilReady(context, Boolean(migrate), signal, async (reason) => {
      await announce();
      context.logger.warn({ code: reason.code }, reason.message);
      run.say(`Listening on ${server.url}, but not ready. ${reason.message} Retrying until it is.`);
    });
    if (welcome) {
      await warnUnlessWritable(context, run.say);
      server.begin();
    }
    if (welcome && !signal.aborted) {
      await announce();
      run.say(withCommandLines(run.io, welcome(server)));
      if (!signal.aborted) await once(signal, 'abort');
    }
    run.say('Stopping: waiting for running requests.');
  } finally {
    await server.close();
    restoreConsole();
  }
  context.logger.info('stopped');
  return {};
}

/**
 * Redirects console warnings of libraries to the log. Sequelize prints one if a commit or rollback fails.
 * @returns a function that restores the console
 */
function logConsoleWarnings(logger: Logger): () => void {
  const { warn } = console;
  console.warn = (...parts: unknown[]) => logger.warn({ from: 'console' }, format(...parts));
  return () => {
    console.warn = warn;
  };
}

/** Returns a function that runs `work` on its first call only. */
function firstTimeOnly(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => {
    done ??= work();
    return done;
  };
}

interface Listening {
  url: string;
  hasConsole: boolean;
}

type Welcome = (server: Listening) => string;

/** Failures of a database server that is starting or under repair. */
const temporaryFailures: readonly ErrorCode[] = [
  'DATABASE_UNREACHABLE',
  'DATABASE_ACCESS_DENIED',
  'DATABASE_MISSING',
  'DATABASE_NOT_WRITABLE',
  'DISK_FULL',
  'OVERLOADED',
  'MIGRATION_LOCKED',
];

/** Warns if the database is read-only: nobody can sign in, and only refused requests would show the reason. */
async function warnUnlessWritable({ schema, logger }: Context, say: (text: string) => void): Promise<void> {
  try {
    await schema.assertWritable();
  } catch (error) {
    if (!isAppError(error)) throw error;
    logger.warn({ code: error.code }, error.message);
    if (error.code === 'DATABASE_NOT_WRITABLE') say(`Nobody can sign in. ${error.message}`);
  }
}

const maxPauseMs = 3000;

/**
 * Waits until the database can be used, and migrates it if requested.
 * @param onWait called with each new reason to wait
 * @returns the welcome message; undefined if the service was stopped before
 * @throws AppError for lasting failures: an outdated schema, an unusable file
 */
async function untilReady(
  context: Context,
  migrate: boolean,
  signal: AbortSignal,
  onWait: (reason: AppError) => Promise<void>,
): Promise<Welcome | undefined> {
  let lastCode = '';
  for (let pauseMs = 200; !signal.aborted; pauseMs = Math.min(2 * pauseMs, maxPauseMs)) {
    try {
      if (migrate) await context.schema.up({ signal });
      await context.schema.assertCurrent();
      return await welcomeAt(context);
    } catch (error) {
      if (signal.aborted) return undefined;
      // SQLite has no server to wait for.
      if (context.config.database.dialect === 'sqlite' || !isAppError(error, ...temporaryFailures)) throw error;
      if (error.code !== lastCode) await onWait(error);
      lastCode = error.code;
    }
    // Rejects only when aborted, which the loop checks.
    await sleep(pauseMs * (0.5 + Math.random()), undefined, { signal }).catch(() => undefined);
  }
  return undefined;
}

/**
 * Prepares the welcome message. Everything that can fail happens here, before the first request.
 * @returns the message for a server
 */
async function welcomeAt(context: Context): Promise<Welcome> {
  const { setupRequired } = await setupStatus(context);
  // Created now and not at the first login: an unwritable folder must prevent the start.
  await context.tokens;
  const database = databaseUrlForDisplay(context.config.database);
  const next = ({ hasConsole }: Listening, url: string) => {
    if (!setupRequired)
      return hasConsole
        ? `Sign in: open ${url} in a browser`
        : `Sign in with: curl -X POST ${url}/api/auth/login -H 'Content-Type: application/json' -d '{"identifier":"...","password":"..."}'`;
    const inBrowser = hasConsole ? `Create one in a browser at ${url},\nor in` : 'In';
    return `No super admin yet. ${inBrowser} another terminal, in this folder, run: coursectl setup`;
  };
  return (server) => {
    // Browsers can't open the address of all interfaces.
    const url = server.url.replace(/\/\/(?:0\.0\.0\.0|\[::\])(?=:)/, '//127.0.0.1');
    return [
      `coursectl is listening on ${server.url}`,
      `Database: ${database}`,
      `Data folder: ${context.config.dataDir}`,
      `API description: ${url}/api/docs`,
      next(server, url),
    ].join('\n');
  };
}
