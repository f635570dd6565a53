import type { ImportedPerson } from '../../../schemas/imported-person.js';
import { nameWarnings } from './damaged-names.js';
import { nameHalves } from './full-names.js';
import type { RowWarning } from './warnings.js';

const withoutCourse: Readonly<Record<'notes' | 'enrollmentStatus', RowWarning>> = {
  notes: {
    code: 'NOTES_WITHOUT_COURSE',
    field: 'notes',
    message: 'Notes belong to an enrollment: without a course they are not imported.',
  },
  enrollmentStatus: {
    code: 'STATUS_WITHOUT_COURSE',
    field: 'enrollmentStatus',
    message: 'An enrollment status without a course has no effect.',
  },
};

const notTicked: RowWarning = {
  code: 'NOT_TICKED',
  field: 'isActive',
  message: 'The column for active accounts is ticked: without a tick, an account is inactive.',
};

/** What the file says of an account that will be inactive, unless it says so in the words of a template. */
function inactiveWarning(person: ImportedPerson, { isTicked, state }: WarningContext): RowWarning[] {
  if (person.isActive !== false || state.trim().toLowerCase() === 'false') return [];
  if (isTicked) return [notTicked];
  const message = "The account is inactive, as the file says: the person can't sign in.";
  return [{ code: 'STATE_INACTIVE', field: 'isActive', message, example: state.trim() }];
}

/** A full name may have been split at the wrong word. */
function splitWarning(
  { firstName, lastName }: ImportedPerson,
  { fullName, lastNameFirst }: WarningContext,
): RowWarning[] {
  if (fullName === undefined || nameHalves(fullName, lastNameFirst)?.isGuess !== true) return [];
  const message = 'Full names were split: check the halves, first name | last name.';
  return [{ code: 'NAME_SPLIT', field: 'fullName', message, example: `${firstName} | ${lastName}` }];
}

/** What the warnings of a row depend on besides its person. */
interface WarningContext {
  /** In which the import enrolls all rows. */
  course: string | undefined;
  /** The cell of the full name, if there is one. */
  fullName: string | undefined;
  /** Whether its heading says that the last name comes first. */
  lastNameFirst: boolean | undefined;
  /** Whether the column for active accounts is ticked. */
  isTicked: boolean;
  /** The cell that says who is active; empty where there is none. */
  state: string;
}

/** What looks wrong in a row that can be imported. */
export function rowWarnings(person: ImportedPerson, context: WarningContext): RowWarning[] {
  const isEnrolled = person.course !== undefined || context.course !== undefined;
  const ignored = isEnrolled ? [] : (['notes', 'enrollmentStatus'] as const);
  return [
    ...nameWarnings(person),
    ...inactiveWarning(person, context),
    ...splitWarning(person, context),
    ...ignored.filter((field) => person[field] !== undefined).map((field) => withoutCourse[field]),
  ];
}
