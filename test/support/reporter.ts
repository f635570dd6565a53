import { writeFileSync } from 'node:fs';
import path from 'node:path';
import Mocha from 'mocha';
import type { Counts } from './counts.js';

const { Base } = Mocha.reporters;
const { EVENT_RUN_END, EVENT_SUITE_END, EVENT_TEST_FAIL, EVENT_TEST_PASS, EVENT_TEST_PENDING } = Mocha.Runner.constants;

/** Results that a mocha process writes for `test/run.ts`. */
export interface MochaCounts extends Counts {
  /** Files with tests. */
  files: string[];
  /** Files with failures. */
  failedFiles: string[];
}

interface FileCounts {
  passed: number;
  skipped: number;
  failures: string[];
  milliseconds: number;
}

const database = process.env.TEST_DATABASE_URL === undefined ? 'sqlite' : 'mysql ';

/** Returns an error as text, with compared values and causes. Errors of worker processes arrive as plain objects. */
function textOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return String(error);
  const { message, stack, actual, expected, showDiff, cause } = error as Partial<Error> & Record<string, unknown>;
  const differs = showDiff !== false && typeof actual === 'string' && typeof expected === 'string';
  const because = cause === undefined ? '' : `\nCaused by: ${textOf(cause)}`;
  return `${stack ?? message}${differs ? `\n${Base.generateDiff(actual, expected)}` : ''}${because}`;
}

/**
 * Prints a line and the failures of each test file. Writes {@link MochaCounts} into the file that TEST_COUNTS_FILE names.
 */
export default class FileReporter extends Base {
  private readonly files = new Map<string, FileCounts>();
  private current = new Map<string, FileCounts>();

  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options);
    runner.on(EVENT_TEST_PASS, (test) => {
      const counts = this.of(test);
      counts.milliseconds += test.duration ?? 0;
      // A helper kept another file's `describe`, so the test ran without its suite's time limit and hooks.
      if (test.titlePath().length < 2) counts.failures.push(`${test.title}\nIt is in no suite.`);
      else counts.passed += 1;
    });
    runner.on(EVENT_TEST_PENDING, (test) => {
      this.of(test).skipped += 1;
    });
    runner.on(
      EVENT_TEST_FAIL,
      (test, error) => void this.of(test).failures.push(`${test.fullTitle()}\n${textOf(error)}`),
    );
    // The root suite ends after each file if files run in parallel.
    runner.on(EVENT_SUITE_END, (suite) => {
      if (suite.root) this.printCurrent();
    });
    runner.on(EVENT_RUN_END, () => this.write());
  }

  private of({ file }: Mocha.Runnable): FileCounts {
    // A global hook has the file that declares it, so its failure counts for the current test file.
    const [first] = this.current.keys();
    const own = file?.endsWith('.test.ts') ? path.relative('', file) : (first ?? 'no file');
    const counts = this.current.get(own) ?? { passed: 0, skipped: 0, failures: [], milliseconds: 0 };
    this.current.set(own, counts);
    return counts;
  }

  private printCurrent(): void {
    for (const [file, counts] of this.current) {
      this.files.set(file, counts);
      const { passed, skipped, failures, milliseconds } = counts;
      const numbers = [
        `${passed} passed`,
        ...(failures.length > 0 ? [`${failures.length} failed`] : []),
        ...(skipped > 0 ? [`${skipped} skipped`] : []),
        `${(milliseconds / 1000).toFixed(1)} s`,
      ];
      console.log(`  ${failures.length > 0 ? 'not ok' : 'ok    '}  ${database}  ${file} (${numbers.join(', ')})`);
      for (const failure of failures) console.log(`\n${failure.replace(/^/gm, '    ')}\n`);
    }
    this.current = new Map();
  }

  private write(): void {
    // Prints errors outside of all files.
    this.printCurrent();
    const counts: MochaCounts = { passed: 0, failed: 0, skipped: 0, failures: [], files: [], failedFiles: [] };
    for (const [file, { passed, skipped, failures }] of this.files) {
      counts.passed += passed;
      counts.skipped += skipped;
      counts.failed += failures.length;
      counts.failures.push(...failures.map((failure) => `${database}  ${file}  ${failure}`));
      counts.files.push(file);
      if (failures.length > 0) counts.failedFiles.push(file);
    }
    const to = process.env.TEST_COUNTS_FILE;
    if (to !== undefined) writeFileSync(to, JSON.stringify(counts));
  }
}
