/** One promise, and what came of it. */
export interface Verdict {
  /** The run that measured it; set by the runner. */
  run?: string;
  /** What is promised, with its limit. */
  promised: string;
  /** What was measured. */
  measured: string;
  /** Neither kept nor broken: it could not be run here. */
  kept: boolean | 'not run';
  /** It depends on times or on the order of events, which others on the same machine change. */
  timed?: true;
}

const wordFor = ({ kept }: Verdict) => (kept === 'not run' ? 'NOT RUN' : kept ? 'kept' : 'BROKEN');

/** The verdicts as a table. */
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

/** A line for each broken promise. */
export function failures(verdicts: readonly Verdict[]): string[] {
  return verdicts
    .filter(({ kept }) => kept === false)
    .map(({ run = '', promised, measured }) => `${run}: ${promised}: ${measured}`);
}
