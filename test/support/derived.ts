import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

/** `npm run derive` sets it: the files are written instead of compared. */
const writes = process.env.WRITE_DERIVED === '1';

/**
 * Asserts that a file of the repository is, or contains, what the code gives.
 * @param former what matches the derived part of the file; the whole file when absent
 */
export function expectDerived(file: string, derived: string, former?: RegExp): void {
  const location = fileURLToPath(new URL(`../../${file}`, import.meta.url));
  const text = readFileSync(location, 'utf8');
  const expected = former ? text.replace(former, () => derived) : derived;
  if (former) expect(text, `${file} has no such part`).to.match(former);
  if (writes) writeFileSync(location, expected);
  else expect(text === expected, `${file} is out of date: run "npm run derive"`).to.equal(true);
}
