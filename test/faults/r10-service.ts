import { spawn } from 'node:child_process';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { scaled } from '../support/machine.js';
import { listening } from './listening.js';

/** One running program that serves the API. */
export interface Instance {
  url: string;
  kill(): void;
  /** Sends SIGTERM. @returns what it ended with */
  end(): Promise<number | null>;
  /** The last of what it wrote to standard error. */
  written(): string;
}

/** An answer: its status and `error`, as the races count them, and what else may be asked of it. */
export interface Answer {
  status: number;
  said: string;
  body: Record<string, unknown>;
  retryAfter: string | null;
  ms: number;
}

/** What the files of a course may have altogether, in bytes. */
export const courseQuota = 50_000;

/**
 * Starts the built program and waits until it is ready.
 * @param onStart told how to end it, as soon as there is something to end
 * @param settings environment variables besides
 */
export async function startInstance(
  program: string,
  databaseUrl: string,
  dataDir: string,
  onStart: (kill: () => void) => void,
  settings: Readonly<Record<string, string>> = {},
): Promise<Instance> {
  const server = spawn(process.execPath, [path.join(program, 'bin', 'coursectl.js'), 'serve', '--migrate', '--json'], {
    cwd: dataDir,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH ?? '',
      NODE_ENV: 'test',
      BCRYPT_COST: '4',
      DATABASE_URL: databaseUrl,
      DATA_DIR: dataDir,
      // The same for all instances: a token of one is valid at the others.
      JWT_SECRET: 'a secret of the fault runs, long enough',
      FILE_COURSE_QUOTA_BYTES: String(courseQuota),
      HOST: '127.0.0.1',
      PORT: '0',
      LOG_LEVEL: 'warn',
      ...settings,
    },
  });
  const kill = () => void server.kill('SIGKILL');
  const ended = new Promise<number | null>((resolve) => server.once('exit', resolve));
  const end = () => {
    server.kill('SIGTERM');
    return ended;
  };
  let written = '';
  server.stderr.on('data', (data: Buffer) => {
    written = (written + data.toString()).slice(-20_000);
  });
  onStart(kill);
  const url = await listening(server);
  const deadline = performance.now() + scaled(60_000);
  while ((await send(url, 'GET', '/readyz').catch(() => undefined))?.status !== 200) {
    if (server.exitCode !== null || performance.now() > deadline) {
      kill();
      throw new Error(`The service at ${url} does not get ready.`);
    }
    await sleep(50);
  }
  return { url, kill, end, written: () => written };
}

/** What goes along with a request: JSON, or a form. */
export interface Sent {
  body?: object | undefined;
  form?: FormData | undefined;
  token?: string | undefined;
}

/** Sends one request. */
export async function send(
  url: string,
  method: string,
  target: string,
  { body, token, form }: Sent = {},
): Promise<Answer> {
  const startedAt = performance.now();
  const response = await fetch(`${url}${target}`, {
    method,
    headers: {
      ...(body && { 'Content-Type': 'application/json' }),
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
    },
    ...(body && { body: JSON.stringify(body) }),
    ...(form && { body: form }),
    signal: AbortSignal.timeout(60_000),
  });
  const answer = (await response.json()) as Record<string, unknown>;
  return {
    status: response.status,
    said: `${response.status} ${String(answer.error ?? (response.ok ? 'ok' : JSON.stringify(answer)))}`,
    body: answer,
    retryAfter: response.headers.get('retry-after'),
    ms: performance.now() - startedAt,
  };
}
