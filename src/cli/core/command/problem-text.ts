import type { FieldProblem, ProblemCode, ProblemParams } from '../../../field-problem.js';

interface WordingParts extends Pick<ProblemParams, 'min' | 'max'> {
  /** Option or argument of the field. */
  name: string;
  values: string;
  types: string;
  /** Options and arguments of other fields in the problem. */
  others: string;
}

const disjunction = new Intl.ListFormat('en-GB', { type: 'disjunction' });

const typeNames: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  integer: 'a whole number',
  number: 'a number',
  string: 'a text',
};

/** Messages of problems at the command line. Null keeps the message of the service, which names no field. */
const wordings: Record<ProblemCode, ((parts: WordingParts) => string) | null> = {
  REQUIRED: ({ name }) => `${name} is required.`,
  WRONG_TYPE: ({ name, types }) => `${name} must be ${types}.`,
  NOT_ONE_OF: ({ name, values }) => `${name} must be one of ${values}.`,
  TOO_SHORT: ({ name, min }) => `${name} must have ${min} characters or more.`,
  TOO_LONG: ({ name, max }) => `${name} must have ${max} characters or fewer.`,
  TOO_SMALL: ({ name, min }) => `${name} must be ${min} or more.`,
  TOO_LARGE: ({ name, max }) => `${name} must be ${max} or less.`,
  TOO_FEW: ({ name, min }) => `${name} must be given ${min} times or more.`,
  TOO_MANY: ({ name, max }) => `${name} must be given ${max} times or fewer.`,
  REPEATED: ({ name }) => `${name} must name each one once.`,
  INVISIBLE: ({ name }) => `${name} must contain visible characters.`,
  UNUSABLE_CHARACTERS: ({ name }) => `${name} contains a character that can't be used.`,
  DATE_INVALID: ({ name }) => `${name} must be a date that exists, such as 2026-01-31.`,
  END_BEFORE_START: ({ name, others }) => `${name} must not be before ${others}.`,
  SEATS_TAKEN: ({ name, min }) => `${name} must be at least ${min}: so many seats are taken.`,
  EXCLUSIVE: ({ name, others }) => `${name} can't be given together with ${others}.`,
  NEEDS_OTHER_FIELD: ({ name, others, values }) => `${name} needs ${[others, values].join(' ').trim()}.`,
  EMAIL_INVALID: null,
  PHONE_INVALID: null,
  PASSWORD_WEAK: null,
  PASSWORD_UNCHANGED: null,
  EMAIL_UNCHANGED: null,
  UNKNOWN: null,
  AMBIGUOUS: null,
  FILE_EMPTY: null,
  NOT_CSV: null,
  NO_ROWS: null,
  WORKBOOK_LOCKED: null,
  WORKBOOK_TYPE: null,
  WORKBOOK_DAMAGED: null,
  WORKBOOK_TOO_LARGE: null,
  FILE_TOO_LARGE: null,
  FILE_TYPE_REFUSED: null,
  IMAGE_INVALID: null,
  IMAGE_TOO_LARGE: null,
  INVALID: null,
};

/**
 * Words a problem for the command line.
 * @param name option or argument of the field
 * @param nameOf returns the option or argument of another field
 */
export function problemText(
  { code, params = {}, message }: FieldProblem,
  name: string,
  nameOf: (field: string) => string = (field) => field,
): string {
  const { values = [], types = [], fields = [], min, max } = params;
  const others = fields.filter((field) => nameOf(field) !== name).map(nameOf);
  const parts = {
    name,
    values: values.join(', '),
    types: types.map((type) => typeNames[type] ?? type).join(' or '),
    others: disjunction.format(others),
  };
  return (
    wordings[code]?.({ ...parts, ...(min !== undefined && { min }), ...(max !== undefined && { max }) }) ?? message
  );
}
