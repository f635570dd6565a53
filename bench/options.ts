import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

/** Ends the program with exit code 2. */
function refuse(message: string): never {
  console.error(message);
  process.exit(2);
}

function parseOptions() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        scale: { type: 'string', default: '1' },
        rounds: { type: 'string', default: '3' },
        minutes: { type: 'string', default: '10' },
        only: { type: 'string', multiple: true },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error));
  }
}
const { values, positionals } = parseOptions();

function positiveNumber(name: 'scale' | 'rounds' | 'minutes'): number {
  const value = Number(values[name]);
  return value > 0 ? value : refuse(`--${name} takes a number above 0, not "${values[name]}".`);
}

/** Text about the options for `--help`. */
export const optionsHelp = `Options:
  --only <case>        these cases of a suite, separated by commas; all by default
  --rounds <number>    how often each measurement is repeated (3); medians are shown
  --scale <number>     a fraction of the full size (1): smaller ones show that a case works, not how fast the program is
  --minutes <number>   how long "requests --only memory" sends requests (10)
  --json               one JSON object on standard output; progress and verdicts go to standard error`;

export const help = values.help;

/** Selected benches; all by default. */
export const benches: readonly string[] = positionals;

/** Fraction of the full size. Smaller runs show that a bench works, not how fast the program is. */
export const scale = positiveNumber('scale');

/** Number of repetitions of each measurement. Medians are shown. */
export const rounds = positiveNumber('rounds');

/** Minutes for which the memory of a server under load is watched. */
export const minutes = positiveNumber('minutes');

/** Whether the figures are printed as JSON rather than as tables. */
export const json = values.json;

/** Selected scenarios, separated by commas or by repeating the option; all by default. */
export const only: readonly string[] = (values.only ?? []).flatMap((names) => names.split(','));

/** Returns the selected scenarios of a suite, in order. */
export function selected<Scenario>(scenarios: Readonly<Record<string, Scenario>>): [string, Scenario][] {
  const unknown = only.filter((name) => !(name in scenarios));
  if (unknown.length > 0) refuse(`There is no ${unknown.join(', ')}. There are: ${Object.keys(scenarios).join(', ')}`);
  return Object.entries(scenarios).filter(([name]) => only.length === 0 || only.includes(name));
}

/** The measured program. `npm run bench` builds this repository's first; BENCH_PROGRAM names the entry of another build. */
export const program = process.env.BENCH_PROGRAM ?? fileURLToPath(new URL('../bin/coursectl.js', import.meta.url));
