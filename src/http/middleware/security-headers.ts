import type { RequestHandler } from 'express';
import helmet from 'helmet';

/** Tells browsers that responses are no pages, may not be framed, and have the declared type. */
export function securityHeaders(): RequestHandler {
  return helmet({
    // Pages say what they need themselves.
    contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
    // Web clients of other origins are let in by CORS; pictures say so themselves.
    crossOriginResourcePolicy: { policy: 'same-origin' },
    xFrameOptions: { action: 'deny' },
  });
}
