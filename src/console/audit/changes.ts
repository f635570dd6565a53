import i18next, { type TFunction } from 'i18next';
import type { ResponseBody } from '../api/client.js';
import type { Translations } from '../i18n/en/translations.js';

export type AuditEntry = ResponseBody<'listAudit'>['entries'][number];

const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0);

/** The fields that differ, in the order of the service; of what was created or deleted, those that say something. */
export function changedFields({ before, after }: AuditEntry): string[] {
  const all = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  return all.filter((field) => {
    const [old, present] = [before?.[field], after?.[field]];
    if (isEmpty(old) && isEmpty(present)) return false;
    return JSON.stringify(old) !== JSON.stringify(present);
  });
}

/** What a recorded field is called; by its own name when it has no words. */
export function fieldName(field: string, t: TFunction): string {
  // There are words for it: see the conditions. Fields of courses are called as on the page of a course.
  if (i18next.exists(`audit.field.${field}`)) return t(`audit.field.${field as keyof Translations['audit']['field']}`);
  if (i18next.exists(`courses.field.${field}`))
    return t(`courses.field.${field as keyof Translations['courses']['field']}`);
  return i18next.exists(`field.${field}`) ? t(`field.${field as keyof Translations['field']}`) : field;
}
