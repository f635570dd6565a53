/**
 * A process that runs test files on one database, each when its parent names it, and tells the parent what came of it. Started by
 * `test/runner/pool.ts` with {@link WorkerOptions} as its only argument; the database is the environment's.
 */
import path from 'node:path';
import Mocha from 'mocha';
import { mochaHooks } from '../support/hooks.js';
import { repository } from './files.js';
import type { WorkerOptions } from './options.js';
import { emptyResult, type FileResult, type TestRun } from './result.js';

const { Base } = Mocha.reporters;

function textOf(error: unknown): string {
  if (!(error instanceof Error) && (typeof error !== 'object' || error === null)) return String(error);
  const { message, stack, actual, expected, showDiff } = error as Error & {
    actual?: unknown;
    expected?: unknown;
    showDiff?: boolean;
  };
  const differs = showDiff !== false && typeof actual === 'string' && typeof expected === 'string';
  const cause = error instanceof Error && error.cause !== undefined ? `\nCaused by: ${textOf(error.cause)}` : '';
  return `${stack ?? message}${differs ? `\n${Base.generateDiff(actual, expected)}` : ''}${cause}`;
}

/** Collects what comes of a file's tests. */
function collect(runner: Mocha.Runner, result: FileResult): void {
  const note = (test: Mocha.Test, outcome: TestRun['outcome']) => {
    result.tests.push({ title: test.fullTitle(), outcome, milliseconds: test.duration ?? 0 });
  };
  runner.on('pass', (test) => {
    // A helper kept another file's `describe`: the test ran without the time limit and the hooks of its suite.
    if (test.fullTitle() === test.title)
      result.failures.push({ title: test.title, test: test.title, text: 'It is in no suite.' });
    else result.passed += 1;
    note(test, 'passed');
  });
  runner.on('pending', (test) => {
    result.skipped += 1;
    note(test, 'skipped');
  });
  runner.on('fail', (failed: Mocha.Test | Mocha.Hook, error) => {
    const test = failed.type === 'hook' ? failed.ctx?.currentTest : failed;
    if (failed.type === 'test') note(failed, 'failed');
    result.failures.push({ title: failed.fullTitle(), test: test?.fullTitle(), text: textOf(error) });
  });
}

async function runFile(file: string, { timeoutMs, grep }: WorkerOptions): Promise<FileResult> {
  const result = emptyResult(file);
  const mocha = new Mocha({
    reporter: class extends Base {
      constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
        super(runner, options);
        collect(runner, result);
      }
    },
    rootHooks: mochaHooks,
    timeout: timeoutMs,
    ...(grep !== undefined && { fgrep: grep }),
  });
  mocha.addFile(path.join(repository, file));
  // Mocha fails a test for an error that nobody catches, but leaves rejections that nobody handles to other listeners.
  process.on('unhandledRejection', (reason) => {
    throw reason;
  });
  try {
    await mocha.loadFilesAsync();
    await new Promise<void>((resolve) => mocha.run(() => resolve()));
  } catch (error) {
    result.failures.push({ title: 'The file can be loaded', text: textOf(error) });
  }
  // Mocha leaves its listeners, which would take the failures of later files for those of this one.
  for (const event of ['uncaughtException', 'unhandledRejection']) process.removeAllListeners(event);
  return result;
}

const options = JSON.parse(process.argv[2] ?? '') as WorkerOptions;
process.on('message', (file: string) => void runFile(file, options).then((result) => process.send?.(result)));
// Its databases and temporary files go with the run.
process.once('disconnect', () => process.exit(0));
