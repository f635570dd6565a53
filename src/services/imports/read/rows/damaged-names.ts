import { isUtf8 } from 'node:buffer';
import { decodeHTMLStrict } from 'entities';
import iconv from 'iconv-lite';
import { hasAtSign } from '../../../../schemas/fields.js';
import type { ImportedPerson } from '../../../../schemas/imported-person.js';
import type { RowWarning } from '../fields/warnings.js';

type Name = 'firstName' | 'lastName';
const names: readonly (readonly [Name, string])[] = [
  ['firstName', 'First name'],
  ['lastName', 'Last name'],
];

/** Matches texts that programs write for errors and missing values: `#N/A`, `#NAME?`, `#¡REF!`, `nan`. "Nan" is a name. */
const errorValue = /^(#[¿¡]?[\p{Lu}\d/_]+[!?]?|Err:\d{3}|N\/A|n\/a|nan|NaN|undefined|\(null\))$/u;

/** Matches a spreadsheet error: `#N/A`, `#DIV/0!`, `Err:502`. Doesn't match `#ABC123`, which may be a password. */
export const spreadsheetError = /^(#(NV|GETTING_DATA|\p{Lu}\/\p{Lu}|[¿¡]?\p{Lu}+([_/]\p{Lu}+)*(\/0)?[!?])|Err:\d{3})$/u;

/** Matches traces of lost letters: `?` for a letter that an encoding lacks, and control characters of misread UTF-8. */
const lostLetters = /[\ufffd\x80-\x9f]|[\p{L}?]\?|\?\p{L}/u;

/** Returns the problem of a name that can't be recovered, or undefined. */
export function findNameDamage(
  person: Partial<Pick<ImportedPerson, Name>>,
): { path: Name; message: string } | undefined {
  for (const [path, label] of names) {
    const name = person[path]?.trim() ?? '';
    if (errorValue.test(name))
      return {
        path,
        message: `${label} is a spreadsheet error or a placeholder for a missing value. Enter the name.`,
      };
    if (lostLetters.test(name))
      return {
        path,
        message: `${label} has letters that were lost in an earlier conversion. Export it again as "CSV UTF-8".`,
      };
  }
  return undefined;
}

/** Repairs a name whose UTF-8 was read as Windows-1252 (`JosÃ©`); returns other names unchanged. */
function undoDoubleDecoding(name: string): string {
  const bytes = iconv.encode(name, 'windows-1252');
  return isUtf8(bytes) && iconv.decode(bytes, 'windows-1252') === name ? bytes.toString() : name;
}

/** Matches a date without year or day, as spreadsheets write it: `12-Mar`, `12. Mrz`, `Mar-99`. */
export const monthDate = /^(\d{1,2}(-|\.\s?)\p{L}{3,4}\.?([-\s]\d{2,4})?|\p{L}{3,4}\.?-\d{2,4})$/u;

const date = /^\d{1,4}[-./]\d{1,2}[-./]\d{1,4}$/;

/** Matches words that programs write for a missing value. A few people have these names. */
const missingValueWord = /^(null|none|unknown)$/i;

function describeOddity(name: string): string | undefined {
  if (hasAtSign(name)) return 'is an email address';
  if (date.test(name) || monthDate.test(name)) return 'is a date';
  if (missingValueWord.test(name)) return 'is a placeholder for a missing value';
  return /\p{L}/u.test(name) ? undefined : 'has no letter';
}

export function nameWarnings(person: Pick<ImportedPerson, Name>): RowWarning[] {
  return names.flatMap(([field, label]): RowWarning[] => {
    const name = person[field];
    const restored = decodeHTMLStrict(undoDoubleDecoding(name))
      .replace(/\\(['"])/g, '$1')
      .replace(/(\p{L})''(?=\p{L})/gu, "$1'");
    if (restored !== name) {
      const message = `${label} was garbled by an earlier conversion. Export the file again as "CSV UTF-8".`;
      return [{ code: 'NAME_GARBLED', field, message, example: `${name} (probably ${restored})` }];
    }
    const odd = describeOddity(name.trim());
    return odd === undefined ? [] : [{ code: 'NAME_ODD', field, message: `${label} ${odd}.`, example: name }];
  });
}
