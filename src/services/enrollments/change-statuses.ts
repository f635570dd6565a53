import { Op, type Transaction } from 'sequelize';
import type { Enrollment } from '../../db/models/enrollment.js';
import { rowQuery } from '../../db/sql/page.js';
import { AppError, type ErrorCode, isAppError, notFound, validationError } from '../../errors.js';
import {
  type BulkStatusChange,
  bulkStatusSchema,
  type EnrollmentFilter,
  maxReply,
  maxStatusChanges,
  type StatusChange,
} from '../../schemas/enrollment.js';
import type { EnrollmentStatus } from '../../schemas/enrollment-statuses.js';
import { countCharacters, tooLong } from '../../schemas/fields.js';
import { validate } from '../../schemas/validate.js';
import { assertStillSignedIn } from '../auth/sessions.js';
import type { Actor, Core } from '../core.js';
import { inCourseQueue } from '../locks/course-queue.js';
import { completeEdits, type Edited, editLocked } from './change-enrollment.js';
import { SeatLost, statusChange, takesSeat } from './change-status.js';
import { notifiesByDefault } from './effects.js';
import { hasWantedState } from './preview.js';
import { planEnrollmentSearch, visibleTo } from './queries.js';
import { changeRefusal } from './rules.js';

type Outcome =
  | { outcome: 'changed' | 'unchanged'; enrollment: Enrollment; refusal?: never }
  | { outcome: 'refused'; refusal: AppError; enrollment?: never };

/** Outcome of a change of status for one enrollment. */
export type StatusOutcome = Outcome & {
  id: string;
  /** Name of the trainee; null if the enrollment doesn't exist or the actor may not see it. */
  name: string | null;
};

const nameOf = (enrollment: Enrollment | undefined): string | null =>
  enrollment?.user ? `${enrollment.user.firstName} ${enrollment.user.lastName}` : null;

/** Enrollment to change, and the status that it is expected to have. */
interface StatusTarget {
  id: string;
  expectedStatus?: EnrollmentStatus | undefined;
}

interface StatusOptions {
  /** Stops the change between two transactions. */
  signal: AbortSignal;
  notify?: boolean;
}

/** Enrollments of a course per transaction. Other changes of these enrollments wait for the transaction. */
const perTransaction = 50;

/** Refusals that concern one enrollment only. After any other failure, the remaining enrollments are not tried. */
const perEnrollmentRefusals: readonly ErrorCode[] = [
  'NOT_FOUND',
  'STATUS_CHANGED',
  'STATUS_REFUSED',
  'ACCOUNT_INACTIVE',
  'COURSE_FULL',
];

/** Reads the enrollments that the actor may see, with the names of their trainees. */
async function readEnrollments(core: Core, actor: Actor, ids: readonly string[]): Promise<Map<string, Enrollment>> {
  const { Enrollment, User } = core.database.models;
  const where = { [Op.and]: [{ id: [...ids] }, visibleTo(actor)] };
  const include = [{ model: User, as: 'user', attributes: ['id', 'firstName', 'lastName'] }];
  const found = await core.database.read(() => Enrollment.findAll({ where, include }));
  return new Map(found.map((enrollment) => [enrollment.id, enrollment]));
}

/** Splits a list into batches of one course each, in the order of the list. */
function batchesByCourse(targets: readonly StatusTarget[], found: ReadonlyMap<string, Enrollment>): StatusTarget[][] {
  const courses = new Map<string | undefined, StatusTarget[]>();
  for (const one of targets) {
    const courseId = found.get(one.id)?.courseId;
    courses.set(courseId, [...(courses.get(courseId) ?? []), one]);
  }
  return [...courses.values()].flatMap((all) =>
    Array.from({ length: Math.ceil(all.length / perTransaction) }, (_, part) =>
      all.slice(part * perTransaction, (part + 1) * perTransaction),
    ),
  );
}

/** Enrollments of one course that one transaction changes. */
interface StatusBatch {
  targets: readonly StatusTarget[];
  wanted: StatusChange;
  notify: boolean;
}

type Change = ReturnType<typeof statusChange>;

/**
 * Locks enrollments, and before them the rows that their changes rely on: the course, then people in key order, to avoid deadlocks.
 */
async function lockAll(
  core: Core,
  changes: readonly { found: Enrollment; change: Change }[],
  transaction: Transaction,
): Promise<(id: string) => { enrollment: Enrollment | undefined; locked: Awaited<ReturnType<Change['lock']>> }> {
  const locked = new Map<string, Awaited<ReturnType<Change['lock']>>>();
  for (const { found, change } of changes.toSorted((a, b) => (a.found.userId < b.found.userId ? -1 : 1)))
    locked.set(found.id, await change.lock(found, transaction));
  const rows = await core.database.models.Enrollment.findAll({
    where: { id: changes.map(({ found }) => found.id) },
    order: ['id'],
    lock: transaction.LOCK.UPDATE,
    transaction,
  });
  const enrollments = new Map(rows.map((enrollment) => [enrollment.id, enrollment]));
  return (id) => ({ enrollment: enrollments.get(id), locked: locked.get(id) });
}

/** Changes enrollments of one course in the given order, so that earlier ones get the seats. @throws SeatLost */
async function changeTogether(
  core: Core,
  actor: Actor,
  found: ReadonlyMap<string, Enrollment>,
  batch: StatusBatch,
): Promise<StatusOutcome[]> {
  const changes = batch.targets.map(({ id, expectedStatus }) => {
    const wanted = { ...batch.wanted, ...(expectedStatus && { expectedStatus }) };
    return { id, change: statusChange(core, actor, wanted, batch.notify), found: found.get(id) };
  });
  const known = changes.flatMap(({ change, found: one }) => (one ? [{ change, found: one }] : []));
  const run = async (transaction: Transaction): Promise<StatusOutcome[]> => {
    const current = await lockAll(core, known, transaction);
    const done: Edited[] = [];
    const changeOne = async ({ id, change }: (typeof changes)[number]): Promise<Outcome> => {
      const { enrollment, locked } = current(id);
      if (enrollment && hasWantedState(enrollment, batch.wanted)) return { outcome: 'unchanged', enrollment };
      try {
        const changed = await editLocked(actor, enrollment, change, locked, transaction);
        done.push(changed);
        return { outcome: 'changed', enrollment: changed.enrollment };
      } catch (error) {
        if (!isAppError(error, ...perEnrollmentRefusals)) throw error;
        return { outcome: 'refused', refusal: error };
      }
    };
    const outcomes: StatusOutcome[] = [];
    for (const one of changes) outcomes.push({ id: one.id, name: nameOf(one.found), ...(await changeOne(one)) });
    await completeEdits(core, actor, done, transaction);
    return outcomes;
  };
  const inTransaction = () => core.database.inTransaction(run);
  const seated = known.find(({ change, found: one }) => change.takesSeat(one))?.found;
  return seated ? inCourseQueue(seated.courseId, inTransaction) : inTransaction();
}

/**
 * Moves enrollments to a status, in one or more transactions for each course. Failures become outcomes, so that earlier
 * results are always returned.
 * @returns the outcomes in the order of the list; `stopped` is the failure after which the remaining enrollments
 *   weren't tried
 */
export async function changeStatuses(
  core: Core,
  actor: Actor,
  targets: readonly StatusTarget[],
  wanted: StatusChange,
  { signal, notify = notifiesByDefault(actor) }: StatusOptions,
): Promise<{ outcomes: StatusOutcome[]; stopped: AppError | undefined }> {
  let found = await readEnrollments(
    core,
    actor,
    targets.map(({ id }) => id),
  );
  const outcomes = new Map<string, StatusOutcome>();
  let stopped: AppError | undefined;
  // Further enrollments of a full course are refused without a transaction.
  const fullCourses = new Set<string>();
  const isInFullCourse = ({ id, expectedStatus }: StatusTarget) => {
    const one = found.get(id);
    if (!one || !fullCourses.has(one.courseId) || !takesSeat(one.status, wanted.status)) return false;
    return !changeRefusal(one.status, { ...wanted, ...(expectedStatus && { expectedStatus }) }, actor);
  };
  for (const all of batchesByCourse(targets, found)) {
    const batch = all.filter((one) => !isInFullCourse(one));
    for (const { id } of stopped ? [] : all.filter(isInFullCourse))
      outcomes.set(id, { id, name: nameOf(found.get(id)), outcome: 'refused', refusal: new AppError('COURSE_FULL') });
    for (let isSettled = batch.length === 0; !isSettled && !stopped; )
      try {
        if (signal.aborted) throw new AppError('INTERRUPTED');
        await assertStillSignedIn(core, actor);
        for (const one of await changeTogether(core, actor, found, { targets: batch, wanted, notify })) {
          outcomes.set(one.id, one);
          const courseId = found.get(one.id)?.courseId;
          if (courseId && one.refusal?.code === 'COURSE_FULL') fullCourses.add(courseId);
        }
        isSettled = true;
      } catch (error) {
        if (error instanceof SeatLost)
          found = new Map([
            ...found,
            ...(await readEnrollments(
              core,
              actor,
              batch.map(({ id }) => id),
            )),
          ]);
        else if (isAppError(error)) stopped = error;
        else throw error;
      }
  }
  const untried = (id: string): StatusOutcome => ({
    id,
    name: nameOf(found.get(id)),
    outcome: 'refused',
    // Enrollments are untried only after a failure, so `stopped` is set.
    refusal: stopped ?? notFound('Enrollment'),
  });
  return { outcomes: targets.map(({ id }) => outcomes.get(id) ?? untried(id)), stopped };
}

/** Returns the ids of enrollments that match a filter, oldest enrollment first. @throws AppError `VALIDATION` for too many */
async function matchingIds(core: Core, actor: Actor, filter: EnrollmentFilter): Promise<string[]> {
  const { where, parts } = await planEnrollmentSearch(core, actor, filter);
  const rows = rowQuery(core.database.models.Enrollment, {
    where,
    parts: parts?.parts,
    order: [
      ['enrolledAt', 'ASC'],
      ['id', 'ASC'],
    ],
  });
  const ids = await core.database.read(() => rows.firstIds(maxStatusChanges + 1));
  if (ids.length <= maxStatusChanges) return ids;
  const message = `filter matches more than ${maxStatusChanges} enrollments. Narrow it down, or send up to ${maxStatusChanges} ids at a time.`;
  throw validationError([{ path: 'filter', code: 'TOO_MANY', params: { max: maxStatusChanges }, message }]);
}

/** Returns the ids of the enrollments to change. @throws AppError `VALIDATION` */
async function targetIds(core: Core, actor: Actor, { ids, filter }: BulkStatusChange): Promise<string[]> {
  if (filter === undefined && ids === undefined)
    throw validationError([
      { path: 'ids', code: 'REQUIRED', params: { fields: ['filter'] }, message: 'Either ids or filter is required.' },
    ]);
  if (filter !== undefined && ids !== undefined)
    throw validationError([
      { path: 'filter', code: 'EXCLUSIVE', params: { fields: ['ids'] }, message: 'ids and filter exclude each other.' },
    ]);
  return ids ?? matchingIds(core, actor, filter ?? {});
}

/**
 * Moves up to 1,000 enrollments to a status, each like a single change. Earlier enrollments in the list get seats first.
 * @returns the outcomes in the order of the list
 * @throws AppError `VALIDATION`
 */
export async function changeManyStatuses(
  core: Core,
  actor: Actor,
  input: unknown,
  options: StatusOptions,
): Promise<{ status: EnrollmentStatus; outcomes: StatusOutcome[] }> {
  const wanted = validate(bulkStatusSchema, input);
  const { status, expectedStatus, reply = wanted.notes } = wanted;
  const ids = await targetIds(core, actor, wanted);
  const most = Math.floor(maxReply / Math.max(ids.length, 1));
  if (reply && countCharacters(reply) > most) {
    const message = `Reply must be at most ${most} characters for ${ids.length} enrollments.`;
    throw validationError([{ path: 'reply', ...tooLong(most, message) }]);
  }
  const targets = ids.map((id) => ({ id, expectedStatus }));
  const change = { status, joinWaitingList: false, ...(reply !== undefined && { reply }) };
  return { status, outcomes: (await changeStatuses(core, actor, targets, change, options)).outcomes };
}
