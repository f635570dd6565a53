import cors from 'cors';
import type { RequestHandler } from 'express';
import { headersOf, setHeaders } from './constant-headers.js';

/** Response headers that browsers hide from other origins unless they are listed here. */
const exposedHeaders = [
  'Accept-Ranges',
  'Content-Disposition',
  'Content-Range',
  'ETag',
  'Location',
  'Retry-After',
  'WWW-Authenticate',
  'X-Request-Id',
].join(', ');

/** The preflight of section 4.1 of the specification, and the same allowances on the real request. */
export function corsMiddleware(allowedOrigins: readonly string[]): RequestHandler {
  const allowances = {
    origin: [...allowedOrigins],
    methods: 'GET, POST, PUT, DELETE, OPTIONS',
    allowedHeaders: 'Content-Type, Authorization, X-Requested-With',
    credentials: true,
    optionsSuccessStatus: 200,
  };
  // The specification lists a preflight's headers, and browsers look for this one on the real answer only.
  const preflight = cors(allowances);
  const real = cors({ ...allowances, exposedHeaders });
  // To clients that are no browsers, or are of this origin, it says the same every time.
  const withoutOrigin = headersOf(real);
  return (request, response, next) => {
    if (request.method === 'OPTIONS') return preflight(request, response, next);
    if (request.headers.origin !== undefined) return real(request, response, next);
    setHeaders(response, withoutOrigin);
    next();
  };
}
