import type { ImportField } from '../../../schemas/import.js';
import type { ColumnMapping } from './columns.js';
import { meaningOf } from './header-aliases.js';
import { headingKey } from './headings.js';

/** Headings of passwords that have no column of their own, by their keys. */
const secretHeading = /pass|pwd|kennwort|contrasena|senha|secret|geheim|motde|hash|token|كلمةالمرور|كلمةالسر/;
/** Hashes as other programs export them, and long hexadecimal texts. */
const secretCell = /^\s*(\$[\w-]{1,20}\$|\{[\w-]{2,12}\}|pbkdf2|[\da-f]{32,}\s*$)/i;

/** Whether the cells of a column may be passwords, whatever it is mapped to. @param field what it is mapped to */
export function isSecretColumn({ heading, field }: { heading: string; field: ImportField | null }): boolean {
  const key = headingKey(heading);
  const usual = meaningOf(heading)?.field;
  return [field, usual].some((one) => one === 'password' || one === 'passwordHash') || secretHeading.test(key);
}

/** Whether a cell is a hash, under any heading. */
export const isSecretCell = (cell: string): boolean => secretCell.test(cell);

/** Whether a file has a column that may have passwords. */
export function hasSecretColumn({ own, fields }: ColumnMapping): boolean {
  const byIndex = new Map([...fields].map(([field, index]) => [index, field]));
  return own.some(({ heading, index }) => isSecretColumn({ heading, field: byIndex.get(index) ?? null }));
}
