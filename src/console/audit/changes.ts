import i18next, { type TFunction } from 'i18next';
import type { Answer } from '../api/client.js';
import type { Words } from '../i18n/en.js';

export type AuditEntry = Answer<'listAudit'>['entries'][number];

/** The fields that an entry tells of, in the order of the service. */
export const changedFields = ({ before, after }: AuditEntry): string[] => [
  ...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]),
];

/** What a recorded field is called; by its own name when it has no words. */
export function fieldName(field: string, t: TFunction): string {
  // There are words for it: see the condition.
  return i18next.exists(`audit.field.${field}`) ? t(`audit.field.${field as keyof Words['audit']['field']}`) : field;
}
