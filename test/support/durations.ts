import childProcess from 'node:child_process';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { createRequire, syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';
import { promisify } from 'node:util';

/** What tests spend their time on, besides the work that they are about. In order: time of two is the first one's. */
export const causes = ['programs', 'migrations', 'sleeping', 'hashing'] as const;
export type Cause = (typeof causes)[number];

/** What running one test file took, in milliseconds. */
export interface FileDuration extends Record<Cause, number> {
  file: string;
  /** The kind of database that it ran on. */
  kind: string;
  wall: number;
  /** Processor time of this process: programs that it starts have their own. */
  cpu: number;
  /** Processor time of programs that it started and that ended, with those that they started; 0 where /proc is missing. */
  children: number;
}

interface Interval {
  cause: Cause;
  start: number;
  end: number;
}

/** Time that is covered by intervals, each moment counted once, for the first cause that covers it. */
function share(intervals: readonly Interval[]): Record<Cause, number> {
  const sums = { programs: 0, migrations: 0, sleeping: 0, hashing: 0 };
  const active = { ...sums };
  const edges = intervals.flatMap(({ cause, start, end }) => [
    { cause, at: start, change: 1 },
    { cause, at: end, change: -1 },
  ]);
  let since = 0;
  for (const { cause, at, change } of edges.sort((a, b) => a.at - b.at)) {
    const current = causes.find((name) => active[name] > 0);
    if (current) sums[current] += at - since;
    active[cause] += change;
    since = at;
  }
  return sums;
}

/** The kernel counts processor time in hundredths of a second. */
const tickMs = 10;

/** Processor time of all programs that this process has started and that ended, in milliseconds. */
function childrenCpu(): number {
  if (!existsSync('/proc/self/stat')) return 0;
  const stat = readFileSync('/proc/self/stat', 'utf8');
  // After the name, which may contain anything: the state is field 3, the times of children are fields 16 and 17.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[13]) + Number(fields[14])) * tickMs;
}

/**
 * Measures test files by cause: replaces the functions of Node and of packages that start programs, sleep, migrate and
 * hash by ones that note when they began and ended. Only for `npm test -- --durations`.
 * @param log the file that gets a {@link FileDuration} as a line of JSON for each file
 */
export function watchFile(log: string): { begin(file: string | undefined): void; end(): void } {
  let intervals: Interval[] = [];
  let begun: { file: string; at: number; cpu: NodeJS.CpuUsage; children: number } | undefined;

  function note(cause: Cause): () => void {
    const start = performance.now();
    return () => void intervals.push({ cause, start, end: performance.now() });
  }

  function noteCalls(owner: object, name: string | symbol, cause: Cause): void {
    const functions = owner as Record<string | symbol, (this: unknown, ...args: unknown[]) => unknown>;
    const found = functions[name];
    if (!found) throw new Error(`There is no ${String(name)} to be measured.`);
    const original = found;
    function noted(this: unknown, ...args: unknown[]) {
      const done = note(cause);
      const result = original.apply(this, args);
      if (result instanceof childProcess.ChildProcess) result.once('close', done);
      else if (result instanceof Promise) result.then(done, done);
      else done();
      return result;
    }
    functions[name] = noted;
    // What util.promisify() makes of it is another function.
    if (!(promisify.custom in original)) return;
    Object.assign(noted, { [promisify.custom]: original[promisify.custom] });
    noteCalls(noted, promisify.custom, cause);
  }

  const require = createRequire(import.meta.url);
  for (const name of ['spawn', 'execFile', 'spawnSync', 'execFileSync']) noteCalls(childProcess, name, 'programs');
  noteCalls(timers, 'setTimeout', 'sleeping');
  syncBuiltinESMExports();
  const { Umzug } = require('umzug') as { Umzug: { prototype: object } };
  for (const name of ['up', 'down']) noteCalls(Umzug.prototype, name, 'migrations');
  const bcrypt = require('@node-rs/bcrypt') as object;
  for (const name of ['hash', 'verify']) noteCalls(bcrypt, name, 'hashing');

  return {
    begin(file) {
      intervals = [];
      begun =
        file === undefined
          ? undefined
          : { file, at: performance.now(), cpu: process.cpuUsage(), children: childrenCpu() };
    },
    end() {
      if (!begun) return;
      const { user, system } = process.cpuUsage(begun.cpu);
      const { file, at } = begun;
      const now = performance.now();
      // Something may have begun in the file before, or not be over.
      const own = intervals.filter(({ end }) => end > at).map((one) => ({ ...one, start: Math.max(one.start, at) }));
      const duration: FileDuration = {
        kind: process.env.TEST_DATABASE_KIND ?? '',
        file,
        wall: now - at,
        cpu: (user + system) / 1000,
        children: childrenCpu() - begun.children,
        ...share(own),
      };
      appendFileSync(log, `${JSON.stringify(duration)}\n`);
    },
  };
}
