import { chmodSync, cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { withCommandLines } from '../src/cli/core/output/output.js';
import { loadConfig } from '../src/config/config.js';
import { commandName, userFolder } from '../src/installation.js';
import { run, useBuiltProgram } from './support/built-program.js';
import { runCli } from './support/run-cli.js';
import { temporaryFolder } from './support/temporary-folder.js';

describe('The data of an installed program', () => {
  const env = { HOME: '/home/ada' };
  const own = '/home/ada/.local/share/coursectl';
  const global = '/usr/lib/node_modules/coursectl/';

  it('are in a folder of this user, or in the folder of the current project or clone', () => {
    const places: [packageFolder: string, cwd: string, expected: string | undefined][] = [
      [global, '/', own],
      [global, '/home/ada', own],
      ['/home/ada/.nvm/versions/node/v24.0.0/lib/node_modules/coursectl/', '/tmp', own],
      ['/home/ada/.local/share/pnpm/global/5/node_modules/.pnpm/coursectl@1.0.0/node_modules/coursectl/', '/tmp', own],
      // Run with npx.
      ['/home/ada/.npm/_npx/0123/node_modules/coursectl/', '/home/ada/.npm/_npx/0123', own],
      ['/srv/courses/node_modules/coursectl/', '/srv/courses', undefined],
      ['/srv/courses/node_modules/coursectl/', '/srv/courses/deep', undefined],
      ['/srv/courses/node_modules/coursectl/', '/srv', own],
      ['/home/ada/coursectl/', '/', undefined],
    ];
    for (const [packageFolder, cwd, expected] of places)
      expect(userFolder({ env, cwd, packageFolder }), `${packageFolder} in ${cwd}`).to.equal(expected);
    // XDG_DATA_HOME is used only if it is absolute.
    for (const [given, expected] of [
      ['/data', '/data/coursectl'],
      ['data', own],
    ] as const)
      expect(userFolder({ env: { ...env, XDG_DATA_HOME: given }, cwd: '/', packageFolder: global })).to.equal(expected);
  });

  it('are in DATA_DIR if it is set; settings are read from the same folder', () => {
    const folder = temporaryFolder();
    const [home, elsewhere] = [path.join(folder.path, 'home'), path.join(folder.path, 'elsewhere')];
    mkdirSync(path.join(home, '.local/share/coursectl'), { recursive: true });
    mkdirSync(elsewhere);
    const config = (given = {}) =>
      loadConfig({ env: { HOME: home, ...given }, cwd: elsewhere, packageFolder: '/usr/lib/node_modules/coursectl/' });
    writeFileSync(path.join(elsewhere, '.env'), 'PORT=1111\n');
    expect(config().http.port).to.equal(3000);
    expect(config().dataDir).to.equal(path.join(home, '.local/share/coursectl'));
    expect(config({ DATA_DIR: 'mine' }).dataDir).to.equal(path.join(elsewhere, 'mine'));
    writeFileSync(path.join(home, '.local/share/coursectl/.env'), 'PORT=2222\nDATA_DIR=data\n');
    expect(config().http.port).to.equal(2222);
    expect(config().dataDir).to.equal(path.join(home, '.local/share/coursectl/data'));
    expect(readdirSync(elsewhere)).to.deep.equal(['.env']);
    folder.remove();
    const named = (message: string) => withCommandLines({ calledAs: 'npx coursectl' }, message);
    for (const message of ['Run: coursectl setup', 'Run: npx coursectl setup'])
      expect(named(message)).to.equal('Run: npx coursectl setup');
    expect(named('Run: coursectl mail list')).to.equal('Run: npx coursectl mail list');
  });
});

describe('A globally installed program', () => {
  const program = useBuiltProgram();
  const folder = temporaryFolder();
  const installed = path.join(folder.path, 'lib/node_modules/coursectl');
  before(() => cpSync(program.path, installed, { recursive: true, verbatimSymlinks: true }));
  after(() => folder.remove());

  it('needs no home folder if DATA_DIR is set, for a user unknown to the system', async function () {
    if (process.getuid?.() !== 0) return this.skip();
    chmodSync(folder.path, 0o755);
    const data = path.join(folder.path, 'data');
    mkdirSync(data);
    chmodSync(data, 0o777);
    const env = { HOME: undefined, XDG_DATA_HOME: '', DATABASE_URL: '', DATA_DIR: data };
    const coursectl = (...argv: string[]) =>
      run(process.execPath, [path.join(installed, 'bin/coursectl.js'), ...argv], data, env, { uid: 54_321 });
    if ((await coursectl('--version')).exitCode !== 0) return this.skip();
    // Both programs need no home folder, but the migration library asks for it.
    expect(await coursectl('migrate', 'up')).to.include({ exitCode: 0, stderr: '' });
    expect(await coursectl('users', 'list')).to.include({ exitCode: 0 });
  });

  it('checks the settings file that it reads', async () => {
    const own = path.join(folder.path, 'home/.local/share/coursectl');
    mkdirSync(own, { recursive: true });
    const file = path.join(own, '.env');
    writeFileSync(file, 'LOG_LEVEL=info\n', { mode: 0o644 });
    const elsewhere = path.join(folder.path, 'elsewhere');
    mkdirSync(elsewhere);
    const argv = [path.join(installed, 'bin/coursectl.js'), 'doctor', '--json'];
    const env = { HOME: path.join(folder.path, 'home'), XDG_DATA_HOME: '', DATABASE_URL: '', DATA_DIR: '' };
    const { stdout } = await run(process.execPath, argv, elsewhere, env);
    const { checks } = JSON.parse(stdout) as { checks: { name: string; status: string; remedy?: string }[] };
    const found = checks.find(({ name }) => name === 'settings file');
    expect(found).to.include({ status: 'warning' });
    expect(found?.remedy).to.include(`chmod 600 ${file}`);
  });
});

describe('Hints', () => {
  it('name the command in the way in which it was called', () => {
    const name = (script: string, env = {}) => commandName(script, { env, cwd: '/srv/courses' });
    expect(name('/usr/bin/coursectl')).to.equal('coursectl');
    expect(name('/usr/bin/coursectl', { npm_command: 'run-script' })).to.equal('coursectl');
    // On Windows, commands name the script file instead of a link.
    expect(name('/usr/lib/node_modules/coursectl/bin/coursectl.js')).to.equal('coursectl');
    expect(name('/srv/courses/node_modules/.bin/coursectl')).to.equal('npx coursectl');
    expect(name('/srv/courses/bin/coursectl.js', { npm_command: 'exec' })).to.equal('npx coursectl');
    expect(name('/srv/courses/bin/coursectl.js', { npm_command: 'start' })).to.equal('npx coursectl');
    expect(name('/srv/courses/bin/coursectl.js')).to.equal('node bin/coursectl.js');
    expect(name('/opt/coursectl/bin/coursectl.js')).to.equal('node /opt/coursectl/bin/coursectl.js');
    expect(name('/opt/my courses/bin/coursectl.js')).to.equal('node "/opt/my courses/bin/coursectl.js"');
  });

  it('name the command in this way in failures and in help', async () => {
    const folder = temporaryFolder();
    const run = (...argv: string[]) => runCli(argv, { env: {}, cwd: folder.path, calledAs: 'npx coursectl' });
    expect((await run('users', 'list')).stderr).to.match(/run: npx coursectl setup$/m);
    expect((await run('--help')).stdout).to.include('  npx coursectl setup\n  npx coursectl serve\n');
    expect((await run('users', 'show', '--help')).stdout).to.match(/Examples:\n {2}npx coursectl users show /);
    folder.remove();
  });
});
