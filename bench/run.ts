/**
 * `npm run bench`: runs all suites, or the named ones: `npm run bench -- import --only hashed --rounds 1 --scale 0.1`.
 * Each prints its verdicts and a table. `npm run --silent bench -- requests --json` prints the figures for programs.
 */
import { printJson, runSuite } from './figures.js';
import { benches, help, optionsHelp } from './options.js';

const all: Record<string, () => Promise<unknown>> = {
  startup: () => import('./startup.js'),
  import: () => import('./import.js'),
  listings: () => import('./listings.js'),
  scaling: () => import('./scaling.js'),
  groups: () => import('./groups.js'),
  requests: () => import('./requests.js'),
  login: () => import('./login.js'),
  bursts: () => import('./bursts.js'),
  mail: () => import('./mail.js'),
  console: () => import('./console.js'),
};
const unknown = benches.filter((name) => !(name in all));
if (help) {
  console.log(
    `npm run bench -- [suite ...] [options]\nSuites: ${Object.keys(all).join(', ')}; all by default.\n\n${optionsHelp}`,
  );
} else if (unknown.length > 0) {
  console.error(`There is no bench ${unknown.join(', ')}. There are: ${Object.keys(all).join(', ')}`);
  process.exitCode = 2;
} else {
  for (const [name, bench] of Object.entries(all))
    if (benches.length === 0 || benches.includes(name)) await runSuite(name, bench);
  printJson();
}
