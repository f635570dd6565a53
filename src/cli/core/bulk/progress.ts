import cliProgress from 'cli-progress';
import type { Schema } from '../../../services/context.js';
import type { Run } from '../command/run.js';
import { counted } from '../output/output.js';

export interface Progress {
  update(rows: number): void;
  /** Prints a message. A bar is removed first, and drawn again below the message. */
  say(text: string): void;
  /**
   * Prints a message, and sets the number of rows from an earlier run. Those rows don't count for the rate and the
   * remaining time.
   */
  resumed(rows: number, text: string): void;
  stop(): void;
}

const ignore = () => undefined;
const silentProgress: Progress = { update: ignore, say: ignore, resumed: ignore, stop: ignore };

/** Interval of progress lines without a terminal. */
const lineIntervalMs = 5000;

type ProgressRun = Pick<Run, 'io' | 'options' | 'say'>;

/**
 * Shows count, rate and remaining time on standard error: a bar at a terminal; a line every 5 s in a pipe, and at a
 * terminal that can't move its cursor. Silent with `--quiet` and `--json`.
 * @param total expected count; undefined if unknown
 * @param singular noun of the counted items
 */
export function createProgress(run: ProgressRun, label: string, total: number | undefined, singular = 'row'): Progress {
  if (run.options.quiet || run.options.json) return silentProgress;
  const { stderr, env } = run.io;
  return stderr.isTTY && env.TERM !== 'dumb'
    ? bar(run, { label, total, singular })
    : lines(run, { label, total, singular });
}

/** Returns a function that computes the rate per second from the current count. @param before count of an earlier run */
function rateFrom(before: number): (done: number) => number {
  const startedAt = performance.now();
  return (done) => Math.round(((done - before) * 1000) / Math.max(performance.now() - startedAt, 1));
}

interface BarText {
  label: string;
  total: number | undefined;
  singular: string;
}

/** Returns the format of a bar. @param isTimed whether rate and remaining time are known; false before the first update */
function barFormat({ label, total, singular }: BarText, columns: number, isTimed: boolean): string {
  if (total === undefined) return `${label}: {value} ${singular}s`;
  const noun = columns < 80 ? '' : ` ${singular}s`;
  const rate = columns < 80 ? '' : ` | {rate} ${singular}s/s`;
  return `${label} {bar} {percentage}% | {value} of {total}${noun}${isTimed ? `${rate} | {eta_formatted} left` : ''}`;
}

function bar(run: ProgressRun, shown: BarText): Progress {
  const { total } = shown;
  const columns = run.io.stderr.columns ?? 80;
  let isTimed = false;
  let rate = rateFrom(0);
  const format: cliProgress.GenericFormatter = (options, ...others) =>
    cliProgress.Format.Formatter({ ...options, format: barFormat(shown, columns, isTimed) }, ...others);
  // The line is cut at the width of the terminal. A shorter bar leaves space for the remaining time at the end.
  const barsize = Math.min(Math.max(columns - 72, 8), 40);
  const single = new cliProgress.SingleBar(
    { stream: run.io.stderr, format, barsize, clearOnComplete: true, hideCursor: true, fps: 5 },
    cliProgress.Presets.shades_classic,
  );
  let done = 0;
  single.start(total ?? 0, 0, { rate: 0 });
  const say = (text: string) => {
    single.stop();
    run.say(text);
    // The new bar measures the remaining time from the beginning.
    isTimed = false;
    single.start(total ?? done, done, { rate: rate(done) });
  };
  return {
    update(rows) {
      isTimed = true;
      done = rows;
      if (total === undefined) single.setTotal(rows);
      single.update(rows, { rate: rate(rows) });
    },
    say,
    resumed(rows, text) {
      done = rows;
      rate = rateFrom(rows);
      say(text);
    },
    stop: () => single.stop(),
  };
}

function lines(run: ProgressRun, { label, total, singular }: BarText): Progress {
  let lastAt = performance.now();
  let rate = rateFrom(0);
  return {
    update(rows) {
      if (performance.now() - lastAt < lineIntervalMs) return;
      lastAt = performance.now();
      const left = total === undefined ? '' : `, ${Math.ceil((total - rows) / Math.max(rate(rows), 1))} s left`;
      const done = total === undefined ? counted(rows, singular) : `${rows} of ${counted(total, singular)}`;
      run.say(`${label}: ${done}, ${rate(rows)} ${singular}s/s${left}`);
    },
    say: (text) => run.say(text),
    resumed(rows, text) {
      rate = rateFrom(rows);
      run.say(text);
    },
    stop: ignore,
  };
}

/** Returns options of a migration that report a wait for another migration. */
export function migrationProgress(run: Run): Parameters<Schema['up']>[0] {
  return { onWait: () => run.say('Another migration is running, or was just interrupted: waiting for it.') };
}
