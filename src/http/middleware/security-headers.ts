import type { RequestHandler } from 'express';
import helmet from 'helmet';

/** What browsers are told of every answer: it is no page, nobody may frame it, and nothing is guessed about it. */
export function securityHeaders(): RequestHandler {
  return helmet({
    // Pages say what they need themselves.
    contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
    // Web clients of other origins are let in by CORS; pictures say so themselves.
    crossOriginResourcePolicy: { policy: 'same-origin' },
    xFrameOptions: { action: 'deny' },
  });
}
