import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    scale: { type: 'string', default: '1' },
    rounds: { type: 'string', default: '3' },
    only: { type: 'string', multiple: true },
  },
});

/** The selected benches; all by default. */
export const benches: readonly string[] = positionals;

/** A fraction of the full size: smaller runs show that a bench works, not how fast the program is. */
export const scale = Number(values.scale);

/** How often each measurement is repeated; medians are shown. */
export const rounds = Number(values.rounds);

/** The selected scenarios, separated by commas or by repeating the option; all by default. */
export const only: readonly string[] = (values.only ?? []).flatMap((names) => names.split(','));

/**
 * The built program that is measured: `npm run bench` builds the repository's own first; BENCH_PROGRAM names the entry of
 * another build.
 */
export const program = process.env.BENCH_PROGRAM ?? fileURLToPath(new URL('../bin/coursectl.js', import.meta.url));
