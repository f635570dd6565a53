import { editDistance } from '../../../../edit-distance.js';
import type { ImportField } from '../../../../schemas/import.js';
import { longestKnown } from '../../../../tables/table/text.js';
import { meaningOf } from '../fields/header-aliases.js';
import { type Column, headingKey, headingWords, isAddress, words } from '../fields/headings.js';
import { fieldsInFiles } from '../fields/import-fields.js';
import { roleOf } from '../fields/role-words.js';

/** The first cells of the rows of a file: what the columns look like. */
export type FirstRows = readonly (readonly string[])[];

const phone = /^(tel:)?\s*['+(]?\d[\d ()./-]*$/i;
/** Dates, decimal numbers, IP addresses, and the numbers of US social insurance. */
const noPhone = /^(\d{1,4}[./-]\d{1,2}[./-]\d{1,4}|\d+\.\d+|\d{1,3}(\.\d{1,3}){3}|\d{3}-\d{2}-\d{4})$/;
const digits = (cell: string) => cell.replace(/\D/g, '').length;
const mayBePhone = (cell: string) => cell.length < 50 && digits(cell) >= 4 && phone.test(cell) && !noPhone.test(cell);
/** A number alone may be anything. */
const isPhone = (cell: string) =>
  mayBePhone(cell) &&
  digits(cell) >= 7 &&
  digits(cell) <= 15 &&
  (/^['+(]|\d[ /-]+\(?\d/.test(cell) || /^0\d{9}/.test(cell));
function isName(cell: string): boolean {
  const start = cell.slice(0, longestKnown);
  return !/[\d@]/.test(start) && /\p{L}/u.test(start);
}

/** The fields that are guessed, and what their values look like. */
const looks: Partial<Record<ImportField, (cell: string) => boolean>> = {
  firstName: isName,
  lastName: isName,
  fullName: isName,
  email: isAddress,
  phone: mayBePhone,
  role: (cell) => roleOf(cell) !== undefined,
  course: () => true,
};

/** Names that a heading may end with, as in German compounds, or have among other words; the longest first. */
const namesInHeadings = Object.keys(looks)
  .flatMap((name) => {
    // They are fields.
    const field = name as ImportField;
    return [field, ...fieldsInFiles[field].headings].map((name) => ({
      field,
      alias: headingWords(name),
      key: headingKey(name),
    }));
  })
  // "Last sign-in" is no name.
  .filter(({ alias }) => ![' first ', ' last '].includes(alias))
  .sort((one, other) => other.alias.length - one.alias.length);

/** Words that are no name of a field by themselves: "Name" may be of a company, "Course" be one that was completed. */
const isVague = ({ field, alias }: (typeof namesInHeadings)[number]) =>
  field === 'fullName' || field === 'course' || [' nom ', ' noms ', ' nome ', ' nombre '].includes(alias);

/** What people add to a question. */
const filler = new RegExp(
  `^(${words(
    'what | whats | is | s | are | your | you | please | enter | the | my | of | full | a | which | as | on | id | learner | student',
    'participant | trainee | wie | was | ist | lautet | ihr | ihre | ihren | dein | deine | der | die | das | des | bitte | welcher | welchen',
    'teilnehmers | quel | quelle | est | votre | ton | le | la | de | l | cual | es | su | tu | el | del | qual | e | o | seu | sua | do | da',
    'ما | هو | من | فضلك | الطالب | المتدرب',
  ).join('|')})$`,
  'u',
);

/** Headings with these words are about somebody or something else. */
const others = new RegExp(
  ` (${words(
    'emergency | manager | supervisor | spouse | company | employer | school | billing | advis[eo]r | notfall.*',
    'vorgesetzte.* | firm.* | rechnungs.* | urgence | entreprise | societe | emergencia | empresa | jefe | gestor | طوارئ | شركة',
  ).join('|')}) `,
  'u',
);

const family = new RegExp(
  ` (${words(
    'parents? | guardians? | mother | father | mum | mom | dad | kin | eltern.* | mutter.* | vater.* | erziehungs.*',
    'vormund.* | mere | pere | responsable | madre | padre | padres | apoderado | tutor | encargado | mae | pai | pais',
    'encarregado | responsavel | ولي | الام | الاب | الوالد | الوالدة',
  ).join('|')}) `,
  'u',
);

const addressWord = /mail|courriel|correo|correio|البريد|ايميل/u;

/** Whether a heading is about the address of a parent. */
export const isParentsAddress = (heading: string): boolean =>
  family.test(headingWords(heading)) && addressWord.test(headingWords(heading));

/** Whether a heading is about parents, managers, companies, ... instead of the people of the file. */
const isOfOthers = (heading: string): boolean =>
  others.test(headingWords(heading)) || family.test(headingWords(heading));

/** Values of a column. Many names of a field may be in a heading: its values are looked at once for all of them. */
class Values {
  readonly #known = new Map<ImportField, boolean>();

  constructor(readonly list: readonly string[]) {}

  /** Whether most values are what a field needs; true where there are none. */
  fit(field: ImportField): boolean {
    const look = looks[field];
    const isFitting =
      this.#known.get(field) ?? (look !== undefined && 2 * this.list.filter(look).length >= this.list.length);
    this.#known.set(field, isFitting);
    return isFitting;
  }
}

/** What the words of a heading say, in so far as the values agree. */
function fieldByWords(heading: string, values: Values): ImportField | undefined {
  const known = meaningOf(heading)?.field;
  if (known !== undefined) return values.fit(known) ? known : undefined;
  const text = headingWords(heading);
  const rest = (alias: string) => text.replace(alias, ' ').trim().split(' ').filter(Boolean);
  const found = namesInHeadings.find((name) => {
    const { field, alias } = name;
    const isContained = text.includes(alias) && (!isVague(name) || rest(alias).every((word) => filler.test(word)));
    const isEnd = !isVague(name) && alias.length > 5 && text.endsWith(alias.slice(1));
    return (isContained || isEnd) && values.fit(field);
  });
  return found?.field ?? misspelt(heading, values);
}

const shortestMisspelt = 5;

/** The field whose name differs by one letter. */
function misspelt(heading: string, values: Values): ImportField | undefined {
  const key = headingKey(heading);
  if (key.length > 30) return undefined;
  const isNear = (name: string) =>
    name.length >= shortestMisspelt && Math.abs(name.length - key.length) <= 1 && editDistance(key, name) === 1;
  return namesInHeadings.find((name) => isNear(name.key) && values.fit(name.field))?.field;
}

/** What the values say by themselves. */
function fieldByValues(heading: string, { list }: Values): ImportField | undefined {
  const most = (look: (cell: string) => boolean) => list.length > 0 && list.filter(look).length >= 0.8 * list.length;
  if (most(isAddress)) return 'email';
  return most(isPhone) && !/ (id|nr|no|code|date|datum|zip|plz|iban|account|konto) /.test(headingWords(heading))
    ? 'phone'
    : undefined;
}

/** Whether a field is a part of the full name. */
export const isHalf = (field: ImportField): field is 'firstName' | 'lastName' =>
  field === 'firstName' || field === 'lastName';

/**
 * What columns may be that aren't understood, never from their position: by the words of the heading, or else by the look
 * of the values.
 * @param wanted the fields that the file lacks; a full name stands for both of its parts
 */
export function guessColumns(
  columns: readonly Column[],
  rows: FirstRows,
  wanted: readonly ImportField[],
): Map<number, ImportField> {
  const halves = wanted.filter(isHalf);
  const left = new Set<ImportField>(halves.length > 0 ? [...wanted, 'fullName'] : wanted);
  const guesses = new Map<number, ImportField>();
  for (const guess of [fieldByWords, fieldByValues])
    for (const { heading, index } of columns) {
      if (guesses.has(index) || isOfOthers(heading)) continue;
      const values = rows.map((cells) => (cells[index] ?? '').trim()).filter((cell) => cell !== '');
      const field = guess(heading, new Values(values));
      if (field === undefined || !left.has(field)) continue;
      guesses.set(index, field);
      left.delete(field);
    }
  for (const [index, field] of guesses) {
    if (field !== 'fullName') continue;
    const [half, otherHalf] = halves.filter((one) => left.has(one));
    // Beside the other half, a name is the half that the file lacks.
    if (half === undefined) guesses.delete(index);
    else if (otherHalf === undefined) guesses.set(index, half);
  }
  return guesses;
}
