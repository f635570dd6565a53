import { editDistance } from '../../../../edit-distance.js';
import { type ImportField, importFields } from '../../../../schemas/import.js';
import { maxHeadingLength } from '../../../../tables/table/text.js';
import { matchHeading } from '../fields/header-aliases.js';
import { type Column, headingKey, headingWords, isEmailAddress, splitList } from '../fields/headings.js';
import { importFieldRules } from '../fields/import-fields.js';
import { parseRole } from '../fields/role-words.js';
import { looksLikeState, mentionsExclusion, saysInactive } from '../fields/state-words.js';
import { resolveValidMappings } from './column-maps.js';

/** Cells of the first rows of a file, which show what the columns contain. */
export type FirstRows = readonly (readonly string[])[];

const phonePattern = /^(tel:)?\s*['+(]?\d[\d ()./-]*$/i;
/** Matches dates, decimal numbers, IP addresses and US social security numbers. */
const nonPhonePattern = /^(\d{1,4}[./-]\d{1,2}[./-]\d{1,4}|\d+\.\d+|\d{1,3}(\.\d{1,3}){3}|\d{3}-\d{2}-\d{4})$/;
const digits = (cell: string) => cell.replace(/\D/g, '').length;
const mayBePhone = (cell: string) =>
  cell.length < 50 && digits(cell) >= 4 && phonePattern.test(cell) && !nonPhonePattern.test(cell);
/** Whether a cell is certainly a phone: a plain number may be anything. */
const isPhone = (cell: string) =>
  mayBePhone(cell) &&
  digits(cell) >= 7 &&
  digits(cell) <= 15 &&
  (/^['+(]|\d[ /-]+\(?\d/.test(cell) || /^0\d{9}/.test(cell));
function isName(cell: string): boolean {
  const start = cell.slice(0, maxHeadingLength);
  return !/[\d@]/.test(start) && /\p{L}/u.test(start);
}

/** Tests of values for the fields that can be guessed. */
const valueTests: Partial<Record<ImportField, (cell: string) => boolean>> = {
  firstName: isName,
  lastName: isName,
  fullName: isName,
  email: isEmailAddress,
  phone: mayBePhone,
  role: (cell) => parseRole(cell) !== undefined,
  course: () => true,
};

/** Names of fields in normalized form, the longest first. */
const fieldAliases = Object.keys(valueTests)
  .flatMap((name) => {
    // Only fields are keys.
    const field = name as ImportField;
    return [field, ...importFieldRules[field].headings].map((name) => ({
      field,
      alias: headingWords(name),
      key: headingKey(name),
    }));
  })
  .sort((one, other) => other.alias.length - one.alias.length);

/** Matches words that don't identify a field within a longer heading: "Company name", "Last sign-in", "Completed course". */
const ambiguousWords = / (first|last|nome?|noms|nombre) /;
const isVague = ({ field, alias }: (typeof fieldAliases)[number]) =>
  alias.trim().split(' ').length === 1 && (field === 'fullName' || field === 'course' || ambiguousWords.test(alias));

/** Matches headings about other people, or about organizations. */
const otherPeoplePattern = new RegExp(
  ` (${splitList(
    'emergency | manager | supervisor | spouse | company | employer | school | billing | advis[eo]r | notfall.*',
    'vorgesetzte.* | firm.* | rechnungs.* | urgence | entreprise | societe | emergencia | empresa | jefe | gestor | طوارئ | شركة',
  ).join('|')}) `,
  'u',
);

const familyPattern = new RegExp(
  ` (${splitList(
    'parents? | guardians? | mother | father | mum | mom | dad | kin | eltern.* | mutter.* | vater.* | erziehungs.*',
    'vormund.* | mere | pere | responsable | madre | padre | padres | apoderado | tutor | encargado | mae | pai | pais',
    'encarregado | responsavel | ولي | الام | الاب | الوالد | الوالدة',
  ).join('|')}) `,
  'u',
);

const addressWord = /mail|courriel|correo|correio|البريد|ايميل/u;

export const isParentsAddress = (heading: string): boolean =>
  familyPattern.test(headingWords(heading)) && addressWord.test(headingWords(heading));

/** Whether a heading is about somebody or something other than the people of the file. */
const isOfOthers = (heading: string): boolean =>
  otherPeoplePattern.test(headingWords(heading)) || familyPattern.test(headingWords(heading));

/** Returns the fields that most values of a column fit; all fields for a column without values. */
const fittingFields = (values: readonly string[]): ReadonlySet<string> =>
  new Set(
    Object.entries(valueTests).flatMap(([field, look]) =>
      2 * values.filter(look).length >= values.length ? [field] : [],
    ),
  );

const minMisspeltLength = 5;

/** Returns the field that a heading names, exactly, as a part or with one wrong letter, if the values fit. */
function guessByHeading(heading: string, values: readonly string[]): ImportField | undefined {
  const known = matchHeading(heading)?.field;
  const fits = fittingFields(values);
  if (known !== undefined) return fits.has(known) ? known : undefined;
  const [text, key] = [headingWords(heading), headingKey(heading)];
  const isPart = (name: (typeof fieldAliases)[number]) =>
    // Also matches the end of a German compound.
    !isVague(name) && (text.includes(name.alias) || (name.alias.length > 5 && text.endsWith(name.alias.slice(1))));
  const isMisspelt = (name: (typeof fieldAliases)[number]) =>
    Math.min(name.key.length, 30 - key.length) >= minMisspeltLength &&
    Math.abs(name.key.length - key.length) <= 1 &&
    editDistance(key, name.key) === 1;
  const fitting = fieldAliases.filter(({ field }) => fits.has(field));
  return (fitting.find(isPart) ?? fitting.find(isMisspelt))?.field;
}

/** Returns the field that the values alone show. */
function guessByValues(heading: string, values: readonly string[]): ImportField | undefined {
  const isMostly = (look: (cell: string) => boolean) =>
    values.length > 0 && values.filter(look).length >= 0.8 * values.length;
  if (isMostly(isEmailAddress)) return 'email';
  return isMostly(isPhone) && !/ (id|nr|no|code|date|datum|zip|plz|iban|account|konto) /.test(headingWords(heading))
    ? 'phone'
    : undefined;
}

export const isHalf = (field: ImportField): field is 'firstName' | 'lastName' =>
  field === 'firstName' || field === 'lastName';

export const filledCellsOf = (index: number | undefined, rows: FirstRows): string[] =>
  index === undefined ? [] : rows.map((cells) => (cells[index] ?? '').trim()).filter((cell) => cell !== '');

/**
 * Guesses the fields of unknown columns: first by the words of the headings, then by the values; never by position.
 * @param wanted the fields that the file lacks; a full name replaces a missing first and last name
 */
export function guessColumns(
  columns: readonly Column[],
  rows: FirstRows,
  wanted: readonly ImportField[],
): Map<number, ImportField> {
  const halves = wanted.filter(isHalf);
  const left = new Set<ImportField>(halves.length > 0 ? [...wanted, 'fullName'] : wanted);
  const guesses = new Map<number, ImportField>();
  for (const guess of [guessByHeading, guessByValues])
    for (const { heading, index } of columns) {
      if (guesses.has(index) || isOfOthers(heading)) continue;
      const field = guess(heading, filledCellsOf(index, rows));
      if (field === undefined || !left.has(field)) continue;
      guesses.set(index, field);
      left.delete(field);
    }
  for (const [index, field] of guesses) {
    if (field !== 'fullName') continue;
    const [half, otherHalf] = halves.filter((one) => left.has(one));
    // If only one half is missing, a column of names is that half.
    if (half === undefined) guesses.delete(index);
    else if (otherHalf === undefined) guesses.set(index, half);
  }
  return guesses;
}

/**
 * Suggests fields for ignored columns. Never suggests a field that another column has; may suggest a field for several columns.
 * @param maps mappings of `--map`: their columns get no suggestion
 * @param fields fields of the columns, by their index
 */
export function suggestColumns(
  fileColumns: readonly Column[],
  maps: readonly string[],
  fields: ReadonlyMap<number, ImportField>,
  rows: FirstRows,
  allowed: readonly ImportField[] = importFields,
): Map<number, ImportField> {
  const mapped = resolveValidMappings(fileColumns, maps);
  const taken = new Set(fields.values());
  const unknown = fileColumns.filter(({ index }) => !fields.has(index) && !mapped.has(index));
  const isWanted = (field: ImportField) =>
    field !== 'fullName' && !taken.has(field) && !(isHalf(field) && taken.has('fullName'));
  const guesses = guessColumns(unknown, rows, allowed.filter(isWanted));
  const guessed = new Set(guesses.values());
  // Two columns of addresses may be the people's: somebody must choose.
  for (const { index, heading } of unknown) {
    const rival = isOfOthers(heading) ? undefined : guessByValues(heading, filledCellsOf(index, rows));
    if (rival !== undefined && guessed.has(rival) && !guesses.has(index)) guesses.set(index, rival);
  }
  if (taken.has('isActive') || taken.has('suspended') || !allowed.includes('isActive')) return guesses;
  const isState = ({ heading, index }: Column) =>
    !mentionsExclusion(heading) && looksLikeState(heading, filledCellsOf(index, rows));
  for (const { index, heading } of unknown.filter(isState))
    guesses.set(index, guesses.get(index) ?? (saysInactive(heading) ? 'suspended' : 'isActive'));
  return guesses;
}
