import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { Application, Request } from 'express';
import type { Client } from '../../services/core.js';

/** Length of an IPv4 address written as IPv6, the longest there is. */
const longestAddress = 45;

/** The client as it is recorded. Behind a proxy the address is whatever the header says: only a real one is kept. */
export function clientOf(request: Request): Client {
  const { ip = '' } = request;
  return {
    ip: isIP(ip) && ip.length <= longestAddress ? ip : null,
    userAgent: request.get('user-agent') ?? null,
  };
}

/** Whether an address is a trusted proxy's, so many steps from here. */
export type IsTrusted = (address: string, hop: number) => boolean;

/** What Express makes of TRUST_PROXY. */
export function trustOf(app: Application): IsTrusted {
  // A setting of Express may have any type: this one is always such a function.
  return app.get('trust proxy fn') as IsTrusted;
}

/**
 * The address of a client, as Express finds it, before Express has seen the request: the last one that isn't a trusted proxy's.
 * @param isProxy whether an address is trusted, so many steps from here
 */
export function addressOf({ socket, headers }: IncomingMessage, isProxy: IsTrusted): string {
  const { remoteAddress = '' } = socket;
  if (!isProxy(remoteAddress, 0)) return remoteAddress;
  const forwarded = [headers['x-forwarded-for'] ?? []].flat().join(',').split(',').reverse();
  let address = remoteAddress;
  for (const [index, text] of forwarded.entries()) {
    const named = text.trim();
    // A header that is broken off or empty says nothing.
    if (isIP(named) === 0) return address;
    address = named;
    if (!isProxy(address, index + 1)) return address;
  }
  return address;
}
