import type { TFunction } from 'i18next';
import { call, type Input, type ResponseBody } from '../api/client.js';
import { maxAssigned } from '../enrollments/when-full.js';
import { readAll } from '../ui/lists/selection.js';
import { messageOf, refusalText } from '../ui/messages.js';
import { type Outcome, outcomeOf, type SelectedAccounts } from './bulk-actions.js';

/** Group whose active trainees are enrolled. */
export type EnrolledGroup = Pick<ResponseBody<'showGroup'>['group'], 'id' | 'name' | 'activeMembersCapped'>;

/** Selected accounts, or a group. */
export type EnrolledPeople = SelectedAccounts | EnrolledGroup;

type Target = Pick<Input<'assignMany'>['body'], 'courseId' | 'whenFull'>;

type Planned = NonNullable<ResponseBody<'assignMany'>['outcomes']>;

async function dryRun(target: Target, people: { groupId: string } | { traineeIds: string[] }): Promise<Planned> {
  return (await call('assignMany', { body: { ...target, ...people, dryRun: true } })).outcomes ?? [];
}

async function dryRunAll(target: Target, ids: readonly string[], signal: AbortSignal): Promise<Planned> {
  const planned: Planned = [];
  for (let begin = 0; begin < ids.length && !signal.aborted; begin += maxAssigned)
    planned.push(...(await dryRun(target, { traineeIds: ids.slice(begin, begin + maxAssigned) })));
  return planned;
}

/** Returns the ids of all active trainees in a group. */
async function traineesOf(group: string): Promise<string[]> {
  const filter = { group, role: 'trainee', isActive: true } as const;
  const all = await readAll(
    async (following) => (await call('listUsers', { query: { ...filter, ...following } })).users,
  );
  return [...all.keys()];
}

/**
 * Gives the free seats to the first planned people. The service previews each request alone, so a later request would get the same seats.
 * @throws Error if there are too few seats, and nobody may wait
 */
function shareSeats(planned: Planned, seats: number, whenFull: Target['whenFull'], t: TFunction): Planned {
  let left = seats;
  return planned.map((one) => {
    if (one.outcome !== 'done') return one;
    left -= 1;
    if (left >= 0) return one;
    if (whenFull !== 'wait') throw new Error(t('enrollments.assign.full'));
    return { ...one, outcome: 'waiting' };
  });
}

/** Says why an account of another role or an inactive account isn't enrolled; undefined for an active trainee. */
const refusalOf = ({ role, isActive }: { role: string; isActive: boolean }, t: TFunction): string | undefined => {
  if (role !== 'trainee') return t('people.bulk.noTrainee');
  return isActive ? undefined : t('people.bulk.inactiveTrainee');
};

/**
 * Previews the enrollment of people in a course, and changes nothing. Leaves out members of a group who are no active trainees.
 * @param seatsLeft free seats of the course; null without a limit
 * @throws ApiError, such as `COURSE_FULL`; Error if there are too few seats
 */
export async function previewEnrolling(
  target: Target,
  people: EnrolledPeople,
  seatsLeft: number | null,
  signal: AbortSignal,
  t: TFunction,
): Promise<Outcome[]> {
  // The service counts and enrolls up to 1,000 members in one request.
  const isOneRequest = 'id' in people && !people.activeMembersCapped;
  const accounts = 'id' in people ? [] : [...people.values()];
  const refused = accounts.flatMap((account) => {
    const reason = refusalOf(account, t);
    return reason === undefined ? [] : [outcomeOf(account, reason)];
  });
  const ids =
    'id' in people && !isOneRequest
      ? await traineesOf(people.id)
      : accounts.filter((account) => refusalOf(account, t) === undefined).map(({ id }) => id);
  const planned = isOneRequest
    ? await dryRun(target, { groupId: people.id })
    : shareSeats(await dryRunAll(target, ids, signal), seatsLeft ?? Number.POSITIVE_INFINITY, target.whenFull, t);
  const outcomes = planned.map(({ traineeId: id, name, outcome, code }): Outcome => {
    if (outcome === 'waiting') return { id, name, outcome: 'done', reason: t('enrollments.assign.onList') };
    const refusal = outcome === 'unchanged' ? 'ALREADY_ENROLLED' : code;
    return { id, name, outcome, reason: refusal === null ? null : refusalText({ code: refusal }, t) };
  });
  return [...refused, ...outcomes];
}

/**
 * Enrolls people in a course.
 * @param planned outcomes `done` of the preview
 * @param signal stops further requests
 * @throws ApiError if the first request fails. After a later failure, the people of that request count as refused.
 */
export async function enroll(
  target: Target,
  planned: readonly Outcome[],
  signal: AbortSignal,
  t: TFunction,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (let begin = 0; begin < planned.length && !signal.aborted; begin += maxAssigned) {
    const chunk = planned.slice(begin, begin + maxAssigned);
    try {
      const body = { ...target, traineeIds: chunk.map(({ id }) => id) };
      const { skipped, enrollments } = await call('assignMany', { body });
      const reasons = new Map(skipped.map((one) => [one.traineeId, refusalText(one, t)]));
      const waiting = new Set(enrollments.flatMap(({ status, userId }) => (status === 'waiting' ? [userId] : [])));
      outcomes.push(
        ...chunk.map((one): Outcome => {
          const reason = reasons.get(one.id);
          if (reason !== undefined) return { ...one, outcome: 'refused', reason };
          return { ...one, reason: waiting.has(one.id) ? t('enrollments.assign.onList') : null };
        }),
      );
    } catch (error) {
      if (begin === 0) throw error;
      const reason = messageOf(error, t);
      outcomes.push(...chunk.map((one): Outcome => ({ ...one, outcome: 'refused', reason })));
    }
  }
  return outcomes;
}
