import type { ImportField } from './field-name.js';
import type { Plan } from './import-status.js';
import type { PlanChanges } from './plan-options.js';

export type FileColumn = Plan['columns'][number];

/** Fields that several columns may have. */
const repeatable: readonly ImportField[] = ['phone', 'course', 'group', 'isActive'];

/** Field of a column after the changes; null if the column isn't imported. */
export function fieldOf({ index, field }: FileColumn, { map = [] }: PlanChanges): ImportField | null {
  const changed = map.find(({ column }) => column === index);
  return changed ? changed.field : field;
}

/** Required fields that no column has after the changes. */
export function missingFields({ columns, fields }: Plan, changes: PlanChanges): ImportField[] {
  const used = new Set(columns.map((column) => fieldOf(column, changes)));
  return fields
    .filter(({ name, required }) => required && !used.has(name) && !(name === 'phone' && allowsMissingPhone(changes)))
    .filter(({ name }) => !(used.has('fullName') && (name === 'firstName' || name === 'lastName')))
    .map(({ name }) => name);
}

const allowsMissingPhone = ({ missingPhone }: PlanChanges): boolean => missingPhone === 'allow';

/** Fields that several equally likely columns have after the changes, although a field has one column. */
export function repeatedFields({ columns, fields, problem }: Plan, changes: PlanChanges): ImportField[] {
  if (problem?.reason !== 'COLUMN_REPEATED') return [];
  const countOf = (name: ImportField) => columns.filter((column) => fieldOf(column, changes) === name).length;
  return fields.map(({ name }) => name).filter((name) => !repeatable.includes(name) && countOf(name) > 1);
}

/** Returns the changes with a field for a column. Most fields have one column: its previous column is no longer imported. */
export function mapColumn(
  { columns }: Plan,
  changes: PlanChanges,
  index: number,
  field: ImportField | null,
): PlanChanges {
  const isTaken = (column: FileColumn) => field !== null && fieldOf(column, changes) === field;
  const others = columns
    .filter((column) => column.index !== index && !repeatable.some((one) => one === field) && isTaken(column))
    .map((column) => ({ column: column.index, field: null }));
  const kept = (changes.map ?? []).filter(
    ({ column }) => column !== index && !others.some((one) => one.column === column),
  );
  return { ...changes, map: [...kept, ...others, { column: index, field }] };
}
