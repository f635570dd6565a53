import type { AppError } from '../../errors.js';
import type { AdmissionFigures } from './admission.js';
import type { RequestControl } from './respond.js';
import type { WaitingRequests } from './waiting-requests.js';

/** What the API may ask of the server that it runs in, and tell it. */
export interface ServerHandle extends RequestControl {
  /** Whether the server has stopped taking new work. */
  isDraining(): boolean;
  /** Why it can't serve anything yet; absent once it can. */
  notReady(): AppError | undefined;
  /** The current load; absent without a server. */
  load?(): Load;
  /** There is a new import in the queue. */
  wakeImports(): void;
  /** Does not stop before this is done, though the answer to which it belongs is on its way. */
  await(work: Promise<void>): Promise<void>;
}

/** The current load of a service. */
export interface Load extends AdmissionFigures {
  waiting: ReturnType<WaitingRequests['figures']>;
  connections: number;
}
