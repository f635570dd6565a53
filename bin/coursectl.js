#!/usr/bin/env node
// Only what every version of Node understands may stand here: an old one must get to read the message.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`coursectl needs Node 20.19 or later; this is Node ${process.versions.node}.`);
  process.exitCode = 1;
} else {
  import('../dist/cli/main.js').catch((error) => {
    const missing = error.code === 'ERR_MODULE_NOT_FOUND';
    const unbuilt = error.url === new URL('../dist/cli/main.js', import.meta.url).href;
    const remedy = unbuilt ? 'coursectl is not built. Run: npm run build' : `${error.message}. Run: npm ci`;
    console.error(missing ? remedy : error);
    process.exitCode = missing ? 1 : 70;
  });
}
