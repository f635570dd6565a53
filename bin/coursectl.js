#!/usr/bin/env node
// Only what every version of Node understands may stand here: an old one must get to read the message.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`coursectl needs Node 20.19 or later; this is Node ${process.versions.node}.`);
  process.exitCode = 1;
} else {
  import('../dist/cli/main.js').catch((error) => {
    const unbuilt = error.code === 'ERR_MODULE_NOT_FOUND' && String(error.message).includes('dist');
    console.error(unbuilt ? 'coursectl is not built. Run: npm run build' : error);
    process.exitCode = unbuilt ? 1 : 70;
  });
}
