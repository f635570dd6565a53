import type { AppError } from '../../errors.js';
import type { Load, Metrics } from './metrics.js';
import type { RequestControl } from './respond.js';

/** Interface of the API to its server. */
export interface ServerHandle extends RequestControl {
  /** Whether the server is shutting down. */
  isDraining(): boolean;
  /** Whether only this machine can reach the server. */
  listensOnLoopback(): boolean;
  /** Returns the reason why the server isn't ready; undefined once it is ready. */
  notReadyError(): AppError | undefined;
  /** The current load; absent without a server. */
  load?(): Load;
  /** The server's figures; absent without a server. */
  metrics?: Metrics;
  /** Tells the import worker about a new import in the queue. */
  wakeImports(): void;
  /** Delays the shutdown until work is done that continues after the end of its response. */
  finishBeforeShutdown(work: Promise<void>): Promise<void>;
}
