import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { repository } from './files.js';
import type { Failure, FileResult, LegTask } from './leg.js';
import type { DatabaseKind } from './options.js';
import type { Counts } from './report.js';

/** What came of all files on one database. */
export interface LegResult extends Counts {
  files: (FileResult & { kind: DatabaseKind })[];
}

const script = fileURLToPath(new URL('./leg.ts', import.meta.url));

const textsOf = ({ title, text }: Failure): string => `${title}\n${text.replace(/^/gm, '    ')}\n`;

function print(kind: DatabaseKind, { file, passed, skipped, failures, milliseconds }: FileResult): void {
  const counts = [`${passed} passed`, ...(skipped > 0 ? [`${skipped} skipped`] : [])].join(', ');
  const time = `${(milliseconds / 1000).toFixed(1)} s`;
  if (failures.length === 0) {
    console.log(`  ok    ${kind.padEnd(6)}  ${file} (${counts}, ${time})`);
    return;
  }
  // Not the last word: a few such files get a second run.
  console.log(`  not ok  ${kind.padEnd(6)}  ${file} (${counts}, ${failures.length} failed, ${time})`);
  for (const failure of failures) console.log(`\n  ${textsOf(failure)}`);
  console.log(`  To run it alone: npm test -- --db ${kind} ${file}\n`);
}

/** The environment of a database's tests: nothing of another one's. */
function environmentOf(env: Record<string, string>): NodeJS.ProcessEnv {
  const { TEST_DATABASE_URL: _, ...inherited } = process.env;
  return { ...inherited, ...env };
}

/** Where each failed test is, its title, and what it says. */
export const failuresOf = (files: LegResult['files']): string[] =>
  files.flatMap(({ kind, file, failures }) => failures.map((failure) => `${kind}  ${file}  ${textsOf(failure)}`));

/** Runs test files on one database, and prints a line for each. */
export async function runLeg(kind: DatabaseKind, task: LegTask, env: Record<string, string>): Promise<LegResult> {
  const child = spawn(process.execPath, ['--import', 'tsx', script, JSON.stringify(task)], {
    cwd: repository,
    env: environmentOf({ ...env, TEST_DATABASE_KIND: kind }),
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const files: LegResult['files'] = [];
  child.on('message', (result: FileResult) => {
    files.push({ kind, ...result });
    print(kind, result);
  });
  const exitCode = await new Promise<number | null>((resolve) => child.once('close', resolve));
  const total = (count: (result: FileResult) => number) => files.reduce((so, result) => so + count(result), 0);
  const failed = total(({ failures }) => failures.length);
  // A runner that failed without a failed test (a crash after the last one) is a failure all the same.
  const crash = exitCode !== 0 && failed === 0 ? [`the tests on ${kind} ended with exit code ${exitCode}`] : [];
  return {
    passed: total(({ passed }) => passed),
    failed: failed + crash.length,
    skipped: total(({ skipped }) => skipped),
    failures: [...failuresOf(files), ...crash],
    files,
  };
}

/** Runs a script of package.json that prints and counts by itself. */
export async function runScript(name: string, countsFile: string, env: Record<string, string>): Promise<Counts> {
  console.log(`\n=== npm run ${name} ===`);
  const child = spawn('npm', ['run', '--silent', name], {
    cwd: repository,
    env: environmentOf({ ...env, COURSECTL_TEST_COUNTS: countsFile }),
    stdio: 'inherit',
  });
  const exitCode = await new Promise<number | null>((resolve) => child.once('exit', resolve));
  try {
    const counts = JSON.parse(readFileSync(countsFile, 'utf8')) as Counts;
    return exitCode !== 0 && counts.failed === 0
      ? { ...counts, failed: 1, failures: [`npm run ${name} ended with exit code ${exitCode}`] }
      : counts;
  } catch {
    console.error(`npm run ${name} ended with exit code ${exitCode} before it could count.`);
    return { passed: 0, failed: 1, skipped: 0, failures: [`npm run ${name}`] };
  }
}
