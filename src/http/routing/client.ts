import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { Application, Request } from 'express';
import type { Client } from '../../services/core.js';

/** Length of the longest address: IPv4 in IPv6 notation. */
const longestAddress = 45;

/**
 * Returns the client of a request, for sessions and the audit log. The header of a proxy may contain anything, so an
 * invalid address becomes null.
 */
export function clientOf(request: Request): Client {
  const { ip = '' } = request;
  return {
    ip: isIP(ip) && ip.length <= longestAddress ? ip : null,
    userAgent: request.get('user-agent') ?? null,
  };
}

/** Whether an address is a trusted proxy. @param hop number of proxies between the address and this server */
export type IsTrusted = (address: string, hop: number) => boolean;

/** Returns Express' trust function for TRUST_PROXY. */
export function trustOf(app: Application): IsTrusted {
  // Settings of Express have the type `any`; this setting is always a function.
  return app.get('trust proxy fn') as IsTrusted;
}

/**
 * Returns the address of a client: the last one that isn't a trusted proxy. Does the same as Express, but before Express gets
 * the request.
 */
export function addressOf({ socket, headers }: IncomingMessage, isProxy: IsTrusted): string {
  const { remoteAddress = '' } = socket;
  if (!isProxy(remoteAddress, 0)) return remoteAddress;
  const forwarded = [headers['x-forwarded-for'] ?? []].flat().join(',').split(',').reverse();
  let address = remoteAddress;
  for (const [index, text] of forwarded.entries()) {
    const candidate = text.trim();
    // Ignores the rest of an incomplete or empty header.
    if (isIP(candidate) === 0) return address;
    address = candidate;
    if (!isProxy(address, index + 1)) return address;
  }
  return address;
}
