import type { Context } from '../../src/services/context.js';

/** Returns a context that calls `act` before each of its transactions, numbered from 1. */
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

/** Returns a context with a race: another process makes a change between the first read and the transaction. */
export const racing = (context: Context, change: () => Promise<unknown>): Context =>
  beforeTransactions(context, (number) => (number === 1 ? change() : undefined));
