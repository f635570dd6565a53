import type { AppError } from '../../errors.js';
import type { Load, Metrics } from './metrics.js';
import type { RequestControl } from './respond.js';

/** What the API may ask of the server that it runs in, and tell it. */
export interface ServerHandle extends RequestControl {
  /** Whether the server has stopped taking new work. */
  isDraining(): boolean;
  /** Whether only this machine reaches it. */
  listensOnLoopback(): boolean;
  /** Why it can't serve anything yet; absent once it can. */
  notReadyError(): AppError | undefined;
  /** The current load; absent without a server. */
  load?(): Load;
  /** The server's figures; absent without a server. */
  metrics?: Metrics;
  /** There is a new import in the queue. */
  wakeImports(): void;
  /** Does not stop before this is done, though the answer to which it belongs is on its way. */
  finishBeforeShutdown(work: Promise<void>): Promise<void>;
}
