/** Questions to ask before the page is left, by id. The latest is last: an open dialog after the form below it. */
const guards = new Map<string, string>();

/** Adds a question to ask before the page is left. @param message says what would be lost @returns a function that removes it */
export function addGuard(id: string, message: string): () => void {
  guards.set(id, message);
  return () => void guards.delete(id);
}

/** Whether the guard is the latest: only the latest question is asked. */
export const isLatestGuard = (id: string): boolean => [...guards.keys()].at(-1) === id;

/** Asks the user whether to leave, if something would be lost. @returns whether to leave */
export function confirmLeaving(): boolean {
  const message = [...guards.values()].at(-1);
  return message === undefined || window.confirm(message);
}
