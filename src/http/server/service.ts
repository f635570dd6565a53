import type { AppError } from '../../errors.js';
import type { AdmissionFigures } from './admission.js';
import type { Surroundings } from './router.js';
import type { WaitingRequests } from './waiting-requests.js';

/** The service around the API. */
export interface Service extends Surroundings {
  /** Whether the server has stopped taking new work. */
  isDraining(): boolean;
  /** Why it can't serve anything yet; absent once it can. */
  notReady(): AppError | undefined;
  /** What is going on; nothing where nobody counts. */
  load?(): Load;
  /** There is a new import in the queue. */
  wakeImports(): void;
  /** Does not stop before this is done, though the answer to which it belongs is on its way. */
  await(work: Promise<void>): Promise<void>;
}

/** What a service is doing. */
export interface Load extends AdmissionFigures {
  waiting: ReturnType<WaitingRequests['figures']>;
  connections: number;
}
