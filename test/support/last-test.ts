const closers: (() => Promise<void>)[] = [];

/** Registers a function that runs after the last test of a process. */
export function afterLastTest(close: () => Promise<void>): void {
  closers.push(close);
}

/** Runs all registered functions. Called only after the last test. */
export async function closeAll(): Promise<void> {
  for (const close of closers) await close();
}
