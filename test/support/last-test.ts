const closers: (() => Promise<void>)[] = [];

/** Registers what is closed after the last test of a process. */
export function afterLastTest(close: () => Promise<void>): void {
  closers.push(close);
}

/** Called once, after the last test. */
export async function closeAll(): Promise<void> {
  for (const close of closers) await close();
}
