import { homedir } from 'node:os';
import path from 'node:path';
import { packageFolder } from './package-root.js';

/** Where a command runs, and which copy of the program. */
export interface Invocation {
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
  packageFolder?: string;
}

/**
 * This user's folder for data and settings, when the program is installed globally: the working directory is then arbitrary.
 * A clone, or a dependency of the project in the working directory, has none.
 * @see https://specifications.freedesktop.org/basedir-spec/latest/
 */
export function userFolder({ env, cwd, packageFolder: folder = packageFolder }: Invocation): string | undefined {
  const parts = folder.split(path.sep);
  const at = parts.indexOf('node_modules');
  if (at === -1) return undefined;
  const project = parts.slice(0, at).join(path.sep) || path.sep;
  const isBelow = !path.relative(project, cwd).startsWith('..');
  // npx installs in a project of its own cache.
  if (isBelow && !parts.includes('_npx')) return undefined;
  const { XDG_DATA_HOME: given, LOCALAPPDATA: onWindows } = env;
  if (given && path.isAbsolute(given)) return path.join(given, 'coursectl');
  if (process.platform === 'win32' && onWindows) return path.join(onWindows, 'coursectl');
  return path.join(env.HOME || homedir(), '.local', 'share', 'coursectl');
}

/**
 * What to type to call the program once more, for hints that can be pasted.
 * @param script the file that Node was given
 */
export function commandName(script: string, { env, cwd }: Invocation): string {
  const parts = script.split(path.sep);
  const isOnPath = path.basename(script) === 'coursectl' && !parts.includes('.bin');
  if (isOnPath) return 'coursectl';
  if (parts.includes('.bin') || env.npm_command !== undefined) return 'npx coursectl';
  if (parts.includes('node_modules')) return 'coursectl';
  const relative = path.relative(cwd, script);
  const shortest = relative.startsWith('..') ? script : relative;
  return `node ${/[^\w./:\\-]/.test(shortest) ? JSON.stringify(shortest) : shortest}`;
}
