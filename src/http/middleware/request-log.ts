import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pinoHttp } from 'pino-http';
import type { Logger } from '../../logger.js';

/** The path without its query: a search term may be a person's name. */
const pathOf = (request: IncomingMessage) => request.url?.split('?')[0];

/**
 * Gives each request an id, answered as `X-Request-Id`, and logs a line when it is done: no headers, no bodies.
 * Health checks are logged at debug level: they come every few seconds.
 */
export function requestLog(logger: Logger) {
  return pinoHttp<IncomingMessage, ServerResponse>({
    logger,
    genReqId(_request, response) {
      const id = randomUUID();
      response.setHeader('X-Request-Id', id);
      return id;
    },
    wrapSerializers: false,
    serializers: {
      req: (request: IncomingMessage & { id: string }) => ({
        id: request.id,
        method: request.method,
        path: pathOf(request),
      }),
      res: (response: ServerResponse) => ({ status: response.statusCode }),
    },
    customLogLevel: (request, response) =>
      /^\/(health|ready)z/.test(request.url ?? '') && response.statusCode < 500 ? 'debug' : 'info',
    customSuccessMessage: () => 'request',
    customErrorMessage: () => 'request failed',
    // The error handler logs the error itself, once.
    customErrorObject: (_request, _response, _error, { res, responseTime }) => ({ res, responseTime }),
  });
}
