import cliProgress from 'cli-progress';
import { counted } from './output.js';
import type { Run } from './run.js';

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
 * How much is done, the rate and the time left on standard error: a bar on a terminal, a line now and then on a pipe.
 * @param total how many there will be; counts up when it isn't known yet
 * @param one what is counted
 */
export function createProgress(run: Run, label: string, total: number | undefined, one = 'row'): Progress {
  if (run.options.quiet || run.options.json) return nothing;
  const startedAt = performance.now();
  const rate = (done: number) => Math.round((done * 1000) / Math.max(performance.now() - startedAt, 1));
  return run.io.stderr.isTTY ? bar(run, { label, total, one, rate }) : lines(run, { label, total, one, rate });
}

interface Shown {
  label: string;
  total: number | undefined;
  one: string;
  /** How many are done in a second, by how many are done. */
  rate: (done: number) => number;
}

function bar(run: Run, { label, total, one, rate }: Shown): Progress {
  const columns = run.io.stderr.columns ?? 80;
  const figures = columns < 80 ? '{value} of {total}' : `{value} of {total} ${one}s | {rate} ${one}s/s`;
  const format =
    total === undefined
      ? `${label}: {value} ${one}s`
      : `${label} {bar} {percentage}% | ${figures} | {eta_formatted} left`;
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

function lines(run: Run, { label, total, one, rate }: Shown): Progress {
  let lastAt = performance.now();
  return {
    update(rows) {
      if (performance.now() - lastAt < lineEveryMs) return;
      lastAt = performance.now();
      const left = total === undefined ? '' : `, ${Math.ceil((total - rows) / Math.max(rate(rows), 1))} s left`;
      const done = total === undefined ? counted(rows, one) : `${rows} of ${counted(total, one)}`;
      run.say(`${label}: ${done}, ${rate(rows)} ${one}s/s${left}`);
    },
    say: (text) => run.say(text),
    stop: () => undefined,
  };
}
