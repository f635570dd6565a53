/**
 * How long an operator waits: `--help` against a bare `node -e 0`, and from `serve` to a 200 of `/readyz` on SQLite.
 * Medians of 15 runs (5 for serve), interleaved, on the built program: `npm run bench -- startup`.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { program } from './options.js';

const median = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

function timed(argv: string[]): number {
  const startedAt = performance.now();
  const { status } = spawnSync(process.execPath, argv, { stdio: 'ignore' });
  if (status !== 0) throw new Error(`node ${argv.join(' ')} ended with ${status}`);
  return performance.now() - startedAt;
}

async function readyAfter(folder: string): Promise<number> {
  const startedAt = performance.now();
  const port = 20_000 + Math.floor(Math.random() * 20_000);
  const server = spawn(process.execPath, [program, 'serve', '--migrate', '--port', String(port)], {
    cwd: folder,
    stdio: 'ignore',
  });
  const ended = new Promise((resolve) => server.once('exit', resolve));
  try {
    while (performance.now() - startedAt < 20_000) {
      const ready = await fetch(`http://127.0.0.1:${port}/readyz`).then(
        (response) => response.ok,
        () => false,
      );
      if (ready) return performance.now() - startedAt;
      await sleep(10);
    }
    throw new Error('serve was not ready within 20 s');
  } finally {
    server.kill('SIGTERM');
    await ended;
  }
}

const bare: number[] = [];
const help: number[] = [];
for (let run = 0; run < 15; run += 1) {
  bare.push(timed(['-e', '0']));
  help.push(timed([program, '--help']));
}
const [bareMs, helpMs] = [median(bare), median(help)];
console.log(
  `coursectl --help: ${helpMs.toFixed(0)} ms, node -e 0: ${bareMs.toFixed(0)} ms, ratio ${(helpMs / bareMs).toFixed(2)} (limit 3)`,
);

const folder = mkdtempSync(path.join(tmpdir(), 'coursectl-bench-'));
try {
  const first = await readyAfter(folder);
  const later: number[] = [];
  for (let run = 0; run < 5; run += 1) later.push(await readyAfter(folder));
  console.log(
    `serve to /readyz 200 on SQLite: ${median(later).toFixed(0)} ms, ${first.toFixed(0)} ms with all migrations (limit 2000)`,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
