import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import type { Context } from '../../../context.js';
import { type AppError, type ErrorCode, isAppError } from '../../../errors.js';
import { define, type Registry } from '../../core/command.js';
import { exitCodes } from '../../core/exit-codes.js';
import { withCommandLines } from '../../core/output.js';
import { aborted } from './aborted.js';
import { logConsoleWarnings } from './console-warnings.js';

const serveOptions = {
  '--migrate': 'apply pending migrations first',
  '--host <address>': 'address to listen on (default: the setting HOST)',
  '--port <number>': 'port to listen on (default: the setting PORT)',
  '--workers <count>': 'number of processes, or auto for one per CPU core (default: the setting WORKERS)',
};

export function register(program: Command, registry: Registry): void {
  define(program, registry, {
    usage: 'serve',
    // It waits for its database, then checks the schema.
    schema: 'any',
    missingDatabase: 'created with --migrate',
    summary: 'Serve the HTTP API until stopped (Ctrl-C or SIGTERM)',
    examples: ['serve', 'serve --migrate', 'serve --host 0.0.0.0 --port 8080', 'serve --workers auto'],
    options: serveOptions,
    stopsItself: true,
    async run(run) {
      const { default: cluster } = await import('node:cluster');
      if (cluster.isWorker) {
        const { serveAsWorker } = await import('./worker.js');
        return serveAsWorker(run, (context, signal) =>
          untilReady(context, false, signal, async ({ code, message }) => context.logger.warn({ code }, message)),
        );
      }
      const { host, port, workers, migrate } = run.options;
      const context = await run.context({
        ...(host !== undefined && { HOST: host }),
        ...(port !== undefined && { PORT: port }),
        ...(workers !== undefined && { WORKERS: workers }),
      });
      const server = await startService(context, run.io.env);
      const restoreConsole = logConsoleWarnings(context.logger);
      const over = new AbortController();
      const stopping = AbortSignal.any([run.io.signal, server.hangUp]);
      const signal = AbortSignal.any([stopping, over.signal]);
      try {
        const announce = once(async () => {
          context.logger.info({ url: server.url, database: context.config.database.dialect }, 'listening');
          if (run.options.json) await run.emit(JSON.stringify({ url: server.url }));
        });
        const waiting = untilReady(context, Boolean(migrate), signal, async (reason) => {
          await announce();
          context.logger.warn({ code: reason.code }, reason.message);
          run.say(`Listening on ${server.url}, but not ready. ${reason.message} Retrying until it is.`);
        });
        const welcome = await Promise.race([waiting, server.failure]);
        const stopped = aborted(stopping);
        if (welcome) {
          await warnUnlessWritable(context, run.say);
          await Promise.race([server.begin(), stopped, server.failure]);
        }
        if (welcome && !stopping.aborted) {
          await announce();
          run.say(withCommandLines(run.io, welcome(server)));
          await Promise.race([stopped, server.failure]);
        }
        run.say('Stopping: waiting for running requests.');
      } finally {
        // Nothing waits for the database any more.
        over.abort();
        await server.close();
        restoreConsole();
      }
      context.logger.info('stopped');
      return server.hangUp.aborted ? { exitCode: exitCodes.interrupted } : {};
    },
  });
}

/** What listens: this process, or its workers. */
interface Service extends Listening {
  /** There is a database: serves. */
  begin(): void | Promise<void>;
  /** Rejects when it can't go on. */
  failure: Promise<never>;
  /** Aborted by SIGHUP where no workers are replaced: the service ends as a failed one, so that its supervisor starts it again. */
  hangUp: AbortSignal;
  close(): Promise<void>;
}

async function startService(context: Context, env: NodeJS.ProcessEnv): Promise<Service> {
  const { workerCount } = await import('../../../config/worker-share.js');
  const { host, port } = context.config.http;
  const of = workerCount(context.config);
  if (of > 1) {
    const { startWorkers } = await import('./workers.js');
    const settings = { HOST: host, PORT: String(port), WORKERS: String(of) };
    return { ...(await startWorkers(context, { of, settings, env })), hangUp: new AbortController().signal };
  }
  const { startServer } = await import('../../../http/server/server.js');
  const server = await startServer(context, { ready: false });
  const hangUp = new AbortController();
  const onHangUp = () => hangUp.abort();
  process.on('SIGHUP', onHangUp);
  return {
    ...server,
    // Alone it ends by its signal, or as a process.
    failure: new Promise<never>(() => undefined),
    hangUp: hangUp.signal,
    async close() {
      await server.close();
      process.off('SIGHUP', onHangUp);
    },
  };
}

/** A function that does its work the first time only. */
function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => {
    done ??= work();
    return done;
  };
}

/** What an operator is told of a server. */
interface Listening {
  url: string;
  hasConsole: boolean;
}

type Welcome = (server: Listening) => string;

/** Failures of a database server that is starting or being repaired. */
const passing: readonly ErrorCode[] = [
  'DATABASE_UNREACHABLE',
  'DATABASE_ACCESS_DENIED',
  'DATABASE_MISSING',
  'DATABASE_NOT_WRITABLE',
  'OVERLOADED',
  'MIGRATION_LOCKED',
];

/** Warns of a database that can be read only: nobody can sign in, which no request but those that are refused would show. */
async function warnUnlessWritable({ schema, logger }: Context, say: (text: string) => void): Promise<void> {
  try {
    await schema.assertWritable();
  } catch (error) {
    if (!isAppError(error)) throw error;
    logger.warn({ code: error.code }, error.message);
    if (error.code === 'DATABASE_NOT_WRITABLE') say(`Nobody can sign in. ${error.message}`);
  }
}

const longestPauseMs = 3000;

/**
 * Waits until the database can be used, migrated where that is asked for.
 * @param onWait gets the reason, each time that it changes
 * @returns what to tell the operator; nothing when the service was stopped before
 * @throws AppError for lasting failures: an outdated schema, an unusable file
 */
async function untilReady(
  context: Context,
  migrate: boolean,
  signal: AbortSignal,
  onWait: (reason: AppError) => Promise<void>,
): Promise<Welcome | undefined> {
  let told = '';
  for (let pauseMs = 200; !signal.aborted; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    try {
      if (migrate) await context.schema.up({ signal });
      await context.schema.assertCurrent();
      return await welcomeAt(context);
    } catch (error) {
      if (signal.aborted) return undefined;
      // A file has no server to wait for.
      if (context.config.database.dialect === 'sqlite' || !isAppError(error, ...passing)) throw error;
      if (error.code !== told) await onWait(error);
      told = error.code;
    }
    // It fails only when it is aborted, which the loop checks.
    await sleep(pauseMs * (0.5 + Math.random()), undefined, { signal }).catch(() => undefined);
  }
  return undefined;
}

/** What to tell the operator; whatever can fail about it fails before anything is served. */
async function welcomeAt(context: Context): Promise<Welcome> {
  const [{ databaseUrlForDisplay }, { setupStatus }] = await Promise.all([
    import('../../../config/database-url.js'),
    import('../../../services/accounts/setup.js'),
  ]);
  const { setupRequired } = await setupStatus(context);
  // Made now rather than at the first login: a folder that can't be written must stop the start.
  void context.tokens;
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
    // Where it listens on all addresses, that isn't one to open.
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
