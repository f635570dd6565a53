/** What is wrong with a field of the input: stable, for programs. Described in the OpenAPI document. */
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

/** What the sentence about a problem says besides its code; never the value that was sent. */
export interface ProblemParams {
  /** The least number of characters or items, or the smallest number. */
  min?: number;
  /** The most characters or items, or the largest number. */
  max?: number;
  /** The permitted words. */
  values?: readonly string[];
  /** The permitted types of JSON. */
  types?: readonly string[];
  /** Other fields that the problem concerns. */
  fields?: readonly string[];
}

/** One problem of a validation failure; the message never repeats the value that was sent. */
export interface FieldProblem {
  /** Dotted path of the field in the input, `''` for the input as a whole. */
  path: string;
  code: ProblemCode;
  params?: ProblemParams;
  /** A sentence, which begins with the field's name in the input, or with the label. */
  message: string;
  /** What the sentence calls the field, where that is a name for people. */
  label?: string;
}
