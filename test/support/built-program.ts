import { execFile } from 'node:child_process';
import { cpSync, existsSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { temporaryFolder } from './temporary-folder.js';

const repository = fileURLToPath(new URL('../../', import.meta.url));

/** What a subprocess gave: its streams, and its exit code. */
export interface Ran {
  exitCode: number;
  stdout: string;
  stderr: string;
}

/** Runs a command to its end; failing is an answer too. */
export async function run(command: string, args: readonly string[], cwd: string, env = {}): Promise<Ran> {
  try {
    const { stdout, stderr } = await promisify(execFile)(command, args, { cwd, env: { ...process.env, ...env } });
    return { exitCode: 0, stdout, stderr };
  } catch (error) {
    const { code, stdout = '', stderr = '' } = error as { code?: unknown; stdout?: string; stderr?: string };
    if (typeof code !== 'number') throw error;
    return { exitCode: code, stdout, stderr };
  }
}

/** Builds the web console into a folder. */
async function buildConsole(outDir: string): Promise<void> {
  const vite = path.join(repository, 'node_modules/vite/bin/vite.js');
  const argv = [vite, 'build', '--config', 'src/console/vite.config.ts', '--logLevel', 'warn', '--outDir', outDir];
  const { exitCode, stdout, stderr } = await run(process.execPath, argv, repository, { NODE_ENV: 'production' });
  if (exitCode !== 0) throw new Error(`The console can't be built:\n${stdout}${stderr}`);
}

/** Compiles the source, and builds the web console beside it. @returns the folder of the JavaScript, which `node_modules` is found from */
export async function compileProgram(folder: string): Promise<string> {
  const outDir = path.join(folder, 'dist');
  const compiler = path.join(repository, 'node_modules/typescript/bin/tsc');
  const [{ stdout }] = await Promise.all([
    run(process.execPath, [compiler, '-p', 'tsconfig.build.json', '--outDir', outDir], repository),
    buildConsole(path.join(outDir, 'console')),
  ]);
  if (!existsSync(path.join(outDir, 'cli', 'main.js'))) throw new Error(`The program can't be built:\n${stdout}`);
  return outDir;
}

let compiled: Promise<string> | undefined;

/** The JavaScript that `test/run.ts` has compiled for the whole run; of a file that runs alone, compiled once. */
export function compiledProgram(): Promise<string> {
  const shared = process.env.TEST_BUILD;
  compiled ??= shared === undefined ? compileProgram(temporaryFolder().path) : Promise.resolve(shared);
  return compiled;
}

/**
 * Puts the package into a folder, as it is installed, built from the source as it is now: a `dist` in the repository may
 * be of yesterday.
 */
export async function installProgram(folder: string): Promise<void> {
  for (const name of ['package.json', '.sequelizerc', 'bin', 'examples', 'migrations', 'seeders'])
    cpSync(path.join(repository, name), path.join(folder, name), { recursive: true });
  cpSync(await compiledProgram(), path.join(folder, 'dist'), { recursive: true });
  symlinkSync(path.join(repository, 'node_modules'), path.join(folder, 'node_modules'));
}

/** Gives the enclosing `describe` the package as it is installed, in a folder of its own. `path` is that folder. */
export function useBuiltProgram(): { path: string } {
  const folder = temporaryFolder();
  before(() => installProgram(folder.path));
  after(() => folder.remove());
  return folder;
}
