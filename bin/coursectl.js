#!/usr/bin/env node
// CommonJS, by the package.json beside it: when an ES module runs, the size of libuv's pool is already decided.
// Only what every version of Node understands may stand here: an old one must get to read the message.

/**
 * Whether other users can neither write to a folder nor replace it by another one. Groups count as others.
 * @param path without symbolic links
 * @param me the user of this process
 */
function isSafe(path, me) {
  const { lstatSync } = require('node:fs');
  const { dirname } = require('node:path');
  const { uid, mode } = lstatSync(path);
  const isProtected = (mode & 0o022) === 0 || (mode & 0o1000) !== 0;
  return isProtected && (uid === 0 || uid === me) && (dirname(path) === path || isSafe(dirname(path), me));
}

/** Whether a folder, which isn't a symbolic link, belongs to a user who alone can write to it. */
function isOwn(path, me) {
  const stats = require('node:fs').lstatSync(path);
  return stats.isDirectory() && stats.uid === me && (stats.mode & 0o022) === 0;
}

/**
 * Makes the cache folder of this user, if it doesn't exist.
 * @returns its real path; nothing where another user could have written to it, or to a folder in it
 * @throws where it can't be made or read
 */
function safeCacheFolder(folder) {
  const { existsSync, mkdirSync, readdirSync, realpathSync } = require('node:fs');
  const { dirname, basename, join } = require('node:path');
  const missing = [];
  let existing = folder;
  for (; !existsSync(existing); existing = dirname(existing)) missing.unshift(existing);
  // Windows has no such rights: there the home folder is the user's own.
  const me = process.platform === 'win32' ? undefined : process.geteuid();
  // Checked before, too: the folder of another user gets no folders of root.
  if (me !== undefined && !isSafe(realpathSync(existing), me)) return undefined;
  // One by one: `recursive` never ends in /proc.
  for (const path of missing) mkdirSync(path, 0o700);
  const real = join(realpathSync(dirname(folder)), basename(folder));
  if (me === undefined) return real;
  // Node makes a folder in it for each of its versions.
  const folders = [real, ...readdirSync(real).map((name) => join(real, name))];
  return isSafe(real, me) && folders.every((path) => isOwn(path, me)) ? real : undefined;
}

/**
 * Keeps compiled code for the next command, from Node 22.1, in this user's own folder: Node runs it unchecked. Code that was
 * compiled with other flags of V8 is of no use.
 */
function keepCompiledCode() {
  const { enableCompileCache } = require('node:module');
  const { isAbsolute, join } = require('node:path');
  const { XDG_CACHE_HOME, HOME } = process.env;
  const folder = XDG_CACHE_HOME || (HOME && join(HOME, '.cache'));
  if (!enableCompileCache || !folder || !isAbsolute(folder)) return;
  // For the folder that Node makes.
  process.umask(0o077);
  try {
    const safe = safeCacheFolder(join(folder, 'coursectl'));
    if (safe) enableCompileCache(safe);
  } catch {
    // Commands start without it, only later.
  }
}

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`coursectl needs Node 20 from 20.19, 22 from 22.12, 24 or 26; this is Node ${process.versions.node}.`);
  process.exitCode = 1;
} else {
  // Password hashes take a thread for each core. With Node's four threads, files and host names would wait for them.
  if (!process.env.UV_THREADPOOL_SIZE)
    process.env.UV_THREADPOOL_SIZE = String(require('node:os').availableParallelism() + 4);
  // Neither a service that runs for weeks nor an import of a million rows shall hold memory that it doesn't use: before all of its
  // heap is collected, it may grow by so many percent of what is in use. By itself V8 lets it grow to several times as much.
  // Not for the other commands, which would start 5 % later.
  if (process.argv.some((word) => ['serve', 'import', 'imports'].includes(word)))
    require('node:v8').setFlagsFromString('--heap-growing-percent=40');
  else keepCompiledCode();
  import('../dist/main.js').catch((error) => {
    const missing = error.code === 'ERR_MODULE_NOT_FOUND';
    const main = require('node:path').join(__dirname, '..', 'dist', 'main.js');
    const unbuilt = error.url === require('node:url').pathToFileURL(main).href;
    const remedy = unbuilt ? 'coursectl is not built. Run: npm run build' : `${error.message}. Run: npm ci`;
    console.error(missing ? remedy : error);
    process.exitCode = missing ? 1 : 70;
  });
}
