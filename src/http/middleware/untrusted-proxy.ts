import type { RequestHandler } from 'express';
import { createUntrustedProxyNotes } from '../../services/auth/untrusted-proxy.js';
import type { Core } from '../../services/core.js';

/** Notices that a proxy which TRUST_PROXY doesn't name says whom it speaks for. */
export function untrustedProxy(core: Core): RequestHandler {
  const note = createUntrustedProxyNotes(core);
  return (request, _response, next) => {
    const { remoteAddress } = request.socket;
    // Made by Express of the setting.
    const isTrusted = request.app.get('trust proxy fn') as (address: string, hop: number) => boolean;
    if (request.headers['x-forwarded-for'] !== undefined && remoteAddress !== undefined && !isTrusted(remoteAddress, 0))
      void note(remoteAddress);
    next();
  };
}
