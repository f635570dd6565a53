import type { PlannedColumn } from '../../../db/models/import-plan.js';
import type { ImportField, ImportOptions } from '../../../schemas/import.js';
import { shownText } from '../../../tables/table/text.js';
import { type ColumnMapping, fieldsByIndex } from '../read/columns/columns.js';
import { isList, isRepeatable } from '../read/fields/header-aliases.js';
import { cellMaskFor } from '../read/preview.js';
import { KeyIndex } from '../read/rows/key-index.js';
import { type Decision, enrollmentsToNotify, groupsOf, isSamePerson } from './outcomes.js';

type Accepted = Exclude<Decision, { outcome: 'rejected' }>;

/** Effects of the fields on people, for display. */
const effects: Readonly<Record<ImportField, string>> = {
  firstName: 'first name',
  lastName: 'last name',
  fullName: 'first and last name',
  email: 'account, sign-in, mails',
  phone: 'sign-in',
  role: 'role of the account',
  isActive: 'active or inactive',
  suspended: 'inactive or active',
  language: 'language of mails',
  password: 'first password',
  passwordHash: 'first password',
  course: 'enrollment',
  enrollmentStatus: 'status of the enrollment',
  reply: 'shown to the trainee',
  group: 'member of the group',
};

/** Fields that have an effect only if the row enrolls. */
const enrollmentFields: readonly ImportField[] = ['course', 'enrollmentStatus', 'reply'];

function hasEffect(field: ImportField, decision: Accepted): boolean {
  const { outcome, row, enrollments } = decision;
  if (field === 'reply') return enrollments.some(({ reply }) => reply !== null);
  if (field === 'group') return groupsOf(decision).length > 0;
  if (enrollmentFields.includes(field)) return enrollments.length > 0;
  if (isSamePerson(decision)) return false;
  if (field === 'email') return true;
  if (outcome === 'skipped') return false;
  const isPassword = field === 'password' || field === 'passwordHash';
  const values: object =
    outcome === 'created' || (isPassword && decision.resetPassword) ? row.person : decision.changes;
  if (field === 'fullName') return 'firstName' in values || 'lastName' in values;
  return (field === 'suspended' ? 'isActive' : field) in values;
}

interface CountedColumn {
  column: Omit<PlannedColumn, 'effect'>;
  /** Position among the columns of the same field. */
  order: number;
}

/** Columns of a plan. Counts their effects batch by batch. */
export class PlannedColumns {
  readonly #options: Pick<ImportOptions, 'invite' | 'notify'>;
  readonly #mapping: ColumnMapping;
  readonly #mask: ReturnType<typeof cellMaskFor>;
  readonly #columns: readonly CountedColumn[];
  readonly #byIndex: ReadonlyMap<number, CountedColumn>;
  /** People whose enrollments were counted for a column. A person may be on several lines. */
  readonly #people = new KeyIndex();

  constructor(options: Pick<ImportOptions, 'invite' | 'notify'>, mapping: ColumnMapping) {
    this.#options = options;
    this.#mapping = mapping;
    this.#mask = cellMaskFor(mapping);
    const fields = fieldsByIndex(mapping.columns);
    this.#columns = mapping.fileColumns.map(({ heading, index, hidden = false }) => {
      const field = fields.get(index) ?? null;
      const suggestion = mapping.suggestions.get(index) ?? null;
      const column = { index, heading: shownText(heading), field, suggestion, hidden, example: null };
      const order = field === null ? 0 : (mapping.columns.get(field)?.indexOf(index) ?? 0);
      return { column: { ...column, people: 0, mailed: 0 }, order };
    });
    this.#byIndex = new Map(this.#columns.map((one) => [one.column.index, one]));
  }

  add(decisions: readonly Decision[]): void {
    for (const decision of decisions) {
      if (decision.outcome === 'rejected') continue;
      this.#count(decision);
      this.#findExamples(decision.row.cells);
    }
  }

  #count(decision: Accepted): void {
    const { cells, line, isRepeatedPerson, person } = decision.row;
    const mailed = enrollmentsToNotify(this.#options, decision);
    for (const [field, indexes] of this.#mapping.columns) {
      if (!hasEffect(field, decision)) continue;
      const filled = indexes.filter((index) => (cells[index] ?? '').trim() !== '');
      // In a column of ticks, a blank cell means "no" and has an effect, too.
      const used = filled.length === 0 && this.#mapping.isTicked && isState(field) ? indexes : filled;
      for (const index of isList(field) ? used : used.slice(0, 1)) {
        const counted = this.#byIndex.get(index);
        const isKnown =
          isRepeatedPerson !== undefined &&
          enrollmentFields.includes(field) &&
          this.#people.recordLine(`${index} ${person.email}`, line) !== undefined;
        if (counted === undefined) continue;
        if (!isKnown) counted.column.people += 1;
        const isMailed =
          field === 'course' ? mailed.length > 0 : field === 'reply' && mailed.some(({ reply }) => reply);
        if (isMailed) counted.column.mailed += 1;
      }
    }
  }

  #findExamples(cells: readonly string[]): void {
    let masked: readonly string[] | undefined;
    for (const [position, { column }] of this.#columns.entries()) {
      if (column.example !== null || (cells[column.index] ?? '').trim() === '') continue;
      masked ??= this.#mask(cells);
      column.example = shownText(masked[position] ?? '') || null;
    }
  }

  /** Returns the columns in the order of the file, after all rows were added. */
  list(): PlannedColumn[] {
    return this.#columns.map(({ column, order }) => ({ ...column, effect: this.#effectOf(column, order) }));
  }

  #effectOf({ field, mailed }: Omit<PlannedColumn, 'effect'>, order: number): string | null {
    if (field === null) return null;
    const effect = `${effects[field]}${mailed > 0 ? ' and mailed' : ''}`;
    const [first = -1] = this.#mapping.columns.get(field) ?? [];
    const isFallback = order > 0 && isRepeatable(field) && !isList(field);
    return isFallback ? `${effect}, if "${this.#byIndex.get(first)?.column.heading}" is blank` : effect;
  }
}

const isState = (field: ImportField) => field === 'isActive' || field === 'suspended';
