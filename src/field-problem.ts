/** Stable codes of problems with input fields, for programs. The OpenAPI document lists them. */
export const problemCodes = [
  'REQUIRED',
  'WRONG_TYPE',
  'NOT_ONE_OF',
  'TOO_SHORT',
  'TOO_LONG',
  'TOO_SMALL',
  'TOO_LARGE',
  'TOO_FEW',
  'TOO_MANY',
  'REPEATED',
  'INVISIBLE',
  'UNUSABLE_CHARACTERS',
  'EMAIL_INVALID',
  'PHONE_INVALID',
  'DATE_INVALID',
  'END_BEFORE_START',
  'SEATS_TAKEN',
  'PASSWORD_WEAK',
  'PASSWORD_UNCHANGED',
  'EMAIL_UNCHANGED',
  'EXCLUSIVE',
  'NEEDS_OTHER_FIELD',
  'UNKNOWN',
  'AMBIGUOUS',
  'FILE_EMPTY',
  'NOT_CSV',
  'NO_ROWS',
  'WORKBOOK_LOCKED',
  'WORKBOOK_TYPE',
  'WORKBOOK_DAMAGED',
  'WORKBOOK_TOO_LARGE',
  'FILE_TOO_LARGE',
  'FILE_TYPE_REFUSED',
  'IMAGE_INVALID',
  'IMAGE_TOO_LARGE',
  'INVALID',
] as const;
export type ProblemCode = (typeof problemCodes)[number];

/** Values in the message of a problem; never the value from the input. */
export interface ProblemParams {
  /** Minimum number of characters or items, or minimum value. */
  min?: number;
  /** Maximum number of characters or items, or maximum value. */
  max?: number;
  /** Permitted values. */
  values?: readonly string[];
  /** Permitted JSON types. */
  types?: readonly string[];
  /** Other fields that the problem concerns. */
  fields?: readonly string[];
}

/** One problem of a validation failure. */
export interface FieldProblem {
  /** Path of the field with dots, `''` for the whole input. */
  path: string;
  code: ProblemCode;
  params?: ProblemParams;
  /** A sentence that begins with the field's name, or with the label. Never contains the value from the input. */
  message: string;
  /** Name of the field for people, if the message uses one. */
  label?: string;
}
