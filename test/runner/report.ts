import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fullDepth, shortening } from '../support/depth.js';
import { causes, type FileDuration } from '../support/durations.js';
import { repository } from './files.js';
import type { LegResult } from './result.js';

export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
  /** For each failure where it is, its title, and what it says. */
  failures: string[];
}

export function sum(all: readonly Counts[]): Counts {
  const total = (key: 'passed' | 'failed' | 'skipped') => all.reduce((so, counts) => so + counts[key], 0);
  return {
    passed: total('passed'),
    failed: total('failed'),
    skipped: total('skipped'),
    failures: all.flatMap(({ failures }) => failures),
  };
}

/** All failures that count: of a run of many minutes, often only the end is read. */
export function failureList({ failures }: Counts): string {
  return failures.map((failure) => `FAILED  ${failure}`).join('\n');
}

/** The last line of a run: its depth, how far a slow machine shortened it, and its counts. */
export function closingLine({ passed, failed, skipped }: Counts, isFull = fullDepth, by = shortening): string {
  const depth = isFull ? 'full-depth' : 'default-depth';
  const slow = isFull && by > 1 ? ` shortened by ${by} on a slow machine` : '';
  return `${depth}${slow}: ${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

/** Writes the titles of all tests, sorted, so that two runs can be compared. */
export function writeTitles(to: string, results: readonly LegResult[]): void {
  const lines = results.flatMap(({ files }) =>
    files.flatMap(({ kind, file, tests }) => tests.map(({ title }) => `${kind}\t${file}\t${title}`)),
  );
  writeFileSync(to, `${lines.sort().join('\n')}\n`);
}

const seconds = (milliseconds: number) => (milliseconds / 1000).toFixed(1).padStart(11);

const slowestTests = 30;

/** Prints the tests that took longest. */
function printSlowestTests(results: readonly LegResult[]): void {
  const tests = results.flatMap(({ files }) =>
    files.flatMap(({ kind, file, tests: own }) => own.map((test) => ({ ...test, kind, file }))),
  );
  console.log(`\nSeconds of the ${slowestTests} slowest tests, without their hooks\n`);
  for (const test of tests.sort((a, b) => b.milliseconds - a.milliseconds).slice(0, slowestTests))
    console.log(`${seconds(test.milliseconds)}  ${test.title} (${test.file}, ${test.kind})`);
}

/** Prints where the time went: a row for each file, the slowest first, and the sums; then the slowest tests. */
export function printDurations(log: string, results: readonly LegResult[]): void {
  const rows = existsSync(log)
    ? readFileSync(log, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as FileDuration)
    : [];
  const columns = ['wall', ...causes, 'rest', 'cpu', 'children'] as const;
  const cell = (row: FileDuration, column: (typeof columns)[number]) =>
    column === 'rest' ? row.wall - causes.reduce((so, cause) => so + row[cause], 0) : row[column];
  const print = (name: string, of: readonly FileDuration[]) =>
    console.log(
      `${columns.map((column) => seconds(of.reduce((so, row) => so + cell(row, column), 0))).join('')}  ${name}`,
    );
  console.log(
    `\nSeconds by file and cause; "cpu" is the processor time of the test process, "children" that of programs it started\n`,
  );
  console.log(`${columns.map((column) => column.padStart(11)).join('')}  file`);
  for (const row of rows.sort((a, b) => b.wall - a.wall))
    print(`${path.relative(repository, row.file)} (${row.kind})`, [row]);
  print('all files', rows);
  printSlowestTests(results);
}
