import type { RequestHandler } from 'express';
import helmet from 'helmet';
import { headersOf, setHeaders } from './constant-headers.js';

/**
 * Tells browsers that responses are no pages, may not be framed, and have the declared type; and caches on the way that
 * they belong to one caller, so none may keep them.
 */
export function securityHeaders(): RequestHandler {
  const middleware = helmet({
    // Pages say what they need themselves.
    contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
    // Web clients of other origins are let in by CORS; pictures say so themselves.
    crossOriginResourcePolicy: { policy: 'same-origin' },
    xFrameOptions: { action: 'deny' },
  });
  const headers = [...headersOf(middleware), ['Cache-Control', 'no-store']] as const;
  return (_request, response, next) => {
    setHeaders(response, headers);
    next();
  };
}
