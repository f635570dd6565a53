import type { PlanWarning } from '../../../../db/models/import-plan.js';
import type { ImportField, WarningCode } from '../../../../schemas/import.js';

/** A warning about a row that can be imported: somebody should check it before confirming the plan. */
export interface RowWarning {
  code: WarningCode;
  /** Field of the warning; null if it concerns no single field. */
  field: ImportField | null;
  /** Sentence that is the same for all rows with this warning. */
  message: string;
  /** Value of this row, or the result of reading it; absent if it may be secret. */
  example?: string;
}

/** Limits the memory of a plan, which must not grow with the file. */
const maxWarnings = 100;
export const rowsPerWarning = 20;
const examplesPerWarning = 5;

/** Groups the warnings of rows by code and message. */
export class WarningGroups {
  readonly #groups = new Map<string, PlanWarning>();

  /** @param line line of the row; null if the warning concerns a column or the file */
  add(line: number | null, warnings: readonly RowWarning[] = []): void {
    for (const warning of warnings) this.#count(line, warning);
  }

  #count(line: number | null, { code, field, message, example }: RowWarning): void {
    const key = [code, field, message].join('\n');
    const group = this.#groups.get(key) ?? { code, field, message, count: 0, rows: [], examples: [] };
    if (group.count === 0 && this.#groups.size >= maxWarnings) return;
    this.#groups.set(key, group);
    group.count += 1;
    if (line !== null && group.rows.length < rowsPerWarning) group.rows.push(line);
    const isNew = example !== undefined && !group.examples.includes(example);
    if (isNew && group.examples.length < examplesPerWarning) group.examples.push(example);
  }

  /** Returns the warnings about columns and the file, then those about rows, the most frequent first. */
  list(): PlanWarning[] {
    const ofRows = ({ rows }: PlanWarning) => (rows.length > 0 ? 1 : 0);
    return [...this.#groups.values()].sort((one, other) => ofRows(one) - ofRows(other) || other.count - one.count);
  }
}
