import type { Transaction } from 'sequelize';

/** Kept beside each transaction, so that an attempt that is rolled back leaves no mark. */
const marks = new WeakMap<Transaction, Set<string>>();

/** Marks courses in which a transaction may free a seat for the waiting list. */
export function markFreedSeats(transaction: Transaction, courseIds: Iterable<string>): void {
  const marked = marks.get(transaction) ?? new Set();
  for (const id of courseIds) marked.add(id);
  if (marked.size > 0) marks.set(transaction, marked);
}

/** Returns the courses that a transaction has marked; undefined without any. */
export const freedSeatsOf = (transaction: Transaction): ReadonlySet<string> | undefined => marks.get(transaction);
