import { IncomingMessage, type OutgoingHttpHeader, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import cors from 'cors';
import type { Request, RequestHandler, Response } from 'express';
import helmet from 'helmet';

export type Headers = readonly (readonly [name: string, value: OutgoingHttpHeader])[];

/**
 * Returns the response headers that a library's middleware sets for a GET request without headers. If the headers are the same
 * for every request, the middleware needs to run only once.
 */
export function headersOf(middleware: RequestHandler): Headers {
  const request = new IncomingMessage(new Socket());
  request.method = 'GET';
  const response = new ServerResponse(request);
  // These middlewares use only features of Node's own classes, so they don't need Express' objects.
  middleware(request as Request, response as Response, () => undefined);
  return response.getHeaderNames().map((name) => [name, response.getHeader(name) ?? '']);
}

function setHeaders(response: ServerResponse, headers: Headers): void {
  for (const [name, value] of headers)
    response.setHeader(name, typeof value === 'number' || typeof value === 'string' ? value : [...value]);
}

/**
 * Creates a middleware that sets headers for browsers: responses are not pages, may not be framed, and have the declared
 * type. Caches may not store responses, because responses belong to one caller.
 */
export function securityHeaders(): RequestHandler {
  const middleware = helmet({
    // Pages set their own policy.
    contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
    // CORS admits web clients of other origins; images set their own policy.
    crossOriginResourcePolicy: { policy: 'same-origin' },
    xFrameOptions: { action: 'deny' },
  });
  const headers = [...headersOf(middleware), ['Cache-Control', 'no-store']] as const;
  return (_request, response, next) => {
    setHeaders(response, headers);
    next();
  };
}

/** Response headers that browsers hide from other origins unless they are listed here. */
const exposedHeaders = [
  'Accept-Ranges',
  'Content-Disposition',
  'Content-Range',
  'ETag',
  'Error-Code',
  'Location',
  'Retry-After',
  'Seats-Being-Given',
  'WWW-Authenticate',
  'X-Request-Id',
].join(', ');

/**
 * Creates a middleware that responds to preflights (specification, section 4.1), and sets the same CORS headers on other
 * responses.
 */
export function corsMiddleware(allowedOrigins: readonly string[]): RequestHandler {
  const corsOptions = {
    origin: [...allowedOrigins],
    methods: 'GET, POST, PUT, DELETE, OPTIONS',
    allowedHeaders: 'Content-Type, Authorization, X-Requested-With',
    credentials: true,
    optionsSuccessStatus: 200,
  };
  // A preflight has only the headers of the specification; browsers need `exposedHeaders` only on the actual response.
  const preflight = cors(corsOptions);
  const actual = cors({ ...corsOptions, exposedHeaders });
  // Requests without `Origin` always get the same headers.
  const withoutOrigin = headersOf(actual);
  return (request, response, next) => {
    if (request.method === 'OPTIONS') return preflight(request, response, next);
    if (request.headers.origin !== undefined) return actual(request, response, next);
    setHeaders(response, withoutOrigin);
    next();
  };
}
