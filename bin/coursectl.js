#!/usr/bin/env node
// CommonJS (see the package.json in this folder): an ES module would run after the size of libuv's thread pool is fixed.
// Uses only syntax that every Node version understands, so that an old version can print the message below.

/**
 * Whether no other user can write to a folder or replace it. Groups count as other users.
 * @param path without symbolic links
 * @param me the user id of this process
 */
function isSafe(path, me) {
  const { lstatSync } = require('node:fs');
  const { dirname } = require('node:path');
  const { uid, mode } = lstatSync(path);
  const isProtected = (mode & 0o022) === 0 || (mode & 0o1000) !== 0;
  return isProtected && (uid === 0 || uid === me) && (dirname(path) === path || isSafe(dirname(path), me));
}

/** Whether a folder belongs to this user, and no other user can write to it. False for a symbolic link. */
function isOwn(path, me) {
  const stats = require('node:fs').lstatSync(path);
  return stats.isDirectory() && stats.uid === me && (stats.mode & 0o022) === 0;
}

/**
 * Creates the cache folder of this user if it does not exist.
 * @returns the real path; undefined if another user could write to the folder or to a folder in it
 * @throws Error if the folder can't be created or read
 */
function safeCacheFolder(folder) {
  const { existsSync, mkdirSync, readdirSync, realpathSync } = require('node:fs');
  const { dirname, basename, join } = require('node:path');
  const missing = [];
  let existing = folder;
  for (; !existsSync(existing); existing = dirname(existing)) missing.unshift(existing);
  // Windows has no such permissions: the home folder belongs to the user there.
  const me = process.platform === 'win32' ? undefined : process.geteuid();
  // Also checked before creation: root must not create folders in the folder of another user.
  if (me !== undefined && !isSafe(realpathSync(existing), me)) return undefined;
  // Creates the folders one by one: mkdir with `recursive` never ends in /proc.
  for (const path of missing) mkdirSync(path, 0o700);
  const real = join(realpathSync(dirname(folder)), basename(folder));
  if (me === undefined) return real;
  // Node creates a subfolder for each of its versions.
  const folders = [real, ...readdirSync(real).map((name) => join(real, name))];
  return isSafe(real, me) && folders.every((path) => isOwn(path, me)) ? real : undefined;
}

/**
 * Caches compiled code for later commands, from Node 22.1. Node runs cached code unchecked, so only this user may write
 * to the cache. The cache is valid only for the same V8 flags.
 */
function keepCompiledCode() {
  const { enableCompileCache } = require('node:module');
  const { isAbsolute, join } = require('node:path');
  const { XDG_CACHE_HOME, HOME } = process.env;
  const folder = XDG_CACHE_HOME || (HOME && join(HOME, '.cache'));
  if (!enableCompileCache || !folder || !isAbsolute(folder)) return;
  // Applies to the subfolder that Node creates.
  process.umask(0o077);
  try {
    const safe = safeCacheFolder(join(folder, 'coursectl'));
    if (safe) enableCompileCache(safe);
  } catch {
    // Commands also work without the cache, but start later.
  }
}

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`coursectl needs Node 20 from 20.19, 22 from 22.12, 24 or 26; this is Node ${process.versions.node}.`);
  process.exitCode = 1;
} else {
  // Password hashing uses one thread per core. With Node's default of four threads, file access and DNS would wait for
  // hashes.
  if (!process.env.UV_THREADPOOL_SIZE)
    process.env.UV_THREADPOOL_SIZE = String(require('node:os').availableParallelism() + 4);
  // Services and large imports must not hold unused memory. By default, V8 lets the heap grow to several times its used
  // size before a full collection. This flag limits the growth to 40 %. It makes the cache invalid, so only these
  // commands set it: other commands would start 5 % later.
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
