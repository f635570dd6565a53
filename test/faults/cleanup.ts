/** Cleanups that must always run at the end of the process: servers don't end by themselves. */
const cleanups: (() => void)[] = [];

/** Registers a cleanup for the end of the process. A cleanup may run twice. */
export const atExit = (undo: () => void): void => void cleanups.push(undo);

process.once('exit', () => {
  for (const undo of cleanups.splice(0).reverse()) undo();
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130));
