import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { program } from './options.js';
import { cpuSeconds } from './requests/candidates.js';

/** Measurements of a start until `/readyz` answers 200. */
export interface Start {
  readyMs: number;
  cpuSeconds: number;
  /** Resident memory after the first page was requested. */
  residentBytes: number;
}

async function firstLine({ stdout }: ChildProcess): Promise<string> {
  if (stdout) for await (const line of createInterface(stdout)) return line;
  throw new Error('serve has ended before it was ready');
}

/**
 * Starts the service on a folder's SQLite database, migrates the database, measures the service when it is ready, and
 * ends it.
 */
export async function measureStart(folder: string, withConsole: boolean): Promise<Start> {
  const startedAt = performance.now();
  const server = spawn(process.execPath, [program, 'serve', '--migrate', '--port', '0', '--json'], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOST: '127.0.0.1', CONSOLE: withConsole ? 'on' : 'off' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = once(server, 'exit');
  try {
    const { url } = JSON.parse(await firstLine(server)) as { url: string };
    const ready = await fetch(`${url}/readyz`);
    if (!ready.ok) throw new Error(`/readyz answered ${ready.status}`);
    const readyMs = performance.now() - startedAt;
    const cpu = cpuSeconds({ process: server, port: Number(new URL(url).port) });
    const page = await fetch(url, { headers: { Accept: 'text/html' } });
    if (page.ok !== withConsole) throw new Error(`the page was answered ${page.status}`);
    const [, kibibytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8')) ?? [];
    return { readyMs, cpuSeconds: cpu, residentBytes: 1024 * Number(kibibytes) };
  } finally {
    server.kill('SIGTERM');
    await ended;
  }
}
