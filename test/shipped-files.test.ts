import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { copyRepository, isIgnored, plantedIn, plantLeftovers, repositoryFiles } from './package/checkout.js';
import { useImporting } from './services/imports/support/importing.js';
import { scaled } from './support/machine.js';
import { useCommandLine } from './support/run-cli.js';
import { temporaryFolder } from './support/temporary-folder.js';

describe('The package, built in a checkout after running commands', function () {
  this.timeout(scaled(60_000));
  let folder: ReturnType<typeof temporaryFolder>;
  const at = (...names: string[]) => path.join(folder.path, ...names);

  const built = ['dist/main.js', 'dist/man/coursectl.1'];

  before(() => {
    folder = temporaryFolder();
    copyRepository(at('checkout'));
    plantLeftovers(at('checkout'));
    // The build empties this folder; `npm run test:package` tests that.
    for (const file of built) {
      mkdirSync(path.dirname(at('checkout', file)), { recursive: true });
      writeFileSync(at('checkout', file), 'built\n');
    }
    const options = ['--ignore-scripts', '--silent', '--pack-destination', folder.path];
    execFileSync('npm', ['pack', ...options], { cwd: at('checkout') });
    const packed = readdirSync(folder.path).find((name) => name.endsWith('.tgz')) ?? '';
    execFileSync('tar', ['xzf', packed], { cwd: folder.path });
  });
  after(() => folder.remove());

  it('contains no files that commands have left in the checkout', () => {
    // Checks that the commands have left files.
    expect(plantedIn(at('checkout'))).to.include.members([
      'examples/people.credentials.csv',
      'docs/.env',
      'bin/data/jwt-secret',
    ]);
    expect(plantedIn(at('package'))).to.deep.equal([]);
  });

  it('contains exactly the build and the files of its folders', () => {
    const listed = readdirSync(at('package'), { recursive: true, withFileTypes: true });
    const packed = listed
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(at('package'), path.join(entry.parentPath, entry.name)));
    const documents = ['package.json', 'README.md', 'LICENSE', 'CHANGELOG.md', 'THIRD-PARTY-NOTICES.md'];
    const own = repositoryFiles().filter(
      (name) =>
        /^(bin|deploy|docs|examples|migrations|seeders)\/(?!images\/)/.test(name) ||
        [...documents, '.env.example', '.sequelizerc'].includes(name),
    );
    expect(packed.sort()).to.deep.equal([...own, ...built].sort());
  });
});

describe('.gitignore', () => {
  const importing = useImporting();
  const cli = useCommandLine(() => importing.env);

  it('lists every file that imports write beside the imported file, also for a second import', async () => {
    for (const number of [1, 2]) {
      const rows = `firstName,lastName,email,phone\nAda,King,ada${number}@example.org,55501${number}\nNobody,,,\n`;
      writeFileSync(path.join(cli.folder, 'people.csv'), rows);
      const { exitCode } = await cli.run(['users', 'import', 'people.csv', '--yes']);
      expect(exitCode).to.equal(3);
    }
    const written = ['credentials-2', 'credentials', 'rejected-2', 'rejected'].map((name) => `people.${name}.csv`);
    expect(readdirSync(cli.folder)).to.include.members(written);
    const files = readdirSync(cli.folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.includes('.csv'),
    );
    expect(files.filter((name) => !isIgnored(path.basename(name)))).to.deep.equal(['people.csv']);
  });
});
