/**
 * `npm run test:package`: the package as people get it. A fresh clone with Node and npm only, by the README's one
 * command; and `npm pack`, installed globally by npm 12 without install scripts, on every version of Node that
 * package.json names. Node and npm come from the registry, into a temporary folder.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { failures, rows, type Verdict } from '../faults/report.js';
import { slownessNow } from '../support/machine.js';
import { freePort } from '../support/test-server.js';

const repository = fileURLToPath(new URL('../../', import.meta.url));
const lines = ['20', '22', '24', '26'];
const clone = { installSeconds: 60, answerSeconds: 75 };

const folder = mkdtempSync(path.join(tmpdir(), 'coursectl-package-'));
const at = (...names: string[]) => path.join(folder, ...names);
const verdicts: Verdict[] = [];

type Environment = Record<string, string>;

/** Runs a command to its end. @throws with all that it said when it fails */
async function run(command: string, args: readonly string[], cwd: string, env: Environment, input = '') {
  const running = promisify(execFile)(command, args, { cwd, env, maxBuffer: 2 ** 26 });
  // Most commands end without reading it.
  running.child.stdin?.on('error', () => undefined).end(input);
  try {
    return await running;
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`${[path.basename(command), ...args].join(' ')} failed:\n${stdout}${stderr}`);
  }
}

/** npm's files of settings on this machine: where the registry is, and whom to trust. Other copies of npm have others. */
const npmSettings: Environment = {};
for (const name of ['userconfig', 'globalconfig']) {
  const { stdout } = await run('npm', ['config', 'get', name], tmpdir(), process.env as Environment);
  npmSettings[`npm_config_${name}`] = stdout.trim();
}

/** What of this environment an installation may know: how to reach the registry. */
function surroundings(home: string, ...searched: string[]): Environment {
  mkdirSync(home, { recursive: true });
  const own = Object.entries(process.env).filter(([name]) =>
    /^(npm_config_registry|https?_proxy|no_proxy|node_extra_ca_certs)$/i.test(name),
  );
  const paths = { HOME: home, PATH: searched.join(path.delimiter), LANG: 'C.UTF-8' };
  return { ...(Object.fromEntries(own) as Environment), ...npmSettings, ...paths };
}

/** Makes a promise of what some work finds; work that fails breaks it. */
async function check(runName: string, promised: string, work: () => Promise<Omit<Verdict, 'promised'>>) {
  const startedAt = performance.now();
  try {
    verdicts.push({ run: runName, promised, ...(await work()) });
  } catch (error) {
    console.error(error);
    verdicts.push({ run: runName, promised, measured: String(error).split('\n')[0] ?? '', kept: false });
  }
  console.log(`${runName}: ${((performance.now() - startedAt) / 1000).toFixed(0)} s`);
}

/** Waits until a service answers. @returns the seconds since `startedAt` */
async function answers(url: string, service: ChildProcess, startedAt: number): Promise<number> {
  for (;;) {
    const seconds = (performance.now() - startedAt) / 1000;
    if (seconds > 300 || service.exitCode !== null) throw new Error(`${url} doesn't answer`);
    if (
      await fetch(`${url}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      )
    )
      return seconds;
    await sleep(50);
  }
}

async function ended(service: ChildProcess): Promise<number | null> {
  const exit = new Promise<number | null>((resolve) => service.once('exit', resolve));
  service.kill('SIGTERM');
  return service.exitCode ?? (await exit);
}

/** The files of the repository, as a clone has them. */
async function copyRepository(to: string): Promise<void> {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const { stdout } = await run('git', args, repository, process.env as Environment);
  for (const name of stdout.split('\0').filter((name) => name !== '' && existsSync(path.join(repository, name))))
    cpSync(path.join(repository, name), path.join(to, name));
}

/** A folder of commands that has nothing but these: no compiler, no Python. */
async function commands(...names: string[]): Promise<string> {
  const bin = at('only');
  mkdirSync(bin);
  for (const name of names) {
    const { stdout } = await run('/bin/sh', ['-c', `command -v ${name}`], folder, process.env as Environment);
    symlinkSync(stdout.trim(), path.join(bin, name));
  }
  return bin;
}

async function freshClone(): Promise<Omit<Verdict, 'promised'>> {
  const cloned = at('clone');
  await copyRepository(cloned);
  const env = surroundings(at('home-clone'), await commands('node', 'npm', 'npx', 'sh', 'env'));
  const slowBefore = slownessNow();
  const startedAt = performance.now();
  await run('npm', ['ci', '--no-audit', '--no-fund'], cloned, env);
  const installed = (performance.now() - startedAt) / 1000;
  const port = await freePort();
  const service = spawn('npm', ['start'], {
    cwd: cloned,
    stdio: 'ignore',
    detached: true,
    env: { ...env, PORT: String(port) },
  });
  try {
    const answered = await answers(`http://127.0.0.1:${port}`, service, startedAt);
    // Others may keep the machine busy: what has to hold, holds for a quiet one.
    const slowness = (slowBefore + slownessNow()) / 2;
    return {
      measured: `installed and built in ${installed.toFixed(0)} s, answered after ${answered.toFixed(0)} s, on a machine ${slowness.toFixed(1)} times as slow as a quiet one`,
      kept: installed < slowness * clone.installSeconds && answered < slowness * clone.answerSeconds,
      timed: true,
    };
  } finally {
    // npm hands no signals on to what it has started.
    if (service.pid !== undefined) process.kill(-service.pid, 'SIGTERM');
  }
}

/** @returns the file */
async function pack(): Promise<string> {
  await run('npm', ['pack', '--pack-destination', folder], at('clone'), process.env as Environment);
  const [name] = readdirSync(folder).filter((file) => file.endsWith('.tgz'));
  return at(name ?? '');
}

/** Installs a package of the registry aside. @returns its folder */
async function aside(name: string, range: string): Promise<string> {
  const prefix = at(`${name}-${range}`);
  const args = ['install', '--prefix', prefix, '--ignore-scripts', '--no-audit', '--no-fund', `${name}@${range}`];
  await run('npm', args, folder, process.env as Environment);
  return path.join(prefix, 'node_modules', name);
}

/** Whether a version of Node can be had for this machine. */
const nodePackage = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;

/** Installs the package globally for a Node, and works with it from a folder that has nothing to do with it. */
async function installedOn(node: string, npm: { node: string; cli: string }, tarball: string, line: string) {
  const prefix = at(`global-${line}`);
  const home = at(`home-${line}`);
  const env = surroundings(home, path.join(prefix, 'bin'), path.dirname(node), '/usr/bin', '/bin');
  const install = [npm.cli, 'install', '--global', '--prefix', prefix, '--ignore-scripts', '--no-audit', tarball];
  const { stdout, stderr } = await run(npm.node, install, folder, env);
  if (/install scripts/i.test(stdout + stderr)) throw new Error(`npm speaks of install scripts:\n${stdout}${stderr}`);

  const elsewhere = at(`elsewhere-${line}`);
  mkdirSync(elsewhere);
  const program = path.join(prefix, 'bin', 'coursectl');
  const coursectl = async (args: readonly string[], input = '') =>
    (await run(program, args, elsewhere, env, input)).stdout;
  const password = 'correct horse battery';
  const person = [
    '--first-name',
    'Ada',
    '--last-name',
    'Lovelace',
    '--email',
    'ada@example.org',
    '--phone',
    '555 0100',
  ];
  const said = await coursectl(['setup', '--yes', ...person, '--password-stdin'], password);
  const people = 'firstName,lastName,email,phone\nGrace,Hopper,grace@example.org,555 0199\n';
  writeFileSync(path.join(elsewhere, 'people.csv'), people);
  await coursectl(['users', 'import', 'people.csv', '--yes']);

  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const service = spawn(program, ['serve'], { cwd: elsewhere, env: { ...env, PORT: String(port) }, stdio: 'ignore' });
  let exitCode: number | null;
  let signedIn: Response;
  try {
    await answers(url, service, performance.now());
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ identifier: 'ada@example.org', password });
    signedIn = await fetch(`${url}/api/auth/login`, { method: 'POST', headers, body });
  } finally {
    exitCode = await ended(service);
  }
  const { users } = JSON.parse(await coursectl(['users', 'list', '--json'])) as { users: unknown[] };
  const found = {
    version: (await run(node, ['--version'], folder, env)).stdout.trim(),
    accounts: users.length,
    login: signedIn.status,
    exitCode,
    beside: readdirSync(elsewhere).filter((name) => !name.startsWith('people.')),
    data: readdirSync(path.join(home, '.local', 'share', 'coursectl')).includes('coursectl.sqlite'),
    hint: /(?<!npx )coursectl serve/.test(said),
  };
  return {
    measured: JSON.stringify(found),
    kept:
      found.accounts === 2 &&
      found.login === 200 &&
      found.exitCode === 0 &&
      found.beside.length === 0 &&
      found.data &&
      found.hint,
  };
}

try {
  await check(
    'clone',
    `npm ci without a compiler takes less than ${clone.installSeconds} s, and npm start answers within ${clone.answerSeconds} s of its beginning`,
    freshClone,
  );
  let tarball = '';
  await check(
    'pack',
    'the package holds what it needs, and neither source maps nor scripts that installing runs',
    async () => {
      tarball = await pack();
      const { stdout } = await run(
        'tar',
        ['xzOf', tarball, 'package/package.json'],
        folder,
        process.env as Environment,
      );
      const { scripts } = JSON.parse(stdout) as { scripts: Record<string, string> };
      const names = (await run('tar', ['tzf', tarball], folder, process.env as Environment)).stdout.split('\n');
      const unwanted = names.filter((name) => /\.map$|^package\/(src|test|bench)\//.test(name));
      const built = [
        'dist/cli/main.js',
        'dist/db/sqlite-library/LICENSE',
        'dist/console/index.html',
        'dist/console/LICENSES.md',
      ];
      const missing = built.filter((name) => !names.includes(`package/${name}`));
      const installing = ['preinstall', 'install', 'postinstall'].filter((name) => name in scripts);
      const wrong = [...unwanted, ...missing, ...installing];
      return { measured: `${names.length} files; wrong: ${wrong.join(' ') || 'none'}`, kept: wrong.length === 0 };
    },
  );
  const nodes = new Map<string, string>();
  for (const line of lines) {
    const module = await aside(nodePackage, line).catch(() => undefined);
    if (module) nodes.set(line, path.join(module, 'bin', process.platform === 'win32' ? 'node.exe' : 'node'));
  }
  const cli = path.join(await aside('npm', '12'), 'bin', 'npm-cli.js');
  for (const line of lines) {
    const promised = `installed by npm 12 without scripts, it works on Node ${line}: setup, import, serve; data in the user's own folder`;
    const node = nodes.get(line);
    // npm 12 itself needs Node 22.
    const runner = line === '20' ? nodes.get('24') : node;
    if (node && runner)
      await check(`node ${line}`, promised, () => installedOn(node, { node: runner, cli }, tarball, line));
    else verdicts.push({ run: `node ${line}`, promised, measured: `no package ${nodePackage}`, kept: 'not run' });
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

console.log(`\n${rows(verdicts)}`);
const skipped = verdicts.filter(({ kept }) => kept === 'not run').length;
const failed = verdicts.filter(({ kept }) => kept === false).length;
const passed = verdicts.length - failed - skipped;
console.log(`\n${passed} passed, ${failed} failed, ${skipped} skipped`);
const countsFile = process.env.COURSECTL_TEST_COUNTS;
if (countsFile) writeFileSync(countsFile, JSON.stringify({ passed, failed, skipped, failures: failures(verdicts) }));
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
