/**
 * `npm run test:container`: checks the container image, which buildah builds from the repository's files without a
 * daemon. Its base consists of Debian packages and the running Node. Needs buildah, mmdebstrap and the right to mount
 * file systems.
 */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { freePort, searchPath } from '../support/test-server.js';
import { copyRepository, plantedIn, plantLeftovers } from './checkout.js';
import { answers, at, check, conclude, type Environment, ended, folder, npmSettings, run, verdicts } from './checks.js';

/** The image's user in the Dockerfile. */
const user = 1000;
const [toolsImage, bareImage, image] = ['tools', 'bare', 'image'].map((name) => `localhost/coursectl-${name}`) as [
  string,
  string,
  string,
];

const env: Environment = { ...(process.env as Environment), PATH: searchPath, BUILDAH_ISOLATION: 'chroot' };
/** Images and containers are stored separately from the machine's. */
const storage = ['--root', at('storage'), '--runroot', at('running')];
const buildah = async (...args: string[]) => (await run('buildah', [...storage, ...args], folder, env)).stdout.trim();

/** Returns why an image can't be built here, or undefined if it can. */
function obstacle(): string | undefined {
  for (const program of ['buildah', 'mmdebstrap', 'unshare'])
    try {
      execFileSync('sh', ['-c', `command -v ${program}`], { env, stdio: 'ignore' });
    } catch {
      return `there is no ${program}`;
    }
  try {
    execFileSync('unshare', ['--mount', '--pid', '--fork', 'mount', '--bind', folder, folder], { stdio: 'pipe' });
  } catch (error) {
    return `file systems can't be mounted: ${(error as Error).message.trim().split('\n').at(-1)}`;
  }
  return undefined;
}

/** Builds a base with Node and npm, and a base with only Node and no shell. */
async function makeBases(): Promise<void> {
  const base = at('base.tar');
  await run(
    'mmdebstrap',
    ['--variant=essential', '--include=ca-certificates,libstdc++6', 'bookworm', base],
    folder,
    env,
  );
  const { stdout } = await run('npm', ['root', '--global'], folder, env);
  const container = await buildah('from', 'scratch');
  await buildah('add', '--quiet', container, base, '/');
  await buildah('copy', '--quiet', container, process.execPath, '/usr/local/bin/node');
  await buildah('commit', '--quiet', container, bareImage);
  await buildah('copy', '--quiet', container, path.join(stdout.trim(), 'npm'), '/usr/local/lib/node_modules/npm');
  await buildah('run', container, '--', 'ln', '-s', '../lib/node_modules/npm/bin/npm-cli.js', '/usr/local/bin/npm');
  await buildah('commit', '--quiet', '--rm', container, toolsImage);
  const bare = await buildah('from', '--pull-never', bareImage);
  await buildah('run', bare, '--', 'rm', '/bin/sh', '/bin/bash', '/bin/dash');
  await buildah('commit', '--quiet', '--rm', bare, bareImage);
}

/**
 * Passes npm's registry settings to the build.
 * @returns options of `buildah build`
 */
async function registryOptions(): Promise<string[]> {
  const files = Object.values(npmSettings).filter((file) => existsSync(file));
  const registry = process.env.npm_config_registry;
  const lines = [...files.map((file) => readFileSync(file, 'utf8')), ...(registry ? [`registry=${registry}`] : [])];
  writeFileSync(at('npmrc'), lines.join('\n'), { mode: 0o600 });
  const authority = (await run('npm', ['config', 'get', 'cafile'], folder, env)).stdout.trim();
  const mounted = existsSync(authority) ? [`${authority}:${authority}:ro`] : [];
  return [`${at('npmrc')}:/root/.npmrc:ro`, ...mounted].flatMap((volume) => ['--volume', volume]);
}

/** Settings of an image in Docker's format. */
interface ImageSettings {
  User: string;
  Env: string[];
  Entrypoint: string[];
  Cmd: string[];
  Volumes: Record<string, object>;
  ExposedPorts: Record<string, object>;
  Healthcheck?: { Test: string[] };
}

async function settingsOf(): Promise<ImageSettings> {
  const { Docker } = JSON.parse(await buildah('inspect', '--type', 'image', image)) as {
    Docker: { config: ImageSettings };
  };
  return Docker.config;
}

/** Mounts the image until the end, and returns the folder. */
async function mountImage(): Promise<string> {
  return buildah('mount', await buildah('from', '--pull-never', image));
}

/** Runs a command of the image as its user. Only the volume and /tmp are writable. */
function start(root: string, settings: ImageSettings, command: readonly string[], own: Environment) {
  const mounts = [
    `mount --bind ${root} ${root}`,
    `mount --bind ${at('volume')} ${root}/data`,
    `mount -t tmpfs tmpfs ${root}/tmp`,
    `mount -o remount,bind,ro ${root}`,
    `mount -t proc proc ${root}/proc`,
    `mount --bind /dev/urandom ${root}/dev/urandom`,
  ];
  const environment = {
    ...Object.fromEntries(settings.Env.map((pair) => pair.split(/=(.*)/s))),
    ...own,
  } as Environment;
  const enter = `exec chroot --userspec=${settings.User} ${root} ${command.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ')}`;
  // No process namespace: its init would not pass signals to the service.
  return spawn('unshare', ['--mount', 'sh', '-c', [...mounts, enter].join(' && ')], {
    env: environment,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
}

const exitCodeOf = (child: ReturnType<typeof start>) =>
  new Promise<number | null>((resolve) => void child.once('exit', resolve));

const missing = obstacle();
try {
  if (missing === undefined) await checkImage();
  else {
    console.warn(`NOT RUN: the container image, as ${missing}.`);
    verdicts.push({
      run: 'image',
      promised: 'the container image is built and serves',
      measured: missing,
      kept: 'not run',
    });
  }
} finally {
  if (missing === undefined) await buildah('rm', '--all').catch((error: unknown) => console.error(error));
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
conclude();

async function checkImage(): Promise<void> {
  await check(
    'image',
    "the Dockerfile builds from the repository's files, on any base with Node; the last stage needs no shell",
    async () => {
      await makeBases();
      const context = at('context');
      copyRepository(context);
      plantLeftovers(context);
      const args = ['NODE_IMAGE', toolsImage, 'RUNTIME_IMAGE', bareImage];
      const bases = [0, 2].flatMap((index) => ['--build-arg', `${args[index]}=${args[index + 1]}`]);
      const options = ['--quiet', '--format', 'docker', '--pull-never', ...bases, ...(await registryOptions())];
      await buildah('bud', ...options, '--tag', image, context);
      return { measured: 'built', kept: true };
    },
  );
  const settings = await settingsOf();
  const root = await mountImage();

  await check(
    'image',
    'it contains what the service needs in production, also for files in a bucket, but no development tools, tests, secrets or leftover files',
    async () => {
      const app = path.join(root, 'app');
      const names = readdirSync(app);
      const packages = readdirSync(path.join(app, 'node_modules'));
      const unwanted = [
        ...names.filter((name) => ['src', 'test', 'bench', '.git', '.env', '.npmrc', 'data'].includes(name)),
        ...packages.filter((name) => ['typescript', 'esbuild', 'vite', 'mocha', 'tsx'].includes(name)),
        ...settings.Env.filter((pair) => /secret|password|token/i.test(pair)),
        ...readdirSync(path.join(root, 'root')).filter((name) => name.startsWith('.npm')),
        ...plantedIn(app),
      ];
      const { stdout } = await run('du', ['--summarize', '--block-size=M', app], folder, env);
      const production = settings.Env.includes('NODE_ENV=production');
      return {
        measured: `unwanted: ${unwanted.join(' ') || 'none'}; /app has ${stdout.split('\t')[0]}`,
        kept: unwanted.length === 0 && production && names.includes('dist') && packages.includes('@aws-sdk'),
      };
    },
  );

  await check('image', 'it runs as an unprivileged user, with one volume, a port and a health check', async () => {
    const { User, Volumes, ExposedPorts, Healthcheck, Entrypoint, Cmd } = settings;
    const found = { User, Volumes: Object.keys(Volumes), ExposedPorts: Object.keys(ExposedPorts), Entrypoint, Cmd };
    // In the exec form, without a shell.
    const kept =
      User === `${user}:${user}` &&
      found.Volumes.join() === '/data' &&
      found.ExposedPorts.join() === '3000/tcp' &&
      Healthcheck?.Test[0] === 'CMD' &&
      Entrypoint[0] === 'node';
    return { measured: JSON.stringify(found), kept };
  });

  await check('image', 'it serves on a read-only file system, is healthy meanwhile, and ends on SIGTERM', async () => {
    mkdirSync(at('volume'));
    await run('chown', [`${user}:${user}`, at('volume')], folder, env);
    const port = String(await freePort());
    const own = {
      PORT: port,
      HOST: '127.0.0.1',
      JWT_SECRET: 'Zx8vQ2mN5kL1pR7tW4yB9cF6hJ3sD0gA-container',
      LOG_FORMAT: 'json',
    };
    const service = start(root, settings, [...settings.Entrypoint, ...settings.Cmd], own);
    let message = '';
    service.stderr.on('data', (data: Buffer) => {
      message += data.toString();
    });
    const [, ...health] = settings.Healthcheck?.Test ?? [];
    let exitCode: number | null = null;
    const found: Record<string, unknown> = {};
    try {
      found.seconds = Math.round(await answers(`http://127.0.0.1:${port}`, service, performance.now()));
      found.page = (await fetch(`http://127.0.0.1:${port}/`, { headers: { Accept: 'text/html' } })).status;
      found.healthy = await exitCodeOf(start(root, settings, health, own));
    } catch (error) {
      throw new Error(`${(error as Error).message}\n${message}`);
    } finally {
      exitCode = await ended(service);
    }
    found.unhealthy = await exitCodeOf(start(root, settings, health, own));
    found.exitCode = exitCode;
    found.volume = readdirSync(at('volume')).includes('coursectl.sqlite');
    const kept =
      found.page === 200 && found.healthy === 0 && found.unhealthy === 1 && exitCode === 0 && found.volume === true;
    return { measured: `${JSON.stringify(found)} on ${os.arch()}`, kept };
  });
}
