import type { DatabaseKind } from './options.js';
import type { Counts } from './report.js';

export interface Failure {
  /** Of a test, or of a hook. */
  title: string;
  /** The title of the test, for a hook that of the test it ran for; none when no test ran. */
  test?: string | undefined;
  /** Message, difference and stack. */
  text: string;
}

/** One test, and how long it took without its hooks. */
export interface TestRun {
  title: string;
  outcome: 'passed' | 'failed' | 'skipped';
  milliseconds: number;
}

/** What came of one test file. */
export interface FileResult {
  file: string;
  passed: number;
  skipped: number;
  failures: Failure[];
  /** All its tests, those that were left out too. */
  tests: TestRun[];
}

/** The result of a file none of whose tests has run yet. */
export const emptyResult = (file: string): FileResult => ({
  file,
  passed: 0,
  skipped: 0,
  failures: [],
  tests: [],
});

/** What came of all files on one database. */
export interface LegResult extends Counts {
  files: (FileResult & { kind: DatabaseKind })[];
}

const textsOf = ({ title, text }: Failure): string => `${title}\n${text.replace(/^/gm, '    ')}\n`;

/** Where each failed test is, its title, and what it says. */
const failuresOf = (files: LegResult['files']): string[] =>
  files.flatMap(({ kind, file, failures }) => failures.map((failure) => `${kind}  ${file}  ${textsOf(failure)}`));

/** The result of all files on one database. */
export function legResult(files: LegResult['files']): LegResult {
  const total = (count: (result: FileResult) => number) => files.reduce((so, result) => so + count(result), 0);
  return {
    passed: total(({ passed }) => passed),
    failed: total(({ failures }) => failures.length),
    skipped: total(({ skipped }) => skipped),
    failures: failuresOf(files),
    files,
  };
}

/** Prints what came of a file. */
export function printResult(kind: DatabaseKind, { file, passed, skipped, failures, tests }: FileResult): void {
  const counts = [`${passed} passed`, ...(skipped > 0 ? [`${skipped} skipped`] : [])].join(', ');
  const milliseconds = tests.reduce((so, test) => so + test.milliseconds, 0);
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
