/** Kind of actor: the trainee, a manager of the course, or the program, which gives seats to the waiting list. */
export type ActorKind = 'trainee' | 'manager' | 'program';

interface StatusRules {
  /** Statuses that may follow, and the actors that may set each. */
  readonly followedBy: Readonly<Partial<Record<EnrollmentStatus, readonly ActorKind[]>>>;
  /** Whether managers and import files may enroll people with this status. */
  readonly isInitial: boolean;
  /** Whether the status counts towards the capacity of the course. */
  readonly takesSeat: boolean;
  /** Whether the trainee is enrolled. Other trainees may enroll again, and see only the title of an unpublished course. */
  readonly isEnrolled: boolean;
  /** Whether the trainee takes part: sees materials and unpublished courses, and prevents the deletion of the course. */
  readonly takesPart: boolean;
  /** Whether the check of a trainee's own enrollments lists the status. */
  readonly isCurrent: boolean;
  readonly progressBy: readonly ActorKind[];
}

export const enrollmentStatuses = ['pending', 'waiting', 'active', 'completed', 'cancelled'] as const;
export type EnrollmentStatus = (typeof enrollmentStatuses)[number];

/**
 * Reasons of a cancellation: the trainee left, the request was refused, a manager ended the enrollment, or the trainee is no longer in the
 * file of a roster.
 */
export const cancelReasons = ['left', 'refused', 'removed', 'roster'] as const;

/**
 * The statuses of an enrollment, each declared once: rules, seats, inputs, queries and choices of the web console derive from this table.
 * Tests compare it with the CHECK constraint in migrations/ and with all translations.
 */
export const statusRules = {
  pending: {
    followedBy: { active: ['manager'], cancelled: ['trainee', 'manager'] },
    isInitial: true,
    takesSeat: true,
    isEnrolled: true,
    takesPart: false,
    isCurrent: true,
    progressBy: ['manager'],
  },
  waiting: {
    followedBy: {
      pending: ['program'],
      active: ['program', 'manager'],
      cancelled: ['trainee', 'manager'],
    },
    isInitial: false,
    takesSeat: false,
    isEnrolled: true,
    takesPart: false,
    isCurrent: false,
    progressBy: [],
  },
  active: {
    followedBy: { completed: ['manager'], cancelled: ['trainee', 'manager'] },
    isInitial: true,
    takesSeat: true,
    isEnrolled: true,
    takesPart: true,
    isCurrent: true,
    progressBy: ['trainee', 'manager'],
  },
  completed: {
    // A manager can revoke the completion.
    followedBy: { active: ['manager'] },
    isInitial: false,
    takesSeat: false,
    isEnrolled: true,
    takesPart: false,
    isCurrent: false,
    progressBy: [],
  },
  cancelled: {
    // Only the trainee can request again; only managers can enroll. If the course is full, both may lead to its waiting list.
    followedBy: { pending: ['trainee'], waiting: ['program'], active: ['manager'] },
    isInitial: false,
    takesSeat: false,
    isEnrolled: false,
    takesPart: false,
    isCurrent: false,
    progressBy: [],
  },
} as const satisfies Readonly<Record<EnrollmentStatus, StatusRules>>;

type StatusFlag = { [Key in keyof StatusRules]: StatusRules[Key] extends boolean ? Key : never }[keyof StatusRules];

type StatusWith<Key extends StatusFlag> = {
  [Status in EnrollmentStatus]: (typeof statusRules)[Status][Key] extends true ? Status : never;
}[EnrollmentStatus];

const statusesWith = <Key extends StatusFlag>(flag: Key) =>
  enrollmentStatuses.filter((status): status is StatusWith<Key> => statusRules[status][flag]);

export const initialStatuses = statusesWith('isInitial');
export type InitialStatus = StatusWith<'isInitial'>;
export const seatStatuses = statusesWith('takesSeat');
/** Statuses with a seat or a place on the waiting list. */
export const openStatuses = enrollmentStatuses.filter(
  (status) => status === 'waiting' || statusRules[status].takesSeat,
);
export const enrolledStatuses = statusesWith('isEnrolled');
export const participantStatuses = statusesWith('takesPart');
export const currentStatuses = statusesWith('isCurrent');

export const rulesOf = (status: EnrollmentStatus): StatusRules => statusRules[status];

/** Whether this kind of actor may change one status to another. */
export const mayFollow = (from: EnrollmentStatus, to: EnrollmentStatus, by: ActorKind): boolean =>
  rulesOf(from).followedBy[to]?.includes(by) ?? false;

export const statusesSetBy = (by: ActorKind) =>
  enrollmentStatuses.filter((to) => enrollmentStatuses.some((from) => mayFollow(from, to, by)));

/** Statuses that people can set. */
export const settableStatuses = enrollmentStatuses.filter((status) =>
  (['trainee', 'manager'] as const).some((kind) => statusesSetBy(kind).includes(status)),
);
