import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

/** Whether to write the files instead of comparing them, as `npm run derive` does. */
const writes = process.env.WRITE_DERIVED === '1';

/**
 * Asserts that a file of the repository equals, or contains, the derived text.
 * @param former matches the derived part of the file; omitted for the whole file
 */
export function expectDerived(file: string, derived: string, former?: RegExp): void {
  const location = fileURLToPath(new URL(`../../${file}`, import.meta.url));
  const text = readFileSync(location, 'utf8');
  const expected = former ? text.replace(former, () => derived) : derived;
  if (former) expect(text, `${file} has no such part`).to.match(former);
  if (writes) writeFileSync(location, expected);
  else expect(text === expected, `${file} is out of date: run "npm run derive"`).to.equal(true);
}
