import { readFileSync } from 'node:fs';
import { expect } from 'chai';

interface LockedPackage {
  version?: string;
  resolved?: string;
  hasInstallScript?: boolean;
  optionalDependencies?: Record<string, string>;
}

const read = (file: string) => JSON.parse(readFileSync(new URL(`../${file}`, import.meta.url), 'utf8')) as unknown;

describe('package-lock.json', () => {
  const { packages } = read('package-lock.json') as { packages: Record<string, LockedPackage> };
  const { allowScripts } = read('package.json') as { allowScripts: Record<string, boolean> };

  it('knows a version of everything, optional builds for other machines included: npm ci demands it', () => {
    const missing = Object.entries(packages).flatMap(([location, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).filter(
        (name) => !packages[`node_modules/${name}`]?.version && !packages[`${location}/node_modules/${name}`]?.version,
      ),
    );
    expect(missing).to.deep.equal([]);
  });

  it('names no registry', () => {
    expect(Object.values(packages).filter(({ resolved }) => resolved !== undefined)).to.deep.equal([]);
  });

  it('has no install scripts but those that package.json allows', () => {
    const scripted = Object.entries(packages).filter(([, { hasInstallScript }]) => hasInstallScript);
    const names = scripted.map(([location]) => location.replace(/^.*node_modules\//, ''));
    const allowed = Object.keys(allowScripts);
    expect(names.filter((name) => !allowed.includes(name))).to.deep.equal([]);
  });
});
