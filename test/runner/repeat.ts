import type { DatabaseKind } from './options.js';
import { type FileResult, type LegResult, legResult } from './result.js';

/** More failed files than this have a cause that a second run won't make go away. */
const maxFiles = 5;

/** A test that failed beside others and passed alone. */
export interface Flaky {
  kind: DatabaseKind;
  file: string;
  title: string;
}

/** The files that are worth a second run, alone: those that failed, when they are few. */
export function filesToRepeat({ files }: LegResult): string[] {
  const failed = files.filter(({ failures, tests }) => failures.length > 0 && tests.length > 0);
  return failed.length > maxFiles ? [] : failed.map(({ file }) => file);
}

/** Whether every test of a file that passed or failed in the first run, also by its hooks, passes in the second. */
function passesNow(before: FileResult, after: FileResult): boolean {
  const passed = new Set(after.tests.filter(({ outcome }) => outcome === 'passed').map(({ title }) => title));
  return (
    after.failures.length === 0 &&
    before.tests.every(({ title, outcome }) => outcome === 'skipped' || passed.has(title)) &&
    before.failures.every(({ test }) => test !== undefined && passed.has(test))
  );
}

/**
 * Puts what came of the second run of some files in the place of the first. A file counts as passed when all tests that
 * failed were run again and passed; its failures are the flaky tests then, to be reported beside the counts.
 */
export function withRepeated(first: LegResult, second: LegResult): { result: LegResult; flaky: Flaky[] } {
  const flaky: Flaky[] = [];
  const files = first.files.map((before) => {
    const after = second.files.find(({ file }) => file === before.file);
    if (before.failures.length === 0 || !after || !passesNow(before, after)) return before;
    flaky.push(...before.failures.map(({ title }) => ({ kind: before.kind, file: before.file, title })));
    return after;
  });
  return { result: legResult(files), flaky };
}

/** Says loudly which tests passed only in the second run: each of them is a defect of the test or of the program. */
export function flakyNotice(flaky: readonly Flaky[]): string {
  const lines = flaky.map(({ kind, file, title }) => `  ${kind.padEnd(6)}  ${file}\n          ${title}`);
  return `FLAKY: ${flaky.length} failed beside other tests and passed alone. Look for the race.\n${lines.join('\n')}`;
}
