import { AppError, type ErrorCode } from '../../errors.js';

/** HTTP response to a failure. */
export interface FailureResponse {
  status: number;
  /** Public code, if the error's own code is for operators only. */
  code?: string;
  /** Public message, if the error's own message is for operators only. */
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
/** Response to failures that an operator or a developer must repair. */
export const serverError = { status: 500, code: 'SERVER_ERROR', message: 'Server error.' } as const;

/** HTTP response to each failure (specification, section 7). */
export const failureResponses = {
  VALIDATION: { status: 400 },
  SETUP_COMPLETED: { status: 400 },
  EMAIL_TAKEN: { status: 400 },
  ALREADY_ENROLLED: { status: 400 },
  COURSE_NOT_PUBLISHED: { status: 400 },
  COURSE_ENDED: { status: 400 },
  ENROLLMENT_CLOSED: { status: 400 },
  WAITING_LIST_FULL: { status: 400 },
  COURSE_FULL: { status: 400 },
  SEATS_BEING_GIVEN: { status: 409, retryAfter: 2 },
  COURSE_IN_USE: { status: 400 },
  COURSE_QUOTA: { status: 400 },
  COURSE_LIMIT: { status: 400 },
  GROUP_EXISTS: { status: 400 },
  GROUP_LIMIT: { status: 400 },
  ACCOUNT_INACTIVE: { status: 400 },
  TRAINER_HAS_COURSES: { status: 400 },
  TRAINEE_HAS_ENROLLMENTS: { status: 400 },
  STATUS_REFUSED: { status: 400 },
  STATUS_CHANGED: { status: 409 },
  REFERENCE_GONE: { status: 400 },
  PHONE_TAKEN: { status: 400 },
  SUPER_ADMIN_EXISTS: { status: 400 },
  SUPER_ADMIN_PROTECTED: { status: 400 },
  OWN_ACCOUNT: { status: 400 },
  NO_MATCHING_ACCOUNT: { status: 401 },
  WRONG_PASSWORD: { status: 401 },
  PASSWORD_LOGIN_OFF: { status: 400 },
  OIDC_NOT_SET_UP: { status: 400 },
  OIDC_UNAVAILABLE: {
    status: 503,
    message: "The organisation's sign-in can't be reached now. Try again.",
    retryAfter: 5,
  },
  OIDC_STATE_INVALID: { status: 400 },
  OIDC_DENIED: { status: 400 },
  OIDC_EMAIL_UNVERIFIED: { status: 400 },
  OIDC_NAME_MISSING: { status: 400 },
  OIDC_NO_ACCOUNT: { status: 401 },
  IDENTITY_TAKEN: { status: 400 },
  IDENTITY_LAST: { status: 400 },
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
  HOST_UNKNOWN: { status: 421 },
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
  MAIL_SERVER_UNUSABLE: { status: 503, message: "The mail server can't be used now.", retryAfter: 60 },
  IMPORT_FILE_INVALID: { status: 400 },
  IMPORT_CONFLICT: { status: 400 },
  IMPORT_AT_TERMINAL: { status: 400 },
  IMPORT_BUSY: { status: 400 },
  IMPORT_HAS_ROWS: { status: 400 },
  IMPORT_ROWS_DELETED: { status: 400 },
  PLAN_EXPIRED: { status: 400 },
  IMPORT_REFUSED: { status: 400 },
  SYNC_HELD: { status: 409 },
  PLAN_OUTDATED: { status: 409 },
  INVITE_LIMIT: { status: 400 },
  COURSE_LOST: { status: 403 },
  PLAN_LIMIT: { status: 400 },
  CREDENTIALS_FETCHED: { status: 410 },
  RETENTION_RUNNING: unavailable,
  PROMOTION_RUNNING: unavailable,
  DISK_FULL: { status: 507, message: 'There is no space left on the server. Its operator must free some.' },
  SEED_REFUSED: { status: 403 },
  DATABASE_NOT_EMPTY: { status: 409 },
  LINK_INVALID: { status: 400 },
  INVITATION_NOT_NEEDED: { status: 400 },
  MAIL_NOT_SET_UP: { status: 400 },
  MAIL_SENDER_BUSY: { status: 409 },
  MAIL_CONFLICT: { status: 409 },
  MAIL_TOO_OLD: { status: 400 },
  MAIL_REPLACED: { status: 409 },
  DECLINED: serverError,
  INTERRUPTED: unavailable,
} as const satisfies Record<ErrorCode, FailureResponse>;

/** Codes for clients. A code that is only for operators becomes a common code, such as `UNAVAILABLE`. */
export type PublicCode = {
  [Code in ErrorCode]: (typeof failureResponses)[Code] extends { code: infer Public } ? Public : Code;
}[ErrorCode];

const responseOf = (code: ErrorCode): FailureResponse => failureResponses[code];

export function publicCodeOf(code: ErrorCode): PublicCode {
  const response = failureResponses[code];
  // Without a code in the response, the error's own code is public.
  return 'code' in response ? response.code : (code as PublicCode);
}

export const publicCodes: readonly PublicCode[] = [
  // TypeScript types keys as text, because objects may have more keys.
  ...new Set((Object.keys(failureResponses) as ErrorCode[]).map(publicCodeOf)),
];

/** Header with the code of a failure, because bodies of the specification have no field for the code. */
export const codeHeader = 'Error-Code';

export function statusOf(code: ErrorCode): number {
  return failureResponses[code].status;
}

/** Seconds to wait before retrying, for temporary failures. */
export function retryAfterOf(code: ErrorCode): number | undefined {
  return responseOf(code).retryAfter;
}

/** Returns the default message of a code for clients. */
export function messageOf(code: ErrorCode): string {
  return responseOf(code).message ?? new AppError(code).message;
}

/** Returns the message of a failure for clients. */
export function publicMessage({ code, message }: AppError): string {
  return responseOf(code).message ?? message;
}
