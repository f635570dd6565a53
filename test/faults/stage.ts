import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { builtProgram } from '../support/built-program.js';
import { cpuSeconds } from '../support/child-processes.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { startThrowAwayServer, type ThrowAwayServer } from '../support/test-server.js';
import { atExit } from './cleanup.js';

/** The built program as a process. */
export interface Instance {
  url: string;
  pid: number;
  /** What it has ended with, once it has. */
  exited: Promise<number | null>;
  kill(signal: NodeJS.Signals): void;
  /** What of it was in memory at most so far, in MiB. */
  maxMemory(): number;
  /** What its objects take once those that nobody uses are collected, in MiB. Only where `collectable` is set. */
  usedMemory(): Promise<number>;
  /** What of it and of the processes that it has started is in memory now, in MiB. */
  memoryOfAll(): number;
  /** How much of a core it has used so far, in seconds. */
  cpuSeconds(): number;
  /** The last of what it wrote to standard error. */
  written(): string;
}

/** What a run needs: a database server that keeps its commits, and the program to be run on it. */
export interface Stage {
  database: ThrowAwayServer;
  /** The database's URL, already migrated; through another port where one is given. */
  databaseUrl(port?: number): string;
  start(settings?: Record<string, string>): Promise<Instance>;
  /** Where its files are. */
  folder: string;
  close(): Promise<void>;
}

/** The super admin of a stage and what answers them. */
const admin = { email: 'root@example.org', password: 'a root password' };

/** A process that has ended and wasn't waited for yet has a status without memory: it takes nothing. */
function memoryOf(pid: number | undefined): { now: number; most: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const mebibytes = (name: string) =>
    Math.round(Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1] ?? 0) / 1024);
  return { now: mebibytes('VmRSS'), most: mebibytes('VmHWM') };
}

/** A process and those that it has started; one that has just ended takes nothing. */
function memoryOfAll(pid: number | undefined): number {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
    return memoryOf(pid).now + children.reduce((sum, child) => sum + memoryOfAll(Number(child)), 0);
  } catch {
    return 0;
  }
}

/** Settings of an instance whose `usedMemory` can be asked for. */
export const collectable = { NODE_OPTIONS: `--import ${new URL('./collect-on-signal.mjs', import.meta.url).href}` };

async function usedMemoryOf(child: ChildProcess, folder: string): Promise<number> {
  const file = path.join(folder, `memory-${child.pid}.json`);
  rmSync(file, { force: true });
  child.kill('SIGUSR2');
  while (!existsSync(file) && child.exitCode === null) await sleep(20);
  const { heapUsed, external } = JSON.parse(readFileSync(file, 'utf8')) as NodeJS.MemoryUsage;
  return Math.round((heapUsed + external) / 1024 / 1024);
}

async function launch(program: string, folder: string, env: Record<string, string>): Promise<[Instance, ChildProcess]> {
  const argv = [program, 'serve', '--migrate', '--json', '--port', env.PORT ?? '0'];
  const child = spawn(process.execPath, argv, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  atExit(() => void child.kill('SIGKILL'));
  let written = '';
  child.stderr.on('data', (text: Buffer) => {
    written = (written + text.toString()).slice(-20_000);
  });
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  for await (const line of createInterface(child.stdout)) {
    const { url } = JSON.parse(line) as { url?: string };
    if (url === undefined) throw new Error(line);
    const { pid = 0 } = child;
    const kill = (signal: NodeJS.Signals) => void child.kill(signal);
    return [
      {
        url,
        pid,
        exited,
        kill,
        maxMemory: () => memoryOf(pid).most,
        usedMemory: () => usedMemoryOf(child, folder),
        memoryOfAll: () => memoryOfAll(pid),
        cpuSeconds: () => cpuSeconds(pid),
        written: () => written,
      },
      child,
    ];
  }
  throw new Error(`It ended at its start:\n${written}`);
}

/** Waits until an instance is ready. */
export async function untilReady(url: string, timeLimitMs = 20_000): Promise<void> {
  const deadline = Date.now() + timeLimitMs;
  for (;;) {
    const status = await fetch(`${url}/readyz`).then(
      (response) => response.status,
      () => 0,
    );
    if (status === 200) return;
    if (Date.now() > deadline) throw new Error(`${url} is not ready after ${timeLimitMs} ms`);
    await sleep(100);
  }
}

/** Sets a stage up. @throws when there is no database server to be started */
export async function setStage(): Promise<Stage> {
  const database = await startThrowAwayServer({ durable: true, onStart: atExit });
  if (!database) throw new Error('There is no mariadbd or mysqld on the PATH.');
  const folder = temporaryFolder();
  const program = path.join(await builtProgram(), 'bin', 'coursectl.js');
  const children: ChildProcess[] = [];
  const databaseUrl = (port?: number) => {
    const url = new URL(database.url);
    url.pathname = '/faults';
    if (port !== undefined) url.port = String(port);
    return url.href;
  };
  const { createConnection } = await import('mysql2/promise');
  const connection = await createConnection(database.url);
  await connection.query('CREATE DATABASE faults');
  await connection.end();
  return {
    database,
    databaseUrl,
    folder: folder.path,
    async start(settings = {}) {
      const env = {
        PATH: process.env.PATH ?? '',
        // Hashing isn't the point.
        NODE_ENV: 'test',
        BCRYPT_COST: '4',
        LOG_LEVEL: 'warn',
        // A run writes thousands.
        MAX_COURSES_PER_TRAINER: '1000000',
        JWT_SECRET: 'a secret for fault runs only, longer than 32 bytes',
        DATABASE_URL: databaseUrl(),
        DATA_DIR: folder.path,
        ...settings,
      };
      const [instance, child] = await launch(program, folder.path, env);
      children.push(child);
      await untilReady(instance.url);
      return instance;
    },
    async close() {
      for (const child of children) if (child.exitCode === null) child.kill('SIGKILL');
      await database.stop();
      folder.remove();
    },
  };
}

/** Sends a request that has to be answered well. */
export async function post<T>(url: string, body: object, token?: string): Promise<T> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...(token !== undefined && { Authorization: `Bearer ${token}` }) },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}

/** Sets the system up, with a trainer. @returns a token of each */
export async function people(url: string): Promise<{ adminToken: string; trainerToken: string }> {
  const names = { firstName: 'Fault', lastName: 'Finder' };
  const { token: adminToken } = await post<{ token: string }>(`${url}/api/auth/setup`, {
    ...names,
    ...admin,
    phone: '1',
  });
  const trainer = { email: 'trainer@example.org', password: 'a trainer password', phone: '2', role: 'trainer' };
  await post(`${url}/api/auth/register`, { ...names, ...trainer }, adminToken);
  const { token: trainerToken } = await post<{ token: string }>(`${url}/api/auth/login`, {
    identifier: trainer.email,
    password: trainer.password,
  });
  return { adminToken, trainerToken };
}
