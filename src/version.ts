import { readFileSync } from 'node:fs';
import { packageFile } from './package-root.js';

/** The version in package.json. */
export function packageVersion(): string {
  // npm refuses a package without a version.
  const { version } = JSON.parse(readFileSync(packageFile('package.json'), 'utf8')) as { version: string };
  return version;
}
