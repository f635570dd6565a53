import { homedir } from 'node:os';
import path from 'node:path';
import { packageFolder } from './package-root.js';

/** Environment of a command. `packageFolder` is the folder of the running copy of the program. */
export interface Invocation {
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
  packageFolder?: string;
}

/**
 * Returns this user's folder for data and settings if the program is installed globally, because such a program may run in
 * any working directory. Returns undefined for a clone, and for a dependency of the project in the working directory.
 * @see https://specifications.freedesktop.org/basedir-spec/latest/
 */
export function userFolder({ env, cwd, packageFolder: folder = packageFolder }: Invocation): string | undefined {
  const parts = folder.split(path.sep);
  const at = parts.indexOf('node_modules');
  if (at === -1) return undefined;
  const project = parts.slice(0, at).join(path.sep) || path.sep;
  const isBelow = !path.relative(project, cwd).startsWith('..');
  // npx installs the program into a project in its cache.
  if (isBelow && !parts.includes('_npx')) return undefined;
  const { XDG_DATA_HOME: xdgDataHome, LOCALAPPDATA: localAppData } = env;
  if (xdgDataHome && path.isAbsolute(xdgDataHome)) return path.join(xdgDataHome, 'coursectl');
  if (process.platform === 'win32' && localAppData) return path.join(localAppData, 'coursectl');
  return path.join(env.HOME || homedir(), '.local', 'share', 'coursectl');
}

/**
 * Returns the command that starts this program, for hints that users can paste.
 * @param script path of the script that Node runs
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
