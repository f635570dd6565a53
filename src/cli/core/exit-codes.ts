import type { ErrorCode } from '../../errors.js';

/** What the process answers the shell; documented in the README. */
export const exitCodes = {
  ok: 0,
  /** An expected failure: one line says what and what to do. */
  failure: 1,
  /** The command line, an input file or an option can't be used; nothing was done. */
  usage: 2,
  /** Done in part: some rows of an import were rejected, or some of several trainees not enrolled. */
  partial: 3,
  /** A bug in coursectl. */
  bug: 70,
  /** Ctrl-C. */
  interrupted: 130,
} as const;

/** One of {@link exitCodes}. */
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

const { failure, usage, interrupted } = exitCodes;

const byErrorCode: Record<ErrorCode, ExitCode> = {
  VALIDATION: usage,
  SETUP_COMPLETED: failure,
  EMAIL_TAKEN: failure,
  PHONE_TAKEN: failure,
  ALREADY_ENROLLED: failure,
  COURSE_NOT_PUBLISHED: failure,
  COURSE_FULL: failure,
  COURSE_IN_USE: failure,
  COURSE_QUOTA: failure,
  COURSE_LIMIT: failure,
  ACCOUNT_INACTIVE: failure,
  ACCOUNT_IN_USE: failure,
  OWN_ACCOUNT: failure,
  STATUS_REFUSED: failure,
  REFERENCE_GONE: failure,
  SUPER_ADMIN_EXISTS: failure,
  SUPER_ADMIN_PROTECTED: failure,
  NO_MATCHING_ACCOUNT: failure,
  WRONG_PASSWORD: failure,
  TOO_MANY_ATTEMPTS: failure,
  CURRENT_PASSWORD_INCORRECT: failure,
  PASSWORD_CHANGE_NOT_REQUIRED: failure,
  PASSWORD_CHANGE_REQUIRED: failure,
  TOKEN_MISSING: failure,
  TOKEN_INVALID: failure,
  ACCESS_DENIED: failure,
  NOT_FOUND: failure,
  METHOD_NOT_ALLOWED: failure,
  MALFORMED_JSON: failure,
  MALFORMED_URL: failure,
  BODY_TOO_LARGE: failure,
  BODY_INCOMPLETE: failure,
  RANGE_NOT_SATISFIABLE: failure,
  UNSUPPORTED_MEDIA_TYPE: failure,
  OVERLOADED: failure,
  NOT_READY: failure,
  USAGE: usage,
  CONFIG_INVALID: failure,
  DATABASE_UNREACHABLE: failure,
  DATABASE_ACCESS_DENIED: failure,
  DATABASE_MISSING: failure,
  DATABASE_NOT_WRITABLE: failure,
  DATABASE_UNUSABLE: failure,
  SCHEMA_OUTDATED: failure,
  MIGRATION_LOCKED: failure,
  MIGRATION_FAILED: failure,
  PORT_UNAVAILABLE: failure,
  FILE_UNUSABLE: failure,
  STORAGE_UNAVAILABLE: failure,
  IMPORT_FILE_INVALID: usage,
  IMPORT_CONFLICT: failure,
  IMPORT_REFUSED: usage,
  CREDENTIALS_FETCHED: failure,
  DISK_FULL: failure,
  SEED_REFUSED: failure,
  INTERRUPTED: interrupted,
};

/** The exit code of an expected failure. */
export function exitCodeOf(code: ErrorCode): ExitCode {
  return byErrorCode[code];
}
