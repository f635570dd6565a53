import cors from 'cors';
import type { RequestHandler } from 'express';

/** What a client of another origin could not read of an answer, were it not said that it may. */
const exposedHeaders = [
  ...['Accept-Ranges', 'Content-Disposition', 'Content-Range', 'ETag', 'Location'],
  ...['Retry-After', 'WWW-Authenticate', 'X-Request-Id'],
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
  return cors((request, callback) =>
    callback(null, request.method === 'OPTIONS' ? allowances : { ...allowances, exposedHeaders }),
  );
}
