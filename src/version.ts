import { readFileSync } from 'node:fs';

/** The version in package.json. */
export function packageVersion(): string {
  // npm refuses a package without a version.
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  return version;
}
