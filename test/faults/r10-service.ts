import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../support/test-server.js';

/** One running program that serves the API. */
export interface Instance {
  url: string;
  kill(): void;
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

/** Starts the built program and waits until it is ready. @param onStart told how to end it, as soon as there is something to end */
export async function startInstance(
  program: string,
  databaseUrl: string,
  dataDir: string,
  onStart: (kill: () => void) => void,
): Promise<Instance> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const server: ChildProcess = spawn(
    process.execPath,
    [path.join(program, 'bin', 'coursectl.js'), 'serve', '--migrate'],
    {
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
        PORT: String(port),
      },
    },
  );
  let output = '';
  for (const stream of [server.stdout, server.stderr])
    stream?.on('data', (chunk: Buffer) => (output = (output + chunk.toString()).slice(-10_000)));
  const instance = { url, kill: () => void server.kill('SIGKILL') };
  onStart(instance.kill);
  const deadline = performance.now() + 60_000;
  while ((await send(url, 'GET', '/readyz').catch(() => undefined))?.status !== 200) {
    if (server.exitCode !== null || performance.now() > deadline) {
      instance.kill();
      throw new Error(`The service did not start:\n${output.slice(-3000)}`);
    }
    await sleep(50);
  }
  return instance;
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
