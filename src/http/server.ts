import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Context } from '../context.js';
import { AppError, systemErrorCode } from '../errors.js';
import { startHousekeeping } from '../services/housekeeping.js';
import { startImportRunner } from '../services/imports/runner.js';
import { createApp, type Service } from './app.js';

/** How long requests under way may take to finish once the server stops. */
const drainMs = 25_000;

export interface RunningServer {
  /** Where it listens, such as `http://127.0.0.1:3000`. */
  url: string;
  /** Stops taking connections, lets requests under way finish for at most 25 s, then cuts what is left. */
  close(): Promise<void>;
}

const listenFailures: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is in use by another program. Stop it, or set PORT to another one',
  EACCES: "can't be opened by this user. Set PORT to 1024 or higher",
  EADDRNOTAVAIL: "can't be opened: HOST is not an address of this machine",
  ENOTFOUND: "can't be opened: HOST is not a name that resolves",
};

async function listen(server: Server, host: string, port: number): Promise<AddressInfo> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  }).catch((error: unknown) => {
    const reason = listenFailures[systemErrorCode(error) ?? ''];
    if (reason === undefined) throw error;
    throw new AppError('PORT_UNAVAILABLE', `Port ${port} on ${host} ${reason}.`, { cause: error });
  });
  // A server that listens on a host and port has an address of that kind.
  return server.address() as AddressInfo;
}

/** Serves the API on the configured address. @throws AppError `PORT_UNAVAILABLE` */
export async function startServer(context: Context): Promise<RunningServer> {
  let draining = false;
  const runner = startImportRunner(context);
  const housekeeping = startHousekeeping(context);
  const afterwork = new Set<Promise<void>>();
  const service: Service = {
    isDraining: () => draining,
    wakeImports: () => runner.wake(),
    async await(work) {
      afterwork.add(work);
      await work.finally(() => afterwork.delete(work));
    },
  };
  const server = createServer(createApp(context, service));
  server.prependListener('request', (_request, response) => {
    if (draining) response.setHeader('Connection', 'close');
    // A connection whose request was under way when the drain began is idle once that is answered.
    response.once('finish', () => draining && setImmediate(() => server.closeIdleConnections()));
  });
  server.headersTimeout = 10_000;
  // Uploads take their time; other bodies are given less by their own reader.
  server.requestTimeout = 10 * 60_000;
  // Longer than a balancer keeps its idle connections, so that it never meets one that is just closing.
  server.keepAliveTimeout = 75_000;
  const { host, port: wantedPort } = context.config.http;
  const { address, port, family } = await listen(server, host, wantedPort).catch(async (error: unknown) => {
    await Promise.all([runner.close(), housekeeping.close()]);
    throw error;
  });
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`,
    async close() {
      draining = true;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      const cut = setTimeout(() => server.closeAllConnections(), drainMs);
      // A running import stops at its next row boundary, and is gone on with later.
      await Promise.all([closed, runner.close(), housekeeping.close()]);
      await Promise.allSettled(afterwork);
      clearTimeout(cut);
    },
  };
}
