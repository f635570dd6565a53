import cliProgress from 'cli-progress';
import { counted } from '../../core/output.js';
import type { Run } from '../../core/run.js';
import { garbageCollector } from './garbage-collector.js';

/** Shows the progress of a command. */
export interface Progress {
  update(rows: number): void;
  /** Says something to the person at the terminal; a bar is removed first, and drawn again below. */
  say(text: string): void;
  stop(): void;
}

const nothing: Progress = { update: () => undefined, say: () => undefined, stop: () => undefined };

/** How often a line is written where there is no terminal, in milliseconds. */
const lineEveryMs = 5000;

/**
 * Rows, rate and time left on standard error: a bar on a terminal, a line now and then on a pipe.
 * @param total how many rows there will be; counts up when it isn't known yet
 */
export function createProgress(run: Run, label: string, total: number | undefined): Progress {
  const shown = shownProgress(run, label, total);
  const collect = garbageCollector();
  return {
    update(rows) {
      shown.update(rows);
      collect(rows);
    },
    say: (text) => shown.say(text),
    stop: () => shown.stop(),
  };
}

function shownProgress(run: Run, label: string, total: number | undefined): Progress {
  if (run.options.quiet || run.options.json) return nothing;
  const startedAt = performance.now();
  const rate = (rows: number) => Math.round((rows * 1000) / Math.max(performance.now() - startedAt, 1));
  return run.io.stderr.isTTY ? bar(run, label, total, rate) : lines(run, label, total, rate);
}

function bar(run: Run, label: string, total: number | undefined, rate: (rows: number) => number): Progress {
  const columns = run.io.stderr.columns ?? 80;
  const figures = columns < 80 ? '{value} of {total}' : '{value} of {total} rows | {rate} rows/s';
  const format =
    total === undefined ? `${label}: {value} rows` : `${label} {bar} {percentage}% | ${figures} | {eta_formatted} left`;
  // What doesn't fit into the line is cut off, and the time left stands last: the bar gives way to it.
  const barsize = Math.min(Math.max(columns - 72, 8), 40);
  const single = new cliProgress.SingleBar(
    { stream: run.io.stderr, format, barsize, clearOnComplete: true, hideCursor: true, fps: 5 },
    cliProgress.Presets.shades_classic,
  );
  let done = 0;
  single.start(total ?? 0, 0, { rate: 0 });
  return {
    update(rows) {
      done = rows;
      if (total === undefined) single.setTotal(rows);
      single.update(rows, { rate: rate(rows) });
    },
    say(text) {
      single.stop();
      run.say(text);
      single.start(total ?? done, done, { rate: rate(done) });
    },
    stop: () => single.stop(),
  };
}

function lines(run: Run, label: string, total: number | undefined, rate: (rows: number) => number): Progress {
  let lastAt = performance.now();
  return {
    update(rows) {
      if (performance.now() - lastAt < lineEveryMs) return;
      lastAt = performance.now();
      const left = total === undefined ? '' : `, ${Math.ceil((total - rows) / Math.max(rate(rows), 1))} s left`;
      const done = total === undefined ? counted(rows, 'row') : `${rows} of ${counted(total, 'row')}`;
      run.say(`${label}: ${done}, ${rate(rows)} rows/s${left}`);
    },
    say: (text) => run.say(text),
    stop: () => undefined,
  };
}
