import { isIP } from 'node:net';
import type { Request } from 'express';
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
