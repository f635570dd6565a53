import type { Request, Response } from 'express';
import { isLoopback } from '../../network.js';

/** Name of the session cookie. Browsers accept this prefix only with `Secure`, `Path=/` and from the host itself. */
export const secureCookieName = '__Host-coursectl';

/** Name on plain HTTP, because browsers refuse `Secure` cookies there. */
const plainCookieName = 'coursectl';

/** Whether the browser accepts `Secure` cookies. Chromium and Firefox accept them from loopback hosts also on plain HTTP. */
function acceptsSecure(request: Request): boolean {
  // A request of HTTP/1.0 has no host, whatever Express's type says.
  const hostname: string | undefined = request.hostname;
  return request.secure || isLoopback(hostname ?? '');
}

/** Maximum length of an origin: a scheme, a DNS host name and a port. */
const longestOrigin = 'https://'.length + 253 + ':65535'.length;

/**
 * Parses the origin of a URL. Doesn't parse the rest, because letters beyond ASCII and escapes cost much time.
 * @returns undefined for values that browsers don't send as `Origin` or `Referer`
 */
function originOf(url: string): URL | undefined {
  const [origin = ''] = /^https?:\/\/[^/?#]*/.exec(url.slice(0, longestOrigin + 1)) ?? [];
  return origin.length <= longestOrigin && URL.canParse(origin) ? new URL(origin) : undefined;
}

/** Whether a URL has the host of the request, and its scheme if the scheme is known. */
function isOwnOrigin(request: Request, url: string | undefined): boolean {
  const origin = url === undefined ? undefined : originOf(url);
  // A request of HTTP/1.0 has no host, whatever Express's type says.
  const ownHost: string | undefined = request.host;
  if (!origin || !ownHost) return false;
  const { protocol, host } = origin;
  // Always accepts https, because a proxy that isn't in TRUST_PROXY may speak TLS with the client.
  const isOwnScheme = protocol === 'https:' || (protocol === 'http:' && !request.secure);
  return isOwnScheme && host === ownHost.toLowerCase();
}

/**
 * Whether a page of the same origin has sent the request. `SameSite` alone admits pages of other ports, and of other hosts
 * of the same site. Browsers set `Sec-Fetch-Site`, and pages can't change it. On plain HTTP, browsers omit it, except for
 * loopback hosts. In that case, `Origin` must match. Without `Origin`, `Referer` must match, because browsers omit `Origin`
 * for GET of the same origin. Methods that change data also need `X-Requested-With`, which a page of another origin can't
 * send without a preflight.
 */
export function isFromOwnPage(request: Request): boolean {
  const { 'sec-fetch-site': site, origin, referer } = request.headers;
  const isOwn = site === undefined ? isOwnOrigin(request, origin ?? referer) : site === 'same-origin';
  const changesData = request.method !== 'GET' && request.method !== 'HEAD';
  return isOwn && (!changesData || request.headers['x-requested-with'] !== undefined);
}

/**
 * Returns the value of a cookie. Accepts only the format of browsers: `name=value` pairs with `; ` between them. Doesn't trim
 * other white space, because a page of a sibling domain may set a cookie whose name differs only in white space.
 * @returns undefined for two cookies of this name, because a page of another port or domain may have set one of them
 */
export function cookieValue(header: string, name: string): string | undefined {
  const values = header.split(/; ?/).filter((pair) => pair.startsWith(`${name}=`));
  const [only, ...others] = values.map((pair) => pair.slice(name.length + 1));
  return others.length === 0 && only !== '' ? only : undefined;
}

/** Session cookie of the web console, in a request and its response. */
export interface SessionCookie {
  /** The token; undefined without a cookie, and if the request is from another page: see {@link isFromOwnPage}. */
  readonly token: string | undefined;
  /** Sets the cookie in the response. The cookie ends with the browser session. */
  set(token: string): void;
  /** Removes the cookie from the browser. */
  clear(): void;
}

export function sessionCookie(request: Request, response: Response): SessionCookie {
  const nameOf = (isSecure: boolean) => (isSecure ? secureCookieName : plainCookieName);
  function send(value: string, attributes: string): void {
    const isSecure = acceptsSecure(request);
    const flags = `Path=/; HttpOnly; ${isSecure ? 'Secure; ' : ''}SameSite=Strict${attributes}`;
    response.append('Set-Cookie', `${nameOf(isSecure)}=${value}; ${flags}`);
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
