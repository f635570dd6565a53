import type { Transaction } from 'sequelize';

/** Ids of marked courses, stored for each transaction, so that a rolled-back attempt leaves no mark. */
const marks = new WeakMap<Transaction, Set<string>>();

/** Marks courses in which a transaction may free a seat for the waiting list. */
export function markFreedSeats(transaction: Transaction, courseIds: Iterable<string>): void {
  const marked = marks.get(transaction) ?? new Set();
  for (const id of courseIds) marked.add(id);
  if (marked.size > 0) marks.set(transaction, marked);
}

/** Returns the courses that a transaction has marked, or undefined if it has marked none. */
export const freedSeatsOf = (transaction: Transaction): ReadonlySet<string> | undefined => marks.get(transaction);
