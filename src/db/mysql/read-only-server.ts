/** Leaves a server that has become read-only, such as the former primary after a planned switch-over. */

/** An error of the driver. */
interface ServerError {
  errno?: number;
  message: string;
}

/** "The server is running with the ... option": other options prevent statements with the same number. */
const optionPreventsStatement = 1290;
const readOnlyMode = 1836;

function isReadOnlyError({ errno, message }: ServerError): boolean {
  return errno === readOnlyMode || (errno === optionPreventsStatement && /--(super-)?read-only\b/.test(message));
}

/** How often connections are replaced at most, in milliseconds: a server may stay read-only, with as many refusals as requests. */
const replaceEveryMs = 1000;

/** Which connections lead to a server that may have been replaced. */
export interface ReadOnlyWatch {
  noteOpened(connection: object): void;
  /** Notes a refused change. */
  noteError(error: ServerError): void;
  /** Whether the connection was opened before a change was refused, on it or on another. */
  isOutdated(connection: object): boolean;
}

/**
 * Watches the connections of a pool. The name of the server, or its address, may lead to another one since a change was
 * refused, but connections stay where they are, and under traffic they are never idle for long enough to be closed.
 */
export function watchForReadOnlyServer(): ReadOnlyWatch {
  const openedAt = new WeakMap<object, number>();
  let refusedAt = Number.NEGATIVE_INFINITY;
  /** Connections that were opened before are to be replaced. */
  let outdatedBefore = Number.NEGATIVE_INFINITY;
  return {
    noteOpened(connection) {
      openedAt.set(connection, performance.now());
    },
    noteError(error) {
      if (isReadOnlyError(error)) refusedAt = performance.now();
    },
    isOutdated(connection) {
      if (refusedAt > outdatedBefore && performance.now() - outdatedBefore >= replaceEveryMs)
        outdatedBefore = refusedAt;
      return (openedAt.get(connection) ?? 0) < outdatedBefore;
    },
  };
}
