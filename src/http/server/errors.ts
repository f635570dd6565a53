import type { ServerResponse } from 'node:http';
import type { ErrorRequestHandler, Response } from 'express';
import { AppError, type ErrorCode } from '../../errors.js';
import type { FieldProblem } from '../../field-problem.js';
import type { Logger } from '../../logger.js';
import type { Operation } from '../api/operation.js';
import { describeRequest } from '../middleware/request-log.js';

interface Mapping {
  status: number;
  /** Told instead of the error's own code, where that speaks to operators. */
  code?: string;
  /** Said instead of the error's own message, where that speaks to operators. */
  message?: string;
  /** Seconds to wait before retrying. */
  retryAfter?: number;
}

const unavailable = {
  status: 503,
  code: 'UNAVAILABLE',
  message: 'The service is temporarily unavailable.',
  retryAfter: 5,
} as const;
/** What doesn't pass by itself: somebody must repair it. */
const serverError = { status: 500, code: 'SERVER_ERROR', message: 'Server error.' } as const;

/** What each failure is on the wire (specification, section 7). */
const mappings = {
  VALIDATION: { status: 400 },
  SETUP_COMPLETED: { status: 400 },
  EMAIL_TAKEN: { status: 400 },
  ALREADY_ENROLLED: { status: 400 },
  COURSE_NOT_PUBLISHED: { status: 400 },
  COURSE_FULL: { status: 400 },
  COURSE_IN_USE: { status: 400 },
  COURSE_QUOTA: { status: 400 },
  COURSE_LIMIT: { status: 400 },
  ACCOUNT_INACTIVE: { status: 400 },
  ACCOUNT_IN_USE: { status: 400 },
  STATUS_REFUSED: { status: 400 },
  STATUS_CHANGED: { status: 409 },
  REFERENCE_GONE: { status: 400 },
  PHONE_TAKEN: { status: 400 },
  SUPER_ADMIN_EXISTS: { status: 400 },
  SUPER_ADMIN_PROTECTED: { status: 400 },
  OWN_ACCOUNT: { status: 400 },
  NO_MATCHING_ACCOUNT: { status: 401 },
  WRONG_PASSWORD: { status: 401 },
  TOO_MANY_ATTEMPTS: { status: 429, retryAfter: 60 },
  CURRENT_PASSWORD_INCORRECT: { status: 400 },
  PASSWORD_CHANGE_NOT_REQUIRED: { status: 400 },
  PASSWORD_CHANGE_REQUIRED: { status: 403 },
  TOKEN_MISSING: { status: 401 },
  TOKEN_INVALID: { status: 401 },
  SUPER_ADMIN_REQUIRED: { status: 403 },
  TRAINER_REQUIRED: { status: 403 },
  TRAINEE_REQUIRED: { status: 403 },
  OTHER_TRAINER: { status: 403 },
  ENROLLMENT_REQUIRED: { status: 403 },
  STATUS_NOT_FOR_TRAINEES: { status: 403 },
  OTHER_ORIGIN: { status: 403 },
  NOT_FOUND: { status: 404 },
  METHOD_NOT_ALLOWED: { status: 405 },
  MALFORMED_JSON: { status: 400 },
  MALFORMED_URL: { status: 400 },
  BODY_TOO_LARGE: { status: 413 },
  BODY_INCOMPLETE: { status: 400 },
  RANGE_NOT_SATISFIABLE: { status: 416 },
  UNSUPPORTED_MEDIA_TYPE: { status: 415 },
  OVERLOADED: { status: 503, message: 'The service is busy. Try again shortly.', retryAfter: 2 },
  NOT_READY: { status: 503, retryAfter: 2 },
  USAGE: serverError,
  CONFIG_INVALID: serverError,
  DATABASE_UNREACHABLE: unavailable,
  DATABASE_ACCESS_DENIED: unavailable,
  DATABASE_MISSING: unavailable,
  DATABASE_NOT_WRITABLE: unavailable,
  DATABASE_UNUSABLE: serverError,
  SCHEMA_OUTDATED: serverError,
  MIGRATION_LOCKED: unavailable,
  MIGRATION_FAILED: serverError,
  PORT_UNAVAILABLE: serverError,
  FILE_UNUSABLE: serverError,
  STORAGE_UNAVAILABLE: unavailable,
  IMPORT_FILE_INVALID: { status: 400 },
  IMPORT_CONFLICT: { status: 400 },
  IMPORT_AT_TERMINAL: { status: 400 },
  IMPORT_BUSY: { status: 400 },
  IMPORT_HAS_ROWS: { status: 400 },
  IMPORT_ROWS_DELETED: { status: 400 },
  PLAN_EXPIRED: { status: 400 },
  IMPORT_REFUSED: { status: 400 },
  PLAN_OUTDATED: { status: 409 },
  PLAN_LIMIT: { status: 400 },
  CREDENTIALS_FETCHED: { status: 410 },
  PHONES_BEING_REKEYED: unavailable,
  RETENTION_RUNNING: unavailable,
  DISK_FULL: { status: 507 },
  SEED_REFUSED: { status: 403 },
  DATABASE_NOT_EMPTY: { status: 409 },
  DECLINED: serverError,
  INTERRUPTED: unavailable,
} as const satisfies Record<ErrorCode, Mapping>;

/** What clients are told of a failure: its own code, or that of several which concern operators only. */
export type PublicCode = {
  [Code in ErrorCode]: (typeof mappings)[Code] extends { code: infer Public } ? Public : Code;
}[ErrorCode];

const mappingOf = (code: ErrorCode): Mapping => mappings[code];

/** The code that clients are told of a failure. */
export function publicCodeOf(code: ErrorCode): PublicCode {
  const mapping = mappings[code];
  // Where a mapping has no code, the failure's own is public.
  return 'code' in mapping ? mapping.code : (code as PublicCode);
}

/** The codes that clients can be told. */
export const publicCodes: readonly PublicCode[] = [
  // The keys of an object are its own, whatever TypeScript says of others.
  ...new Set((Object.keys(mappings) as ErrorCode[]).map(publicCodeOf)),
];

/** The header that names the code of a refusal: bodies of the specification have no room for it. */
export const codeHeader = 'Error-Code';

/** The status that a failure is answered with. */
export function statusOf(code: ErrorCode): number {
  return mappings[code].status;
}

/** Seconds to wait before retrying, for failures that pass. */
export function retryAfterOf(code: ErrorCode): number | undefined {
  return mappingOf(code).retryAfter;
}

/** The words that a failure is answered with, where the error says no more of its own. */
export function messageOf(code: ErrorCode): string {
  return mappingOf(code).message ?? new AppError(code).message;
}

/** What a client is told of a failure. */
export function publicMessage({ code, message }: AppError): string {
  return mappingOf(code).message ?? message;
}

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

const describedProblem = ({ path, message, code, params = {} }: FieldProblem, operation: Operation | undefined) => ({
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
      errors: error.details.map((problem) => describedProblem(problem, operation)),
    };
  }
  return {
    error: publicMessage(error),
    ...(error.code === 'PASSWORD_CHANGE_REQUIRED' && { code: error.code }),
    ...(error.params && { params: error.params }),
  };
}

/** Every 401 carries a challenge (RFC 9110, section 11.6.1); `error` only when a token was sent (RFC 6750, section 3). */
function challenge({ status }: Mapping, code: ErrorCode): string | undefined {
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
  const more = new Map<ErrorCode, number>();
  /** A service that starts or stops has no fault. */
  const levelOf = (code: ErrorCode) => (code === 'NOT_READY' ? 'info' : 'error');
  function report(code: ErrorCode): void {
    const count = more.get(code) ?? 0;
    more.delete(code);
    if (count === 0) return;
    logger[levelOf(code)]({ code, count }, 'more requests failed likewise');
    watch(code);
  }
  function watch(code: ErrorCode): void {
    more.set(code, 0);
    setTimeout(() => report(code), failuresEveryMs).unref();
  }
  return (code, first) => {
    const count = more.get(code);
    if (count !== undefined) return void more.set(code, count + 1);
    logger[levelOf(code)](first, 'request failed');
    watch(code);
  };
}

/** Responses that refuse a request because its own client or account has too many: they say nothing about the service. */
const refusedByBound = new WeakSet<ServerResponse>();

/** Whether the service has failed to do what it was asked for. */
export const isServiceFailure = (response: ServerResponse): boolean =>
  response.statusCode >= 500 && !refusedByBound.has(response);

/** The last middleware: every failure becomes JSON; an unknown one is logged whole and shown as `Server error.`. */
export function createErrorHandler(logger: Logger): ErrorRequestHandler {
  const logFailure = createFailureLog(logger);
  // Express recognises an error handler by its four parameters.
  return (error: unknown, request, response: Response<object, { operation?: Operation }>, _next) => {
    const known = error instanceof AppError ? error : fromFramework(error);
    const mapping: Mapping = known ? mappings[known.code] : serverError;
    // What the database caused names it.
    if (known?.code === 'OVERLOADED' && known.cause === undefined) refusedByBound.add(response);
    // Work that was stopped because its client left: the line of the request says so.
    const isAborted = response.destroyed && known?.code === 'INTERRUPTED';
    if (mapping.status >= 500 && !isAborted) {
      const what = known?.code === 'NOT_READY' ? { code: known.code, reason: known.message } : { err: error };
      const entry = { req: describeRequest(request, response), ...what };
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
