import { existsSync, readFileSync, writeFileSync } from 'node:fs';

/** What came of tests. */
export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
  /** For each failure where it is, its title, and what it says. */
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

/** Something that failed, as one test. */
export const failure = (text: string): Counts => ({ ...noCounts, failed: 1, failures: [text] });

/** What a process has left in a file for the one that started it; undefined when it ended before. */
export function readCounts<T extends Counts>(file: string): T | undefined {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as T) : undefined;
}

/** Leaves counts for the process that started this one, where it wants them. */
export function writeCounts(counts: Counts): void {
  const file = process.env.TEST_COUNTS_FILE;
  if (file !== undefined) writeFileSync(file, JSON.stringify(counts));
}

/** The last line of a run. */
export const summaryLine = ({ passed, failed, skipped }: Counts): string =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
