import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createConnection } from 'mysql2/promise';
import { loadConfig } from '../../src/config/config.js';
import { type Context, createContext } from '../../src/context.js';
import { createLogger } from '../../src/logger.js';
import { builtProgram } from '../support/built-program.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { startThrowAwayServer } from '../support/test-server.js';
import { atExit } from './cleanup.js';
import { listening } from './listening.js';

/** What the built program runs with: as in a deployment, but for the cost of a hash, which is the lowest that one may set. */
const environment = {
  NODE_ENV: 'production',
  BCRYPT_COST: '10',
  JWT_SECRET: 'Zx8vQ2mN5kL1pR7tW4yB9cF6hJ3sD0gA-instances',
  LOG_LEVEL: 'warn',
};

/** Processes of the built program on one database. */
export interface Instances {
  urls: string[];
  /** For what a run prepares and looks at: the program's own parts, in this process. */
  context: Context;
  /** What the processes wrote. */
  output(): string;
  close(): Promise<void>;
}

/** Starts them on a MariaDB of their own. @param settings environment variables for each of them */
export async function startInstances(settings: readonly Record<string, string>[]): Promise<Instances> {
  const server = await startThrowAwayServer({ onStart: atExit });
  if (!server) throw new Error('There is no mariadbd or mysqld on the PATH.');
  const folder = temporaryFolder();
  const program = path.join(await builtProgram(), 'bin', 'coursectl.js');
  const sql = await createConnection({ uri: server.url });
  await sql.query('CREATE DATABASE faults');
  await sql.end();
  const env = { ...environment, DATABASE_URL: `${server.url}faults`, DATA_DIR: folder.path, PORT: '0' };
  const silent = createLogger('silent', { write: () => undefined });
  const context = await createContext(loadConfig({ env, cwd: folder.path }), silent);
  await context.schema.up();
  let written = '';
  const children = settings.map((own) =>
    spawn(process.execPath, [program, 'serve', '--json'], {
      cwd: folder.path,
      env: { PATH: process.env.PATH ?? '', ...env, ...own },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  );
  for (const child of children) atExit(() => void child.kill('SIGKILL'));
  for (const child of children) child.stderr.on('data', (chunk: Buffer) => (written += chunk.toString()));
  const urls = await Promise.all(children.map(listening));
  return {
    urls,
    context,
    output: () => written,
    async close() {
      const running = children.filter(({ exitCode }) => exitCode === null);
      await Promise.all(
        running.map((child) => {
          child.kill('SIGTERM');
          return once(child, 'exit');
        }),
      );
      await context.close();
      await server.stop();
      folder.remove();
    },
  };
}
