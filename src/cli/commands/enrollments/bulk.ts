import { AppError, isAppError } from '../../../errors.js';
import { presentEnrollment } from '../../../presenters/enrollment.js';
import { statusChangeSchema, type WhenFull } from '../../../schemas/enrollment.js';
import type { InitialStatus } from '../../../schemas/enrollment-statuses.js';
import { validate } from '../../../schemas/validate.js';
import type { Context } from '../../../services/context.js';
import { operator } from '../../../services/core.js';
import { today } from '../../../services/dates.js';
import { changeStatuses, type StatusOutcome } from '../../../services/enrollments/change-statuses.js';
import { assignMany } from '../../../services/enrollments/enroll-many.js';
import { type PreviewedOutcome, previewAssignment, previewStatus } from '../../../services/enrollments/preview.js';
import { removeEnrollments, removeMany } from '../../../services/enrollments/remove.js';
import { type BulkWork, changeEach } from '../../core/bulk/bulk.js';
import type { BulkItem, BulkWording, ItemResult } from '../../core/bulk/bulk-plan.js';
import { earlyText, renamesText } from './output.js';
import type { EnrollmentItem, EnrollmentTargets } from './selection.js';

type Several = Extract<EnrollmentTargets, { kind: 'several' }>;

export const wordings = {
  assign: {
    singular: 'trainee',
    toDo: 'enroll',
    doing: 'Enrolling',
    done: 'enrolled',
    state: 'enrolled',
    unchanged: 'enrolled',
  },
  status: { singular: 'enrollment', toDo: 'change', doing: 'Changing', done: 'changed', state: 'changed' },
  remove: { singular: 'enrollment', toDo: 'remove', doing: 'Removing', done: 'removed', state: 'removed' },
} as const satisfies Record<string, BulkWording>;

function itemResultOf(previewed: PreviewedOutcome): ItemResult {
  if (isAppError(previewed)) return { outcome: 'refused', refusal: rewordWrongRole(previewed) };
  return previewed === 'waiting' ? { outcome: 'done', state: onWaitingList } : { outcome: previewed };
}

const onWaitingList = 'on the waiting list';

/** Rewords the refusal of an account that exists but doesn't belong to a trainee. */
const rewordWrongRole = (refusal: AppError): AppError =>
  isAppError(refusal, 'NOT_FOUND') && refusal.subject === 'Trainee'
    ? new AppError('NOT_FOUND', 'This is not the account of a trainee.', { cause: refusal })
    : refusal;

/** Enrollments or trainees per call of a service. */
const batchSize = 100;

/** Maximum length of all copies of a reply per call of a service, in characters. Each enrollment stores a copy. */
const maxReply = 100_000;

interface Assignment {
  courseId: string;
  title: string;
  status: InitialStatus;
  reply: string | null | undefined;
  whenFull: WhenFull;
  notify: boolean;
}

const mailsIn = (notify: boolean) => (notify ? ', with a mail to each in a published course' : '');

/** Returns the bulk change that enrolls trainees in a course. */
export function assignment(
  context: Context,
  selection: BulkWork['selection'],
  { courseId, title, status, reply, whenFull, notify }: Assignment,
): BulkWork {
  const idsOf = (items: readonly BulkItem[]) => items.map(({ id }) => id);
  return {
    wording: {
      ...wordings.assign,
      target: ` in "${title}"${mailsIn(notify && status === 'active')}`,
      state: `enrolled, ${status}`,
    },
    selection,
    batchSize: Math.min(batchSize, Math.floor(maxReply / Math.max(reply?.length ?? 0, 1))),
    async preview(items) {
      const wanted = { courseId, traineeIds: idsOf(items), status, whenFull };
      return (await previewAssignment(context, operator, wanted)).map(itemResultOf);
    },
    async change(items) {
      const wanted = { courseId, traineeIds: idsOf(items), status, reply, whenFull };
      const { enrollments, skipped } = await assignMany(context, operator, wanted, notify);
      const refusals = new Map(skipped.map(({ traineeId, refusal }) => [traineeId, refusal]));
      const entered = new Map(enrollments.map((enrollment) => [enrollment.userId, presentEnrollment(enrollment)]));
      const results = items.map(({ id }): ItemResult => {
        const refusal = refusals.get(id);
        if (refusal) return itemResultOf(refusal);
        const enrollment = entered.get(id);
        const state = enrollment?.status === 'waiting' ? onWaitingList : undefined;
        return { outcome: 'done', state, more: { enrollment } };
      });
      return { results };
    },
  };
}

/** Codes of errors that concern a single enrollment. */
const itemErrors = ['NOT_FOUND'] as const;

const itemResultOfChange = ({ outcome, enrollment, refusal }: StatusOutcome): ItemResult =>
  outcome === 'refused'
    ? { outcome, refusal }
    : { outcome: outcome === 'changed' ? 'done' : 'unchanged', more: { enrollment: presentEnrollment(enrollment) } };

/**
 * Returns the bulk change of a status. An enrollment is changed only if it still has the status shown in the plan.
 * @throws AppError `VALIDATION`
 */
export async function statusChange(
  context: Context,
  several: Several,
  input: object,
  notify = false,
): Promise<BulkWork<EnrollmentItem>> {
  const wanted = validate(statusChangeSchema, input);
  const selection = await several.selection(context);
  const shown = new Map(
    selection.entries.flatMap(({ found }) => (isAppError(found) ? [] : [[found.id, found.status]])),
  );
  return {
    wording: {
      ...wordings.status,
      target: ` to ${wanted.status}${mailsIn(notify)}`,
      state: wanted.status,
    },
    selection,
    batchSize,
    preview: async (items) => items.map((one) => itemResultOf(previewStatus(one, wanted, operator))),
    notice(items) {
      if (wanted.status !== 'completed') return undefined;
      const early = earlyText(
        items.map(({ course }) => course),
        today(context),
      );
      const notices = [renamesText(items.flatMap(({ rename }) => rename ?? [])), early];
      return notices.filter((notice) => notice !== undefined).join('\n') || undefined;
    },
    async change(items, signal) {
      const targets = items.map(({ id }) => ({ id, expectedStatus: shown.get(id) }));
      const { outcomes, stopped } = await changeStatuses(context, operator, targets, wanted, { signal, notify });
      return { results: outcomes.map(itemResultOfChange), stopped };
    },
  };
}

/** Returns the bulk removal of enrollments. */
export async function removal(context: Context, several: Several): Promise<BulkWork> {
  return {
    wording: wordings.remove,
    selection: await several.selection(context),
    batchSize,
    preview: async (items) => items.map(() => ({ outcome: 'done' })),
    async change(items, signal) {
      try {
        const removed = await removeMany(context, operator, { enrollmentIds: items.map(({ id }) => id) });
        const byId = new Map(removed.map((enrollment) => [enrollment.id, presentEnrollment(enrollment)]));
        return { results: items.map(({ id }) => ({ outcome: 'done', more: { enrollment: byId.get(id) } })) };
      } catch (error) {
        if (!isAppError(error, 'NOT_FOUND')) throw error;
        // One of the enrollments was removed after the plan: removes the others one by one.
        return changeEach(items, signal, itemErrors, async ({ id }) => {
          const [one] = (await removeEnrollments(context, operator, [id])).map(presentEnrollment);
          return { enrollment: one };
        });
      }
    },
  };
}
