import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { remark } from '../figures.js';

/** Measured release: the newest that serves items without a licence. */
const version = '11.17.4';
/** Major version of Node that Directus needs. */
const nodeVersion = '22';

export interface Installed {
  /** Node's executable. */
  node: string;
  /** Directus' command line. */
  cli: string;
}

/** The user's cache folder. */
const cacheFolder = process.env.XDG_CACHE_HOME || path.join(homedir(), '.cache');

async function npm(cwd: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env): Promise<void> {
  try {
    await promisify(execFile)('npm', [...args, '--no-audit', '--no-fund'], { cwd, env, maxBuffer: 2 ** 26 });
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`npm ${args.join(' ')} failed in ${cwd}:\n${stdout}${stderr}`);
  }
}

/**
 * Installs Directus and the required Node into the user's cache, once. This takes some minutes and a gigabyte. Of all
 * install scripts, only that of isolated-vm runs: Directus doesn't start without it. The script fetches a binary from
 * GitHub, or compiles one with the headers of that Node, which needs g++, make and Python.
 * @throws Error with npm's output
 */
export async function installDirectus(): Promise<Installed> {
  const folder = path.join(cacheFolder, 'coursectl-bench', `directus-${version}`);
  const nodePackage = `node-${process.platform}-${process.arch}`;
  const nodeFolder = path.join(folder, 'node', 'node_modules', nodePackage);
  const installed = {
    node: path.join(nodeFolder, 'bin', 'node'),
    cli: path.join(folder, 'node_modules', 'directus', 'cli.js'),
  };
  const complete = path.join(folder, 'complete');
  if (existsSync(complete)) return installed;
  remark(`installing Directus ${version} into ${folder}, which takes some minutes`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(path.join(folder, 'node'), { recursive: true });
  writeFileSync(path.join(folder, 'node', 'package.json'), JSON.stringify({ private: true }));
  await npm(path.join(folder, 'node'), ['install', '--ignore-scripts', `${nodePackage}@${nodeVersion}`]);
  const allowScripts = { 'isolated-vm': true };
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ private: true, allowScripts }));
  // Scripts must run with Directus' Node.
  const searched = `${path.dirname(installed.node)}${path.delimiter}${process.env.PATH}`;
  const env = { ...process.env, PATH: searched, npm_config_nodedir: nodeFolder };
  await npm(folder, ['install', '--ignore-scripts', `directus@${version}`], env);
  await npm(folder, ['rebuild', 'isolated-vm'], env);
  writeFileSync(complete, '');
  return installed;
}
