/**
 * Runs test files on one database in worker processes, and tells its parent what came of each file. Started by
 * `test/run.ts` with a {@link LegTask} as its only argument; the database is the environment's.
 */
import path from 'node:path';
import Mocha from 'mocha';
import { repository } from './files.js';

export interface LegTask {
  /** In the order in which they are started. */
  files: string[];
  jobs: number;
  timeoutMs: number;
  grep: string | undefined;
}

export interface Failure {
  title: string;
  /** Message, difference and stack. */
  text: string;
}

/** What came of one test file. */
export interface FileResult {
  file: string;
  passed: number;
  skipped: number;
  failures: Failure[];
  /** The titles of all its tests. */
  titles: string[];
  milliseconds: number;
}

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

/** Sends a {@link FileResult} to the parent for each file: the events of a file arrive together, when it is done. */
class FileReporter {
  constructor(runner: Mocha.Runner) {
    const results = new Map<string, FileResult>();
    const resultOf = (test: { file?: string | undefined }): FileResult => {
      const file = path.relative(repository, test.file ?? 'outside of any file');
      const result = results.get(file) ?? { file, passed: 0, skipped: 0, failures: [], titles: [], milliseconds: 0 };
      results.set(file, result);
      return result;
    };
    runner.on('pass', (test) => {
      const result = resultOf(test);
      // A helper kept another file's `describe`: the test ran without the time limit and the hooks of its suite.
      if (test.fullTitle() === test.title) result.failures.push({ title: test.title, text: 'It is in no suite.' });
      else result.passed += 1;
      result.milliseconds += test.duration ?? 0;
      result.titles.push(test.fullTitle());
    });
    runner.on('pending', (test) => {
      const result = resultOf(test);
      result.skipped += 1;
      result.titles.push(test.fullTitle());
    });
    runner.on('fail', (test, error) => {
      const result = resultOf(test);
      result.milliseconds += test.duration ?? 0;
      result.titles.push(test.fullTitle());
      result.failures.push({ title: test.fullTitle(), text: textOf(error) });
    });
    const send = () => {
      for (const result of results.values()) process.send?.(result);
      results.clear();
    };
    runner.on('suite end', (suite) => {
      if (suite.root) send();
    });
    runner.once('end', send);
  }
}

const { files, jobs, timeoutMs, grep } = JSON.parse(process.argv[2] ?? '') as LegTask;
const mocha = new Mocha({
  // @ts-expect-error: mocha takes a class of our own; its types know the names of its own reporters only here
  reporter: FileReporter,
  require: [path.join(repository, 'test/support/hooks.ts')],
  timeout: timeoutMs,
  parallel: true,
  jobs,
  ...(grep !== undefined && { fgrep: grep }),
});
mocha.parallelMode(true);
for (const file of files) mocha.addFile(path.join(repository, file));
mocha.run((failures) => {
  process.exitCode = failures > 0 ? 1 : 0;
  process.disconnect();
});
