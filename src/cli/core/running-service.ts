import type { Config } from '../../config/config.js';
import { localUrl } from '../../network.js';

/** How long a service may take to answer, in milliseconds. */
const longestAnswerMs = 2000;

/** The URL of the coursectl service that answers at HOST and PORT of this machine, if there is one. */
export async function runningService({ http }: Pick<Config, 'http'>): Promise<string | undefined> {
  // The system chooses another port at each start.
  if (http.port === 0) return undefined;
  const url = localUrl(http.host, http.port);
  try {
    const answer = await fetch(`${url}/api/auth/me`, { signal: AbortSignal.timeout(longestAnswerMs) });
    await answer.body?.cancel();
    // Without a token each state of the service has an answer with this header.
    return answer.headers.has('Error-Code') ? url : undefined;
  } catch {
    // No server, no HTTP or no answer: not this program.
    return undefined;
  }
}
