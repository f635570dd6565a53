import { execFile } from 'node:child_process';
import { cpSync, existsSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { temporaryFolder } from './database.js';

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

/** Builds the package as it is installed into a folder, from the source: a `dist` that lies around may be of yesterday. */
export async function buildProgram(folder: string): Promise<void> {
  for (const name of ['package.json', '.sequelizerc', 'bin', 'examples', 'migrations', 'seeders']) {
    cpSync(path.join(repository, name), path.join(folder, name), { recursive: true });
  }
  symlinkSync(path.join(repository, 'node_modules'), path.join(folder, 'node_modules'));
  const outDir = path.join(folder, 'dist');
  const { stdout } = await run(
    'npx',
    ['--no-install', 'tsc', '-p', 'tsconfig.build.json', '--outDir', outDir],
    repository,
  );
  if (!existsSync(path.join(outDir, 'config.js'))) throw new Error(`The program can't be built:\n${stdout}`);
}

/** Gives the enclosing `describe` the package as it is installed. `path` is its folder. */
export function useBuiltProgram(): { path: string } {
  const folder = temporaryFolder();
  before(() => buildProgram(folder.path));
  after(() => folder.remove());
  return folder;
}
