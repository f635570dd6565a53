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

/** Failures of Express and its body parser, which know no error codes of ours. */
function fromFramework(error: unknown): AppError | undefined {
  if (error instanceof URIError) return new AppError('MALFORMED_URL', undefined, { cause: error });
  // Anything can be thrown: both are looked at before they are used.
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
      // What is left with a status of 400 is a compressed body that can't be unpacked.
      return status === 400 ? new AppError('MALFORMED_JSON', undefined, { cause: error }) : undefined;
  }
}

/** The names of a schema's fields, looked up once: a schema takes longer to describe itself than to judge a request. */
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

/** Every 401 carries a challenge (RFC 9110, section 11.6.1); `error` only when a token was sent (RFC 6750, section 3). */
function challenge({ status }: FailureResponse, code: ErrorCode): string | undefined {
  if (code === 'TOKEN_INVALID') return 'Bearer error="invalid_token"';
  return status === 401 ? 'Bearer' : undefined;
}

/** How often it is logged that more requests failed likewise, in milliseconds. */
const failuresEveryMs = 1000;

/**
 * Logs the first failure of a kind, with its request, and then once a second how many more there were: under load a line each
 * would make it worse.
 */
function createFailureLog(logger: Logger): (code: ErrorCode, first: object) => void {
  const counts = new Map<ErrorCode, number>();
  /** A service that starts or stops has no fault. */
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

/** Responses that refuse a request because its own client or account has too many: they say nothing about the service. */
const refusedByLimit = new WeakSet<ServerResponse>();

/** Whether the service has failed to do what it was asked for. */
export const isServiceFailure = (response: ServerResponse): boolean =>
  response.statusCode >= 500 && !refusedByLimit.has(response);

/** The last middleware: every failure becomes JSON; an unknown one is logged whole and shown as `Server error.`. */
export function createErrorHandler(logger: Logger): ErrorRequestHandler {
  const logFailure = createFailureLog(logger);
  // Express recognises an error handler by its four parameters.
  return (error: unknown, request, response: Response<object, { operation?: Operation }>, _next) => {
    const known = error instanceof AppError ? error : fromFramework(error);
    const mapping: FailureResponse = known ? failureResponses[known.code] : serverError;
    // What the database caused names it.
    if (known?.code === 'OVERLOADED' && known.cause === undefined) refusedByLimit.add(response);
    // Work that was stopped because its client left: the line of the request says so.
    const isAborted = response.destroyed && known?.code === 'INTERRUPTED';
    if (mapping.status >= 500 && !isAborted) {
      const reason = known?.code === 'NOT_READY' ? { code: known.code, reason: known.message } : { err: error };
      const entry = { req: describeRequest(request, response), ...reason };
      if (known) logFailure(known.code, entry);
      else logger.error(entry, 'request failed');
    }
    // Too late for a response: the connection ends, so that the client can't take a half for the whole.
    if (response.headersSent) return void response.destroy();
    // The handler may have set Cache-Control; an error must not be cached.
    response.setHeader('Cache-Control', 'no-store');
    response.setHeader(codeHeader, known ? publicCodeOf(known.code) : serverError.code);
    const authenticate = known && challenge(mapping, known.code);
    if (authenticate) response.setHeader('WWW-Authenticate', authenticate);
    const retryAfter = known?.retryAfter ?? mapping.retryAfter;
    if (retryAfter !== undefined) response.setHeader('Retry-After', retryAfter);
    response
      .status(mapping.status)
      .json(known ? bodyOf(known, response.locals.operation) : { error: serverError.message });
  };
}
