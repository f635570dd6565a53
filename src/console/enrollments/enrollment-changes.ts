import type { ResponseBody } from '../api/client.js';
import { statusRules } from '../api/enrollment-statuses.js';
import type { Tone } from '../ui/status-badge.js';

export type Enrollment = ResponseBody<'showEnrollment'>['enrollment'];
export type EnrollmentStatus = Enrollment['status'];

export const statusTones: Readonly<Record<EnrollmentStatus, Tone>> = {
  pending: 'waiting',
  waiting: 'waiting',
  active: 'good',
  completed: 'done',
  cancelled: 'off',
};

export type EnrollmentRow = Pick<
  Enrollment,
  | 'id'
  | 'status'
  | 'progress'
  | 'notes'
  | 'notesAt'
  | 'reply'
  | 'replyAt'
  | 'replyBy'
  | 'cancelReason'
  | 'waitingPlace'
  | 'enrolledAt'
  | 'completedAt'
  | 'certificate'
  | 'formerName'
  | 'user'
> & { course: { id: string; title: string } };

/** Status before and after each action. `remove` is missing, because it deletes the enrollment. */
const transitions = {
  accept: { from: 'pending', to: 'active' },
  refuse: { from: 'pending', to: 'cancelled' },
  admit: { from: 'waiting', to: 'active' },
  unlist: { from: 'waiting', to: 'cancelled' },
  complete: { from: 'active', to: 'completed' },
  cancel: { from: 'active', to: 'cancelled' },
  reopen: { from: 'completed', to: 'active' },
  readmit: { from: 'cancelled', to: 'active' },
} as const satisfies Record<string, { from: EnrollmentStatus; to: EnrollmentStatus }>;

type StatusAction = keyof typeof transitions;
export type EnrollmentAction = StatusAction | 'remove';

/** All actions, in the order of buttons and menus. */
const actions: readonly EnrollmentAction[] = [...(Object.keys(transitions) as StatusAction[]), 'remove'];

export const statusAfter = (action: StatusAction) => transitions[action].to;

export const isDestructive = (action: EnrollmentAction): boolean =>
  action === 'remove' || !statusRules[statusAfter(action)].isEnrolled;

/** Whether an action is separated from the others: it takes something from a participant. */
export const isDangerous = (action: EnrollmentAction): boolean => action === 'remove' || action === 'cancel';

const appliesTo = (action: EnrollmentAction, { status }: Pick<EnrollmentRow, 'status'>): boolean =>
  action === 'remove' || transitions[action].from === status;

export const rowsFor = (action: EnrollmentAction, rows: readonly EnrollmentRow[]): EnrollmentRow[] =>
  rows.filter((row) => appliesTo(action, row));

type ActorKind = (typeof statusRules)['active']['progressBy'][number];

export function maySetProgress(actor: ActorKind, status: EnrollmentStatus): boolean {
  const allowed: readonly ActorKind[] = statusRules[status].progressBy;
  return allowed.includes(actor);
}

/** Actions that apply to at least one of the rows. */
export const actionsFor = (rows: readonly Pick<EnrollmentRow, 'status'>[]): EnrollmentAction[] =>
  actions.filter((action) => rows.some((row) => appliesTo(action, row)));
