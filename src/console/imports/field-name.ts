import i18next, { type TFunction } from 'i18next';
import type { Translations } from '../i18n/en/translations.js';
import type { Plan } from './import-status.js';

export type ImportField = Plan['fields'][number]['name'];

const hasOwnWord = (field: string): field is keyof Translations['imports']['fields'] =>
  i18next.exists(`imports.fields.${field}`);

/** Whether there is a word for a field: at a terminal, fields are typed in any case, and a service of another version has others. */
export const isKnownField = (field: string): field is ImportField =>
  hasOwnWord(field) || i18next.exists(`field.${field}`);

/** What a field of an import is called: as elsewhere, or as in files. */
export const importFieldName = (field: ImportField, t: TFunction): string =>
  hasOwnWord(field) ? t(`imports.fields.${field}`) : t(`field.${field}`);
