import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createConnection } from 'mysql2/promise';
import { scaled } from './machine.js';

/** A private database server that is removed after the tests. */
export interface ThrowAwayServer {
  /** URL of the server; it names no database. */
  url: string;
  version: string;
  /** Process id; undefined without a process. */
  pid(): number | undefined;
  /** Kills the server with SIGKILL, and restarts it with its data. */
  crash(): Promise<void>;
  stop(): Promise<void>;
}

/** PATH for finding servers, which often are not on the user's PATH. */
export const searchPath = `${process.env.PATH ?? ''}:/usr/sbin:/usr/local/sbin`;

/** Returns the first installed program of these. */
export function findServer(binaries: readonly string[] = ['mariadbd', 'mysqld']): string | undefined {
  for (const binary of binaries) {
    const found = spawnSync('sh', ['-c', `command -v ${binary}`], {
      env: { ...process.env, PATH: searchPath },
      encoding: 'utf8',
    });
    if (found.status === 0) return found.stdout.trim();
  }
  return undefined;
}

/** Ports assigned to servers of this process, which may not listen yet. */
const givenPorts = new Set<number>();

/** Returns a free port, below the ports of outgoing connections. Never returns the same port twice in a process. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_000, 32_000);
    if (givenPorts.has(port)) continue;
    givenPorts.add(port);
    const isFree = await new Promise<boolean>((resolve) => {
      const probe = createServer();
      probe.once('error', () => resolve(false));
      probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
    });
    if (isFree) return port;
  }
}

/**
 * Creates a separate folder for a server's temporary tables. At its start a server deletes all temporary tables in the
 * folder, including those of other servers.
 */
export function temporaryTables(directory: string): string {
  const folder = path.join(directory, 'tmp');
  mkdirSync(folder, { recursive: true });
  // Servers may run as another user.
  chmodSync(folder, 0o1777);
  return folder;
}

/** Creates the files of an empty server in `<directory>/data`. */
export function initialize(binary: string, version: string, directory: string, user = userInfo().username): void {
  const env = { ...process.env, PATH: searchPath, TMPDIR: temporaryTables(directory) };
  const options = { env, stdio: 'pipe' as const };
  if (/mariadb/i.test(version)) {
    execFileSync(
      'mariadb-install-db',
      [
        '--no-defaults',
        `--datadir=${directory}/data`,
        `--user=${user}`,
        '--auth-root-authentication-method=normal',
        '--skip-test-db',
      ],
      options,
    );
  } else {
    execFileSync(
      binary,
      ['--no-defaults', '--initialize-insecure', `--datadir=${directory}/data`, `--user=${user}`],
      options,
    );
  }
}

/** Whether a server has ended, by itself or by a signal. */
export const hasEnded = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null;

/** Waits until a server accepts logins, and creates the tests' user. */
export async function waitUntilUp(port: number, server: ChildProcess, output: () => string): Promise<void> {
  const attempts = scaled(150);
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    if (hasEnded(server)) throw new Error(`The test database server ended at its start:\n${output()}`);
    try {
      const connection = await createConnection({ host: '127.0.0.1', port, user: 'root' });
      await connection.query("CREATE USER IF NOT EXISTS 'coursectl'@'127.0.0.1' IDENTIFIED BY 'coursectl'");
      await connection.query("GRANT ALL ON *.* TO 'coursectl'@'127.0.0.1' WITH GRANT OPTION");
      await connection.end();
      return;
    } catch (error) {
      if (attempt === attempts) throw error;
      await sleep(200);
    }
  }
}

export interface ThrowAwayOptions {
  durable?: boolean;
  binary?: string | undefined;
  /** Further options of the server, which override the ones here. */
  options?: readonly string[];
  /** Gets a function that kills the server and deletes its files, as soon as the server starts. */
  onStart?: (kill: () => void) => void;
}

/**
 * Starts a server from a `mariadbd` or `mysqld` on the PATH.
 * @param durable writes every commit to disk, as servers do by default; needed for tests that crash the server
 * @returns undefined if there is no server program
 */
export async function startThrowAwayServer({
  durable = false,
  binary = findServer(),
  options = [],
  onStart = () => undefined,
}: ThrowAwayOptions = {}): Promise<ThrowAwayServer | undefined> {
  if (binary === undefined) return undefined;
  const version = spawnSync(binary, ['--version'], { encoding: 'utf8' }).stdout.trim();
  const directory = mkdtempSync(path.join(tmpdir(), 'coursectl-test-db-'));
  initialize(binary, version, directory);
  const port = await freePort();
  let output = '';
  const start = () => {
    const started = spawn(binary, serverOptions, { stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [started.stdout, started.stderr])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    return started;
  };
  const serverOptions = [
    '--no-defaults',
    `--datadir=${directory}/data`,
    `--tmpdir=${temporaryTables(directory)}`,
    `--user=${userInfo().username}`,
    `--port=${port}`,
    '--bind-address=127.0.0.1',
    `--socket=${directory}/server.sock`,
    `--pid-file=${directory}/server.pid`,
    '--skip-log-bin',
    '--max-connections=500',
    // Most tests kill only programs, so commits needn't reach the disk.
    ...(durable ? [] : ['--innodb-flush-log-at-trx-commit=0']),
    ...(/mariadb/i.test(version) ? [] : ['--mysqlx=OFF']),
    ...options,
  ];
  let server = start();
  const kill = () => {
    server.kill('SIGKILL');
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  };
  onStart(kill);
  try {
    await waitUntilUp(port, server, () => output.slice(-3000));
  } catch (error) {
    // The server must be killed here: otherwise this process waits for it.
    kill();
    throw error;
  }
  return {
    url: `mysql://coursectl:coursectl@127.0.0.1:${port}/`,
    version,
    pid: () => server.pid,
    async crash() {
      const ended = new Promise((resolve) => server.once('exit', resolve));
      server.kill('SIGKILL');
      await ended;
      server = start();
      await waitUntilUp(port, server, () => output.slice(-3000));
    },
    async stop() {
      if (!hasEnded(server)) {
        const ended = new Promise((resolve) => server.once('exit', resolve));
        server.kill('SIGTERM');
        await ended;
      }
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
