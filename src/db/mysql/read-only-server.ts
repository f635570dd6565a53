/** Detects that a server has become read-only, such as the former primary after a planned switch-over. */

interface ServerError {
  errno?: number;
  message: string;
}

/** Error "The server is running with the ... option". Other options cause errors with the same number. */
const optionPreventsStatement = 1290;
const readOnlyMode = 1836;

function isReadOnlyError({ errno, message }: ServerError): boolean {
  return errno === readOnlyMode || (errno === optionPreventsStatement && /--(super-)?read-only\b/.test(message));
}

/**
 * Minimum milliseconds between two replacements of all connections. Otherwise a server that stays read-only would cause
 * replacements at every request.
 */
const replaceEveryMs = 1000;

/** Remembers when connections were opened, and when a server last refused a change because it is read-only. */
export interface ReadOnlyWatch {
  noteOpened(connection: object): void;
  /** Records a refused change; ignores other errors. */
  noteError(error: ServerError): void;
  /** Whether the connection was opened before a refusal, and must be replaced. */
  isOutdated(connection: object): boolean;
}

/**
 * Watches the connections of a pool. After a refused change, the server's address may lead to another server, so
 * existing connections are replaced. The pool alone closes only idle connections, and under traffic none is idle long enough.
 */
export function watchForReadOnlyServer(): ReadOnlyWatch {
  const openedAt = new WeakMap<object, number>();
  let refusedAt = Number.NEGATIVE_INFINITY;
  /** Connections opened before this time are replaced. */
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
