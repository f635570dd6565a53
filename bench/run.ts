/** `npm run bench`: every measurement, or those named: `npm run bench -- import --only hashed --rounds 1 --scale 0.1`. */
import { benches } from './options.js';

const all: Record<string, () => Promise<unknown>> = {
  startup: () => import('./startup.js'),
  import: () => import('./import.js'),
  listings: () => import('./listings.js'),
  requests: () => import('./requests.js'),
  login: () => import('./login.js'),
  sqlite: () => import('./sqlite.js'),
  console: () => import('./console.js'),
};
const unknown = benches.filter((name) => !(name in all));
if (unknown.length > 0) {
  console.error(`There is no bench ${unknown.join(', ')}. There are: ${Object.keys(all).join(', ')}`);
  process.exitCode = 2;
} else {
  for (const [name, bench] of Object.entries(all)) {
    if (benches.length > 0 && !benches.includes(name)) continue;
    console.log(`\n# ${name}`);
    await bench();
  }
}
