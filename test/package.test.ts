import { readFileSync } from 'node:fs';
import { expect } from 'chai';

interface LockedPackage {
  version?: string;
  resolved?: string;
  hasInstallScript?: boolean;
  dev?: boolean;
  optionalDependencies?: Record<string, string>;
}

/** The first versions without the weaknesses that are known of what the program runs on; kept here, to be checked offline. */
const safeVersions: Readonly<Record<string, string>> = {
  '@aws-sdk/client-s3': '3.894.0',
  bcryptjs: '2.3.0',
  'body-parser': '2.2.1', // CVE-2025-13466
  busboy: '1.0.0', // CVE-2022-24434 (dicer)
  cookie: '0.7.0', // CVE-2024-47764
  debug: '4.3.1', // CVE-2017-16137
  express: '5.0.1', // CVE-2024-43796
  jsonwebtoken: '9.0.0', // CVE-2022-23529, -23539, -23540, -23541
  jws: '4.0.1', // CVE-2025-65945
  lodash: '4.17.21', // CVE-2021-23337
  ms: '2.0.0', // CVE-2017-20162
  multer: '2.0.2', // CVE-2025-7338
  mysql2: '3.9.8', // CVE-2024-21507 to -21512
  'path-to-regexp': '8.0.0', // CVE-2024-45296, -52798
  qs: '6.14.1', // CVE-2025-15284
  semver: '7.5.2', // CVE-2022-25883
  send: '1.1.0', // CVE-2024-43799
  sequelize: '6.29.0', // CVE-2023-22578 to -22580, -25813
  sharp: '0.32.6', // CVE-2023-4863
  validator: '13.15.22', // CVE-2025-56200, -12758
};

/** Whether one version of numbers comes before another. */
function isOlder(version: string, than: string): boolean {
  const [one, other] = [version, than].map((text) => text.split('-')[0]?.split('.').map(Number) ?? []);
  for (const [place, wanted] of (other ?? []).entries()) {
    const difference = (one?.[place] ?? 0) - wanted;
    if (difference !== 0) return difference < 0;
  }
  return false;
}

const read = (file: string) => JSON.parse(readFileSync(new URL(`../${file}`, import.meta.url), 'utf8')) as unknown;

describe('package-lock.json', () => {
  const { packages } = read('package-lock.json') as { packages: Record<string, LockedPackage> };
  const { allowScripts, dependencies } = read('package.json') as {
    allowScripts: Record<string, boolean>;
    dependencies: Record<string, string>;
  };

  it('knows a version of everything, optional builds for other machines included: npm ci demands it', () => {
    const missing = Object.entries(packages).flatMap(([location, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).filter(
        (name) => !packages[`node_modules/${name}`]?.version && !packages[`${location}/node_modules/${name}`]?.version,
      ),
    );
    expect(missing).to.deep.equal([]);
  });

  it('is what the published package names, too: exact versions, for nobody who installs it gets this file', () => {
    const locked = Object.keys(dependencies).map((name) => [name, packages[`node_modules/${name}`]?.version]);
    expect(dependencies).to.deep.equal(Object.fromEntries(locked));
  });

  it('names no registry', () => {
    expect(Object.values(packages).filter(({ resolved }) => resolved !== undefined)).to.deep.equal([]);
  });

  it('has install scripts only in what nobody but developers installs, and package.json says whether they run', () => {
    const scripted = Object.entries(packages).filter(([, { hasInstallScript }]) => hasInstallScript);
    expect(scripted.filter(([, { dev }]) => !dev)).to.deep.equal([]);
    const names = scripted.map(([location]) => location.replace(/^.*node_modules\//, ''));
    const allowed = Object.keys(allowScripts);
    expect(names.filter((name) => !allowed.includes(name))).to.deep.equal([]);
  });

  it('has nothing older than what is known to be safe', () => {
    const old = Object.entries(packages).flatMap(([location, { version = '0', dev }]) => {
      const name = location.replace(/^.*node_modules\//, '');
      const safe = Object.hasOwn(safeVersions, name) && !dev ? safeVersions[name] : undefined;
      return safe !== undefined && isOlder(version, safe) ? [`${name} ${version} is older than ${safe}`] : [];
    });
    expect(old).to.deep.equal([]);
    // A list of things that aren't there checks nothing.
    const there = Object.keys(packages).map((location) => location.replace(/^.*node_modules\//, ''));
    expect(there).to.include.members(Object.keys(safeVersions));
  });
});
