import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { loadConfig } from '../src/config/config.js';
import { createApp } from '../src/http/server/app.js';
import { serveConsole } from '../src/http/server/web-console.js';
import { createLogger } from '../src/logger.js';
import { type Context, createContext } from '../src/services/context.js';
import { tokenFor } from '../test/support/factories.js';
import type { Timing } from './figures.js';
import { program } from './options.js';

export interface TimedResponse extends Timing {
  status: number;
  body: Readonly<Record<string, unknown>>;
}

export interface Service {
  url: string;
  token(userId: string): Promise<string>;
  /** Sends a request. Send one at a time: the measured time in the service is that of the last request. */
  get(path: string, token: string): Promise<TimedResponse>;
  close(): Promise<void>;
}

/** Settings of the program in benches, with cheap hashes. */
export const benchEnvironment = (databaseUrl: string, folder: string) => ({
  NODE_ENV: 'test',
  BCRYPT_COST: '4',
  JWT_SECRET: 'Zx8vQ2mN5kL1pR7tW4yB9cF6hJ3sD0gA-benches',
  DATABASE_URL: databaseUrl,
  DATA_DIR: folder,
});

/**
 * Opens the program on a database, without logging.
 * @param settings additional environment variables
 */
export function openContext(databaseUrl: string, folder: string, settings: object = {}): Promise<Context> {
  const env = { ...benchEnvironment(databaseUrl, folder), ...settings };
  return createContext(loadConfig({ env, cwd: folder }), createLogger('silent', { write: () => undefined }));
}

/** The built web console of the measured program. */
const builtConsole = path.join(path.dirname(program), '..', 'dist', 'console');

/** Serves a migrated database and the web console over HTTP. */
export async function serve(databaseUrl: string, folder: string): Promise<Service> {
  const context = await openContext(databaseUrl, folder);
  const server = createServer(createApp(context, {}, serveConsole(context.config, builtConsole)));
  let served: (milliseconds: number) => void = () => undefined;
  server.prependListener('request', (_request, response) => {
    const startedAt = performance.now();
    response.once('finish', () => served(performance.now() - startedAt));
  });
  server.keepAliveTimeout = 75_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    async token(userId) {
      const user = await context.database.models.User.findByPk(userId, { rejectOnEmpty: true });
      return tokenFor(context, user);
    },
    async get(path, token) {
      const inService = new Promise<number>((resolve) => (served = resolve));
      const startedAt = performance.now();
      const response = await fetch(url + path, { headers: { Authorization: `Bearer ${token}` } });
      const body = (await response.json()) as TimedResponse['body'];
      const clientMs = performance.now() - startedAt;
      return { status: response.status, body, clientMs, serverMs: await inService };
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
      await context.close();
    },
  };
}
