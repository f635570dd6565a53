import type { InferCreationAttributes } from 'sequelize';
import type { PlanContent, PlanProblem, StoredPlan } from '../../../db/models/import-plan.js';
import type { ImportPlanRow } from '../../../db/models/import-plan-row.js';
import { fieldsReadBy, type ImportOptions, requiredColumns } from '../../../schemas/import.js';
import { phoneKey, searchKey } from '../../../schemas/keys.js';
import type { CellMask, FilePreview } from '../read/preview.js';
import { isRejected } from '../read/rows/rows.js';
import { codesOf, type Decision, reasonOf } from './outcomes.js';
import type { ImportPlan } from './plan.js';
import { problemsOf } from './reasons.js';
import type { PlannedLeaver, RosterPlan } from './roster.js';

const fieldsFor = (options: Partial<ImportOptions>) =>
  fieldsReadBy(options).map((name) => ({ name, required: requiredColumns(options).some((field) => field === name) }));

/** Maximum changes of names, emails and roles in a stored plan. The rows of the plan show all changes. */
const maxChangesShown = 100;

/** Effects of a column before any row is planned. */
const withoutEffect = { effect: null, people: 0, mailed: 0, example: null };

/** Returns the stored form of a plan that can be applied. */
export function toStoredPlan(plan: ImportPlan, preview: FilePreview): PlanContent {
  const plannedBy = new Map(plan.columns.map((column) => [column.index, column]));
  const unchanged = plan.reasons.find(({ code }) => code === 'UNCHANGED')?.count ?? 0;
  const { identityChanges, identityChangesLeftOut, generatedPasswords, roleWords, stopsAtLine, refusal } = plan;
  const leftOut = Math.max(0, identityChanges.length - maxChangesShown) + identityChangesLeftOut;
  return {
    problem: null,
    file: { ...fileOf(preview), lines: plan.lines, names: [...plan.names] },
    columns: preview.columns.map((column) => ({ ...withoutEffect, ...plannedBy.get(column.index), ...column })),
    fields: fieldsFor(plan.options),
    counts: { ...plan.counts, unchanged },
    createdByRole: plan.createdByRole,
    reasons: [...plan.reasons],
    warnings: [...plan.warnings],
    identityChanges: identityChanges.slice(0, maxChangesShown),
    identityChangesLeftOut: leftOut,
    newGroups: [...plan.newGroups],
    roster: plan.roster && rosterSummary(plan.roster),
    generatedPasswords,
    invitations: plan.invitations,
    news: plan.news,
    roleWords: Object.entries(roleWords).map(([word, role]) => ({ word, role })),
    stopsAtLine,
    refusal,
  };
}

/** Returns the numbers of a roster's plan. */
const rosterSummary = ({ isFirst, members, leaving, held }: RosterPlan) => ({
  isFirst,
  members,
  leaving: leaving.length,
  deactivated: leaving.filter(({ isDeactivated }) => isDeactivated).length,
  held,
});

/** Returns the row of a plan for a member who leaves. @param index position among the members who leave */
export function toLeavingRow(
  importId: string,
  { userId, firstName, lastName, email, ended, isDeactivated }: PlannedLeaver,
  index: number,
): InferCreationAttributes<ImportPlanRow> {
  const changes: PlannedChange[] = [
    ...(ended > 0 ? [{ field: 'course', before: String(ended), after: null }] : []),
    ...(isDeactivated ? [{ field: 'isActive', before: 'true', after: 'false' }] : []),
  ];
  return {
    importId,
    line: -(index + 1),
    outcome: 'left',
    code: null,
    otherCodes: null,
    field: null,
    reason: null,
    userId,
    searchKey: searchKey(firstName, lastName, email),
    changesJson: changes.length === 0 ? null : JSON.stringify(changes),
    cellsJson: '[]',
  };
}

/** Returns the stored form of a plan for a file that can't be imported with these options. */
export function toUnusablePlan(
  problem: PlanProblem,
  preview: FilePreview | undefined,
  options: Partial<ImportOptions>,
): StoredPlan {
  const file = preview ? { ...fileOf(preview), lines: null, names: [] } : null;
  return {
    problem,
    file,
    columns: preview?.columns.map((column) => ({ ...withoutEffect, ...column })) ?? [],
    fields: fieldsFor(options),
  };
}

function fileOf({ format, headerLine }: FilePreview) {
  const { encoding, delimiter, byteOrderMark, workbook } = format;
  return { encoding, delimiter, byteOrderMark, headerLine, workbook };
}

/** A change of a field in a row of a plan, as text. */
export interface PlannedChange {
  field: string;
  before: string | null;
  after: string | null;
}

const textOf = (value: string | boolean | null) => (value === null ? null : String(value));

/** Returns the changes of an update. A new password appears without values. */
function changesOf(decision: Decision): PlannedChange[] {
  if (decision.outcome !== 'updated') return [];
  const { account, changes, resetPassword } = decision;
  const changed = Object.entries(changes).map(([field, after]) => ({
    field,
    // Only fields of accounts are changed.
    before: textOf(account[field as keyof typeof changes]),
    after: String(after),
  }));
  return resetPassword ? [...changed, { field: 'password', before: null, after: null }] : changed;
}

/** Returns the text by which a search finds a row. Rejected rows are found by their displayable cells. */
function searchKeyOf({ row }: Decision, cells: readonly string[]): string {
  if (isRejected(row)) return searchKey(...cells);
  const { firstName, lastName, email, phone } = row.person;
  return searchKey(firstName, lastName, email, phone && phoneKey(phone), phone);
}

/** Returns the stored row for a decision. @param mask returns the displayable cells of a row */
export function toPlanRow(
  importId: string,
  decision: Decision,
  mask: CellMask,
): InferCreationAttributes<ImportPlanRow> {
  const { outcome, row } = decision;
  const cells = mask(row.cells);
  const changes = changesOf(decision);
  return {
    importId,
    line: row.line,
    outcome,
    ...codesOf(decision),
    field: outcome === 'rejected' ? (problemsOf(decision).find(({ field }) => field !== null)?.field ?? null) : null,
    reason: reasonOf(decision),
    userId:
      outcome === 'rejected'
        ? (decision.accountId ?? null)
        : 'account' in decision
          ? (decision.account?.id ?? null)
          : null,
    searchKey: searchKeyOf(decision, cells),
    changesJson: changes.length === 0 ? null : JSON.stringify(changes),
    cellsJson: JSON.stringify(cells),
  };
}
