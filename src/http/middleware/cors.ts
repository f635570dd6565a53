import cors from 'cors';
import type { RequestHandler } from 'express';

/** The preflight of section 4.1 of the specification, and the same allowances on the real request. */
export function corsMiddleware(allowedOrigins: readonly string[]): RequestHandler {
  return cors({
    origin: [...allowedOrigins],
    methods: 'GET, POST, PUT, DELETE, OPTIONS',
    allowedHeaders: 'Content-Type, Authorization, X-Requested-With',
    credentials: true,
    optionsSuccessStatus: 200,
  });
}
