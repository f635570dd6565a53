/** One entry of a validation failure: which field, and what is wrong with it. Never the value that was sent. */
export interface FieldProblem {
  /** Dotted path of the field in the input, `''` for the input as a whole. */
  path: string;
  /** A sentence, which begins with the field's name in the input or with one for people. */
  message: string;
  /** Other fields whose names in the input are part of the message. */
  otherFields?: readonly string[];
}

/** What may not be found. */
export type Subject =
  | 'User'
  | 'Trainer'
  | 'Trainee'
  | 'Course'
  | 'Enrollment'
  | 'Import'
  | 'File'
  | 'Session'
  | 'Rejected rows'
  | 'Credentials';

/**
 * Every failure the program knows, with the words a person reads. Where the specification fixes a message
 * (sections 4 and 7), it stands here to the letter. Codes marked "detail" are always given a message of their own.
 */
const defaultMessages = {
  VALIDATION: 'The input is not valid.',
  SETUP_COMPLETED: 'System setup already completed.',
  EMAIL_TAKEN: 'User with this email already exists.',
  PHONE_TAKEN: 'User with this phone number already exists.',
  ALREADY_ENROLLED: 'Already enrolled in this course.',
  COURSE_NOT_PUBLISHED: 'Course is not published.',
  COURSE_FULL: 'Course is at maximum capacity.',
  COURSE_IN_USE: 'Course has active enrollments.',
  COURSE_QUOTA: "The course's files have reached their limit.",
  COURSE_LIMIT: 'The trainer has as many courses as allowed.',
  ACCOUNT_INACTIVE: 'Account is inactive.',
  ACCOUNT_IN_USE: 'Account is still in use.',
  STATUS_REFUSED: "Enrollment can't change in this way.",
  REFERENCE_GONE: 'What this refers to was deleted meanwhile. Try again.',
  SUPER_ADMIN_EXISTS: 'Super Admin account already exists. Cannot create another one.',
  SUPER_ADMIN_PROTECTED: "The super admin can't be deactivated, demoted or deleted.",
  NO_MATCHING_ACCOUNT: 'Invalid credentials or account inactive.',
  WRONG_PASSWORD: 'Invalid credentials.',
  TOO_MANY_ATTEMPTS: 'Too many failed attempts. Try again later.',
  CURRENT_PASSWORD_INCORRECT: 'Current password is incorrect.',
  PASSWORD_CHANGE_NOT_REQUIRED: 'Password change not required.',
  PASSWORD_CHANGE_REQUIRED: 'Password change required.',
  TOKEN_MISSING: 'Access denied. No token provided.',
  TOKEN_INVALID: 'Invalid or expired token.',
  ACCESS_DENIED: 'Access denied.',
  NOT_FOUND: 'Resource not found.',
  METHOD_NOT_ALLOWED: 'Method not allowed.',
  MALFORMED_JSON: 'Malformed JSON.',
  MALFORMED_URL: 'Malformed URL.',
  BODY_TOO_LARGE: 'Request body too large.',
  BODY_INCOMPLETE: 'Request body incomplete.',
  RANGE_NOT_SATISFIABLE: 'Range not satisfiable.',
  UNSUPPORTED_MEDIA_TYPE: 'Content-Type must be application/json.',
  OVERLOADED: 'The service is busy. Try again shortly.',
  NOT_READY: 'The service is not ready.',
  // From here on: what an operator meets. The detail says what happened and what to do next.
  USAGE: 'detail',
  CONFIG_INVALID: 'detail',
  DATABASE_UNREACHABLE: 'detail',
  DATABASE_ACCESS_DENIED: 'detail',
  DATABASE_MISSING: 'detail',
  DATABASE_NOT_WRITABLE: 'detail',
  DATABASE_UNUSABLE: 'detail',
  SCHEMA_OUTDATED: 'The database schema is not up to date. Run "coursectl migrate up".',
  MIGRATION_LOCKED: 'detail',
  MIGRATION_FAILED: 'detail',
  PORT_UNAVAILABLE: 'detail',
  FILE_UNUSABLE: 'detail',
  STORAGE_UNAVAILABLE: 'detail',
  IMPORT_FILE_INVALID: 'detail',
  IMPORT_CONFLICT: 'The import is not in a state for this.',
  IMPORT_REFUSED: 'detail',
  CREDENTIALS_FETCHED: 'The passwords of this import were fetched already.',
  DISK_FULL: 'There is no room left on the server.',
  SEED_REFUSED: 'detail',
  INTERRUPTED: 'Interrupted.',
} as const;

/** The closed union of failure codes; the HTTP and CLI edges map each one exhaustively. */
export type ErrorCode = keyof typeof defaultMessages;

/** A failure the program knows. Anything else that is thrown is a bug or an unexpected fault of the environment. */
export class AppError extends Error {
  override readonly name = 'AppError';

  constructor(
    readonly code: ErrorCode,
    message?: string,
    options: { details?: readonly FieldProblem[]; subject?: Subject; cause?: unknown; retryAfter?: number } = {},
  ) {
    super(message ?? defaultMessages[code], options.cause === undefined ? undefined : { cause: options.cause });
    this.details = options.details ?? [];
    this.subject = options.subject;
    this.retryAfter = options.retryAfter;
  }

  /** Seconds after which trying again makes sense, where that is known. */
  readonly retryAfter: number | undefined;

  /** The invalid fields, for `VALIDATION`; empty otherwise. */
  readonly details: readonly FieldProblem[];

  /** What wasn't found, for `NOT_FOUND`. */
  readonly subject: Subject | undefined;
}

/** The failure of input that a schema or a rule of a single field refuses. */
export function validationError(details: readonly FieldProblem[], cause?: unknown): AppError {
  return new AppError('VALIDATION', details.map((problem) => problem.message).join(' '), { details, cause });
}

/** `<subject> not found.`, for an id that names nothing, or nothing the caller may know of. */
export function notFound(subject: Subject): AppError {
  return new AppError('NOT_FOUND', `${subject} not found.`, { subject });
}

/** Whether `error` is a known failure, optionally of one of the given codes. */
export function isAppError(error: unknown, ...codes: ErrorCode[]): error is AppError {
  return error instanceof AppError && (codes.length === 0 || codes.includes(error.code));
}

/** Why a file can't be read, by the code of the file system's error. */
export function whyUnreadable(code: string): string {
  const reasons: Readonly<Record<string, string>> = {
    ENOENT: 'does not exist',
    EISDIR: 'is a folder',
    EACCES: "can't be read by this user",
  };
  return reasons[code] ?? `can't be read (${code})`;
}

/** The `code` that Node and database drivers put on their errors (`ENOENT`, `ECONNREFUSED`, ...), if there is one. */
export function systemErrorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
