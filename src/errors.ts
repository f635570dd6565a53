import type { FieldProblem } from './field-problem.js';

/**
 * Default messages of all known failures. Sections 4 and 7 of the specification prescribe the words of some messages. Codes
 * marked "detail" have no default: the code that throws them writes the message.
 */
const defaultMessages = {
  VALIDATION: 'The input is not valid.',
  SETUP_COMPLETED: 'System setup already completed.',
  EMAIL_TAKEN: 'User with this email already exists.',
  PHONE_TAKEN: 'User with this phone number already exists.',
  ALREADY_ENROLLED: 'Already enrolled in this course.',
  COURSE_NOT_PUBLISHED: 'Course is not published.',
  COURSE_ENDED: 'Course has ended.',
  ENROLLMENT_CLOSED: 'Enrollment has closed.',
  WAITING_LIST_FULL: 'The waiting list of the course is full.',
  COURSE_FULL: 'Course is at maximum capacity.',
  SEATS_BEING_GIVEN:
    'The free seats of the course are being given to its waiting list. Try again shortly, or join the list.',
  COURSE_IN_USE: 'Course has active enrollments.',
  COURSE_QUOTA: 'With this file, the files of the course would be too many or too large. Delete some first.',
  COURSE_LIMIT:
    'The trainer has the maximum number of courses. Delete some first, or ask the super admin to assign another one.',
  GROUP_EXISTS: 'Group with this name already exists.',
  GROUP_LIMIT: 'There are too many groups, too many members of a group, or too many groups of a person.',
  ACCOUNT_INACTIVE: 'Account is inactive.',
  TRAINER_HAS_COURSES: 'Trainer still has courses. Assign them to another trainer first.',
  TRAINEE_HAS_ENROLLMENTS: 'Trainee still has enrollments. Remove or complete them first.',
  STATUS_REFUSED: "The enrollment can't change in this way.",
  STATUS_CHANGED: 'The enrollment no longer has the expected status.',
  REFERENCE_GONE: 'Something that the request refers to was deleted in the meantime. Try again.',
  SUPER_ADMIN_EXISTS: 'Super Admin account already exists. Cannot create another one.',
  SUPER_ADMIN_PROTECTED: "The super admin can't be deactivated, demoted or deleted.",
  OWN_ACCOUNT: "A bulk change can't include your own account. Leave it out.",
  NO_MATCHING_ACCOUNT: 'Invalid credentials or account inactive.',
  WRONG_PASSWORD: 'Invalid credentials.',
  PASSWORD_LOGIN_OFF:
    "People sign in with the organisation's account (PASSWORD_LOGIN is off), so the program generates no passwords.",
  OIDC_NOT_SET_UP: "The organisation's sign-in is not set up. Set OIDC_ISSUER.",
  OIDC_UNAVAILABLE: "The organisation's sign-in can't be reached now. Try again.",
  OIDC_STATE_INVALID: 'This sign-in has expired, or was replaced by another one. Begin again.',
  OIDC_DENIED: "The organisation's sign-in was cancelled or refused.",
  OIDC_EMAIL_UNVERIFIED: "The organisation's sign-in doesn't confirm the email of the account.",
  OIDC_NAME_MISSING: "The organisation's sign-in gives no first and last name.",
  OIDC_NO_ACCOUNT: 'There is no account for this person. Ask the super admin of the programme.',
  IDENTITY_TAKEN: "This account of the organisation is linked to another person's account.",
  IDENTITY_LAST: 'Without a password, this is the only way to sign in. Set a password first.',
  TOO_MANY_ATTEMPTS: 'Too many failed attempts. Try again later.',
  CURRENT_PASSWORD_INCORRECT: 'Current password is incorrect.',
  PASSWORD_CHANGE_NOT_REQUIRED: 'Password change not required.',
  PASSWORD_CHANGE_REQUIRED: 'Password change required.',
  TOKEN_MISSING: 'Access denied. No token provided.',
  TOKEN_INVALID: 'Invalid or expired token.',
  SUPER_ADMIN_REQUIRED: 'Access denied. Super admin role required.',
  TRAINER_REQUIRED: 'Access denied. Trainer or Super admin role required.',
  TRAINEE_REQUIRED: 'Access denied. Trainee role required.',
  OTHER_TRAINER: "Access denied. This is another trainer's course.",
  ENROLLMENT_REQUIRED: 'Access denied. An active enrollment in the course is required.',
  STATUS_NOT_FOR_TRAINEES: 'Access denied. Trainees can cancel an enrollment, or request it again.',
  OTHER_ORIGIN: 'Access denied. Only pages of this service may send this request.',
  NOT_FOUND: 'Resource not found.',
  METHOD_NOT_ALLOWED: 'Method not allowed.',
  MALFORMED_JSON: 'Malformed JSON.',
  MALFORMED_URL: 'Malformed URL.',
  HOST_UNKNOWN:
    'The service listens on this machine only, so it refuses requests with an unknown host name. Set PUBLIC_URL to the address that people open. Behind a proxy, also set TRUST_PROXY.',
  BODY_TOO_LARGE: 'Request body too large.',
  BODY_INCOMPLETE: 'Request body incomplete.',
  RANGE_NOT_SATISFIABLE: 'Range not satisfiable.',
  UNSUPPORTED_MEDIA_TYPE: 'Content-Type must be application/json.',
  OVERLOADED: 'The service is busy. Try again shortly.',
  NOT_READY: 'The service is not ready.',
  // Failures of the installation, imports, the demo programme and mails.
  USAGE: 'detail',
  CONFIG_INVALID: 'detail',
  DATABASE_UNREACHABLE: 'detail',
  DATABASE_ACCESS_DENIED: 'detail',
  DATABASE_MISSING: 'detail',
  DATABASE_NOT_WRITABLE: 'detail',
  DATABASE_UNUSABLE: 'detail',
  SCHEMA_OUTDATED: 'The database schema is not up to date. Run: coursectl migrate up',
  MIGRATION_LOCKED: 'detail',
  MIGRATION_FAILED: 'detail',
  PORT_UNAVAILABLE: 'detail',
  FILE_UNUSABLE: 'detail',
  STORAGE_UNAVAILABLE: 'detail',
  MAIL_SERVER_UNUSABLE: 'detail',
  IMPORT_FILE_INVALID: 'detail',
  IMPORT_CONFLICT: 'The status of the import does not allow this.',
  IMPORT_AT_TERMINAL: 'The import was begun at a terminal. Continue it there.',
  IMPORT_BUSY: 'Another process is working on the import. Try again in a minute.',
  IMPORT_HAS_ROWS: "The import has written rows already, so it can't be planned again.",
  IMPORT_ROWS_DELETED: 'The rows of the import were exported to files and deleted.',
  PLAN_EXPIRED: 'The plan has expired. Upload the file again.',
  SYNC_HELD: 'Too many members would leave the group.',
  IMPORT_REFUSED: "The file can't be imported with these options.",
  PLAN_OUTDATED: 'The plan is out of date.',
  INVITE_LIMIT: 'A trainer has invited the maximum number of new people within 24 hours. Apply the import later.',
  COURSE_LOST:
    'Access denied. The course of the import was deleted, or is assigned to another trainer: nothing more is written. Import the file into a course of yours.',
  PLAN_LIMIT: 'You have the maximum number of planned imports. Apply or cancel some first.',
  CREDENTIALS_FETCHED: 'The passwords of this import have already been fetched.',
  PROMOTION_RUNNING: 'Another process is giving free seats to waiting lists.',
  RETENTION_RUNNING: 'Another process is exporting old rows. Try again when it has ended.',
  DISK_FULL: 'There is no space left on the server. Its operator must free some.',
  SEED_REFUSED:
    "The demo programme can't be loaded if NODE_ENV is production, because its accounts have a public password.",
  DATABASE_NOT_EMPTY:
    "The demo programme can't be loaded, because the database has other accounts than the super admin's.",
  LINK_INVALID: 'This link is no longer valid.',
  INVITATION_NOT_NEEDED: 'The person has a password of their own.',
  MAIL_NOT_SET_UP: 'Mail is not set up. Set SMTP_URL, MAIL_FROM and PUBLIC_URL.',
  MAIL_SENDER_BUSY: 'detail',
  MAIL_CONFLICT: 'The state of the mail does not allow this.',
  MAIL_TOO_OLD: 'The mail is too old to be sent.',
  MAIL_REPLACED: "A newer mail of this kind was queued for this person, so this one can't be sent again.",
  DECLINED: 'detail',
  INTERRUPTED: 'Interrupted.',
} as const;

/** All failure codes; http/ maps each code to a response, cli/ to an exit code. */
export type ErrorCode = keyof typeof defaultMessages;

/** Codes of failures that mean that the database can't be used now. A later attempt of the same work may succeed. */
export const databaseUnavailableCodes: readonly ErrorCode[] = [
  'DATABASE_UNREACHABLE',
  'DATABASE_ACCESS_DENIED',
  'DATABASE_MISSING',
  'DATABASE_NOT_WRITABLE',
  'DISK_FULL',
  'OVERLOADED',
  'SCHEMA_OUTDATED',
];

export type ErrorSubject =
  | 'User'
  | 'Trainer'
  | 'Trainee'
  | 'Session'
  | 'Identity'
  | 'Course'
  | 'Enrollment'
  | 'Certificate'
  | 'Group'
  | 'File'
  | 'Import'
  | 'Rejected rows'
  | 'Credentials'
  | 'Mail';

/** Values that the message of a failure contains, for clients that compose their own message. */
export interface ErrorParams {
  /** Free seats of the course. */
  seatsLeft?: number;
  /** Requested seats. */
  wanted?: number;
  /** Maximum bytes of a file, or of all files of a course. */
  maxBytes?: number;
  /** Maximum number, such as of courses of a trainer, files of a course, or members of a group. */
  max?: number;
  /** Current and requested status of an enrollment. */
  from?: string;
  to?: string;
  /** Status of an import, or state of a mail. */
  status?: string;
  /** Members of a group who would leave, all members whom files added, and the number who may leave. */
  leaving?: number;
  members?: number;
  limit?: number;
}

interface AppErrorOptions {
  subject?: ErrorSubject;
  /** Absent for failures of the specification, because it fixes their response bodies. */
  params?: ErrorParams;
  details?: readonly FieldProblem[];
  cause?: unknown;
  retryAfter?: number;
}

/** A known failure. Every other error is a bug or an unexpected fault of the environment. */
export class AppError extends Error {
  override readonly name = 'AppError';

  constructor(
    readonly code: ErrorCode,
    message?: string,
    options: AppErrorOptions = {},
  ) {
    super(message ?? defaultMessages[code], options.cause === undefined ? undefined : { cause: options.cause });
    this.subject = options.subject;
    this.params = options.params;
    this.details = options.details ?? [];
    this.retryAfter = options.retryAfter;
  }

  /** Kind of the missing resource, for `NOT_FOUND`. */
  readonly subject: ErrorSubject | undefined;

  readonly params: ErrorParams | undefined;

  /** Seconds to wait before retrying, if known. */
  readonly retryAfter: number | undefined;

  /** The invalid fields, for `VALIDATION`; empty otherwise. */
  readonly details: readonly FieldProblem[];
}

/** Creates the error for input that a schema, or a rule of a single field, refuses. */
export function validationError(details: readonly FieldProblem[], cause?: unknown): AppError {
  return new AppError('VALIDATION', details.map((problem) => problem.message).join(' '), { details, cause });
}

/** Creates the error for a subject that doesn't exist, or whose existence is hidden from the caller. */
export function notFound(subject: ErrorSubject): AppError {
  return new AppError('NOT_FOUND', `${subject} not found.`, { subject });
}

/** Whether `error` is a known failure. With `codes`, it must have one of them. */
export function isAppError(error: unknown, ...codes: ErrorCode[]): error is AppError {
  return error instanceof AppError && (codes.length === 0 || codes.includes(error.code));
}

/**
 * Returns the predicate of a sentence about a file that can't be read, such as "does not exist".
 * @param code error code of the file system
 */
export function readFailureReason(code: string): string {
  const reasons: Readonly<Record<string, string>> = {
    ENOENT: 'does not exist',
    EISDIR: 'is a folder',
    EACCES: "can't be read by this user",
  };
  return reasons[code] ?? `can't be read (${code})`;
}

/** Whether an error code of the file system means that a disk or a quota is full, or the file is too large. */
export const isDiskFull = (code: string | undefined): boolean =>
  code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG';

/**
 * Returns the rest of a sentence about a file that can't be written: the reason and two remedies.
 * @param code error code of the file system
 * @param alternative the second remedy, such as "name another file"
 */
export function writeFailureReason(code: string, alternative: string): string {
  const known: Readonly<Record<string, readonly [problem: string, remedy: string]>> = {
    ENOENT: ['its folder does not exist', 'Make that folder'],
    ENOTDIR: ['its folder is a file', 'Correct the path'],
    EROFS: ['its file system is read-only', 'Mount it for writing'],
  };
  const [problem, remedy] = isDiskFull(code)
    ? ['the disk is full', 'Free disk space']
    : (known[code] ?? [code, 'Make its folder writable for this user']);
  return `can't be written (${problem}). ${remedy}, or ${alternative}`;
}

/** Returns the `code` of an error of Node or a database driver (`ENOENT`, `ECONNREFUSED`, ...). */
export function systemErrorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** Awaits a file operation. @returns its result; undefined if the file or folder doesn't exist */
export async function undefinedIfMissing<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
