import type { Context } from '../../src/services/context.js';

/** A context that does something before each of its transactions, which are numbered from 1. */
export function beforeTransactions(context: Context, act: (number: number) => unknown): Context {
  const { database } = context;
  let number = 0;
  const inTransaction: typeof database.inTransaction = async (...work) => {
    number += 1;
    await act(number);
    return database.inTransaction(...work);
  };
  return { ...context, database: { ...database, inTransaction } };
}

/** A context for which another process changes something once, between the first reading and the transaction. */
export const racing = (context: Context, change: () => Promise<unknown>): Context =>
  beforeTransactions(context, (number) => (number === 1 ? change() : undefined));
