import type { Request, Response } from 'express';
import { isLoopback } from '../../network.js';

/** The name of the session cookie; browsers accept the prefix from the host itself only, with `Secure` and `Path=/`. */
export const secureCookieName = '__Host-coursectl';

/** The name on plain HTTP, where browsers accept no `Secure` cookies. */
const plainCookieName = 'coursectl';

/** Whether the client's browser accepts `Secure` cookies in the response: Chromium and Firefox do from loopback hosts, also on plain HTTP. */
function acceptsSecure(request: Request): boolean {
  // A request of HTTP/1.0 has no host, whatever Express's type says.
  const hostname: string | undefined = request.hostname;
  return request.secure || isLoopback(hostname ?? '');
}

/** The longest origin: a scheme, a host name of DNS and a port. */
const longestOrigin = 'https://'.length + 253 + ':65535'.length;

/**
 * The origin of a URL, of which no more is parsed: letters beyond ASCII, in names or in escapes, cost much.
 * @returns nothing for what browsers don't send as `Origin` or `Referer`
 */
function originOf(url: string): URL | undefined {
  const [origin = ''] = /^https?:\/\/[^/?#]*/.exec(url.slice(0, longestOrigin + 1)) ?? [];
  return origin.length <= longestOrigin && URL.canParse(origin) ? new URL(origin) : undefined;
}

/** Whether a URL has the host of the request, and its scheme if that is known. */
function isOwnOrigin(request: Request, url: string | undefined): boolean {
  const origin = url === undefined ? undefined : originOf(url);
  // A request of HTTP/1.0 has no host, whatever Express's type says.
  const own: string | undefined = request.host;
  if (!origin || !own) return false;
  const { protocol, host } = origin;
  // A proxy that TRUST_PROXY doesn't name may speak TLS with the client.
  const isOwnScheme = protocol === 'https:' || (protocol === 'http:' && !request.secure);
  return isOwnScheme && host === own.toLowerCase();
}

/**
 * Whether a page of this very origin has sent the request. `SameSite` alone admits pages of other ports and of other hosts of
 * the same site. Browsers set `Sec-Fetch-Site` and let no page change it; on plain HTTP they leave it out, except for loopback
 * hosts. There `Origin` decides, or `Referer` where browsers send no `Origin`: with GET of the same origin. A method that
 * changes data also needs `X-Requested-With`, which a page of another origin can't send without a preflight.
 */
export function isFromOwnPage(request: Request): boolean {
  const { 'sec-fetch-site': site, origin, referer } = request.headers;
  const isOwn = site === undefined ? isOwnOrigin(request, origin ?? referer) : site === 'same-origin';
  const changesData = request.method !== 'GET' && request.method !== 'HEAD';
  return isOwn && (!changesData || request.headers['x-requested-with'] !== undefined);
}

/**
 * The value of a cookie. Only what browsers send: `name=value` pairs between `; `. Other white space isn't trimmed, because
 * a page of a sibling domain may set a cookie whose name differs from a prefixed one in that only.
 * @returns nothing if there are two: one of them may be set by a page of another port or domain
 */
function cookieValue(header: string, name: string): string | undefined {
  const values = header.split(/; ?/).filter((pair) => pair.startsWith(`${name}=`));
  const [only, ...others] = values.map((pair) => pair.slice(name.length + 1));
  return others.length === 0 && only !== '' ? only : undefined;
}

/** The session cookie of a request and its response. */
export interface SessionCookie {
  /** The token; absent also when the cookie may not be honoured: see {@link isFromOwnPage}. */
  readonly token: string | undefined;
  /** Sets the cookie in the response. It ends with the browser. */
  set(token: string): void;
  /** Removes the cookie from the browser. */
  clear(): void;
}

/** The session cookie of the web console. */
export function sessionCookie(request: Request, response: Response): SessionCookie {
  const nameOf = (isSecure: boolean) => (isSecure ? secureCookieName : plainCookieName);
  function send(value: string, more: string): void {
    const isSecure = acceptsSecure(request);
    const flags = `Path=/; HttpOnly; ${isSecure ? 'Secure; ' : ''}SameSite=Strict${more}`;
    response.setHeader('Set-Cookie', `${nameOf(isSecure)}=${value}; ${flags}`);
  }
  return {
    get token() {
      const { cookie } = request.headers;
      if (cookie === undefined || !isFromOwnPage(request)) return undefined;
      return cookieValue(cookie, nameOf(acceptsSecure(request)));
    },
    set: (token) => void send(token, ''),
    clear: () => void send('', '; Max-Age=0'),
  };
}
