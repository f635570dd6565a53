import type { Context } from '../../context.js';
import type { Operation } from '../api/operation.js';

/** How long an operation may use the replica, in milliseconds: as much is left to the primary when it doesn't answer. */
const replicaMs = 1500;

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
  const { replica } = context;
  const database = readsReplica && (await replica?.caughtUp());
  if (!replica || !database) return read(context);
  try {
    // Its other parts are made on first use, and stay those of the context. The cast: Object.create gives any.
    const ofReplica = Object.create(context, { database: { value: database } }) as Context;
    return await database.withDeadline({ all: replicaMs }, () => read(ofReplica));
  } catch (error) {
    if (!replica.failed(error)) throw error;
    return read(context);
  }
}
