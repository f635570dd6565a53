/** Cleanups that must run however the runs end: servers don't end by themselves. */
const cleanups: (() => void)[] = [];

/** Runs a cleanup when the process ends; it may have run before. */
export const atExit = (undo: () => void): void => void cleanups.push(undo);

process.once('exit', () => {
  for (const undo of cleanups.splice(0).reverse()) undo();
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130));
