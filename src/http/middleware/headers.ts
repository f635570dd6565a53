import { IncomingMessage, type OutgoingHttpHeader, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import cors from 'cors';
import type { Request, RequestHandler, Response } from 'express';
import helmet from 'helmet';

/** Names and values of headers. */
export type Headers = readonly (readonly [name: string, value: OutgoingHttpHeader])[];

/**
 * The headers that a middleware of a library gives to a GET request without headers. One that gives the same to every such
 * request need only be asked once.
 */
export function headersOf(middleware: RequestHandler): Headers {
  const request = new IncomingMessage(new Socket());
  request.method = 'GET';
  const response = new ServerResponse(request);
  // It needs no more of Express than what it extends.
  middleware(request as Request, response as Response, () => undefined);
  return response.getHeaderNames().map((name) => [name, response.getHeader(name) ?? '']);
}

/** Sets headers of a response. */
function setHeaders(response: ServerResponse, headers: Headers): void {
  for (const [name, value] of headers)
    response.setHeader(name, typeof value === 'number' || typeof value === 'string' ? value : [...value]);
}

/**
 * Tells browsers that responses are no pages, may not be framed, and have the declared type; and caches on the way that
 * they belong to one caller, so none may keep them.
 */
export function securityHeaders(): RequestHandler {
  const middleware = helmet({
    // Pages say what they need themselves.
    contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
    // Web clients of other origins are let in by CORS; images say so themselves.
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

/** The preflight of section 4.1 of the specification, and the same allowances on the real request. */
export function corsMiddleware(allowedOrigins: readonly string[]): RequestHandler {
  const corsOptions = {
    origin: [...allowedOrigins],
    methods: 'GET, POST, PUT, DELETE, OPTIONS',
    allowedHeaders: 'Content-Type, Authorization, X-Requested-With',
    credentials: true,
    optionsSuccessStatus: 200,
  };
  // The specification lists a preflight's headers, and browsers look for this one on the real response only.
  const preflight = cors(corsOptions);
  const actual = cors({ ...corsOptions, exposedHeaders });
  // To clients that are no browsers, or are of this origin, it says the same every time.
  const withoutOrigin = headersOf(actual);
  return (request, response, next) => {
    if (request.method === 'OPTIONS') return preflight(request, response, next);
    if (request.headers.origin !== undefined) return actual(request, response, next);
    setHeaders(response, withoutOrigin);
    next();
  };
}
