import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { repository } from './files.js';
import type { Counts } from './report.js';

/** Scripts of package.json that need no test runner; each counts as one test. */
export const checks = ['lint', 'types'] as const;

/** Runs a check beside the tests. Prints its output only when it fails. */
export async function runCheck(name: (typeof checks)[number]): Promise<Counts> {
  const startedAt = performance.now();
  const child = spawn('npm', ['run', '--silent', name], { cwd: repository, stdio: ['ignore', 'pipe', 'pipe'] });
  const [exitCode, ...output] = await Promise.all([
    new Promise<number | null>((resolve) => child.once('exit', resolve)),
    text(child.stdout),
    text(child.stderr),
  ]);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  if (exitCode === 0) {
    console.log(`  ok    npm run ${name} (${seconds} s)`);
    return { passed: 1, failed: 0, skipped: 0, failures: [] };
  }
  console.log(`FAILED  npm run ${name}\n${output.join('')}`);
  return { passed: 0, failed: 1, skipped: 0, failures: [`npm run ${name}`] };
}
