import { chmodSync, existsSync, readdirSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { expect } from 'chai';
import { packageVersion } from '../../src/package-root.js';
import { createMigratedDatabase, type TestDatabase } from '../support/database.js';
import { testEnvironment } from '../support/environment.js';
import { buildTrainees } from '../support/factories.js';
import { scaled } from '../support/machine.js';
import { useCommandLine } from '../support/run-cli.js';
import { mountSmallDisk } from '../support/small-disk.js';
import { useSubprocesses } from '../support/subprocess.js';

interface LogLine {
  level: string;
  msg: string;
}

/** Splits the standard error of a service into log lines and messages. */
function parted(stderr: string): { logs: LogLine[]; words: string[] } {
  const lines = stderr.split('\n').slice(0, -1);
  const logs = lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as LogLine);
  return { logs, words: lines.filter((line) => !line.startsWith('{')) };
}

/** Covers features of real processes only: signals, pipes, full disks, terminals. */
describe('The coursectl process', function () {
  this.timeout(scaled(60_000));
  const processes = useSubprocesses();
  const cli = useCommandLine(() => ({ PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '' }));
  const start = (...argv: string[]) => processes.start(argv, { cwd: cli.folder, env: cli.env });

  describe('serving from an empty folder without settings', () => {
    it('creates its tables and secret, prints its address and the next step, and stops at SIGTERM', async () => {
      const server = start('serve', '--migrate', '--port', '0');
      const [, url = ''] = await server.waitForOutput(/coursectl is listening on (http:\/\/127\.0\.0\.1:\d+)\n/);
      const hint = /\nor in another terminal, in this folder, run: (node \/\S+\/bin\/coursectl\.js setup)\n/;
      const [, asCalled] = await server.waitForOutput(hint);
      for (const probe of ['/healthz', '/readyz']) expect((await fetch(url + probe)).status, probe).to.equal(200);
      const status = await fetch(`${url}/api/auth/setup-status`);
      expect(await status.json()).to.include({ setupRequired: true });
      expect(statSync(path.join(cli.folder, 'data', 'jwt-secret')).mode & 0o777).to.equal(0o600);
      server.kill('SIGTERM');
      const { exitCode, stdout, stderr } = await server.ended;
      expect({ exitCode, stdout }).to.deep.equal({ exitCode: 0, stdout: '' });
      const { logs, words } = parted(stderr);
      expect(logs.map(({ msg }) => msg)).to.include.members(['listening', 'stopped']);
      expect(words).to.deep.equal([
        `coursectl is listening on ${url}`,
        `Database: sqlite:${path.join(cli.folder, 'data', 'coursectl.sqlite')}`,
        `Data folder: ${path.join(cli.folder, 'data')}`,
        `API description: ${url}/api/docs`,
        `No super admin yet. Create one in a browser at ${url},`,
        `or in another terminal, in this folder, run: ${asCalled}`,
        'Stopping: waiting for running requests.',
      ]);
    });

    it('continues if the reader of its logs ends, or their disk is full', async () => {
      const argv = ['serve', '--migrate', '--port', '0', '--json'];
      const full = existsSync('/dev/full') ? ['/dev/full'] : [];
      for (const stderrFile of [undefined, ...full]) {
        const options = { cwd: cli.folder, env: cli.env, ...(stderrFile && { stderrFile }) };
        const server = processes.start(argv, options);
        const [, url = ''] = await server.waitForOutput(/"url":"([^"]+)"/);
        if (stderrFile === undefined) server.stopReading('stderr');
        for (const probe of ['/nowhere', '/nowhere', '/readyz']) await fetch(url + probe);
        expect((await fetch(`${url}/readyz`)).status).to.equal(200);
        server.kill('SIGTERM');
        expect((await server.ended).exitCode).to.equal(0);
      }
    });
  });

  describe('on a full disk', () => {
    const full = '/dev/full';
    before(function () {
      if (!existsSync(full)) this.skip();
    });
    const inShell = (line: string) => processes.startShell(line, { cwd: cli.folder, env: cli.env });

    it('reports in one line that standard output is not complete', async () => {
      for (const command of ['--help', 'config', 'config --json']) {
        const { exitCode, stderr } = await inShell(`coursectl ${command} > ${full}`).ended;
        expect({ exitCode, stderr }, command).to.deep.equal({
          exitCode: 1,
          stderr: "error: Standard output can't be written (ENOSPC): it is not complete.\n",
        });
      }
    });

    it("exits with the code of its failure if standard error can't be written", async () => {
      await start('migrate', 'up').ended;
      for (const [command, code] of [
        ['users show nobody', 1],
        ['users list --limit 0', 2],
        ['users show nobody --json', 1],
      ] as const)
        expect((await inShell(`coursectl ${command} 2> ${full}`).ended).exitCode, command).to.equal(code);
    });

    it('reports the fault of the database in one line', async () => {
      await start('migrate', 'up').ended;
      const failing = await inShell('ulimit -f 0; coursectl users list').ended;
      expect(failing.exitCode).to.equal(1);
      expect(failing.stderr).to.match(/^error: The disk of \S+coursectl\.sqlite fails or is full\. [^\n]+\n$/);
    });

    it('names the full disk in the output of doctor', async () => {
      const { stdout } = await inShell('ulimit -f 0; coursectl doctor').ended;
      expect(stdout).to.match(/\nFAILED {3}data folder: [^\n]+ can't be written \(EFBIG\) -> Free some space\.\n/);
      expect(readdirSync(cli.folder)).to.deep.equal([]);
    });
  });

  // Root can write everywhere.
  const isRoot = process.getuid?.() === 0;
  const asUser = (...argv: string[]) =>
    processes.start(argv, { cwd: cli.folder, env: cli.env, ...(isRoot && { uid: 65_534 }) });

  it("explains the fault of a folder that its user can't write to", async function () {
    if ((await asUser('--version').ended).exitCode !== 0) return this.skip();
    chmodSync(cli.folder, 0o555);
    const file = path.join(cli.folder, 'data', 'coursectl.sqlite');
    const says = `error: The database file ${file} can't be written. Make the file and its folder writable for this user.\n`;
    const failed = { exitCode: 1, stdout: '', stderr: says };
    expect(await asUser('serve', '--migrate', '--port', '0').ended).to.deep.equal(failed);
    expect(await asUser('setup', '--yes').ended).to.deep.equal(failed);
    const { exitCode, stdout } = await asUser('doctor').ended;
    expect(exitCode).to.equal(1);
    expect(stdout).to.match(
      /\nFAILED {3}data folder: .*\(EACCES\) -> Make DATA_DIR writable for this user, or name another/,
    );
  });

  it('warns at the start of the service about a read-only database', async function () {
    await start('migrate', 'up').ended;
    const folder = path.join(cli.folder, 'data');
    const file = path.join(folder, 'coursectl.sqlite');
    chmodSync(file, 0o444);
    for (const open of [cli.folder, folder]) chmodSync(open, 0o777);
    if ((await asUser('--version').ended).exitCode !== 0) return this.skip();
    const server = asUser('serve', '--port', '0');
    await server.waitForOutput(/coursectl is listening on /);
    server.kill('SIGTERM');
    const { logs, words } = parted((await server.ended).stderr);
    const warning = `The database file ${file} can't be written. Make the file and its folder writable for this user.`;
    expect(logs.map(({ msg }) => msg)).to.include(warning);
    expect(words[0]).to.equal(`Nobody can sign in. ${warning}`);
  });

  it('reports that its folder was removed', async () => {
    const inShell = processes.startShell('mkdir gone; cd gone; rmdir ../gone; coursectl users list', {
      cwd: cli.folder,
      env: cli.env,
    });
    expect(await inShell.ended).to.deep.include({
      exitCode: 1,
      stdout: '',
      stderr: 'error: The current folder no longer exists. Change to another folder, and run this again there.\n',
    });
  });

  it('begins commands in JSON with the name by which the program was called', async () => {
    const { stdout } = await start('overview', '--json').ended;
    const { error } = JSON.parse(stdout) as { error: { message: string } };
    expect(error.message).to.match(/ run: node \/\S+\/bin\/coursectl\.js setup$/);
    const { checks } = JSON.parse((await start('doctor', '--json').ended).stdout) as { checks: { remedy?: string }[] };
    expect(checks.map(({ remedy }) => remedy).join()).to.match(/node \/\S+\/bin\/coursectl\.js setup/);
  });

  it('shows help and version from any folder, without settings', async () => {
    const help = await start('--help').ended;
    expect(help).to.include({ exitCode: 0, stderr: '' });
    expect(help.stdout).to.match(/^Usage: coursectl /);
    const version = await start('--version').ended;
    expect(version).to.deep.equal({ exitCode: 0, stdout: `${packageVersion()}\n`, stderr: '' });
    expect(await start('nonsense').ended).to.include({ exitCode: 2, stdout: '' });
    expect(readdirSync(cli.folder)).to.deep.equal([]);
  });

  it('has a thread for each core and four more, unless UV_THREADPOOL_SIZE is set', async function () {
    if (!existsSync('/proc/self/task')) return this.skip();
    const atExit = 'console.error("threads", fs.readdirSync("/proc/self/task").length)';
    const script = `import fs from "node:fs"; process.on("exit", () => ${atExit})`;
    const threads = async (env: NodeJS.ProcessEnv) => {
      const NODE_OPTIONS = `--import="data:text/javascript,${encodeURIComponent(script)}"`;
      const options = { cwd: cli.folder, env: { ...cli.env, ...env, NODE_OPTIONS } };
      const { stderr } = await processes.start(['config'], options).ended;
      return Number(/threads (\d+)/.exec(stderr)?.[1]);
    };
    const one = await threads({ UV_THREADPOOL_SIZE: '1' });
    expect((await threads({})) - one).to.equal(availableParallelism() + 4 - 1);
    expect((await threads({ UV_THREADPOOL_SIZE: '9' })) - one).to.equal(9 - 1);
  });

  describe('on a database with many accounts', () => {
    let database: TestDatabase;
    beforeEach(async () => {
      database = await createMigratedDatabase();
      Object.assign(cli.env, testEnvironment, { DATABASE_URL: database.url });
      await buildTrainees(await cli.context(), 1501);
    });
    afterEach(() => database.drop());
    const inShell = (line: string) => processes.startShell(line, { cwd: cli.folder, env: cli.env });

    it('writes all of a long output to a slow reader', async () => {
      const { stdout } = await inShell('coursectl users export | (sleep 1; wc -l)').ended;
      expect(stdout.trim()).to.equal('1502');
    });

    it('leaves no incomplete file on a full disk', async () => {
      const message = (file: string) =>
        `error: The disk of the file ${file} is full. Free some space, or name a file on another disk.\n`;
      const { exitCode, stderr } = await inShell('ulimit -f 64; coursectl users export --output users.csv').ended;
      expect({ exitCode, stderr }).to.deep.equal({ exitCode: 1, stderr: message('users.csv') });
      expect(readdirSync(cli.folder)).to.deep.equal([]);

      const disk = mountSmallDisk(path.join(cli.folder, 'small'), '64k');
      if (!disk) return;
      try {
        const full = await start('users', 'export', '--output', 'small/users.csv').ended;
        expect(full).to.deep.equal({ exitCode: 1, stdout: '', stderr: message('small/users.csv') });
        expect(readdirSync(path.join(cli.folder, 'small'))).to.deep.equal([]);
      } finally {
        disk.unmount();
      }
    });

    it('completes its work after the first Ctrl-C, and ends immediately at the second', async () => {
      const { sequelize } = (await cli.context()).database;
      await sequelize.query(
        `INSERT INTO leases (name, owner, expires_at) VALUES ('migrations', 'other', ${Date.now() + 300_000})`,
      );
      const waiting = start('migrate', 'up');
      await waiting.waitForOutput(/^Another migration is running, or was just interrupted: waiting for it\.\n/);
      waiting.kill('SIGINT');
      await waiting.staysAlive(300);
      waiting.kill('SIGINT');
      expect((await waiting.ended).exitCode).to.equal(130);
    });
  });

  describe(`at a real terminal${processes.withoutTerminal}`, () => {
    before(function () {
      if (processes.withoutTerminal) this.skip();
    });
    const atTerminal = (...argv: string[]) => processes.startAtTerminal(argv, { cwd: cli.folder, env: cli.env });
    const question = /Where should the data be stored\?/;

    it('ends setup at Ctrl-C with 130 and changes nothing', async () => {
      const setup = atTerminal('setup');
      await setup.waitForOutput(question);
      setup.type('\u0003');
      const { exitCode, stdout } = await setup.ended;
      expect(exitCode).to.equal(130);
      // The output is wrapped between words if the program's path is long.
      expect(stripVTControlCharacters(stdout).replace(/\s+/g, ' ')).to.match(
        / error: Nothing was changed\. Run "[^"]+" again when you are ready\. $/,
      );
      expect(readdirSync(cli.folder)).to.deep.equal([]);
    });

    it('sets up the system from typed answers, and never shows the password', async () => {
      const setup = atTerminal('setup');
      const password = 'ŴßþÐ§µ-typed';
      const dialogue: [RegExp, string][] = [
        [question, '\r'],
        [/Create the tables now/, '\r'],
        [/What is this system for\?/, '\r'],
        [/First name/, 'Ada\r'],
        [/Last name/, 'Lovelace\r'],
        [/Email/, 'ada@example.org\r'],
        [/Phone/, '+44 20 1\r'],
        [/Password/, `${password}\r`],
        [/Repeat password/, `${password}\r`],
      ];
      for (const [words, typed] of dialogue) {
        await setup.waitForOutput(words);
        setup.type(typed);
      }
      const { exitCode, stdout } = await setup.ended;
      expect(exitCode, stdout).to.equal(0);
      expect(stdout).to.include('The system is set up.');
      // The choice "To try it out" writes no settings.
      expect(readdirSync(cli.folder)).to.deep.equal(['data']);
      for (const sign of 'ŴßþÐ§µ') expect(stdout).not.to.include(sign);
      // The program uses bcrypt at full cost here, as in production.
      expect((await start('users', 'show', 'ada@example.org').ended).stdout).to.match(/role +super_admin\n/);
    });
  });
});
