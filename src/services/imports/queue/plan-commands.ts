import type { Transaction } from 'sequelize';
import type { Import } from '../../../db/models/import.js';
import type { ImportPlan as PlanRecord } from '../../../db/models/import-plan.js';
import { AppError } from '../../../errors.js';
import {
  applySchema,
  type ImportOptions,
  importOptionsSchema,
  replanSchema,
  serializeImportOptions,
} from '../../../schemas/import.js';
import { validate } from '../../../schemas/validate.js';
import type { Actor, Core } from '../../core.js';
import { withRosterOptions } from '../../groups/rosters.js';
import { withPossibleAccess } from '../plan/access.js';
import { findOptionCourses } from '../plan/course-index.js';
import { syncHeldError } from '../plan/roster.js';
import { isPlainHeading } from '../read/columns/column-maps.js';
import { headingKey } from '../read/fields/headings.js';
import { maxSampleLength } from '../read/preview.js';
import { findImport, hasActiveLease, statusConflict } from '../store/find-import.js';
import { assertLedgerKept } from '../store/ledger.js';
import { assertBelowPlanLimit, findPlan, requestPlan } from '../store/plan-store.js';
import { auditBegin, hasWritten, lockImport, noPlanColumns, optionsOf } from '../store/repository.js';
import { assertTrainerHasCourse, lockTrainer, reserveInvites } from '../store/trainer-imports.js';
import { optionsForTrainer } from './trainer-options.js';

/**
 * @throws AppError `IMPORT_AT_TERMINAL`, `IMPORT_ROWS_DELETED`, `IMPORT_HAS_ROWS`, `IMPORT_CONFLICT` unless the import
 *   is being planned, is planned, or failed or was cancelled
 */
async function assertPlannable(core: Core, record: Import, transaction: Transaction): Promise<void> {
  const { number, origin, status } = record;
  if (origin !== 'http')
    throw new AppError(
      'IMPORT_AT_TERMINAL',
      `The import ${number} was begun at a terminal: it can't be planned again. Import its file there again.`,
    );
  assertLedgerKept(record, "it can't be planned again; upload the file again.");
  const hasFailed = status === 'failed' || status === 'cancelled';
  if (status === 'planning' || status === 'planned' || (hasFailed && !hasWritten(record))) {
    // A cancelled run may not have noticed the cancellation yet.
    if (!hasFailed || !(await hasActiveLease(core, record, transaction))) return;
  }
  if (hasWritten(record))
    throw new AppError('IMPORT_HAS_ROWS', `The import ${number} has written rows: it can't be planned again.`);
  throw statusConflict(record, "it can't be planned again.");
}

/** Whether two sets of options divide a file into the same columns with the same headings. */
const readsAlike = (one: ImportOptions, other: ImportOptions): boolean =>
  one.encoding === other.encoding && one.delimiter === other.delimiter && one.sheet === other.sheet;

/** Returns the headings that identify a column of the current plan, by the column's index. People read them in the options. */
async function plannedHeadings(core: Core, record: Import): Promise<Map<number, string>> {
  const columns = (await findPlan(core, record))?.content?.columns ?? [];
  const keys = columns.map(({ heading }) => headingKey(heading));
  const isUnique = (heading: string) => keys.filter((key) => key === headingKey(heading)).length === 1;
  return new Map(
    columns
      .filter(({ heading }) => heading.length < maxSampleLength && isPlainHeading(heading) && isUnique(heading))
      .map(({ index, heading }) => [index, heading]),
  );
}

/**
 * Plans the uploaded file of an import again with other options. A roster adds those that it remembers. This is also possible
 * after a run without written rows.
 * @param input raw options; columns are mapped by their index
 * @throws AppError `VALIDATION`, `NOT_FOUND`, `PLAN_LIMIT`, `MAIL_NOT_SET_UP`, `PASSWORD_LOGIN_OFF`, and the errors of
 *   {@link assertPlannable}
 */
export async function replanImport(core: Core, actor: Actor, id: string, input: unknown): Promise<Import> {
  const { roster } = validate(replanSchema, input);
  // Only the super admin reads the options of a roster. It remembers columns by their headings, as a terminal names them.
  const isRead = roster !== undefined && actor.role !== 'trainer';
  const { map: remembered = [], ...known } = await withRosterOptions(core, isRead ? { roster } : {});
  const { map, ...others } = validate(replanSchema, { ...known, ...Object(input) });
  const unmapped = validate(importOptionsSchema, others);
  const earlier = await findImport(core, actor, id);
  const { trainerId } = earlier;
  await assertTrainerHasCourse(core, earlier);
  const headings = readsAlike(optionsOf(earlier), unmapped) ? await plannedHeadings(core, earlier) : new Map();
  const entries = map?.map(({ column, field }) => `${headings.get(column) ?? `#${column + 1}`}=${field ?? ''}`);
  const mapped = validate(importOptionsSchema, { ...others, map: entries ?? remembered });
  const { course = optionsOf(earlier).course, ...rest } = mapped;
  const options =
    trainerId === null
      ? withPossibleAccess(core, mapped)
      : await optionsForTrainer(core, trainerId, Object(input), { ...rest, ...(course !== undefined && { course }) });
  await findOptionCourses(core, options);
  return core.database.inTransaction(async (transaction) => {
    const record = await lockImport(core, id, transaction);
    await assertPlannable(core, record, transaction);
    if (record.status !== 'planning' && record.status !== 'planned')
      await assertBelowPlanLimit(core, record.createdBy, transaction);
    const restarted = {
      cancelRequested: false,
      startedAt: null,
      finishedAt: null,
      errorCode: null,
      errorMessage: null,
    };
    const optionsJson = serializeImportOptions(options);
    await record.update({ status: 'planning', optionsJson, ...noPlanColumns, ...restarted }, { transaction });
    await requestPlan(core, record, transaction);
    await auditBegin(core, actor, record, transaction);
    return record;
  });
}

/** @throws AppError `IMPORT_CONFLICT`, `PLAN_EXPIRED`, `PLAN_OUTDATED`, `IMPORT_REFUSED` */
function assertApplicable(core: Core, record: Import, plan: PlanRecord | null, planId: string | undefined): void {
  const content = plan?.content;
  if (record.status !== 'planned' || !content) throw statusConflict(record, 'there is no plan to apply.');
  if (plan.expiresAt <= core.now())
    throw new AppError('PLAN_EXPIRED', `The plan of the import ${record.number} has expired. Upload the file again.`);
  const { problem, refusal } = content;
  if (problem) throw new AppError(problem.code === 'PLAN_OUTDATED' ? problem.code : 'IMPORT_REFUSED', problem.message);
  if (planId !== undefined && planId !== record.planId)
    throw new AppError('PLAN_OUTDATED', 'The import was planned again. Check its new plan.');
  if (refusal) throw new AppError('IMPORT_REFUSED', refusal);
}

/**
 * Queues an import exactly as planned. If the file, the accounts or the courses have changed, the worker returns the import
 * to `planned`.
 * @param input `planId`: the plan that the caller has seen
 * @throws AppError `VALIDATION`, `NOT_FOUND`, `IMPORT_CONFLICT`, `PLAN_EXPIRED`, `IMPORT_REFUSED`, `PLAN_OUTDATED`,
 *   `SYNC_HELD` if too many members leave, and `allowLeaving` isn't their number; for imports of trainers `INVITE_LIMIT`,
 *   `COURSE_LOST`, `ACCOUNT_INACTIVE`
 */
export async function queuePlannedImport(core: Core, actor: Actor, id: string, input: unknown): Promise<Import> {
  const { planId, allowLeaving } = validate(applySchema, input);
  const found = await findImport(core, actor, id);
  await assertTrainerHasCourse(core, found);
  return core.database.inTransaction(async (transaction) => {
    await lockTrainer(core, found, transaction);
    const record = await lockImport(core, id, transaction);
    const plan = await core.database.models.ImportPlan.findByPk(id, { transaction });
    assertApplicable(core, record, plan, planId);
    const { roster } = plan?.content ?? {};
    if (roster?.held && roster.held.leaving !== allowLeaving)
      throw syncHeldError(optionsOf(record).roster ?? '', roster.held);
    const invites = await reserveInvites(core, record, plan?.content?.counts?.created ?? 0, transaction);
    await record.update({ status: 'queued', ...invites }, { transaction });
    await plan?.update({ appliedAt: core.now(), allowLeaving: allowLeaving ?? null }, { transaction });
    await auditBegin(core, actor, record, transaction);
    return record;
  });
}
