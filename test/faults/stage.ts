import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createConnection } from 'mysql2/promise';
import { loadConfig } from '../../src/config/config.js';
import { createLogger } from '../../src/logger.js';
import { type Context, createContext } from '../../src/services/context.js';
import { builtProgram } from '../support/built-program.js';
import { childrenOf, cpuSeconds } from '../support/child-processes.js';
import { scaled } from '../support/machine.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { hasEnded, startThrowAwayServer, type ThrowAwayServer } from '../support/test-server.js';
import { atExit } from './cleanup.js';
import { send } from './clients.js';
import { waitForUrl } from './listening.js';

/** Default environment of the program. */
const environment = {
  // Cheap hashes, because the runs don't measure hashing.
  NODE_ENV: 'test',
  BCRYPT_COST: '4',
  LOG_LEVEL: 'warn',
  // A run creates thousands of courses.
  MAX_COURSES_PER_TRAINER: '1000000',
  // Shared, so that the token of one instance is valid at the others.
  JWT_SECRET: 'Zx8vQ2mN5kL1pR7tW4yB9cF6hJ3sD0gA-instances',
  HOST: '127.0.0.1',
  PORT: '0',
};

/** Settings of a deployment, except for the cost of a hash, which is the lowest permitted. */
export const production = { NODE_ENV: 'production', BCRYPT_COST: '10' };

/** A process of the built program that serves the API. */
export interface Instance {
  url: string;
  /** Resolves with the exit code. */
  exited: Promise<number | null>;
  kill(signal: NodeJS.Signals): void;
  /** Peak memory so far, in MiB. */
  maxMemory(): number;
  /** Current memory of the process and its children, in MiB. */
  memoryOfAll(): number;
  /** Processor time so far, in seconds. */
  cpuSeconds(): number;
  /** End of its standard error. */
  written(): string;
}

/** Returns the memory of a process in MiB; 0 for a zombie process. */
function memoryOf(pid: number | undefined, name: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1] ?? 0) / 1024);
}

/** Returns the memory of a process and its children; 0 for an ended process. */
function memoryOfAll(pid: number | undefined): number {
  try {
    return childrenOf(pid).reduce((sum, child) => sum + memoryOfAll(child), memoryOf(pid, 'VmRSS'));
  } catch {
    return 0;
  }
}

/**
 * Waits until an instance is ready.
 * @param ended whether the instance has ended
 * @throws Error if it ends or takes too long
 */
export async function untilReady(url: string, ended: () => boolean = () => false): Promise<void> {
  const deadline = performance.now() + scaled(60_000);
  while ((await send(url, { method: 'GET', path: '/readyz' })).status !== 200) {
    if (ended() || performance.now() > deadline) throw new Error(`The service at ${url} doesn't get ready.`);
    await sleep(50);
  }
}

/**
 * Starts the built program, and waits until it is ready.
 * @param settings additional environment variables
 */
export async function startInstance(
  databaseUrl: string,
  dataDir: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<Instance> {
  const program = path.join(await builtProgram(), 'bin', 'coursectl.js');
  const env = { PATH: process.env.PATH, ...environment, DATABASE_URL: databaseUrl, DATA_DIR: dataDir, ...settings };
  const options = { cwd: dataDir, env, stdio: ['ignore', 'pipe', 'pipe'] as ['ignore', 'pipe', 'pipe'] };
  const child = spawn(process.execPath, [program, 'serve', '--migrate', '--json'], options);
  atExit(() => void child.kill('SIGKILL'));
  let written = '';
  child.stderr.on('data', (text: Buffer) => {
    written = (written + text.toString()).slice(-20_000);
  });
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const url = await waitForUrl(child);
  try {
    await untilReady(url, () => hasEnded(child));
  } catch (cause) {
    throw new Error(`It wrote: ${written}`, { cause });
  }
  return {
    url,
    exited,
    kill: (signal) => void child.kill(signal),
    maxMemory: () => memoryOf(child.pid, 'VmHWM'),
    memoryOfAll: () => memoryOfAll(child.pid),
    cpuSeconds: () => cpuSeconds(child.pid),
    written: () => written,
  };
}

/** Environment of a run: a database server, and the program. */
export interface Stage {
  database: ThrowAwayServer;
  /** Returns the database's URL, optionally with another port. */
  databaseUrl(port?: number): string;
  /** Folder of the program's files. */
  folder: string;
  start(settings?: Readonly<Record<string, string>>): Promise<Instance>;
  /** Opens the program's services in this process, on a migrated database. */
  createContext(settings?: Readonly<Record<string, string>>): Promise<Context>;
  close(): Promise<void>;
}

/**
 * Starts a database server for a run.
 * @param durable whether commits survive a crash of the server
 * @throws Error if no server program is installed
 */
export async function openStage({ durable = true } = {}): Promise<Stage> {
  const database = await startThrowAwayServer({ durable, onStart: atExit });
  if (!database) throw new Error('There is no mariadbd or mysqld on the PATH.');
  const folder = temporaryFolder();
  const instances: Instance[] = [];
  const contexts: Context[] = [];
  const databaseUrl = (port?: number) => {
    const url = new URL(database.url);
    url.pathname = '/faults';
    if (port !== undefined) url.port = String(port);
    return url.href;
  };
  const connection = await createConnection(database.url);
  await connection.query('CREATE DATABASE faults');
  await connection.end();
  return {
    database,
    databaseUrl,
    folder: folder.path,
    async start(settings) {
      const instance = await startInstance(databaseUrl(), folder.path, settings);
      instances.push(instance);
      return instance;
    },
    async createContext(settings) {
      const env = { ...environment, DATABASE_URL: databaseUrl(), DATA_DIR: folder.path, ...settings };
      const silent = createLogger('silent', { write: () => undefined });
      const context = await createContext(loadConfig({ env, cwd: folder.path }), silent);
      contexts.push(context);
      await context.schema.up();
      return context;
    },
    async close() {
      for (const instance of instances) instance.kill('SIGKILL');
      await Promise.all(contexts.map((context) => context.close()));
      await database.stop();
      folder.remove();
    },
  };
}

/** Sends a request that must succeed, and returns the parsed response. */
export async function post<T>(url: string, body: object, token?: string): Promise<T> {
  const { pathname, origin } = new URL(url);
  const request = { method: 'POST' as const, path: pathname, body, ...(token !== undefined && { token }) };
  const { status, text } = await send(origin, request);
  if (status >= 300 || status === 0) throw new Error(`${url}: ${status} ${text}`);
  return JSON.parse(text) as T;
}

/**
 * Sets the system up, and creates a trainer.
 * @returns a token of each
 */
export async function createPeople(url: string): Promise<{ adminToken: string; trainerToken: string }> {
  const names = { firstName: 'Fault', lastName: 'Finder' };
  const admin = { ...names, email: 'root@example.org', password: 'a root password', phone: '1' };
  const { token: adminToken } = await post<{ token: string }>(`${url}/api/auth/setup`, admin);
  const trainer = { email: 'trainer@example.org', password: 'a trainer password', phone: '2', role: 'trainer' };
  await post(`${url}/api/auth/register`, { ...names, ...trainer }, adminToken);
  const login = { identifier: trainer.email, password: trainer.password };
  const { token: trainerToken } = await post<{ token: string }>(`${url}/api/auth/login`, login);
  return { adminToken, trainerToken };
}
