/**
 * `npm run test:package`: checks the package as people get it. First a fresh clone with only Node and npm, by the
 * README's command. Then `npm pack`, installed globally by npm 12 without install scripts, on every version of Node in
 * package.json. Node and npm are installed from the registry into a temporary folder.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Verdict } from '../faults/report.js';
import { fullDepth } from '../support/depth.js';
import { slownessNow } from '../support/machine.js';
import { freePort } from '../support/test-server.js';
import { copyRepository, plantedIn, plantLeftovers } from './checkout.js';
import {
  answers,
  at,
  check,
  conclude,
  type Environment,
  ended,
  folder,
  run,
  surroundings,
  verdicts,
} from './checks.js';

/** Versions of Node; by default only the running one. */
const lines = fullDepth ? ['20', '22', '24', '26'] : [process.versions.node.split('.')[0] ?? ''];
const clone = { installSeconds: 60, answerSeconds: 75 };

/** Creates a folder with only these commands: no compiler, no Python. */
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
  copyRepository(cloned);
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
    // The limits are for a quiet machine, and other programs may keep this one busy.
    const slowness = (slowBefore + slownessNow()) / 2;
    return {
      measured: `installed and built in ${installed.toFixed(0)} s, answered after ${answered.toFixed(0)} s, on a machine ${slowness.toFixed(1)} times as slow as a quiet one`,
      kept: installed < slowness * clone.installSeconds && answered < slowness * clone.answerSeconds,
      timed: true,
    };
  } finally {
    // npm passes no signals to its children.
    if (service.pid !== undefined) process.kill(-service.pid, 'SIGTERM');
  }
}

/**
 * Packs the clone after leftover files were planted in it.
 * @returns the package file
 */
async function pack(): Promise<string> {
  plantLeftovers(at('clone'));
  await run('npm', ['pack', '--pack-destination', folder], at('clone'), process.env as Environment);
  const [name] = readdirSync(folder).filter((file) => file.endsWith('.tgz'));
  return at(name ?? '');
}

/** Installs a package of the registry into a separate folder, and returns the folder. */
async function aside(name: string, range: string): Promise<string> {
  const prefix = at(`${name}-${range}`);
  const args = ['install', '--prefix', prefix, '--ignore-scripts', '--no-audit', '--no-fund', `${name}@${range}`];
  await run('npm', args, folder, process.env as Environment);
  return path.join(prefix, 'node_modules', name);
}

/** Package with Node's binary for this machine. */
const nodePackage = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;

/** Installs the package globally for a version of Node, and uses it from an unrelated folder. */
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
  const message = await coursectl(['setup', '--yes', ...person, '--password-stdin'], password);
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
    hint: /(?<!npx )coursectl serve/.test(message),
    // npm 12 links no manual pages.
    manual: existsSync(path.join(prefix, 'lib/node_modules/coursectl/dist/man/coursectl.1')),
  };
  return {
    measured: JSON.stringify(found),
    kept:
      found.accounts === 2 &&
      found.login === 200 &&
      found.exitCode === 0 &&
      found.beside.length === 0 &&
      found.data &&
      found.hint &&
      found.manual,
  };
}

try {
  await check(
    'clone',
    `npm ci without a compiler takes less than ${clone.installSeconds} s, and npm start answers within ${clone.answerSeconds} s from the start of npm ci`,
    freshClone,
  );
  let tarball = '';
  await check(
    'pack',
    'the package contains all needed files, but no source maps, install scripts or leftover files',
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
        'dist/main.js',
        'dist/db/sqlite-library/LICENSE',
        'dist/console/index.html',
        'dist/console/LICENSES.md',
      ];
      const missing = built.filter((name) => !names.includes(`package/${name}`));
      const installing = ['preinstall', 'install', 'postinstall'].filter((name) => name in scripts);
      mkdirSync(at('unpacked'));
      await run('tar', ['xzf', tarball, '-C', at('unpacked')], folder, process.env as Environment);
      const wrong = [...unwanted, ...missing, ...installing, ...plantedIn(at('unpacked'))];
      return { measured: `${names.length} files; wrong: ${wrong.join(' ') || 'none'}`, kept: wrong.length === 0 };
    },
  );
  const nodes = new Map<string, string>();
  // npm 12 itself needs Node 22 or newer.
  for (const line of new Set([...lines, '24'])) {
    const module = await aside(nodePackage, line).catch(() => undefined);
    if (module) nodes.set(line, path.join(module, 'bin', process.platform === 'win32' ? 'node.exe' : 'node'));
  }
  const cli = path.join(await aside('npm', '12'), 'bin', 'npm-cli.js');
  for (const line of lines) {
    const promised = `installed by npm 12 without scripts, it works on Node ${line}: setup, import, serve; data in the user's folder`;
    const node = nodes.get(line);
    const runner = line === '20' ? nodes.get('24') : node;
    if (node && runner)
      await check(`node ${line}`, promised, () => installedOn(node, { node: runner, cli }, tarball, line));
    else verdicts.push({ run: `node ${line}`, promised, measured: `no package ${nodePackage}`, kept: 'not run' });
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

conclude();
