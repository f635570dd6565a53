import type { ImportedPerson } from '../../../../schemas/imported-person.js';
import { shownText } from '../../../../tables/table/text.js';
import { splitFullName } from '../../../accounts/full-names.js';
import type { ColumnMapping } from '../columns/columns.js';
import { confirmsExclusion, mentionsExclusion } from '../fields/state-words.js';
import type { RowWarning } from '../fields/warnings.js';
import { nameWarnings } from './damaged-names.js';
import { phoneWarnings } from './phone-warnings.js';
import { stateCell } from './row-fields.js';

/** Warns that an account will be inactive, unless the cell says `false` as in the template. */
function inactiveWarning(person: ImportedPerson, state: string, isTicked: boolean): RowWarning[] {
  if (person.isActive !== false || state.toLowerCase() === 'false') return [];
  const field = 'isActive';
  if (isTicked) {
    const message = 'The column for active accounts is ticked: without a tick, an account is inactive.';
    return [{ code: 'NOT_TICKED', field, message }];
  }
  const message = "The account is inactive, as the file says: the person can't sign in.";
  return [{ code: 'STATE_INACTIVE', field, message, example: state }];
}

/** Warns that a full name may have been split at the wrong word. */
function splitWarning({ firstName, lastName }: ImportedPerson, fullName: string, lastNameFirst: boolean): RowWarning[] {
  if (splitFullName(fullName, lastNameFirst)?.isGuess !== true) return [];
  const message = 'Full names were split: check the halves, first name | last name.';
  return [{ code: 'NAME_SPLIT', field: 'fullName', message, example: `${firstName} | ${lastName}` }];
}

/** Warns about values for an enrollment if the row enrolls in no course. */
function unusedWarnings({ reply, enrollmentStatus }: ImportedPerson): RowWarning[] {
  const warnings: RowWarning[] = [];
  if (reply !== undefined) {
    const message = 'A reply belongs to an enrollment: without a course it is not imported.';
    warnings.push({ code: 'REPLY_WITHOUT_COURSE', field: 'reply', message });
  }
  if (enrollmentStatus !== undefined) {
    const message = 'An enrollment status without a course has no effect.';
    warnings.push({ code: 'STATUS_WITHOUT_COURSE', field: 'enrollmentStatus', message });
  }
  return warnings;
}

/** Warns that an ignored column may say that the person has died, or wants no mail. */
const exclusionWarnings = (cells: readonly string[], { exclusions }: ColumnMapping): RowWarning[] =>
  exclusions.flatMap(({ index, heading, byCell, message }): RowWarning[] => {
    const cell = cells[index] ?? '';
    if (byCell ? !mentionsExclusion(cell) : !confirmsExclusion(cell)) return [];
    const example = `${heading}: ${shownText(cell)}`;
    return [{ code: 'STATE_NOT_IMPORTED', field: 'isActive', message, example }];
  });

/**
 * Returns the warnings about a row that can be imported.
 * @param isEnrolled whether the import enrolls all rows in a course
 */
export function rowWarnings(
  person: ImportedPerson,
  cells: readonly string[],
  mapping: ColumnMapping,
  isEnrolled: boolean,
): RowWarning[] {
  const fullName = cells[mapping.columns.get('fullName')?.[0] ?? -1] ?? '';
  return [
    ...nameWarnings(person),
    ...exclusionWarnings(cells, mapping),
    ...inactiveWarning(person, stateCell(cells, mapping).trim(), mapping.isTicked),
    ...splitWarning(person, fullName, mapping.lastNameFirst),
    ...(isEnrolled || person.course !== undefined ? [] : unusedWarnings(person)),
    ...phoneWarnings(person.phone ?? ''),
  ];
}
