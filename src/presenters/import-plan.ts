import type { Import } from '../db/models/import.js';
import type { ImportPlan, PlanContent } from '../db/models/import-plan.js';
import { presentImport } from './import.js';
import { pick } from './pick.js';

/** Default content for a plan that isn't complete, or for a file that can't be imported. */
const unfinished: PlanContent = {
  problem: null,
  file: null,
  columns: [],
  fields: [],
  counts: null,
  createdByRole: null,
  reasons: [],
  warnings: [],
  identityChanges: [],
  identityChangesLeftOut: 0,
  newGroups: [],
  roster: null,
  generatedPasswords: 0,
  invitations: 0,
  news: 0,
  roleWords: [],
  stopsAtLine: null,
  refusal: null,
};

/** Presents an import, with its plan until rows are committed. */
export function presentImportWithPlan(record: Import, plan: ImportPlan | null) {
  const isShown = plan !== null && record.rowsDone === 0;
  const { problem, ...content } = { ...unfinished, ...plan?.content };
  return {
    ...presentImport(record),
    plan: isShown
      ? {
          id: record.planId,
          ...pick(plan, ['rowsRead', 'expiresAt']),
          problem: problem && { reason: null, line: null, candidates: [], sheets: [], ...problem },
          ...content,
        }
      : null,
  };
}
