import type { ServerResponse } from 'node:http';
import type { ErrorRequestHandler, Response } from 'express';
import { AppError, type ErrorCode } from '../../errors.js';
import type { FieldProblem } from '../../field-problem.js';
import type { Logger } from '../../logger.js';
import {
  codeHeader,
  type FailureResponse,
  failureResponses,
  publicCodeOf,
  publicMessage,
  serverError,
} from '../api/failures.js';
import type { Operation } from '../api/operation.js';
import { describeRequest } from '../middleware/request-log.js';

/** Converts errors of Express and its body parser; undefined for other errors. */
function fromFramework(error: unknown): AppError | undefined {
  if (error instanceof URIError) return new AppError('MALFORMED_URL', undefined, { cause: error });
  // Any value can be thrown, so both properties are checked before use.
  const { type, status } = (error ?? {}) as { type?: unknown; status?: unknown };
  switch (type) {
    case 'entity.parse.failed':
      return new AppError('MALFORMED_JSON', undefined, { cause: error });
    case 'entity.too.large':
      return new AppError('BODY_TOO_LARGE', undefined, { cause: error });
    case 'charset.unsupported':
      return new AppError('UNSUPPORTED_MEDIA_TYPE', 'Content-Type must be application/json in UTF-8.', {
        cause: error,
      });
    case 'encoding.unsupported':
      return new AppError('UNSUPPORTED_MEDIA_TYPE', 'Content-Encoding not supported.', { cause: error });
    case 'request.aborted':
    case 'request.size.invalid':
      return new AppError('BODY_INCOMPLETE', undefined, { cause: error });
    default:
      // Other errors with status 400 are compressed bodies that can't be unpacked.
      return status === 400 ? new AppError('MALFORMED_JSON', undefined, { cause: error }) : undefined;
  }
}

/** Cached field names of schemas, because `describe` takes longer than a validation. */
const fieldsOf = new WeakMap<object, ReadonlySet<string>>();

function hasField(schema: NonNullable<Operation['query']>, name: string): boolean {
  const fields = fieldsOf.get(schema) ?? new Set(Object.keys(schema.describe().keys));
  fieldsOf.set(schema, fields);
  return fields.has(name);
}

function locationOf(path: string, operation: Operation | undefined): 'body' | 'query' | 'params' {
  const key = path.split('.')[0] ?? '';
  const has = (schema: Operation['query']) => schema !== undefined && hasField(schema, key);
  if (has(operation?.params)) return 'params';
  return has(operation?.query) ? 'query' : 'body';
}

const describeProblem = ({ path, message, code, params = {} }: FieldProblem, operation: Operation | undefined) => ({
  type: 'field',
  path,
  location: locationOf(path, operation),
  msg: message,
  code,
  params,
});

function bodyOf(error: AppError, operation: Operation | undefined): object {
  if (error.code === 'VALIDATION') {
    return {
      errors: error.details.map((problem) => describeProblem(problem, operation)),
    };
  }
  return {
    error: publicMessage(error),
    ...(error.code === 'PASSWORD_CHANGE_REQUIRED' && { code: error.code }),
    ...(error.params && { params: error.params }),
  };
}

/**
 * Returns the challenge that every 401 needs (RFC 9110, section 11.6.1), with `error` only if a token was sent (RFC 6750,
 * section 3).
 */
function challenge({ status }: FailureResponse, code: ErrorCode): string | undefined {
  if (code === 'TOKEN_INVALID') return 'Bearer error="invalid_token"';
  return status === 401 ? 'Bearer' : undefined;
}

/** Interval of log lines about further failures of the same kind, in milliseconds. */
const failuresEveryMs = 1000;

/**
 * Logs the first failure of a kind with its request, then the number of further failures once a second. Under load, a line for
 * each failure would slow the service down further.
 */
function createFailureLog(logger: Logger): (code: ErrorCode, first: object) => void {
  const counts = new Map<ErrorCode, number>();
  /** `NOT_READY` is no fault: the service is starting or stopping. */
  const levelOf = (code: ErrorCode) => (code === 'NOT_READY' ? 'info' : 'error');
  function report(code: ErrorCode): void {
    const count = counts.get(code) ?? 0;
    counts.delete(code);
    if (count === 0) return;
    logger[levelOf(code)]({ code, count }, 'more requests failed likewise');
    watch(code);
  }
  function watch(code: ErrorCode): void {
    counts.set(code, 0);
    setTimeout(() => report(code), failuresEveryMs).unref();
  }
  return (code, first) => {
    const count = counts.get(code);
    if (count !== undefined) return void counts.set(code, count + 1);
    logger[levelOf(code)](first, 'request failed');
    watch(code);
  };
}

/** Responses with `OVERLOADED` because a client or an account has reached a limit. These are no failures of the service. */
const refusedByLimit = new WeakSet<ServerResponse>();

/** Whether the service failed to process the request. */
export const isServiceFailure = (response: ServerResponse): boolean =>
  response.statusCode >= 500 && !refusedByLimit.has(response);

/**
 * Creates the last middleware, which sends failures as JSON. Logs unknown errors completely, and sends only `Server error.`
 * to the client.
 */
export function createErrorHandler(logger: Logger): ErrorRequestHandler {
  const logFailure = createFailureLog(logger);
  // Express recognises an error handler by its four parameters.
  return (error: unknown, request, response: Response<object, { operation?: Operation }>, _next) => {
    const appError = error instanceof AppError ? error : fromFramework(error);
    const failure: FailureResponse = appError ? failureResponses[appError.code] : serverError;
    // Without a cause, OVERLOADED means a reached limit. With a cause, the database is overloaded.
    if (appError?.code === 'OVERLOADED' && appError.cause === undefined) refusedByLimit.add(response);
    // If work was stopped because the client left, the request log has the line already.
    const isAborted = response.destroyed && appError?.code === 'INTERRUPTED';
    if (failure.status >= 500 && !isAborted) {
      const reason =
        appError?.code === 'NOT_READY' ? { code: appError.code, reason: appError.message } : { err: error };
      const entry = { req: describeRequest(request, response), ...reason };
      if (appError) logFailure(appError.code, entry);
      else logger.error(entry, 'request failed');
    }
    // Ends the connection, so that the client doesn't take a partial response for a complete one.
    if (response.headersSent) return void response.destroy();
    // The handler may have set Cache-Control; an error must not be cached.
    response.setHeader('Cache-Control', 'no-store');
    response.setHeader(codeHeader, appError ? publicCodeOf(appError.code) : serverError.code);
    const authenticate = appError && challenge(failure, appError.code);
    if (authenticate) response.setHeader('WWW-Authenticate', authenticate);
    const retryAfter = appError?.retryAfter ?? failure.retryAfter;
    if (retryAfter !== undefined) response.setHeader('Retry-After', retryAfter);
    response
      .status(failure.status)
      .json(appError ? bodyOf(appError, response.locals.operation) : { error: serverError.message });
  };
}
