import type { PlanWarning } from '../../../../db/models/import-plan.js';
import type { ImportField, WarningCode } from '../../../../schemas/import.js';

/** What looks wrong in a row that can be imported: somebody should look at it before confirming the plan. */
export interface RowWarning {
  code: WarningCode;
  /** The field that it is about; null when it isn't one. */
  field: ImportField | null;
  /** A sentence that is the same for all rows with this warning. */
  message: string;
  /** The value of this row, or what it was read as; absent where it may be secret. */
  example?: string;
}

/** A plan's memory must not grow with the file. */
const maxWarnings = 100;
export const rowsPerWarning = 20;
const examplesPerWarning = 5;

/** Groups the warnings of rows by code and message. */
export class WarningGroups {
  readonly #groups = new Map<string, PlanWarning>();

  /** @param line of the row; null for what concerns a column or the file */
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

  /** The warnings: those about columns and the file first, then the most frequent. */
  list(): PlanWarning[] {
    const ofRows = ({ rows }: PlanWarning) => (rows.length > 0 ? 1 : 0);
    return [...this.#groups.values()].sort((one, other) => ofRows(one) - ofRows(other) || other.count - one.count);
  }
}
