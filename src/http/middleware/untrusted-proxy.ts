import type { RequestHandler } from 'express';
import { createUntrustedProxyNotes } from '../../services/auth/untrusted-proxy.js';
import type { Core } from '../../services/core.js';
import { trustOf } from '../server/client.js';

/** Notices that a proxy which TRUST_PROXY doesn't name says whom it speaks for. */
export function untrustedProxy(core: Core): RequestHandler {
  const note = createUntrustedProxyNotes(core);
  return (request, _response, next) => {
    const { remoteAddress } = request.socket;
    const isTrusted = trustOf(request.app);
    if (request.headers['x-forwarded-for'] !== undefined && remoteAddress !== undefined && !isTrusted(remoteAddress, 0))
      void note(remoteAddress);
    next();
  };
}
