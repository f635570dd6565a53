/** Result of one promise. */
export interface Verdict {
  /** Name of the run; set by the runner. */
  run?: string;
  /** The promise, with its limit. */
  promised: string;
  /** The measurement. */
  measured: string;
  /** 'not run' if the check can't run on this machine. */
  kept: boolean | 'not run';
  /** True if the result depends on times or the order of events, which other load can change. */
  timed?: true;
}

const wordFor = ({ kept }: Verdict) => (kept === 'not run' ? 'NOT RUN' : kept ? 'kept' : 'BROKEN');

/** Formats verdicts as a table. */
export function rows(verdicts: readonly Verdict[]): string {
  const cells = verdicts.map((verdict) => [verdict.run ?? '', wordFor(verdict), verdict.promised, verdict.measured]);
  const headings = ['RUN', '', 'PROMISED', 'MEASURED'];
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...cells.map((row) => row[column]?.length ?? 0)),
  );
  return [headings, ...cells]
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Returns a line for each broken promise. */
export function failures(verdicts: readonly Verdict[]): string[] {
  return verdicts
    .filter(({ kept }) => kept === false)
    .map(({ run = '', promised, measured }) => `${run}: ${promised}: ${measured}`);
}
