/** Who changes an enrollment: its trainee, a manager of the course, or the program, which gives seats to those who wait. */
export type ActorKind = 'trainee' | 'manager' | 'program';

interface StatusRules {
  /** The statuses that may follow, and who may set each. */
  readonly followedBy: Readonly<Partial<Record<EnrollmentStatus, readonly ActorKind[]>>>;
  /** Whether managers and files may enroll somebody with it. */
  readonly isInitial: boolean;
  /** Whether it counts towards the capacity of the course. */
  readonly takesSeat: boolean;
  /** Whether the trainee is enrolled; who isn't may enroll again, and sees no more of an unpublished course than its title. */
  readonly isEnrolled: boolean;
  /** Whether the trainee takes part: has the materials, sees the course when it is unpublished, and keeps it from being deleted. */
  readonly takesPart: boolean;
  /** Whether the check of a trainee's own enrollments lists it. */
  readonly isCurrent: boolean;
  /** Who may set the progress. */
  readonly progressBy: readonly ActorKind[];
}

export const enrollmentStatuses = ['pending', 'waiting', 'active', 'completed', 'cancelled'] as const;
export type EnrollmentStatus = (typeof enrollmentStatuses)[number];

/** How an enrollment was cancelled: the trainee left, the request was refused, or a manager ended it. */
export const cancelReasons = ['left', 'refused', 'removed'] as const;

/**
 * The statuses of an enrollment, each declared once: rules, seats, inputs, queries and what the web console offers derive from this
 * table. The check of the table in migrations/ and all words are held against it.
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
    // A manager can take the completion back.
    followedBy: { active: ['manager'] },
    isInitial: false,
    takesSeat: false,
    isEnrolled: true,
    takesPart: false,
    isCurrent: false,
    progressBy: [],
  },
  cancelled: {
    // Only the trainee can ask again; only managers can admit. Both may get a place on the waiting list of a full course instead.
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
/** Of who has a place, asks or waits for one. */
export const openStatuses = enrollmentStatuses.filter(
  (status) => status === 'waiting' || statusRules[status].takesSeat,
);
export const enrolledStatuses = statusesWith('isEnrolled');
export const participantStatuses = statusesWith('takesPart');
export const currentStatuses = statusesWith('isCurrent');

export const rulesOf = (status: EnrollmentStatus): StatusRules => statusRules[status];

/** Whether a status may follow another when this side sets it. */
export const mayFollow = (from: EnrollmentStatus, to: EnrollmentStatus, by: ActorKind): boolean =>
  rulesOf(from).followedBy[to]?.includes(by) ?? false;

/** The statuses that this side can set. */
export const statusesSetBy = (by: ActorKind) =>
  enrollmentStatuses.filter((to) => enrollmentStatuses.some((from) => mayFollow(from, to, by)));

/** The statuses that people can set. */
export const settableStatuses = enrollmentStatuses.filter((status) =>
  (['trainee', 'manager'] as const).some((kind) => statusesSetBy(kind).includes(status)),
);
