import cliProgress from 'cli-progress';
import type { Schema } from '../../../services/context.js';
import type { Run } from '../command/run.js';
import { counted } from '../output/output.js';

/** Shows the progress of a command. */
export interface Progress {
  update(rows: number): void;
  /** Says something to the person at the terminal; a bar is removed first, and drawn again below. */
  say(text: string): void;
  /** Says that an earlier run has done so many rows: they don't count for the rate and the time left. */
  resumed(rows: number, text: string): void;
  stop(): void;
}

const ignore = () => undefined;
const silentProgress: Progress = { update: ignore, say: ignore, resumed: ignore, stop: ignore };

/** How often a line is written where there is no terminal, in milliseconds. */
const lineEveryMs = 5000;

/** What of a command its progress needs. */
type ProgressRun = Pick<Run, 'io' | 'options' | 'say'>;

/**
 * How much is done, the rate and the time left on standard error: a bar on a terminal, a line now and then on a pipe, and on a
 * terminal that can't move its cursor.
 * @param total how many there will be; counts up when it isn't known yet
 * @param one what is counted
 */
export function createProgress(run: ProgressRun, label: string, total: number | undefined, one = 'row'): Progress {
  if (run.options.quiet || run.options.json) return silentProgress;
  const { stderr, env } = run.io;
  return stderr.isTTY && env.TERM !== 'dumb' ? bar(run, { label, total, one }) : lines(run, { label, total, one });
}

/** @returns how many are done in a second, by how many are done. @param before how many an earlier run has done */
function rateFrom(before: number): (done: number) => number {
  const startedAt = performance.now();
  return (done) => Math.round(((done - before) * 1000) / Math.max(performance.now() - startedAt, 1));
}

interface BarText {
  label: string;
  total: number | undefined;
  one: string;
}

/** What a bar says. @param isTimed whether anything is done by now: before, nothing is known of the rate and the time left */
function barFormat({ label, total, one }: BarText, columns: number, isTimed: boolean): string {
  if (total === undefined) return `${label}: {value} ${one}s`;
  const noun = columns < 80 ? '' : ` ${one}s`;
  const rate = columns < 80 ? '' : ` | {rate} ${one}s/s`;
  return `${label} {bar} {percentage}% | {value} of {total}${noun}${isTimed ? `${rate} | {eta_formatted} left` : ''}`;
}

function bar(run: ProgressRun, shown: BarText): Progress {
  const { total } = shown;
  const columns = run.io.stderr.columns ?? 80;
  let isTimed = false;
  let rate = rateFrom(0);
  const format: cliProgress.GenericFormatter = (options, ...others) =>
    cliProgress.Format.Formatter({ ...options, format: barFormat(shown, columns, isTimed) }, ...others);
  // What doesn't fit into the line is cut off, and the time left stands last: the bar gives way to it.
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
    // The bar begins anew, and with it the measurement of the time left.
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

function lines(run: ProgressRun, { label, total, one }: BarText): Progress {
  let lastAt = performance.now();
  let rate = rateFrom(0);
  return {
    update(rows) {
      if (performance.now() - lastAt < lineEveryMs) return;
      lastAt = performance.now();
      const left = total === undefined ? '' : `, ${Math.ceil((total - rows) / Math.max(rate(rows), 1))} s left`;
      const done = total === undefined ? counted(rows, one) : `${rows} of ${counted(total, one)}`;
      run.say(`${label}: ${done}, ${rate(rows)} ${one}s/s${left}`);
    },
    say: (text) => run.say(text),
    resumed(rows, text) {
      rate = rateFrom(rows);
      run.say(text);
    },
    stop: ignore,
  };
}

/** Tells the operator that another migration has to end first. */
export function migrationProgress(run: Run): Parameters<Schema['up']>[0] {
  return { onWait: () => run.say('Another migration is running, or was just interrupted: waiting for it.') };
}
