import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { repository } from './files.js';
import type { Counts } from './report.js';

/**
 * Runs a script of package.json that prints and counts by itself.
 * @param command its name, and after a blank its option if it has one
 * @param env on top of this process's environment
 */
export async function runScript(command: string, countsFile: string, env: Record<string, string>): Promise<Counts> {
  const [name = '', ...options] = command.split(' ');
  console.log(`\n=== npm run ${command} ===`);
  const { TEST_DATABASE_URL: _, ...inherited } = process.env;
  const child = spawn('npm', ['run', '--silent', name, '--', ...options], {
    cwd: repository,
    env: { ...inherited, ...env, COURSECTL_TEST_COUNTS: countsFile },
    stdio: 'inherit',
  });
  const exitCode = await new Promise<number | null>((resolve) => child.once('exit', resolve));
  try {
    const counts = JSON.parse(readFileSync(countsFile, 'utf8')) as Counts;
    return exitCode !== 0 && counts.failed === 0
      ? { ...counts, failed: 1, failures: [`npm run ${command} ended with exit code ${exitCode}`] }
      : counts;
  } catch {
    console.error(`npm run ${command} ended with exit code ${exitCode} before it could count.`);
    return { passed: 0, failed: 1, skipped: 0, failures: [`npm run ${command}`] };
  }
}
