/** What would be lost by leaving the page, by the id of its guard, the latest last: an open dialog after the form below it. */
const guards = new Map<string, string>();

/** Asks before the page is left until the result is called. @param message says what would be lost, and asks */
export function addGuard(id: string, message: string): () => void {
  guards.set(id, message);
  return () => void guards.delete(id);
}

/** Whether the question of this guard is the one that is asked: there is one question, however many there are. */
export const isLatestGuard = (id: string): boolean => [...guards.keys()].at(-1) === id;

/** Asks whether to leave when something would be lost by that. */
export function confirmLeaving(): boolean {
  const message = [...guards.values()].at(-1);
  return message === undefined || window.confirm(message);
}
