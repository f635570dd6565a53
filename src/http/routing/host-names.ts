import type { RequestHandler } from 'express';
import type { Config } from '../../config/config.js';
import { AppError } from '../../errors.js';
import { isLoopback, localUrl } from '../../network.js';
import type { ServerHandle } from './server-handle.js';

/** The host name of a `Host` header, without port, in lower case. */
const nameOf = (host: string): string => host.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '');

/** The host in a target such as `http://example.org/api`, which a server heeds instead of the header (RFC 9112, section 3.2.2). */
const hostOfTarget = (target: string): string => /^[a-z][a-z\d+.-]*:\/\/([^/?#]*)/i.exec(target)?.[1] ?? '';

/**
 * Refuses foreign host names while only this machine reaches the service, without a proxy. The name of a hostile page may resolve
 * to 127.0.0.1 by now; browsers then count the service as part of that page (DNS rebinding). Programs that name no host are no
 * browsers.
 * @throws AppError `HOST_UNKNOWN`
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
