import { randomUUID } from 'node:crypto';
import type { Request, RequestHandler, Response } from 'express';
import type { Logger } from '../../logger.js';
import { isProbe } from '../server/probes.js';

/** What the log says of a request: neither headers nor bodies, and no query, as a search term may be a person's name. */
export function describeRequest(request: Request, response: Response): object {
  return {
    id: response.getHeader('X-Request-Id'),
    method: request.method,
    path: request.originalUrl.split('?')[0],
  };
}

/**
 * Gives each request an id, answered as `X-Request-Id`, and logs a line when it is done. Health checks are logged at debug
 * level: they come every few seconds. Written here, because every request pays for it: `pino-http` makes a logger for each
 * and looks in each line for secrets, of which these have none.
 */
export function requestLog(logger: Logger): RequestHandler {
  const lines = logger.child({}, { redact: [] });
  return (request, response, next) => {
    const startedAt = performance.now();
    response.setHeader('X-Request-Id', randomUUID());
    response.once('close', () => {
      const status = response.statusCode;
      // Set when the caller is known.
      const { userId }: { userId?: string } = response.locals;
      const line = {
        req: describeRequest(request, response),
        res: { status },
        responseTime: Math.round(performance.now() - startedAt),
        ...(userId !== undefined && { userId }),
      };
      // The error handler logs the error itself, once.
      const message = status >= 500 ? 'request failed' : 'request';
      if (isProbe(request.originalUrl) && status < 500) lines.debug(line, message);
      else lines.info(line, message);
    });
    next();
  };
}
