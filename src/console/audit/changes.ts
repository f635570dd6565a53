import i18next, { type TFunction } from 'i18next';
import type { ResponseBody } from '../api/client.js';
import type { Translations } from '../i18n/en/translations.js';

export type AuditEntry = ResponseBody<'listAudit'>['entries'][number];

const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0);

/** Changed fields, in the order of the service. Empty fields of created and deleted objects are left out. */
export function changedFields({ before, after }: AuditEntry): string[] {
  const all = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  return all.filter((field) => {
    const [old, present] = [before?.[field], after?.[field]];
    if (isEmpty(old) && isEmpty(present)) return false;
    return JSON.stringify(old) !== JSON.stringify(present);
  });
}

/** Label of an audited field, or its own name if there is no translation. */
export function fieldName(field: string, t: TFunction): string {
  // `exists` checks each key before its use. Fields of courses have the labels of the course form.
  if (i18next.exists(`audit.field.${field}`)) return t(`audit.field.${field as keyof Translations['audit']['field']}`);
  if (i18next.exists(`courses.field.${field}`))
    return t(`courses.field.${field as keyof Translations['courses']['field']}`);
  return i18next.exists(`field.${field}`) ? t(`field.${field as keyof Translations['field']}`) : field;
}
