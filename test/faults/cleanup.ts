/** What must not outlive the runs, whatever way they end: servers don't end by themselves. */
const leavings: (() => void)[] = [];

/** Has something undone when the process ends; what was undone before must not mind. */
export const atExit = (undo: () => void): void => void leavings.push(undo);

process.once('exit', () => {
  for (const undo of leavings.splice(0).reverse()) undo();
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130));
