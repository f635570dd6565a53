import type { RequestHandler } from 'express';
import type { Config } from '../../config/config.js';
import { AppError } from '../../errors.js';
import { isLoopback, localUrl } from '../../network.js';
import type { ServerHandle } from './server-handle.js';

/** Returns the host name of a `Host` header, without port, in lower case. */
const nameOf = (host: string): string => host.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '');

/** Returns the host in a target such as `http://example.org/api`, which overrides the header (RFC 9112, section 3.2.2). */
const hostOfTarget = (target: string): string => /^[a-z][a-z\d+.-]*:\/\/([^/?#]*)/i.exec(target)?.[1] ?? '';

/**
 * Creates a middleware that refuses unknown host names if the service listens on the loopback interface without a proxy.
 * The host name of a hostile page may resolve to 127.0.0.1, and browsers then treat the service as part of that page (DNS
 * rebinding). Requests without a host are allowed, because browsers always send one. The middleware throws AppError
 * `HOST_UNKNOWN`.
 */
export function assertOwnHost({ http, mail }: Config, server: Pick<ServerHandle, 'listensOnLoopback'>): RequestHandler {
  const urls = [localUrl(http.host, http.port), mail.publicUrl ?? []].flat();
  const names = ['', ...urls.map((url) => nameOf(new URL(url).hostname))];
  const isOwn = (host: string) => isLoopback(nameOf(host)) || names.includes(nameOf(host));
  return ({ headers, originalUrl }, _response, next) => {
    const isKnown = isOwn(headers.host ?? '') && isOwn(hostOfTarget(originalUrl));
    if (!isKnown && http.trustProxy === false && server.listensOnLoopback()) throw new AppError('HOST_UNKNOWN');
    next();
  };
}
