import { isUtf8 } from 'node:buffer';
import { decodeHTMLStrict } from 'entities';
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

/** What a name was before UTF-8 was read as Windows-1252 (`JosÃ©`), or its letters became HTML entities; itself otherwise. */
function meantBy(name: string): string {
  if (/^[\0-\x7f]*$/.test(name)) return decodeHTMLStrict(name);
  const bytes = iconv.encode(name, 'windows-1252');
  const isDoubled = isUtf8(bytes) && iconv.decode(bytes, 'windows-1252') === name;
  return isDoubled ? bytes.toString() : decodeHTMLStrict(name);
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
