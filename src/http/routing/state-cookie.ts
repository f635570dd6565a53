import type { Request, Response } from 'express';
import { cookieValue } from './session-cookie.js';

const name = '__Host-coursectl-oidc';

/** Lifetime of the cookie, in seconds: enough to sign in at the organisation, also with a second factor. */
const stateSeconds = 10 * 60;

/** Cookie of a browser that is at the organisation's sign-in. A second sign-in replaces the first one. */
export interface StateCookie {
  set(state: string): void;
  /** Returns the state and removes it from the browser; undefined without a state. */
  take(): string | undefined;
}

/**
 * `Lax`, because the browser returns from another site. Always `Secure`: the organisation's sign-in needs `PUBLIC_URL`,
 * which has https or the name of this machine.
 */
const flags = 'Path=/; HttpOnly; Secure; SameSite=Lax';

export const stateCookie = (request: Request, response: Response): StateCookie => ({
  set: (state) => void response.append('Set-Cookie', `${name}=${state}; ${flags}; Max-Age=${stateSeconds}`),
  take() {
    response.append('Set-Cookie', `${name}=; ${flags}; Max-Age=0`);
    return cookieValue(request.headers.cookie ?? '', name);
  },
});
