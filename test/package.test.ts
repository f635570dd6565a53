import { existsSync, readFileSync } from 'node:fs';
import { expect } from 'chai';

interface LockedPackage {
  version?: string;
  resolved?: string;
  hasInstallScript?: boolean;
  dev?: boolean;
  optionalDependencies?: Record<string, string>;
}

const read = (file: string) => JSON.parse(readFileSync(new URL(`../${file}`, import.meta.url), 'utf8')) as unknown;

describe('package-lock.json', () => {
  const { packages } = read('package-lock.json') as { packages: Record<string, LockedPackage> };
  const { allowScripts, dependencies } = read('package.json') as {
    allowScripts: Record<string, boolean>;
    dependencies: Record<string, string>;
  };

  it('has a version of every package, also of optional builds for other machines, as npm ci requires', () => {
    const missing = Object.entries(packages).flatMap(([location, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).filter(
        (name) => !packages[`node_modules/${name}`]?.version && !packages[`${location}/node_modules/${name}`]?.version,
      ),
    );
    expect(missing).to.deep.equal([]);
  });

  it('has the exact versions of package.json, because the lock file is not published', () => {
    // npm 11 installs manual pages only from a list, and npm 12 installs none.
    expect(read('package.json')).to.deep.include({ man: ['dist/man/coursectl.1'] });
    const locked = Object.keys(dependencies).map((name) => [name, packages[`node_modules/${name}`]?.version]);
    expect(dependencies).to.deep.equal(Object.fromEntries(locked));
  });

  it('names no registry', () => {
    expect(Object.values(packages).filter(({ resolved }) => resolved !== undefined)).to.deep.equal([]);
  });

  it('has install scripts only in development dependencies, and package.json says which scripts run', () => {
    const scripted = Object.entries(packages).filter(([, { hasInstallScript }]) => hasInstallScript);
    expect(scripted.filter(([, { dev }]) => !dev)).to.deep.equal([]);
    const names = scripted.map(([location]) => location.replace(/^.*node_modules\//, ''));
    const allowed = Object.keys(allowScripts);
    expect(names.filter((name) => !allowed.includes(name))).to.deep.equal([]);
  });
});

/** Licences that require only their text, which every package contains. */
const permissive = new Set([
  'MIT',
  'MIT-0',
  'ISC',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'Apache-2.0',
  'BlueOak-1.0.0',
  '0BSD',
]);
/** Packages that declare their licence only in a file; all are MIT. */
const unnamed = new Set(['busboy', 'streamsearch']);

describe('THIRD-PARTY-NOTICES.md', () => {
  const notices = readFileSync(new URL('../THIRD-PARTY-NOTICES.md', import.meta.url), 'utf8');
  const { packages } = read('package-lock.json') as { packages: Record<string, LockedPackage & { license?: string }> };
  const nameOf = (location: string) => location.split('node_modules/').at(-1) ?? '';

  it('names every runtime dependency without a permissive licence', () => {
    const choices = (license: string) => license.replace(/[()]/g, '').split(' OR ');
    for (const [location, { license, dev }] of Object.entries(packages)) {
      if (location === '' || dev || unnamed.has(nameOf(location))) continue;
      if (license !== undefined && choices(license).some((choice) => permissive.has(choice))) continue;
      expect(notices, `${location}: ${license}`).to.include(`\`${nameOf(location)}\``);
      expect(notices, location).to.include(String(license));
    }
  });

  it('names the bundled LGPL libraries', () => {
    const built = Object.keys(packages).filter((location) => /sharp-libvips-/.test(location));
    const readme = built.map((location) => new URL(`../${location}/README.md`, import.meta.url)).find(existsSync);
    expect(readme, 'none of sharp-libvips is installed').to.be.instanceOf(URL);
    const table = readFileSync(readme as URL, 'utf8').matchAll(/^\| ([\w-]+) +\|(.*)\|$/gm);
    const libraries = Array.from(table, ([, name = '', licence = '']) => ({ name, licence }));
    expect(libraries.length).to.be.above(20);
    for (const { name, licence } of libraries)
      if (/LGPL|Mozilla|Patent/.test(licence)) expect(notices, name).to.match(new RegExp(`\\b${name}\\b`));
  });
});
