#!/usr/bin/env node
// CommonJS, by the package.json beside it: when an ES module runs, the size of libuv's pool is already decided.
// Only what every version of Node understands may stand here: an old one must get to read the message.

/**
 * What was compiled is kept for the next command, from Node 22.1: in this user's own folder, because others may write to that for
 * temporary files. It would be of no use with another flag of V8.
 */
function keepCompiledCode() {
  const { enableCompileCache } = require('node:module');
  const folder =
    process.env.XDG_CACHE_HOME || (process.env.HOME && require('node:path').join(process.env.HOME, '.cache'));
  if (enableCompileCache && folder) enableCompileCache(require('node:path').join(folder, 'coursectl'));
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
