import type { AdmissionFigures } from './admission.js';
import type { WaitingRequests } from './waiting-requests.js';

/** The current load of a service. */
export interface Load extends AdmissionFigures {
  waiting: ReturnType<WaitingRequests['figures']>;
  connections: number;
}
