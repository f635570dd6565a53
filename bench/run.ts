/** `npm run bench`: every measurement, or those named: `npm run bench -- startup`. */
import { readdirSync } from 'node:fs';

const all = readdirSync(new URL('.', import.meta.url))
  .filter((file) => file.endsWith('.ts') && file !== 'run.ts')
  .map((file) => file.replace('.ts', ''));
const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !all.includes(name));
if (unknown.length > 0) {
  console.error(`There is no bench ${unknown.join(', ')}. There are: ${all.join(', ')}`);
  process.exitCode = 2;
} else {
  for (const name of asked.length > 0 ? asked : all) {
    console.log(`\n# ${name}`);
    await import(`./${name}.ts`);
  }
}
