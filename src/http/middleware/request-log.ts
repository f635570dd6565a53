import { randomUUID } from 'node:crypto';
import type { Request, RequestHandler, Response } from 'express';
import type { Logger } from '../../logger.js';
import type { Operation } from '../api/operation.js';
import { contract } from '../api/operations/contract.js';
import { isProbe } from '../overload/requests.js';

/**
 * Beginnings of paths with a secret, without `/api` because pages of the console have the same paths. In the log, `pattern`
 * replaces the secret.
 */
const secretPaths = Object.values<Operation>(contract).flatMap(({ path, secretPath }) => {
  const secret = path.indexOf(':');
  return secretPath ? [{ beginning: path.slice('/api'.length, secret), pattern: path.slice(secret) }] : [];
});

/** Decodes escapes of ASCII characters, and leaves malformed escapes. */
const withoutEscapes = (path: string): string =>
  path.replace(/%([0-7][0-9a-f])/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));

/** Removes secrets from a path, even if no operation has exactly this path, because the path may have a typing error. */
function loggedPath(url: string): string {
  const [path = ''] = url.split('?');
  const plain = withoutEscapes(path);
  for (const { beginning, pattern } of secretPaths) {
    const at = plain.toLowerCase().indexOf(beginning);
    if (at >= 0) return plain.slice(0, at + beginning.length) + pattern;
  }
  return path;
}

/** Returns the fields of a request for the log, without headers, body and query. A query may contain a person's name. */
export function describeRequest(request: Request, response: Response): object {
  return {
    id: response.getHeader('X-Request-Id'),
    method: request.method,
    path: loggedPath(request.originalUrl),
  };
}

/**
 * Creates a middleware that gives each request an id (`X-Request-Id`), and logs one line at its end. If the response wasn't
 * sent completely, the line has `aborted`, and a status only if the client received one. Health checks are logged at debug
 * level, because they come every few seconds. Replaces `pino-http`, which creates a logger for each request and searches
 * each line for secrets.
 */
export function requestLog(logger: Logger): RequestHandler {
  const lines = logger.child({}, { redact: [] });
  return (request, response, next) => {
    const startedAt = performance.now();
    response.setHeader('X-Request-Id', randomUUID());
    response.once('close', () => {
      const isAborted = !response.writableFinished;
      const status = isAborted && !response.headersSent ? undefined : response.statusCode;
      // Authentication sets `userId`.
      const { userId }: { userId?: string } = response.locals;
      const line = {
        req: describeRequest(request, response),
        ...(status !== undefined && { res: { status } }),
        ...(isAborted && { aborted: true }),
        responseTime: Math.round(performance.now() - startedAt),
        ...(userId !== undefined && { userId }),
      };
      // The error handler logs the error itself.
      const hasFailed = status !== undefined && status >= 500;
      const message = hasFailed ? 'request failed' : isAborted ? 'request aborted' : 'request';
      if (isProbe(request.originalUrl) && !hasFailed) lines.debug(line, message);
      else lines.info(line, message);
    });
    next();
  };
}
