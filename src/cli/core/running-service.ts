import type { Config } from '../../config/config.js';
import { localUrl } from '../../network.js';

const answerTimeoutMs = 2000;

/** Returns the URL of the coursectl service at HOST and PORT on this machine, or undefined without a service. */
export async function runningService({ http }: Pick<Config, 'http'>): Promise<string | undefined> {
  // With port 0, the system chooses a new port at each start.
  if (http.port === 0) return undefined;
  const url = localUrl(http.host, http.port);
  try {
    const answer = await fetch(`${url}/api/auth/me`, { signal: AbortSignal.timeout(answerTimeoutMs) });
    await answer.body?.cancel();
    // Requests without a token always get this header from coursectl, in every state of the service.
    return answer.headers.has('Error-Code') ? url : undefined;
  } catch {
    // No server, no HTTP or no response: no coursectl service.
    return undefined;
  }
}
