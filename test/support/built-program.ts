import { execFile } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { temporaryFolder } from './temporary-folder.js';

const repository = fileURLToPath(new URL('../../', import.meta.url));

export interface ProcessResult {
  exitCode: number;
  stdout: string;
  stderr: string;
}

/**
 * Runs a command to its end. A failure is a result, too.
 * @param as `uid` of another user; only root can set it
 */
export async function run(
  command: string,
  args: readonly string[],
  cwd: string,
  env = {},
  as: { uid?: number } = {},
): Promise<ProcessResult> {
  try {
    const { stdout, stderr } = await promisify(execFile)(command, args, {
      cwd,
      env: { ...process.env, ...env },
      ...as,
    });
    return { exitCode: 0, stdout, stderr };
  } catch (error) {
    const { code, stdout = '', stderr = '' } = error as { code?: unknown; stdout?: string; stderr?: string };
    if (typeof code !== 'number') throw error;
    return { exitCode: code, stdout, stderr };
  }
}

async function buildConsole(outDir: string): Promise<void> {
  const vite = path.join(repository, 'node_modules/vite/bin/vite.js');
  const argv = [vite, 'build', '--config', 'src/console/vite.config.ts', '--logLevel', 'warn', '--outDir', outDir];
  const { exitCode, stdout, stderr } = await run(process.execPath, argv, repository, { NODE_ENV: 'production' });
  if (exitCode !== 0) throw new Error(`The console can't be built:\n${stdout}${stderr}`);
}

/** Bundles the program and builds the web console into the `dist` of a folder. */
async function compile(target: string): Promise<void> {
  const outDir = path.join(target, 'dist');
  // Imported here, because most runs build nothing.
  const { bundle } = await import('../../scripts/bundle.js');
  await Promise.all([bundle(outDir), buildConsole(path.join(outDir, 'console'))]);
}

/**
 * Copies the package into a folder, like an installation.
 * @param dist the compiled program
 */
function copyPackage(target: string, dist?: string): void {
  for (const name of ['package.json', '.sequelizerc', 'bin', 'examples', 'migrations', 'seeders'])
    cpSync(path.join(repository, name), path.join(target, name), { recursive: true });
  if (dist !== undefined) cpSync(dist, path.join(target, 'dist'), { recursive: true });
  symlinkSync(path.join(repository, 'node_modules'), path.join(target, 'node_modules'));
}

/**
 * Builds the package in a folder, like an installation, from the current source. A `dist` in the repository may be
 * outdated.
 */
export async function buildProgram(target: string): Promise<void> {
  mkdirSync(target, { recursive: true });
  // Other users must be able to run the program.
  chmodSync(target, 0o755);
  copyPackage(target);
  await compile(target);
}

let folder: string | undefined;
let done: Promise<void> | undefined;

/**
 * Returns the folder of the package that `test/run.ts` has built for the whole run. A test file that runs alone builds
 * the package itself.
 */
function packageFolder(): string {
  folder ??= process.env.TEST_BUILD ?? temporaryFolder().path;
  return folder;
}

/** Returns the folder of the built package. Tests must not change it. */
export async function builtProgram(): Promise<string> {
  done ??= process.env.TEST_BUILD === undefined ? buildProgram(packageFolder()) : Promise.resolve();
  await done;
  return packageFolder();
}

/** Returns the folder of the compiled program. */
export const compiledProgram = async (): Promise<string> => path.join(await builtProgram(), 'dist');

/** Gives the enclosing `describe` the built package. Tests must not change its folder `path`. */
export function useBuiltProgram(): { path: string } {
  before(async () => void (await builtProgram()));
  return { path: packageFolder() };
}

/** Gives the enclosing `describe` a separate copy of the built package in the folder `path`. */
export function useOwnProgram(): { path: string } {
  const own = temporaryFolder();
  before(async () => copyPackage(own.path, await compiledProgram()));
  after(() => own.remove());
  return own;
}
