import i18next, { type TFunction } from 'i18next';
import type { Translations } from '../i18n/en/translations.js';
import type { Plan } from './import-status.js';

export type ImportField = Plan['fields'][number]['name'];

const hasOwnWord = (field: string): field is keyof Translations['imports']['fields'] =>
  i18next.exists(`imports.fields.${field}`);

/** Whether a field has a translation. Fields typed at a terminal may have any case; other versions have other fields. */
export const isKnownField = (field: string): field is ImportField =>
  hasOwnWord(field) || i18next.exists(`field.${field}`);

export const importFieldName = (field: ImportField, t: TFunction): string =>
  hasOwnWord(field) ? t(`imports.fields.${field}`) : t(`field.${field}`);
