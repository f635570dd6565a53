import type { Context } from '../../context.js';
import type { Operation } from '../api/operation.js';

/**
 * Lets an operation that may read the replica do so, or a piece of its answer, if the replica has all that the primary had
 * committed by now; after a fault of the replica, and in all other cases, it reads the primary.
 * @param read reads the database of this context; called again with another one after a fault of the replica
 */
export async function readingReplica<R>(
  context: Context,
  { readsReplica }: Pick<Operation, 'readsReplica'>,
  read: (from: Context) => Promise<R>,
): Promise<R> {
  if (!readsReplica || !context.replica) return read(context);
  const answer = await context.replica.read((database) =>
    // Its other parts are made on first use, and stay those of the context. The cast: Object.create gives any.
    read(Object.create(context, { database: { value: database } }) as Context),
  );
  return answer ? answer.result : read(context);
}
