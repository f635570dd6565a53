/** Faults of a row's own cells, in the order of the columns. A row may have several. */
const faultCodes = [
  'SURPLUS_CELLS',
  'QUOTES_INVALID',
  'FORMULA_NOT_CALCULATED',
  'NAME_MISSING',
  'NAME_INVALID',
  'NAME_DAMAGED',
  'EMAIL_MISSING',
  'EMAIL_INVALID',
  'PHONE_MISSING',
  'PHONE_MANGLED',
  'PHONE_INVALID',
  'ROLE_UNKNOWN',
  'IS_ACTIVE_UNKNOWN',
  'PASSWORD_INVALID',
  'PASSWORD_WEAK',
  'PASSWORD_HASH_INVALID',
  'PASSWORD_AND_HASH',
  'COURSE_INVALID',
  'ENROLLMENT_STATUS_UNKNOWN',
  'GROUP_INVALID',
  'TEXT_INVALID',
] as const;

/** Conflicts of a row with other rows, accounts or courses, and reasons for skipping it. */
export const matchCodes = [
  'DUPLICATE_IN_FILE',
  'SAME_PERSON',
  'ACCOUNTS_DIFFER',
  'ALREADY_EXISTS',
  'UNCHANGED',
  'PROTECTED_ACCOUNT',
  'HAS_COURSES',
  'HAS_ENROLLMENTS',
  'NOT_A_TRAINEE',
  'ACCOUNT_INACTIVE',
  'COURSE_UNKNOWN',
  'COURSE_AMBIGUOUS',
  'COURSE_FULL',
  'WAITING_LIST_FULL',
  'ENROLLMENT_CANCELLED',
  'GROUP_LIMIT',
  'KEPT_INACTIVE',
  'RENAMED_PERHAPS',
  'NOT_ENROLLABLE',
  'MAIL_NOT_SET_UP',
  'INVITE_LIMIT',
] as const;
export type MatchCode = (typeof matchCodes)[number];

/** Codes of rejected and skipped rows. Programs rely on them; docs/IMPORTING.md explains them. */
export const rowCodes = [...faultCodes, ...matchCodes] as const;
export type RowCode = (typeof rowCodes)[number];
