import { randomUUID } from 'node:crypto';
import type { Request, RequestHandler, Response } from 'express';
import type { Logger } from '../../logger.js';
import type { Operation } from '../api/operation.js';
import { contract } from '../api/operations/contract.js';
import { isProbe } from '../overload/requests.js';

/** How paths begin whose end is a secret, after `/api`: the console has pages at some of these. And what stands for the end. */
const secretPaths = Object.values<Operation>(contract).flatMap(({ path, secretPath }) => {
  const secret = path.indexOf(':');
  return secretPath ? [{ beginning: path.slice('/api'.length, secret), pattern: path.slice(secret) }] : [];
});

/** Letters and marks that may be written as escapes; what is no escape stays, as anybody can send it. */
const withoutEscapes = (path: string): string =>
  path.replace(/%([0-7][0-9a-f])/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));

/** Also where no operation has the path, because it was mistyped or the service isn't ready. */
function loggedPath(url: string): string {
  const [path = ''] = url.split('?');
  const plain = withoutEscapes(path);
  for (const { beginning, pattern } of secretPaths) {
    const at = plain.toLowerCase().indexOf(beginning);
    if (at >= 0) return plain.slice(0, at + beginning.length) + pattern;
  }
  return path;
}

/** What the log says of a request: neither headers nor bodies, and no query, as a search term may be a person's name. */
export function describeRequest(request: Request, response: Response): object {
  return {
    id: response.getHeader('X-Request-Id'),
    method: request.method,
    path: loggedPath(request.originalUrl),
  };
}

/**
 * Gives each request an id, answered as `X-Request-Id`, and logs a line when it is done; one whose response wasn't sent whole is
 * `aborted`, and has a status only if its client was sent that. Health checks are logged at debug
 * level: they come every few seconds. Written here, because every request pays for it: `pino-http` makes a logger for each
 * and looks in each line for secrets, of which these have none.
 */
export function requestLog(logger: Logger): RequestHandler {
  const lines = logger.child({}, { redact: [] });
  return (request, response, next) => {
    const startedAt = performance.now();
    response.setHeader('X-Request-Id', randomUUID());
    response.once('close', () => {
      const isAborted = !response.writableFinished;
      const status = isAborted && !response.headersSent ? undefined : response.statusCode;
      // Set when the caller is known.
      const { userId }: { userId?: string } = response.locals;
      const line = {
        req: describeRequest(request, response),
        ...(status !== undefined && { res: { status } }),
        ...(isAborted && { aborted: true }),
        responseTime: Math.round(performance.now() - startedAt),
        ...(userId !== undefined && { userId }),
      };
      // The error handler logs the error itself, once.
      const hasFailed = status !== undefined && status >= 500;
      const message = hasFailed ? 'request failed' : isAborted ? 'request aborted' : 'request';
      if (isProbe(request.originalUrl) && !hasFailed) lines.debug(line, message);
      else lines.info(line, message);
    });
    next();
  };
}
