import { isUtf8 } from 'node:buffer';
import iconv from 'iconv-lite';
import { hasAtSign } from '../../../schemas/fields.js';
import type { ImportedPerson } from '../../../schemas/imported-person.js';
import type { RowWarning } from './warnings.js';

type Name = 'firstName' | 'lastName';
const names: readonly (readonly [Name, string])[] = [
  ['firstName', 'First name'],
  ['lastName', 'Last name'],
];

/** What spreadsheets and programs write where they have no value: `#N/A`, `#NAME?`, `#BEZUG!`, `nan`. Nan is a name. */
const errorWord = /^(#[\p{Lu}\d/]+[!?]?|N\/A|nan|NaN)$/u;

/** Why a name is lost; nothing for others. */
export function nameDamage(person: Pick<ImportedPerson, Name>): { path: Name; message: string } | undefined {
  for (const [path, label] of names) {
    const name = person[path].trim();
    if (name.includes('\ufffd'))
      return {
        path,
        message: `${label} has letters that were lost in an earlier conversion. Export it again as "CSV UTF-8".`,
      };
    if (errorWord.test(name))
      return {
        path,
        message: `${label} is what a spreadsheet writes for an error or a missing value. Enter the name.`,
      };
  }
  return undefined;
}

const entity = /&(#\d{1,6}|#x[\da-f]{1,5}|[a-z]{2,8});/gi;
const characters: Readonly<Record<string, string>> = {
  ...{ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ', rsquo: '’', lsquo: '‘', szlig: 'ß' },
  ...{ oslash: 'ø', Oslash: 'Ø', aelig: 'æ', AElig: 'Æ', eth: 'ð', ETH: 'Ð', thorn: 'þ', THORN: 'Þ' },
};
const marks: Readonly<Record<string, string>> = {
  ...{ grave: '\u0300', acute: '\u0301', circ: '\u0302', tilde: '\u0303', uml: '\u0308', ring: '\u030a' },
  ...{ caron: '\u030c', cedil: '\u0327' },
};

/** The character of an HTML entity; the entity where it isn't known. */
function characterOf(whole: string, name: string): string {
  const number =
    name.startsWith('#x') || name.startsWith('#X') ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
  if (name.startsWith('#')) return number > 31 && number < 0x11_0000 ? String.fromCodePoint(number) : whole;
  const mark = marks[name.slice(1)];
  return characters[name] ?? (mark === undefined ? whole : `${name.charAt(0)}${mark}`.normalize('NFC'));
}

/** What a name was before UTF-8 was read as Windows-1252 (`JosÃ©`), or its letters became HTML entities; itself otherwise. */
function meantBy(name: string): string {
  if (/^[\0-\x7f]*$/.test(name)) return name.includes('&') ? name.replace(entity, characterOf) : name;
  const bytes = iconv.encode(name, 'windows-1252');
  const isDoubled = isUtf8(bytes) && iconv.decode(bytes, 'windows-1252') === name;
  return isDoubled ? bytes.toString() : name.replace(entity, characterOf);
}

const date = /^\d{1,4}[-./]\d{1,2}[-./]\d{1,4}$/;

function oddity(name: string): string | undefined {
  if (hasAtSign(name)) return 'is an email address';
  if (date.test(name)) return 'is a date';
  return /\p{L}/u.test(name) ? undefined : 'has no letter';
}

/** What looks wrong in the names of a person. */
export function nameWarnings(person: Pick<ImportedPerson, Name>): RowWarning[] {
  return names.flatMap(([field, label]): RowWarning[] => {
    const name = person[field];
    const meant = meantBy(name);
    if (meant !== name)
      return [
        {
          code: 'NAME_GARBLED',
          field,
          message: `${label} was garbled by an earlier conversion. Export the file again as "CSV UTF-8".`,
          example: `${name} (probably ${meant})`,
        },
      ];
    const odd = oddity(name.trim());
    return odd === undefined ? [] : [{ code: 'NAME_ODD', field, message: `${label} ${odd}.`, example: name }];
  });
}
