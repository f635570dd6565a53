import { existsSync, readFileSync, writeFileSync } from 'node:fs';

/** Results of tests. */
export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
  /** Place, title and message of each failure. */
  failures: string[];
}

export const noCounts: Counts = { passed: 0, failed: 0, skipped: 0, failures: [] };

export const sum = (all: readonly Counts[]): Counts =>
  all.reduce(
    (so, { passed, failed, skipped, failures }) => ({
      passed: so.passed + passed,
      failed: so.failed + failed,
      skipped: so.skipped + skipped,
      failures: [...so.failures, ...failures],
    }),
    noCounts,
  );

/** Returns a failure that counts as one failed test. */
export const failure = (text: string): Counts => ({ ...noCounts, failed: 1, failures: [text] });

/** Reads the counts that a child process has written; undefined if it ended before. */
export function readCounts<T extends Counts>(file: string): T | undefined {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as T) : undefined;
}

/** Writes counts to the file that the parent process has named. */
export function writeCounts(counts: Counts): void {
  const file = process.env.TEST_COUNTS_FILE;
  if (file !== undefined) writeFileSync(file, JSON.stringify(counts));
}

/** Returns the last line of a run. */
export const summaryLine = ({ passed, failed, skipped }: Counts): string =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
