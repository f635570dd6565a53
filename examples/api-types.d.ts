/**
 * The types of the coursectl API, generated from its OpenAPI document: the schemas by name, then the parameters,
 * request body and successful response of each operation. Don't edit: `npm run api:types` writes this file.
 */

/** Values in the message; absent without any */
export interface ErrorParams {
  /** Free seats of the course */
  seatsLeft?: number;
  /** Requested seats */
  wanted?: number;
  /** Maximum bytes of a file, or of all files of a course */
  maxBytes?: number;
  /** Maximum number, such as of courses of a trainer, files of a course, or members of a group */
  max?: number;
  /** Current status of the enrollment */
  from?: 'pending' | 'waiting' | 'active' | 'completed' | 'cancelled';
  /** Requested status of the enrollment */
  to?: 'pending' | 'waiting' | 'active' | 'completed' | 'cancelled';
  /** Status of the import */
  status?: 'planning' | 'planned' | 'discarded' | 'expired' | 'queued' | 'running' | 'interrupted' | 'completed' | 'stopped' | 'failed' | 'cancelled' | 'undoing' | 'undone';
}

/** Any failure except invalid input; the header `Error-Code` has its code */
export interface Error {
  /** Message for people */
  error: string;
  /** Set if clients must handle this failure */
  code?: string;
  params?: ErrorParams;
}

/** Problem of a field */
export type ProblemCode = 'REQUIRED' | 'WRONG_TYPE' | 'NOT_ONE_OF' | 'TOO_SHORT' | 'TOO_LONG' | 'TOO_SMALL' | 'TOO_LARGE' | 'TOO_FEW' | 'TOO_MANY' | 'REPEATED' | 'INVISIBLE' | 'UNUSABLE_CHARACTERS' | 'EMAIL_INVALID' | 'PHONE_INVALID' | 'DATE_INVALID' | 'END_BEFORE_START' | 'SEATS_TAKEN' | 'PASSWORD_WEAK' | 'PASSWORD_UNCHANGED' | 'EMAIL_UNCHANGED' | 'EXCLUSIVE' | 'NEEDS_OTHER_FIELD' | 'UNKNOWN' | 'AMBIGUOUS' | 'FILE_EMPTY' | 'NOT_CSV' | 'NO_ROWS' | 'WORKBOOK_LOCKED' | 'WORKBOOK_TYPE' | 'WORKBOOK_DAMAGED' | 'WORKBOOK_TOO_LARGE' | 'FILE_TOO_LARGE' | 'FILE_TYPE_REFUSED' | 'IMAGE_INVALID' | 'IMAGE_TOO_LARGE' | 'INVALID';

/** Values in the message of a problem; empty without any */
export interface ProblemParams {
  /** Minimum number of characters or items, or minimum value */
  min?: number;
  /** Maximum number of characters or items, or maximum value */
  max?: number;
  /** Permitted values */
  values?: string[];
  /** Permitted JSON types */
  types?: string[];
  /** Other fields that the problem concerns */
  fields?: string[];
}

/** Invalid input, with every invalid field */
export interface ValidationError {
  /** The problems, one or more for each invalid field */
  errors: {
    /** Kind of the problem */
    type: 'field';
    /** Name of the invalid field */
    path: string;
    /** Part of the request */
    location: 'body' | 'query' | 'params';
    /** The problem, for people */
    msg: string;
    code: ProblemCode;
    params: ProblemParams;
  }[];
}

/** Why a request was refused */
export type ErrorCode = 'VALIDATION' | 'SETUP_COMPLETED' | 'EMAIL_TAKEN' | 'ALREADY_ENROLLED' | 'COURSE_NOT_PUBLISHED' | 'COURSE_ENDED' | 'ENROLLMENT_CLOSED' | 'WAITING_LIST_FULL' | 'COURSE_FULL' | 'SEATS_BEING_GIVEN' | 'COURSE_IN_USE' | 'COURSE_QUOTA' | 'COURSE_LIMIT' | 'GROUP_EXISTS' | 'GROUP_LIMIT' | 'ACCOUNT_INACTIVE' | 'TRAINER_HAS_COURSES' | 'TRAINEE_HAS_ENROLLMENTS' | 'STATUS_REFUSED' | 'STATUS_CHANGED' | 'REFERENCE_GONE' | 'PHONE_TAKEN' | 'SUPER_ADMIN_EXISTS' | 'SUPER_ADMIN_PROTECTED' | 'OWN_ACCOUNT' | 'NO_MATCHING_ACCOUNT' | 'WRONG_PASSWORD' | 'PASSWORD_LOGIN_OFF' | 'OIDC_NOT_SET_UP' | 'OIDC_UNAVAILABLE' | 'OIDC_STATE_INVALID' | 'OIDC_DENIED' | 'OIDC_EMAIL_UNVERIFIED' | 'OIDC_NAME_MISSING' | 'OIDC_NO_ACCOUNT' | 'IDENTITY_TAKEN' | 'IDENTITY_LAST' | 'TOO_MANY_ATTEMPTS' | 'CURRENT_PASSWORD_INCORRECT' | 'PASSWORD_CHANGE_NOT_REQUIRED' | 'PASSWORD_CHANGE_REQUIRED' | 'TOKEN_MISSING' | 'TOKEN_INVALID' | 'SUPER_ADMIN_REQUIRED' | 'TRAINER_REQUIRED' | 'TRAINEE_REQUIRED' | 'OTHER_TRAINER' | 'ENROLLMENT_REQUIRED' | 'STATUS_NOT_FOR_TRAINEES' | 'OTHER_ORIGIN' | 'NOT_FOUND' | 'METHOD_NOT_ALLOWED' | 'MALFORMED_JSON' | 'MALFORMED_URL' | 'HOST_UNKNOWN' | 'BODY_TOO_LARGE' | 'BODY_INCOMPLETE' | 'RANGE_NOT_SATISFIABLE' | 'UNSUPPORTED_MEDIA_TYPE' | 'OVERLOADED' | 'NOT_READY' | 'SERVER_ERROR' | 'UNAVAILABLE' | 'MAIL_SERVER_UNUSABLE' | 'IMPORT_FILE_INVALID' | 'IMPORT_CONFLICT' | 'IMPORT_AT_TERMINAL' | 'IMPORT_BUSY' | 'IMPORT_HAS_ROWS' | 'IMPORT_ROWS_DELETED' | 'PLAN_EXPIRED' | 'IMPORT_REFUSED' | 'SYNC_HELD' | 'PLAN_OUTDATED' | 'INVITE_LIMIT' | 'COURSE_LOST' | 'PLAN_LIMIT' | 'CREDENTIALS_FETCHED' | 'DISK_FULL' | 'SEED_REFUSED' | 'DATABASE_NOT_EMPTY' | 'LINK_INVALID' | 'INVITATION_NOT_NEEDED' | 'MAIL_NOT_SET_UP' | 'MAIL_SENDER_BUSY' | 'MAIL_CONFLICT' | 'MAIL_TOO_OLD' | 'MAIL_REPLACED';

/** Role of an account */
export type Role = 'super_admin' | 'trainer' | 'trainee';

/** The account that setup created */
export interface SetupUser {
  /** Opaque identifier */
  id: string;
  /** First name */
  firstName: string;
  /** Last name */
  lastName: string;
  /** Email address, unique among accounts; stored in lower case */
  email: string;
  /** Phone number, unique among accounts */
  phone: string;
  role: Role;
}

/** The signed-in account */
export interface LoginUser {
  /** Opaque identifier */
  id: string;
  /** First name */
  firstName: string;
  /** Last name */
  lastName: string;
  /** Email address, unique among accounts; stored in lower case */
  email: string;
  /** Phone number, unique among accounts */
  phone: string;
  role: Role;
  /** URL of the profile image; null without one */
  avatar: string | null;
  /** Whether the account must change its initial password */
  requiresPasswordChange: boolean;
}

/** The token of a new session and its account */
export interface Login {
  /** A signed JSON web token, to be sent as `Authorization: Bearer <token>` */
  token: string;
  user: LoginUser;
}

/** The created account */
export interface RegisteredUser {
  /** Opaque identifier */
  id: string;
  /** First name */
  firstName: string;
  /** Last name */
  lastName: string;
  /** Email address, unique among accounts; stored in lower case */
  email: string;
  role: Role;
  /** Phone number, unique among accounts */
  phone: string;
  /** Whether the account may sign in */
  isActive: boolean;
}

/** The caller's account */
export interface OwnUser {
  /** Opaque identifier */
  id: string;
  /** First name */
  firstName: string;
  /** Last name */
  lastName: string;
  /** Email address, unique among accounts; stored in lower case */
  email: string;
  role: Role;
  /** URL of the profile image; null without one */
  avatar: string | null;
  /** Phone number, unique among accounts */
  phone: string;
  /** Time of the last login; null before the first */
  lastLogin: string | null;
}

/** The caller's account after the change */
export interface ProfileUser {
  /** Opaque identifier */
  id: string;
  /** First name */
  firstName: string;
  /** Last name */
  lastName: string;
  /** Email address, unique among accounts; stored in lower case */
  email: string;
  role: Role;
  /** URL of the profile image; null without one */
  avatar: string | null;
  /** Phone number, unique among accounts */
  phone: string;
}

/** The caller's account after the change */
export interface FirstPasswordChangeUser {
  /** Opaque identifier */
  id: string;
  /** First name */
  firstName: string;
  /** Last name */
  lastName: string;
  /** Email address, unique among accounts; stored in lower case */
  email: string;
  role: Role;
  /** URL of the profile image; null without one */
  avatar: string | null;
  /** Phone number, unique among accounts */
  phone: string;
  /** Whether the account must change its initial password */
  requiresPasswordChange: boolean;
}

/** Status of an enrollment */
export type EnrollmentStatus = 'pending' | 'waiting' | 'active' | 'completed' | 'cancelled';

/** The course of an enrollment, with its trainer */
export interface CourseSummary {
  /** Opaque identifier */
  id: string;
  /** Title of the course */
  title: string;
  /** Full description, on one or more lines */
  description: string;
  /** URL of the course's image; empty without one */
  thumbnail: string;
  /** The trainer of the course */
  trainer: {
    /** Opaque identifier */
    id: string;
    /** First name */
    firstName: string;
    /** Last name */
    lastName: string;
  };
}

/** An active or pending enrollment with its course */
export interface CurrentEnrollment {
  /** Opaque identifier */
  id: string;
  status: EnrollmentStatus;
  /** Progress in percent */
  progress: number;
  /** Time of enrollment */
  enrolledAt: string;
  course: CourseSummary;
}

/** The account that is signed in to the web console */
export interface WebSession {
  user: LoginUser;
  /** How the person signed in: `oidc` is the organisation's account */
  method: 'password' | 'oidc';
  /** Whether the account must change its initial password */
  requiresPasswordChange: boolean;
  /** Time at which the session ends */
  expiresAt: string;
  /** Today's date in the programme's time zone */
  today: string;
}

/** A session of an account */
export interface Session {
  /** Opaque identifier */
  id: string;
  /** How the person signed in: `oidc` is the organisation's account */
  method: 'password' | 'oidc';
  /** Time of creation */
  createdAt: string;
  /** Time of the last request; absent before the first */
  lastUsedAt?: string;
  /** Time at which the session ends */
  expiresAt: string;
  /** IP address of the client; null if unknown */
  ip: string | null;
  /** User-Agent header of the client; null without one */
  userAgent: string | null;
  /** Whether this request belongs to the session */
  current: boolean;
}

/** The page of a listing */
export interface Pagination {
  /** Number of this page, from 1 */
  currentPage: number;
  /** Number of pages; with `totalItemsCapped` only the known pages, at least one more than this page */
  totalPages: number;
  /** Number of items on all pages; a lower bound with `totalItemsCapped` */
  totalItems: number;
  /** Maximum number of items on a page */
  itemsPerPage: number;
  /** Set if counting stopped: there are more items than `totalItems`, which is 10,000, or the last known number on later pages. Absent if all items were counted */
  totalItemsCapped?: true;
}

/** An account at the organisation's sign-in that signs in a person */
export interface Identity {
  /** Opaque identifier */
  id: string;
  /** Issuer (OpenID Connect) */
  issuer: string;
  /** Subject: the id of the person at the issuer */
  subject: string;
  /** Email at the issuer when the identity was linked; null without one */
  email: string | null;
  /** `email`: by the verified email; `creation`: created with the account; `owner`: by its owner */
  linkedBy: 'email' | 'creation' | 'owner';
  /** Time of creation */
  createdAt: string;
  /** Time of the last request; absent before the first */
  lastUsedAt: string | null;
}

/** An account with its lock, its ways to sign in and the state of its invitation */
export interface UserDetails {
  /** Opaque identifier */
  id: string;
  /** First name */
  firstName: string;
  /** Last name */
  lastName: string;
  /** Email address, unique among accounts; stored in lower case */
  email: string;
  /** Phone number, unique among accounts */
  phone: string;
  role: Role;
  /** Whether the account may sign in */
  isActive: boolean;
  /** URL of the profile image; null without one */
  avatar: string | null;
  /** Time of the last login; null before the first */
  lastLogin: string | null;
  /** Whether the account must change its initial password */
  requiresPasswordChange: boolean;
  /** Time of creation */
  createdAt: string;
  /** Time of the last change */
  updatedAt: string;
  /** End of the last lock after too many wrong passwords; null if the account is not locked. A lock may affect only one IP address */
  lockedUntil: string | null;
  /** Ways in which the person can sign in: `password`, and `oidc` for the organisation's account after its first use; none: the person has not signed in yet */
  signsIn: ('password' | 'oidc')[];
  /** Time of the last invitation; null without one */
  invitedAt: string | null;
  /** State of the invitation: `queued`, `sent` (accepted by the mail server), `failed`, `accepted` (the person has set a password, or signed in with the organisation's account); null without an invitation */
  inviteState: 'queued' | 'sent' | 'failed' | 'accepted' | null;
  /** Why the last invitation was not sent: it failed, or it waits for the mail server; null without a problem */
  inviteError: string | null;
  /** Time since which the mail server refuses the address as unknown; null otherwise */
  mailFailedAt: string | null;
  /** Language of mails to the person; null for the language of the setting `MAIL_LANGUAGE` */
  language: 'en' | 'de' | null;
}

/** An account */
export interface User {
  /** Opaque identifier */
  id: string;
  /** First name */
  firstName: string;
  /** Last name */
  lastName: string;
  /** Email address, unique among accounts; stored in lower case */
  email: string;
  /** Phone number, unique among accounts */
  phone: string;
  role: Role;
  /** Whether the account may sign in */
  isActive: boolean;
  /** URL of the profile image; null without one */
  avatar: string | null;
  /** Time of the last login; null before the first */
  lastLogin: string | null;
  /** Whether the account must change its initial password */
  requiresPasswordChange: boolean;
  /** Time of creation */
  createdAt: string;
  /** Time of the last change */
  updatedAt: string;
}

/** The outcome for each account */
export interface BulkChange {
  /** The requested action */
  action: 'activate' | 'deactivate' | 'reset_password' | 'mail_reset_link' | 'invite' | 'delete' | 'end_sessions';
  /** Whether nothing was changed */
  dryRun: boolean;
  /** Number of accounts by outcome */
  counts: {
    /** Accounts changed */
    done: number;
    /** Accounts that did not change */
    unchanged: number;
    /** Accounts refused */
    refused: number;
  };
  /** The accounts in the order of the list, or of their ids for a filter */
  outcomes: {
    /** Opaque identifier */
    id: string;
    /** Name of the account; null if it does not exist */
    name: string | null;
    /** Actual or planned outcome of the row or account */
    outcome: 'done' | 'unchanged' | 'refused';
    /** Code of the refusal; null otherwise */
    code: 'VALIDATION' | 'SETUP_COMPLETED' | 'EMAIL_TAKEN' | 'ALREADY_ENROLLED' | 'COURSE_NOT_PUBLISHED' | 'COURSE_ENDED' | 'ENROLLMENT_CLOSED' | 'WAITING_LIST_FULL' | 'COURSE_FULL' | 'SEATS_BEING_GIVEN' | 'COURSE_IN_USE' | 'COURSE_QUOTA' | 'COURSE_LIMIT' | 'GROUP_EXISTS' | 'GROUP_LIMIT' | 'ACCOUNT_INACTIVE' | 'TRAINER_HAS_COURSES' | 'TRAINEE_HAS_ENROLLMENTS' | 'STATUS_REFUSED' | 'STATUS_CHANGED' | 'REFERENCE_GONE' | 'PHONE_TAKEN' | 'SUPER_ADMIN_EXISTS' | 'SUPER_ADMIN_PROTECTED' | 'OWN_ACCOUNT' | 'NO_MATCHING_ACCOUNT' | 'WRONG_PASSWORD' | 'PASSWORD_LOGIN_OFF' | 'OIDC_NOT_SET_UP' | 'OIDC_UNAVAILABLE' | 'OIDC_STATE_INVALID' | 'OIDC_DENIED' | 'OIDC_EMAIL_UNVERIFIED' | 'OIDC_NAME_MISSING' | 'OIDC_NO_ACCOUNT' | 'IDENTITY_TAKEN' | 'IDENTITY_LAST' | 'TOO_MANY_ATTEMPTS' | 'CURRENT_PASSWORD_INCORRECT' | 'PASSWORD_CHANGE_NOT_REQUIRED' | 'PASSWORD_CHANGE_REQUIRED' | 'TOKEN_MISSING' | 'TOKEN_INVALID' | 'SUPER_ADMIN_REQUIRED' | 'TRAINER_REQUIRED' | 'TRAINEE_REQUIRED' | 'OTHER_TRAINER' | 'ENROLLMENT_REQUIRED' | 'STATUS_NOT_FOR_TRAINEES' | 'OTHER_ORIGIN' | 'NOT_FOUND' | 'METHOD_NOT_ALLOWED' | 'MALFORMED_JSON' | 'MALFORMED_URL' | 'HOST_UNKNOWN' | 'BODY_TOO_LARGE' | 'BODY_INCOMPLETE' | 'RANGE_NOT_SATISFIABLE' | 'UNSUPPORTED_MEDIA_TYPE' | 'OVERLOADED' | 'NOT_READY' | 'SERVER_ERROR' | 'UNAVAILABLE' | 'MAIL_SERVER_UNUSABLE' | 'IMPORT_FILE_INVALID' | 'IMPORT_CONFLICT' | 'IMPORT_AT_TERMINAL' | 'IMPORT_BUSY' | 'IMPORT_HAS_ROWS' | 'IMPORT_ROWS_DELETED' | 'PLAN_EXPIRED' | 'IMPORT_REFUSED' | 'SYNC_HELD' | 'PLAN_OUTDATED' | 'INVITE_LIMIT' | 'COURSE_LOST' | 'PLAN_LIMIT' | 'CREDENTIALS_FETCHED' | 'DISK_FULL' | 'SEED_REFUSED' | 'DATABASE_NOT_EMPTY' | 'LINK_INVALID' | 'INVITATION_NOT_NEEDED' | 'MAIL_NOT_SET_UP' | 'MAIL_SENDER_BUSY' | 'MAIL_CONFLICT' | 'MAIL_TOO_OLD' | 'MAIL_REPLACED' | null;
    /** Reason of the refusal, for people; null otherwise */
    message: string | null;
    /** The new initial password, after `reset_password`; shown only here */
    password?: string;
  }[];
  /** Set while free seats are being given to waiting lists: read again in a few seconds. Absent otherwise */
  seatsBeingGiven?: true;
}

/** A group by its name */
export interface GroupName {
  /** Opaque identifier */
  id: string;
  /** Name of the group */
  name: string;
}

/** A group of people */
export interface Group {
  /** Opaque identifier */
  id: string;
  /** Name of the group */
  name: string;
  /** Number of members whose account is active, up to 1,000 */
  activeMembers: number;
  /** Set if there are more active members than 1,000 */
  activeMembersCapped?: true;
  /** End of the last sync with a file; null for none */
  syncedAt: string | null;
  /** Whether the last sync was held, because too many members would leave */
  isHeld: boolean;
}

/** The syncs of a group with files; null if there was none */
export type Roster = {
  /** Options of the next syncs, which the first one has set */
  options: Record<string, unknown>;
  /** End of the last sync */
  syncedAt: string;
  /** Number of members whom syncs took out, and who have not come back */
  formerMembers: number;
  /** The last sync, if it was held; null otherwise */
  held: {
    /** Number of members who would leave */
    leaving: number;
    /** Number of members whom files added */
    members: number;
    /** Number of members who may leave without an approval */
    limit: number;
    /** Name of the file */
    file: string;
    /** Time of the sync */
    at: string;
  } | null;
} | null;

/** A group of people, for the super admin */
export interface GroupDetails {
  /** Opaque identifier */
  id: string;
  /** Name of the group */
  name: string;
  /** Number of members whose account is active, up to 1,000 */
  activeMembers: number;
  /** Set if there are more active members than 1,000 */
  activeMembersCapped?: true;
  /** End of the last sync with a file; null for none */
  syncedAt: string | null;
  /** Whether the last sync was held, because too many members would leave */
  isHeld: boolean;
  /** Remark about the group; null without one */
  note: string | null;
  /** Time of creation */
  createdAt: string;
  /** Time of the last change */
  updatedAt: string;
  roster: Roster;
}

/** The outcome for each person */
export interface MemberChanges {
  /** Number of people by outcome */
  counts: {
    /** Accounts changed */
    done: number;
    /** Accounts that did not change */
    unchanged: number;
    /** Accounts refused */
    refused: number;
  };
  /** Removals, then additions */
  outcomes: {
    /** Opaque identifier */
    id: string;
    /** Name of the account; null if it does not exist */
    name: string | null;
    /** The requested change */
    change: 'add' | 'remove';
    /** Actual or planned outcome of the row or account */
    outcome: 'done' | 'unchanged' | 'refused';
    /** Code of the refusal; null otherwise */
    code: 'VALIDATION' | 'SETUP_COMPLETED' | 'EMAIL_TAKEN' | 'ALREADY_ENROLLED' | 'COURSE_NOT_PUBLISHED' | 'COURSE_ENDED' | 'ENROLLMENT_CLOSED' | 'WAITING_LIST_FULL' | 'COURSE_FULL' | 'SEATS_BEING_GIVEN' | 'COURSE_IN_USE' | 'COURSE_QUOTA' | 'COURSE_LIMIT' | 'GROUP_EXISTS' | 'GROUP_LIMIT' | 'ACCOUNT_INACTIVE' | 'TRAINER_HAS_COURSES' | 'TRAINEE_HAS_ENROLLMENTS' | 'STATUS_REFUSED' | 'STATUS_CHANGED' | 'REFERENCE_GONE' | 'PHONE_TAKEN' | 'SUPER_ADMIN_EXISTS' | 'SUPER_ADMIN_PROTECTED' | 'OWN_ACCOUNT' | 'NO_MATCHING_ACCOUNT' | 'WRONG_PASSWORD' | 'PASSWORD_LOGIN_OFF' | 'OIDC_NOT_SET_UP' | 'OIDC_UNAVAILABLE' | 'OIDC_STATE_INVALID' | 'OIDC_DENIED' | 'OIDC_EMAIL_UNVERIFIED' | 'OIDC_NAME_MISSING' | 'OIDC_NO_ACCOUNT' | 'IDENTITY_TAKEN' | 'IDENTITY_LAST' | 'TOO_MANY_ATTEMPTS' | 'CURRENT_PASSWORD_INCORRECT' | 'PASSWORD_CHANGE_NOT_REQUIRED' | 'PASSWORD_CHANGE_REQUIRED' | 'TOKEN_MISSING' | 'TOKEN_INVALID' | 'SUPER_ADMIN_REQUIRED' | 'TRAINER_REQUIRED' | 'TRAINEE_REQUIRED' | 'OTHER_TRAINER' | 'ENROLLMENT_REQUIRED' | 'STATUS_NOT_FOR_TRAINEES' | 'OTHER_ORIGIN' | 'NOT_FOUND' | 'METHOD_NOT_ALLOWED' | 'MALFORMED_JSON' | 'MALFORMED_URL' | 'HOST_UNKNOWN' | 'BODY_TOO_LARGE' | 'BODY_INCOMPLETE' | 'RANGE_NOT_SATISFIABLE' | 'UNSUPPORTED_MEDIA_TYPE' | 'OVERLOADED' | 'NOT_READY' | 'SERVER_ERROR' | 'UNAVAILABLE' | 'MAIL_SERVER_UNUSABLE' | 'IMPORT_FILE_INVALID' | 'IMPORT_CONFLICT' | 'IMPORT_AT_TERMINAL' | 'IMPORT_BUSY' | 'IMPORT_HAS_ROWS' | 'IMPORT_ROWS_DELETED' | 'PLAN_EXPIRED' | 'IMPORT_REFUSED' | 'SYNC_HELD' | 'PLAN_OUTDATED' | 'INVITE_LIMIT' | 'COURSE_LOST' | 'PLAN_LIMIT' | 'CREDENTIALS_FETCHED' | 'DISK_FULL' | 'SEED_REFUSED' | 'DATABASE_NOT_EMPTY' | 'LINK_INVALID' | 'INVITATION_NOT_NEEDED' | 'MAIL_NOT_SET_UP' | 'MAIL_SENDER_BUSY' | 'MAIL_CONFLICT' | 'MAIL_TOO_OLD' | 'MAIL_REPLACED' | null;
    /** Reason of the refusal, for people; null otherwise */
    message: string | null;
  }[];
}

/** A course with its trainer; with `include=seats` also with its seats and waiting list */
export interface CourseWithSeats {
  /** Opaque identifier */
  id: string;
  /** Title of the course */
  title: string;
  /** Full description, on one or more lines */
  description: string;
  /** Description in a sentence */
  shortDescription: string | null;
  /** Category of the course */
  category: string | null;
  /** Difficulty */
  level: 'beginner' | 'intermediate' | 'advanced' | null;
  /** Language of the course */
  language: string | null;
  /** Form of the course */
  courseType: 'online' | 'classroom' | 'hybrid' | null;
  /** Tags, each once */
  tags: string[];
  /** What trainees should know or bring */
  requirements: string | null;
  /** What trainees learn */
  learningOutcomes: string | null;
  /** Maximum number of pending and active trainees; null for no limit */
  maxStudents: number | null;
  /** First day of the course */
  startDate: string | null;
  /** Last day of the course */
  endDate: string | null;
  /** Last day on which trainees can request enrollment; null for no limit except the end of the course */
  enrollUntil: string | null;
  /** Whether requests become active immediately while seats are free. Otherwise a manager accepts them */
  autoAccept: boolean;
  /** Maximum length of the waiting list; null for no limit, 0 for no waiting list */
  waitingMax: number | null;
  /** Where the course takes place */
  location: string | null;
  /** URL of the image of the course; null without one */
  thumbnail: string | null;
  /** Whether the course is in the catalogue */
  isPublished: boolean;
  /** Whether clients should highlight the course */
  isFeatured: boolean;
  /** Id of the trainer */
  trainerId: string;
  /** Time of creation */
  createdAt: string;
  /** Time of the last change */
  updatedAt: string;
  /** The trainer of the course */
  trainer: {
    /** Opaque identifier */
    id: string;
    /** First name */
    firstName: string;
    /** Last name */
    lastName: string;
    /** URL of the profile image; null without one */
    avatar: string | null;
  };
  /** Number of pending and active trainees. Only with `include=seats` */
  seatsTaken?: number;
  /** Number of free seats; null for no limit. Only with `include=seats` */
  seatsLeft?: number | null;
  /** Number of requests without an answer. Only with `include=seats` */
  pendingCount?: number;
  /** Number of trainees on the waiting list. Only with `include=seats` */
  waitingCount?: number;
}

/** A course with its trainer */
export interface Course {
  /** Opaque identifier */
  id: string;
  /** Title of the course */
  title: string;
  /** Full description, on one or more lines */
  description: string;
  /** Description in a sentence */
  shortDescription: string | null;
  /** Category of the course */
  category: string | null;
  /** Difficulty */
  level: 'beginner' | 'intermediate' | 'advanced' | null;
  /** Language of the course */
  language: string | null;
  /** Form of the course */
  courseType: 'online' | 'classroom' | 'hybrid' | null;
  /** Tags, each once */
  tags: string[];
  /** What trainees should know or bring */
  requirements: string | null;
  /** What trainees learn */
  learningOutcomes: string | null;
  /** Maximum number of pending and active trainees; null for no limit */
  maxStudents: number | null;
  /** First day of the course */
  startDate: string | null;
  /** Last day of the course */
  endDate: string | null;
  /** Last day on which trainees can request enrollment; null for no limit except the end of the course */
  enrollUntil: string | null;
  /** Whether requests become active immediately while seats are free. Otherwise a manager accepts them */
  autoAccept: boolean;
  /** Maximum length of the waiting list; null for no limit, 0 for no waiting list */
  waitingMax: number | null;
  /** Where the course takes place */
  location: string | null;
  /** URL of the image of the course; null without one */
  thumbnail: string | null;
  /** Whether the course is in the catalogue */
  isPublished: boolean;
  /** Whether clients should highlight the course */
  isFeatured: boolean;
  /** Id of the trainer */
  trainerId: string;
  /** Time of creation */
  createdAt: string;
  /** Time of the last change */
  updatedAt: string;
  /** The trainer of the course */
  trainer: {
    /** Opaque identifier */
    id: string;
    /** First name */
    firstName: string;
    /** Last name */
    lastName: string;
    /** URL of the profile image; null without one */
    avatar: string | null;
  };
}

/** A trainer or trainee */
export interface Person {
  /** Opaque identifier */
  id: string;
  /** First name */
  firstName: string;
  /** Last name */
  lastName: string;
  /** Email address, unique among accounts; stored in lower case */
  email: string;
  /** URL of the profile image; null without one */
  avatar: string | null;
}

/** Number of courses by state and category */
export interface CourseStatistics {
  /** Total number */
  total: number;
  /** Published courses */
  published: number;
  /** Unpublished courses */
  unpublished: number;
  /** Featured courses */
  featured: number;
  /** Number of courses by category */
  byCategory: {
    /** Category of the course */
    category: string | null;
    /** Number of courses */
    count: number;
  }[];
}

/** Whether the course is published */
export interface CoursePublication {
  /** Opaque identifier */
  id: string;
  /** Title of the course */
  title: string;
  /** Whether the course is in the catalogue */
  isPublished: boolean;
}

/** An enrollment with its trainee and course */
export interface EnrollmentDetails {
  /** Opaque identifier */
  id: string;
  status: EnrollmentStatus;
  /** Progress in percent */
  progress: number;
  /** The trainee's notes for the request */
  notes: string | null;
  /** Time of the notes; null if unknown */
  notesAt: string | null;
  /** Reply of the trainer or the super admin */
  reply: string | null;
  /** Time of the reply */
  replyAt: string | null;
  /** Id of the account that replied; null for an operator at the terminal */
  replyBy: string | null;
  /** How a cancelled enrollment ended: `left` by the trainee, `refused`, `removed` by a manager, or by a `roster` whose file no longer has the trainee; null for other statuses, and if unknown */
  cancelReason: 'left' | 'refused' | 'removed' | 'roster' | null;
  /** Time of enrollment */
  enrolledAt: string;
  /** Time of completion; null until then */
  completedAt: string | null;
  /** Id of the trainee */
  userId: string;
  /** Id of the course */
  courseId: string;
  /** Place on the waiting list: 1 is next; null if not waiting */
  waitingPlace: number | null;
  /** Code of the certificate of a completed enrollment; null without a valid certificate */
  certificate: string | null;
  /** The trainee's name before the first rename since the enrollment; null without a rename, if the name is the same again, and in responses to trainees */
  formerName: string | null;
  user: Person;
  /** The course */
  course: {
    /** Opaque identifier */
    id: string;
    /** Title of the course */
    title: string;
    /** Full description, on one or more lines */
    description: string;
    /** URL of the course's image; empty without one */
    thumbnail: string;
  };
}

/** An enrollment */
export interface Enrollment {
  /** Opaque identifier */
  id: string;
  status: EnrollmentStatus;
  /** Progress in percent */
  progress: number;
  /** The trainee's notes for the request */
  notes: string | null;
  /** Time of the notes; null if unknown */
  notesAt: string | null;
  /** Reply of the trainer or the super admin */
  reply: string | null;
  /** Time of the reply */
  replyAt: string | null;
  /** Id of the account that replied; null for an operator at the terminal */
  replyBy: string | null;
  /** How a cancelled enrollment ended: `left` by the trainee, `refused`, `removed` by a manager, or by a `roster` whose file no longer has the trainee; null for other statuses, and if unknown */
  cancelReason: 'left' | 'refused' | 'removed' | 'roster' | null;
  /** Time of enrollment */
  enrolledAt: string;
  /** Time of completion; null until then */
  completedAt: string | null;
  /** Id of the trainee */
  userId: string;
  /** Id of the course */
  courseId: string;
  /** Place on the waiting list: 1 is next; null if not waiting */
  waitingPlace: number | null;
  /** Code of the certificate of a completed enrollment; null without a valid certificate */
  certificate: string | null;
}

/** The course of an enrollment, with its dates and its trainer */
export interface DatedCourse {
  /** Opaque identifier */
  id: string;
  /** Title of the course */
  title: string;
  /** Full description, on one or more lines */
  description: string;
  /** URL of the course's image; empty without one */
  thumbnail: string;
  /** The trainer of the course */
  trainer: {
    /** Opaque identifier */
    id: string;
    /** First name */
    firstName: string;
    /** Last name */
    lastName: string;
  };
  /** Form of the course */
  courseType: 'online' | 'classroom' | 'hybrid' | null;
  /** First day of the course */
  startDate: string | null;
  /** Last day of the course */
  endDate: string | null;
  /** Where the course takes place */
  location: string | null;
}

/** An enrollment with its course, for the trainee */
export interface OwnEnrollment {
  /** Opaque identifier */
  id: string;
  status: EnrollmentStatus;
  /** Progress in percent */
  progress: number;
  /** The trainee's notes for the request */
  notes: string | null;
  /** Time of the notes; null if unknown */
  notesAt: string | null;
  /** Reply of the trainer or the super admin */
  reply: string | null;
  /** Time of the reply */
  replyAt: string | null;
  /** Id of the account that replied; null for an operator at the terminal */
  replyBy: string | null;
  /** How a cancelled enrollment ended: `left` by the trainee, `refused`, `removed` by a manager, or by a `roster` whose file no longer has the trainee; null for other statuses, and if unknown */
  cancelReason: 'left' | 'refused' | 'removed' | 'roster' | null;
  /** Time of enrollment */
  enrolledAt: string;
  /** Time of completion; null until then */
  completedAt: string | null;
  /** Id of the trainee */
  userId: string;
  /** Id of the course */
  courseId: string;
  /** Place on the waiting list: 1 is next; null if not waiting */
  waitingPlace: number | null;
  /** Code of the certificate of a completed enrollment; null without a valid certificate */
  certificate: string | null;
  course: DatedCourse;
}

/** The outcome for each enrollment */
export interface BulkStatusChange {
  status: EnrollmentStatus;
  /** Number of enrollments by outcome */
  counts: {
    /** Enrollments that have the status now */
    changed: number;
    /** Enrollments that had the status already */
    unchanged: number;
    /** Enrollments that could not be changed */
    refused: number;
  };
  /** The accounts in the order of the list, or of their ids for a filter */
  outcomes: {
    /** Opaque identifier */
    id: string;
    /** Name of the trainee; null if there is no such enrollment */
    name: string | null;
    /** Actual or planned outcome of the row or account */
    outcome: 'changed' | 'unchanged' | 'refused';
    /** Code of the refusal; null otherwise */
    code: 'VALIDATION' | 'SETUP_COMPLETED' | 'EMAIL_TAKEN' | 'ALREADY_ENROLLED' | 'COURSE_NOT_PUBLISHED' | 'COURSE_ENDED' | 'ENROLLMENT_CLOSED' | 'WAITING_LIST_FULL' | 'COURSE_FULL' | 'SEATS_BEING_GIVEN' | 'COURSE_IN_USE' | 'COURSE_QUOTA' | 'COURSE_LIMIT' | 'GROUP_EXISTS' | 'GROUP_LIMIT' | 'ACCOUNT_INACTIVE' | 'TRAINER_HAS_COURSES' | 'TRAINEE_HAS_ENROLLMENTS' | 'STATUS_REFUSED' | 'STATUS_CHANGED' | 'REFERENCE_GONE' | 'PHONE_TAKEN' | 'SUPER_ADMIN_EXISTS' | 'SUPER_ADMIN_PROTECTED' | 'OWN_ACCOUNT' | 'NO_MATCHING_ACCOUNT' | 'WRONG_PASSWORD' | 'PASSWORD_LOGIN_OFF' | 'OIDC_NOT_SET_UP' | 'OIDC_UNAVAILABLE' | 'OIDC_STATE_INVALID' | 'OIDC_DENIED' | 'OIDC_EMAIL_UNVERIFIED' | 'OIDC_NAME_MISSING' | 'OIDC_NO_ACCOUNT' | 'IDENTITY_TAKEN' | 'IDENTITY_LAST' | 'TOO_MANY_ATTEMPTS' | 'CURRENT_PASSWORD_INCORRECT' | 'PASSWORD_CHANGE_NOT_REQUIRED' | 'PASSWORD_CHANGE_REQUIRED' | 'TOKEN_MISSING' | 'TOKEN_INVALID' | 'SUPER_ADMIN_REQUIRED' | 'TRAINER_REQUIRED' | 'TRAINEE_REQUIRED' | 'OTHER_TRAINER' | 'ENROLLMENT_REQUIRED' | 'STATUS_NOT_FOR_TRAINEES' | 'OTHER_ORIGIN' | 'NOT_FOUND' | 'METHOD_NOT_ALLOWED' | 'MALFORMED_JSON' | 'MALFORMED_URL' | 'HOST_UNKNOWN' | 'BODY_TOO_LARGE' | 'BODY_INCOMPLETE' | 'RANGE_NOT_SATISFIABLE' | 'UNSUPPORTED_MEDIA_TYPE' | 'OVERLOADED' | 'NOT_READY' | 'SERVER_ERROR' | 'UNAVAILABLE' | 'MAIL_SERVER_UNUSABLE' | 'IMPORT_FILE_INVALID' | 'IMPORT_CONFLICT' | 'IMPORT_AT_TERMINAL' | 'IMPORT_BUSY' | 'IMPORT_HAS_ROWS' | 'IMPORT_ROWS_DELETED' | 'PLAN_EXPIRED' | 'IMPORT_REFUSED' | 'SYNC_HELD' | 'PLAN_OUTDATED' | 'INVITE_LIMIT' | 'COURSE_LOST' | 'PLAN_LIMIT' | 'CREDENTIALS_FETCHED' | 'DISK_FULL' | 'SEED_REFUSED' | 'DATABASE_NOT_EMPTY' | 'LINK_INVALID' | 'INVITATION_NOT_NEEDED' | 'MAIL_NOT_SET_UP' | 'MAIL_SENDER_BUSY' | 'MAIL_CONFLICT' | 'MAIL_TOO_OLD' | 'MAIL_REPLACED' | null;
    /** Reason of the refusal, for people; null otherwise */
    message: string | null;
    params?: ErrorParams;
  }[];
  /** Set while free seats are being given to waiting lists: read again in a few seconds. Absent otherwise */
  seatsBeingGiven?: true;
}

/** Number of enrollments by status */
export interface EnrollmentStatistics {
  /** Total number */
  total: number;
  /** Pending enrollments */
  pending: number;
  /** Enrollments on waiting lists */
  waiting: number;
  /** Active enrollments */
  active: number;
  /** Completed enrollments */
  completed: number;
  /** Cancelled enrollments */
  cancelled: number;
}

/** A trainee of a course with the enrollment */
export interface CourseTrainee {
  /** Opaque identifier */
  id: string;
  /** First name */
  firstName: string;
  /** Last name */
  lastName: string;
  /** Email address, unique among accounts; stored in lower case */
  email: string;
  /** URL of the profile image; null without one */
  avatar: string | null;
  /** The trainee's name before the first rename since the enrollment; null without a rename, if the name is the same again, and in responses to trainees */
  formerName: string | null;
  enrollment: Enrollment;
}

/** A certificate, as managers of its course see it */
export interface Certificate {
  /** Opaque identifier */
  id: string;
  /** Code of the certificate */
  code: string;
  /** First name of the trainee on the day of completion */
  firstName: string;
  /** Last name of the trainee on the day of completion */
  lastName: string;
  /** Title of the course on the day of completion */
  courseTitle: string;
  /** Name of the trainer of the course on that day */
  trainerName: string;
  /** First day of the course */
  startDate: string | null;
  /** Last day of the course */
  endDate: string | null;
  /** Day of completion in the programme's time zone */
  completedOn: string;
  /** Public URL of the certificate; null if `PUBLIC_URL` is not set */
  url: string | null;
  /** Id of the trainee */
  userId: string;
  /** Id of the course, which may have been deleted */
  courseId: string;
  /** Id of the enrollment; null once the certificate is revoked */
  enrollmentId: string | null;
  /** Whether it is valid: not revoked */
  valid: boolean;
  /** Time at which it was issued */
  issuedAt: string;
  /** Time at which it was revoked; null until then */
  revokedAt: string | null;
}

/** A valid certificate, for everybody with its code */
export interface VerifiedCertificate {
  /** Code of the certificate */
  code: string;
  /** First name of the trainee on the day of completion */
  firstName: string;
  /** Last name of the trainee on the day of completion */
  lastName: string;
  /** Title of the course on the day of completion */
  courseTitle: string;
  /** Name of the trainer of the course on that day */
  trainerName: string;
  /** First day of the course */
  startDate: string | null;
  /** Last day of the course */
  endDate: string | null;
  /** Day of completion in the programme's time zone */
  completedOn: string;
  /** Public URL of the certificate; null if `PUBLIC_URL` is not set */
  url: string | null;
  /** Name of the programme */
  programme: string;
  /** URL of the programme's logo; null without one */
  logo: string | null;
}

/** A file of a course */
export interface Material {
  /** Opaque identifier */
  id: string;
  /** File name */
  name: string;
  /** Media type, derived from the file name */
  contentType: string;
  /** Size in bytes */
  bytes: number;
  /** Time of creation */
  createdAt: string;
}

/** Status of an import */
export type ImportStatus = 'planning' | 'planned' | 'discarded' | 'expired' | 'queued' | 'running' | 'interrupted' | 'completed' | 'stopped' | 'failed' | 'cancelled' | 'undoing' | 'undone';

/** A column of the file and its mapping */
export interface ImportFileColumn {
  /** Index of the column, from 0 */
  index: number;
  /** Heading in the file, shortened */
  heading: string | null;
  /** Field that the column is imported as; null if it is not imported */
  field: 'firstName' | 'lastName' | 'email' | 'phone' | 'role' | 'isActive' | 'language' | 'password' | 'passwordHash' | 'course' | 'enrollmentStatus' | 'reply' | 'group' | 'fullName' | 'suspended' | null;
  /** Suggested field for a column that is not imported, by its heading or its values; null without a suggestion */
  suggestion: 'firstName' | 'lastName' | 'email' | 'phone' | 'role' | 'isActive' | 'language' | 'password' | 'passwordHash' | 'course' | 'enrollmentStatus' | 'reply' | 'group' | 'fullName' | 'suspended' | null;
  /** Whether the workbook hides the column */
  hidden: boolean;
  /** Effect of the column on people, as a text; null for a column that is not imported */
  effect: string | null;
  /** Number of people whom the values affect */
  people: number;
  /** Number of mails that contain the values */
  mailed: number;
  /** First value that is not blank, cut at 60 characters; possible passwords are masked */
  example: string | null;
  /** Up to 5 values of the first rows, cut at 100 characters; possible passwords are masked */
  samples: string[];
}

/** Rows that are skipped, rejected, or imported without a full course for the same reason */
export interface ImportReason {
  /** Outcome of the rows */
  outcome: 'created' | 'updated' | 'skipped' | 'rejected';
  /** Why the row was skipped, rejected, or imported without a course, by its first problem: docs/IMPORTING.md lists the codes */
  code: string;
  /** Codes of further problems of the same rows */
  otherCodes: string[];
  /** Field to correct; null if several fields or none */
  field: 'firstName' | 'lastName' | 'email' | 'phone' | 'role' | 'isActive' | 'language' | 'password' | 'passwordHash' | 'course' | 'enrollmentStatus' | 'reply' | 'group' | 'fullName' | 'suspended' | null;
  /** The reason, for people; the same for all these rows */
  message: string;
  /** Name that no course or several courses have, with the courses that may be meant, for `mapCourse`; null for another problem, and after the first 20 names */
  courseQuestion: {
    /** Name of the course in the file */
    name: string;
    /** Courses that may be meant */
    candidates: {
      /** Opaque identifier */
      id: string;
      /** Title of the course */
      title: string;
      /** First day of the course */
      startDate: string | null;
    }[];
  } | null;
  /** Number of rows; a rejected row counts once, with all its problems */
  count: number;
  /** Lines of the first 20 rows */
  rows: number[];
}

/** A possible mistake in a file that can be imported */
export interface ImportWarning {
  /** The kind of warning: docs/IMPORTING.md lists them */
  code: 'COLUMN_DOUBTFUL' | 'COLUMN_HIDDEN' | 'COLUMN_NOT_ALLOWED' | 'STATE_NOT_IMPORTED' | 'NOT_TICKED' | 'STATE_INACTIVE' | 'LINES_QUOTED' | 'VERSION_LINE' | 'LINES_ABOVE' | 'SHEETS_NOT_READ' | 'ROW_HIDDEN' | 'ROW_EMPTY' | 'CELLS_MERGED' | 'NAME_SPLIT' | 'NAME_GARBLED' | 'NAME_ODD' | 'PHONE_DATE' | 'PHONE_ZEROS' | 'PHONE_SEVERAL' | 'PHONE_WORDS' | 'PHONE_ZERO_LOST' | 'REPLY_WITHOUT_COURSE' | 'STATUS_WITHOUT_COURSE' | 'LEAVING_POSTPONED';
  /** Field of the warning; null if several fields or none */
  field: 'firstName' | 'lastName' | 'email' | 'phone' | 'role' | 'isActive' | 'language' | 'password' | 'passwordHash' | 'course' | 'enrollmentStatus' | 'reply' | 'group' | 'fullName' | 'suspended' | null;
  /** The warning, for people */
  message: string;
  /** Number of rows or columns */
  count: number;
  /** Lines of the first 20 rows; empty for a warning about columns or the file */
  rows: number[];
  /** Up to 5 of the affected values */
  examples: string[];
}

/** The planned effects of an import; nothing is written until the plan is applied */
export type ImportPlan = {
  /** Digest of file, options and matching accounts; null during planning and with a `problem` */
  id: string | null;
  /** Number of rows planned so far */
  rowsRead: number;
  /** Time from which the plan can no longer be applied */
  expiresAt: string;
  /** Why the file cannot be imported with these options; null without a problem. Plan it again with other options */
  problem: {
    /** Machine-readable code of the failure */
    code: string;
    /** The reason, for people */
    message: string | null;
    /** Fault of the file, for programs with their own messages; null for another problem */
    reason: 'NOT_CSV' | 'NO_ROWS' | 'ENCODING_UNKNOWN' | 'ENCODING_DOUBTFUL' | 'UNDECODABLE' | 'DELIMITER_UNKNOWN' | 'HEADER_MISSING' | 'HEADER_BELOW' | 'COLUMNS_MISSING' | 'COLUMN_REPEATED' | 'SHEET_UNKNOWN' | 'WORKBOOK_LOCKED' | 'WORKBOOK_TYPE' | 'WORKBOOK_DAMAGED' | 'WORKBOOK_TOO_LARGE' | 'FILE_TOO_LARGE' | 'GROUPS_TOO_MANY' | null;
    /** Line of the problem, from 1; null if it has no single line */
    line: number | null;
    /** Possible encodings of the file, the most likely first; empty for another problem */
    candidates: {
      /** Character encoding of the file; detected if absent */
      encoding: 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252' | 'windows-1250' | 'windows-1251' | 'windows-1253' | 'windows-1254' | 'windows-1255' | 'windows-1256' | 'windows-1257' | 'windows-874' | 'macintosh' | 'shift_jis' | 'gb18030' | 'big5' | 'euc-kr';
      /** Names as this encoding reads them */
      names: string[];
    }[];
    /** Sheets of the workbook to choose from; empty for another problem */
    sheets: {
      /** File name */
      name: string;
      /** Whether the sheet is hidden */
      isHidden: boolean;
    }[];
  } | null;
  /** How the file was read; null while it is unknown */
  file: {
    /** Character encoding of the file; detected if absent */
    encoding: 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252' | 'windows-1250' | 'windows-1251' | 'windows-1253' | 'windows-1254' | 'windows-1255' | 'windows-1256' | 'windows-1257' | 'windows-874' | 'macintosh' | 'shift_jis' | 'gb18030' | 'big5' | 'euc-kr';
    /** Delimiter of the file; detected if absent */
    delimiter: ',' | ';' | '	' | '|';
    /** Whether the file begins with a byte order mark */
    byteOrderMark: boolean;
    /** Line of the header */
    headerLine: number;
    /** The workbook and the imported sheet; null for CSV */
    workbook: {
      /** What the mail is about */
      kind: 'xlsx' | 'ods';
      /** The imported sheet */
      sheet: string;
      /** All sheets in their order */
      sheets: {
        /** File name */
        name: string;
        /** Whether the sheet is hidden */
        isHidden: boolean;
      }[];
    } | null;
    /** Number of lines; null if the file was not read completely */
    lines: number | null;
    /** Names of people with letters beyond ASCII, as decoded */
    names: string[];
  } | null;
  /** Columns of the file */
  columns: ImportFileColumn[];
  /** Fields that columns can be mapped to */
  fields: {
    /** File name */
    name: 'firstName' | 'lastName' | 'email' | 'phone' | 'role' | 'isActive' | 'language' | 'password' | 'passwordHash' | 'course' | 'enrollmentStatus' | 'reply' | 'group' | 'fullName' | 'suspended';
    /** Whether a file must have the field; a full name replaces first and last name */
    required: boolean;
  }[];
  /** Number of rows by outcome; null during planning and with a `problem` */
  counts: {
    /** Rows read */
    rows: number;
    /** Accounts created */
    created: number;
    /** Accounts updated */
    updated: number;
    /** Rows skipped */
    skipped: number;
    /** Skipped rows whose account already has these values */
    unchanged: number;
    /** Rows rejected */
    rejected: number;
    /** Created enrollments with a seat */
    enrolled: number;
    /** Places taken on waiting lists */
    waiting: number;
    /** Enrollments left out because the course or its waiting list is full */
    leftOut: number;
    /** Members who leave the group that the import synchronises */
    left: number;
  } | null;
  /** Roles of the created accounts; null during planning and with a `problem` */
  createdByRole: {
    /** Trainees to be created */
    trainee: number;
    /** Trainers to be created */
    trainer: number;
  } | null;
  /** Reasons why rows are rejected, skipped or imported without a course, grouped */
  reasons: ImportReason[];
  /** Warnings to check before the plan is applied, grouped */
  warnings: ImportWarning[];
  /** Updates that change the name, email or role of an account; the first 100 */
  identityChanges: {
    /** Number of the line in the file on which the row begins, from 1 */
    line: number;
    /** Id of the trainee */
    userId: string;
    /** Changed fields of the target before the change; null for a creation */
    before: {
      /** First name */
      firstName: string;
      /** Last name */
      lastName: string;
      /** Email address, unique among accounts; stored in lower case */
      email: string;
      /** Role of the account */
      role: 'super_admin' | 'trainer' | 'trainee';
    };
    /** Changed fields of the target after the change; null after a deletion */
    after: {
      /** First name */
      firstName: string;
      /** Last name */
      lastName: string;
      /** Email address, unique among accounts; stored in lower case */
      email: string;
      /** Role of the account */
      role: 'super_admin' | 'trainer' | 'trainee';
    };
  }[];
  /** Number of further changes of this kind */
  identityChangesLeftOut: number;
  /** Names of the groups that the import creates */
  newGroups: string[];
  /** Effects on the members of the group that the import synchronises; null if it is no sync */
  roster: {
    /** Whether the group was never synchronised: then nobody leaves */
    isFirst: boolean;
    /** Number of members whom files added */
    members: number;
    /** Number of members who leave */
    leaving: number;
    /** Number of accounts that become inactive */
    deactivated: number;
    /** Set if too many members would leave: the plan needs an approval */
    held: {
      /** Number to approve, as `allowLeaving` */
      leaving: number;
      /** Number of members whom files added */
      members: number;
      /** Number of members who may leave without an approval */
      limit: number;
    } | null;
  } | null;
  /** Number of accounts that get a generated password */
  generatedPasswords: number;
  /** Number of people who get an invitation by mail */
  invitations: number;
  /** Number of mails about enrollments */
  news: number;
  /** Words in the file that are read as roles */
  roleWords: {
    /** Word in the file */
    word: string | null;
    /** Role of the account */
    role: 'trainee' | 'trainer';
  }[];
  /** Line of the rejected row at which the import stops, with `onError` stop; null otherwise */
  stopsAtLine: number | null;
  /** Why the plan cannot be applied: more rejected rows than the options allow; null if it can be applied */
  refusal: string | null;
} | null;

/** An import of accounts, with its plan until the first row is written */
export interface ImportWithPlan {
  /** Opaque identifier */
  id: string;
  /** Number of the import: 1 for the first, counted up */
  number: number;
  status: ImportStatus;
  /** Name of the imported file */
  file: string;
  /** Where the change was made: over HTTP, at the terminal, or by the service itself */
  origin: 'cli' | 'http';
  /** Number of rows by outcome */
  counts: {
    /** Rows read */
    rows: number;
    /** Accounts created */
    created: number;
    /** Accounts updated */
    updated: number;
    /** Rows skipped */
    skipped: number;
    /** Rows rejected */
    rejected: number;
    /** Created enrollments with a seat */
    enrolled: number;
    /** Places taken on waiting lists */
    waiting: number;
    /** Enrollments left out because the course or its waiting list is full */
    leftOut: number;
    /** Members who left the group that the import synchronises */
    left: number;
  };
  /** Number of processed rows */
  progress: {
    /** Rows processed */
    rowsDone: number;
    /** Rows in the file; null until counted */
    rowsTotal: number | null;
  };
  /** The options of the import */
  options: Record<string, unknown>;
  /** Why the import failed, or why its plan cannot be applied; null otherwise */
  error: {
    /** Machine-readable code of the failure */
    code: string;
    /** The reason, for people */
    message: string | null;
  } | null;
  /** Whether generated passwords are waiting to be downloaded */
  hasCredentials: boolean;
  /** Whether rejected rows can be downloaded */
  hasRejects: boolean;
  /** Id of the account that started the import; null for an operator at the terminal */
  createdBy: string | null;
  /** The trainer who imports into the course of `options`; null for imports of the super admin */
  trainer: {
    /** Opaque identifier */
    id: string;
    /** First name */
    firstName: string;
    /** Last name */
    lastName: string;
  } | null;
  /** Time of creation */
  createdAt: string;
  /** Time at which the import started; null until then */
  startedAt: string | null;
  /** Time at which the import ended; null until then */
  finishedAt: string | null;
  /** Time at which the import was undone; null until then */
  undoneAt: string | null;
  /** Time from which the rows of the import are exported and deleted, so that the import can no longer be undone; null until then */
  ledgerClosedAt: string | null;
  plan: ImportPlan;
  /** Whether an undo can remove or restore accounts. After an undo that kept accounts, whether another undo can */
  canUndo: boolean;
}

/** An import of accounts */
export interface Import {
  /** Opaque identifier */
  id: string;
  /** Number of the import: 1 for the first, counted up */
  number: number;
  status: ImportStatus;
  /** Name of the imported file */
  file: string;
  /** Where the change was made: over HTTP, at the terminal, or by the service itself */
  origin: 'cli' | 'http';
  /** Number of rows by outcome */
  counts: {
    /** Rows read */
    rows: number;
    /** Accounts created */
    created: number;
    /** Accounts updated */
    updated: number;
    /** Rows skipped */
    skipped: number;
    /** Rows rejected */
    rejected: number;
    /** Created enrollments with a seat */
    enrolled: number;
    /** Places taken on waiting lists */
    waiting: number;
    /** Enrollments left out because the course or its waiting list is full */
    leftOut: number;
    /** Members who left the group that the import synchronises */
    left: number;
  };
  /** Number of processed rows */
  progress: {
    /** Rows processed */
    rowsDone: number;
    /** Rows in the file; null until counted */
    rowsTotal: number | null;
  };
  /** The options of the import */
  options: Record<string, unknown>;
  /** Why the import failed, or why its plan cannot be applied; null otherwise */
  error: {
    /** Machine-readable code of the failure */
    code: string;
    /** The reason, for people */
    message: string | null;
  } | null;
  /** Whether generated passwords are waiting to be downloaded */
  hasCredentials: boolean;
  /** Whether rejected rows can be downloaded */
  hasRejects: boolean;
  /** Id of the account that started the import; null for an operator at the terminal */
  createdBy: string | null;
  /** The trainer who imports into the course of `options`; null for imports of the super admin */
  trainer: {
    /** Opaque identifier */
    id: string;
    /** First name */
    firstName: string;
    /** Last name */
    lastName: string;
  } | null;
  /** Time of creation */
  createdAt: string;
  /** Time at which the import started; null until then */
  startedAt: string | null;
  /** Time at which the import ended; null until then */
  finishedAt: string | null;
  /** Time at which the import was undone; null until then */
  undoneAt: string | null;
  /** Time from which the rows of the import are exported and deleted, so that the import can no longer be undone; null until then */
  ledgerClosedAt: string | null;
}

/** Actual or planned outcome of a row of the file */
export interface ImportRow {
  /** Number of the line in the file on which the row begins, from 1; null for a member who left, who has no row */
  line: number | null;
  /** Actual or planned outcome of the row */
  outcome: 'created' | 'updated' | 'skipped' | 'rejected' | 'left';
  /** Why the row was skipped, rejected, or imported without a course, by its first problem: docs/IMPORTING.md lists the codes */
  code: string | null;
  /** Field to correct; null if several fields or none */
  field: 'firstName' | 'lastName' | 'email' | 'phone' | 'role' | 'isActive' | 'language' | 'password' | 'passwordHash' | 'course' | 'enrollmentStatus' | 'reply' | 'group' | 'fullName' | 'suspended' | null;
  /** Why the row was rejected, or imported without a course, for people */
  message: string | null;
  /** Current account of the row */
  account: {
    /** Opaque identifier */
    id: string;
    /** First name */
    firstName: string;
    /** Last name */
    lastName: string;
    /** Email address, unique among accounts; stored in lower case */
    email: string;
  } | null;
  /** What an update would change; null once the plan is applied */
  changes: {
    /** Field of the account */
    field: string;
    /** Value before the import; null for a password */
    before: string | null;
    /** Value after the import; null for a password */
    after: string | null;
  }[] | null;
  /** Cells in the order of the plan's columns, up to the last one that isn't empty, shortened, without passwords; null once the plan is applied */
  cells: string[] | null;
  /** Outcome of the undo for the row; null without an undo */
  undo: {
    /** Outcome of the undo for the account */
    outcome: 'removed' | 'restored' | 'kept';
    /** Why the account was kept, or `GONE` if it no longer existed; null otherwise */
    code: 'LOGGED_IN' | 'INVITE_ACCEPTED' | 'EDITED' | 'ENROLLED' | 'HAS_COURSES' | 'KEY_TAKEN' | 'COURSE_FULL' | 'GONE' | 'IN_USE' | null;
  } | null;
}

/** Actual or planned outcome of undoing an import */
export interface ImportUndo {
  /** Accounts removed */
  removed: number;
  /** Accounts restored to their fields before the import */
  restored: number;
  /** Mails of the import that were already sent to people whose accounts are removed */
  mailsSent: number;
  /** Accounts that the undo keeps, with the reason */
  kept: {
    /** Number of the line in the file on which the row begins, from 1; null for a member who left, who has no row */
    line: number | null;
    /** Id of the trainee */
    userId: string;
    /** Email address, unique among accounts; stored in lower case */
    email: string | null;
    /** Machine-readable code of the failure */
    code: 'LOGGED_IN' | 'INVITE_ACCEPTED' | 'EDITED' | 'ENROLLED' | 'HAS_COURSES' | 'KEY_TAKEN' | 'COURSE_FULL' | 'GONE' | 'IN_USE';
  }[];
}

/** A privileged change */
export interface AuditEntry {
  /** Opaque identifier */
  id: string;
  /** Time of the change */
  at: string;
  /** The change that was recorded */
  action: 'setup.complete' | 'user.register' | 'user.update' | 'user.verify-email' | 'user.confirm-email' | 'user.cancel-email' | 'user.activate' | 'user.deactivate' | 'user.reset-password' | 'user.mail-reset-link' | 'user.set-password' | 'user.invite' | 'user.link' | 'user.unlink' | 'user.unlock' | 'user.end-session' | 'user.end-sessions' | 'user.delete' | 'user.transfer-super-admin' | 'address.unlock' | 'user.import' | 'user.undo-import' | 'import.plan' | 'import.start' | 'import.resume' | 'import.finish' | 'import.cancel' | 'import.undo' | 'import.credentials' | 'course.create' | 'course.update' | 'course.publish' | 'course.unpublish' | 'course.assign-trainer' | 'course.delete' | 'course.import' | 'course.undo-import' | 'course.thumbnail' | 'course.add-file' | 'course.remove-file' | 'enrollment.assign' | 'enrollment.status' | 'enrollment.progress' | 'enrollment.reply' | 'enrollment.remove' | 'enrollment.revoke-certificate' | 'group.create' | 'group.update' | 'group.delete' | 'group.members' | 'group.sync' | 'group.hold' | 'demo.load' | 'demo.remove' | 'mail.retry' | 'mail.withdraw';
  /** Id of the account that made the change; null for an operator at the terminal */
  actorId: string | null;
  /** Current name and email address of the account that made the change; null for an operator at the terminal, and if the account was deleted */
  actorName: string | null;
  /** Where the change was made: over HTTP, at the terminal, or by the service itself */
  origin: 'http' | 'cli' | 'program';
  /** IP address of the client; null if unknown */
  ip: string | null;
  /** User of the operating system who made the change at the terminal; null for other changes, and if unknown */
  osUser: string | null;
  /** Kind of the changed object */
  targetType: 'user' | 'address' | 'import' | 'course' | 'enrollment' | 'group' | 'mail';
  /** Id of the changed object */
  targetId: string | null;
  /** Current name of the changed object: name and email address of an account, title of a course, trainee and course of an enrollment, file of an import; null when it was deleted */
  targetName: string | null;
  /** Changed fields of the target before the change; null for a creation */
  before: Record<string, unknown> | null;
  /** Changed fields of the target after the change; null after a deletion */
  after: Record<string, unknown> | null;
  /** Current names of the ids in `before` and `after`, except for deleted objects */
  names: Record<string, unknown>;
}

/** A mail with its recipient and state, without its content */
export interface Mail {
  /** Opaque identifier */
  id: string;
  /** What the mail is about */
  kind: 'reset' | 'email-confirm' | 'email-notice' | 'email-changed' | 'password-changed' | 'role-transferred' | 'sync-held' | 'test' | 'invitation' | 'enrolled' | 'accepted' | 'moved_up' | 'refused' | 'completed' | 'requests';
  /** State of the mail */
  state: 'queued' | 'sending' | 'deferred' | 'sent' | 'failed' | 'withdrawn';
  /** Email address of the recipient; null when the account was deleted before */
  address: string | null;
  /** The recipient's account; null without an account, if it was deleted, and for a forgotten password */
  user: {
    /** Opaque identifier */
    id: string;
    /** First name */
    firstName: string;
    /** Last name */
    lastName: string;
    /** Email address, unique among accounts; stored in lower case */
    email: string;
  } | null;
  /** Id of the course of the mail; null without a course */
  courseId: string | null;
  /** Id of the import that queued the mail; null without an import */
  importId: string | null;
  /** Number of attempts to send the mail */
  attempts: number;
  /** Time of the next attempt; null unless one is planned */
  nextAt: string | null;
  /** Why the last attempt failed; for a queued mail, why sending is paused; null without a problem */
  lastError: string | null;
  /** Message-ID, the same for all attempts */
  messageId: string;
  /** Time at which the mail was queued */
  createdAt: string;
  /** Time at which the mail was sent, failed or was withdrawn; null until then */
  finishedAt: string | null;
}

/** Number of accounts by state */
export interface AccountCounts {
  /** Total number */
  total: number;
  /** Accounts that may sign in */
  active: number;
  /** Accounts that may not sign in */
  inactive: number;
  /** Accounts that must change their initial password */
  initialPassword: number;
  /** Accounts that are locked after too many wrong passwords */
  locked: number;
}

/** Number of accounts by state, in total and by role */
export interface AccountStatistics {
  /** Total number */
  total: number;
  /** Accounts that may sign in */
  active: number;
  /** Accounts that may not sign in */
  inactive: number;
  /** Accounts that must change their initial password */
  initialPassword: number;
  /** Accounts that are locked after too many wrong passwords */
  locked: number;
  /** The same figures by role */
  byRole: {
    super_admin: AccountCounts;
    trainer: AccountCounts;
    trainee: AccountCounts;
  };
}

/** Number of courses by state */
export interface CourseCounts {
  /** Total number */
  total: number;
  /** Published courses */
  published: number;
  /** Unpublished courses */
  unpublished: number;
}

/** Number of requests for a course */
export interface CourseRequests {
  /** The course */
  course: {
    /** Opaque identifier */
    id: string;
    /** Title of the course */
    title: string;
    /** First day of the course */
    startDate: string | null;
  };
  /** Requests for the course that wait for an answer */
  waiting: number;
}

/** Courses that start today or within seven days */
export interface SoonCourses {
  /** Number of these courses */
  courses: number;
  /** Courses among them with requests that wait for an answer */
  withRequests: number;
  /** Requests for these courses that wait for an answer */
  requests: number;
}

/** Imports that wait for a person */
export interface ImportsToCheck {
  /** Imports of the last seven days with rejected rows */
  rejected: number;
  /** Plans that wait for a confirmation */
  planned: number;
}

/** A group whose last sync was held, because too many members would leave */
export interface HeldSync {
  group: GroupName;
  /** Number of members who would leave */
  leaving: number;
  /** Number of members whom files added */
  members: number;
  /** Number of members who may leave without an approval */
  limit: number;
  /** Name of the file */
  file: string;
  /** Time of the sync */
  at: string;
}

/** An import of accounts, with its file, status and counts */
export interface ImportSummary {
  /** Opaque identifier */
  id: string;
  /** Number of the import: 1 for the first, counted up */
  number: number;
  status: ImportStatus;
  /** Name of the imported file */
  file: string;
  /** Number of rows by outcome */
  counts: {
    /** Rows read */
    rows: number;
    /** Accounts created */
    created: number;
    /** Accounts updated */
    updated: number;
    /** Rows skipped */
    skipped: number;
    /** Rows rejected */
    rejected: number;
    /** Created enrollments with a seat */
    enrolled: number;
    /** Places taken on waiting lists */
    waiting: number;
    /** Enrollments left out because the course or its waiting list is full */
    leftOut: number;
    /** Members who left the group that the import synchronises */
    left: number;
  };
  /** Why the import failed, or why its plan cannot be applied; null otherwise */
  error: {
    /** Machine-readable code of the failure */
    code: string;
    /** The reason, for people */
    message: string | null;
  } | null;
  /** Time of creation */
  createdAt: string;
  /** Time at which the import ended; null until then */
  finishedAt: string | null;
}

/** Number of files of a kind and their size */
export interface FileUsage {
  /** Number of files */
  files: number;
  /** Size in bytes */
  bytes: number;
}

/** Stored files and their sizes, in total and by kind */
export interface StorageUsage {
  /** Number of files */
  files: number;
  /** Size in bytes */
  bytes: number;
  /** The same figures by kind of file */
  byKind: {
    material: FileUsage;
    thumbnail: FileUsage;
    avatar: FileUsage;
  };
}

/** Figures of the whole programme */
export interface SuperAdminOverview {
  /** Role of the account */
  role: 'super_admin';
  /** Time zone and current day of the programme */
  programme: {
    /** Time zone of the programme */
    timeZone: string;
    /** Current day in this time zone; courses end after their last day */
    today: string;
    /** Whether the service runs in production without a configured time zone; containers use UTC */
    timeZoneMissing: boolean;
  };
  people: AccountStatistics;
  courses: CourseCounts;
  enrollments: EnrollmentStatistics;
  /** Requests waiting for an answer: pending enrollments */
  requestsWaiting: number;
  /** The 5 courses with the most requests */
  requestsByCourse: CourseRequests[];
  startingSoon: SoonCourses;
  importsToCheck: ImportsToCheck;
  /** Problems with mails; null without problems, and if the service sends no mail */
  mailTrouble: {
    /** Why no mail is sent; null while mails are sent */
    pausedBy: string | null;
    /** Unsent mails while sending is paused, otherwise 0 */
    held: number;
    /** Mails that the server refused since `since`, without unknown addresses */
    refused: number;
    /** Why the last of them was refused; null for none */
    refusedBy: string | null;
    /** Mails since `since` whose address doesn't exist */
    addressUnknown: number;
    /** Start of the period of counted failures: three days ago */
    since: string;
  } | null;
  /** The first 20 groups by name whose last sync was held */
  heldSyncs: HeldSync[];
  /** The last 5 imports, the newest first */
  imports: ImportSummary[];
  /** The last 12 weeks, the oldest first, in UTC */
  weeks: {
    /** First day of the week, a Monday */
    week: string;
    /** Enrollments requested or assigned in the week */
    enrollments: number;
    /** Accounts created in the week */
    accounts: number;
  }[];
  storage: StorageUsage;
}

/** A trainer's next course, which starts today or later */
export type NextCourse = {
  /** Opaque identifier */
  id: string;
  /** Title of the course */
  title: string;
  /** First day of the course */
  startDate: string | null;
  /** Last day of the course */
  endDate: string | null;
  /** Form of the course */
  courseType: 'online' | 'classroom' | 'hybrid' | null;
  /** Where the course takes place */
  location: string | null;
  /** Maximum number of pending and active trainees; null for no limit */
  maxStudents: number | null;
  /** Whether the course is in the catalogue */
  isPublished: boolean;
  /** Trainees who take part */
  participants: number;
  /** Trainees on the waiting list */
  waiting: number;
  /** Requests that wait for an answer */
  requests: number;
} | null;

/** Figures of a trainer's courses */
export interface TrainerOverview {
  /** Role of the account */
  role: 'trainer';
  courses: CourseCounts;
  enrollments: EnrollmentStatistics;
  /** Requests waiting for an answer: pending enrollments */
  requestsWaiting: number;
  /** The 5 courses with the most requests */
  requestsByCourse: CourseRequests[];
  startingSoon: SoonCourses;
  nextCourse: NextCourse;
  /** Active enrollments with a progress of 100 %, which can be completed */
  finished: number;
  /** The last 12 weeks, the oldest first, in UTC */
  weeks: {
    /** First day of the week, a Monday */
    week: string;
    /** Enrollments requested or assigned in the week */
    enrollments: number;
  }[];
}

/** An active or pending enrollment with its course and its dates */
export interface CurrentEnrollmentWithDates {
  /** Opaque identifier */
  id: string;
  status: EnrollmentStatus;
  /** Progress in percent */
  progress: number;
  /** Time of enrollment */
  enrolledAt: string;
  course: DatedCourse;
}

/** The courses of a trainee */
export interface TraineeOverview {
  /** Role of the account */
  role: 'trainee';
  enrollments: EnrollmentStatistics;
  /** Average progress of active enrollments in percent; null without any */
  averageProgress: number | null;
  /** The 10 newest active and pending enrollments */
  current: CurrentEnrollmentWithDates[];
}

/** The demo programme of this database */
export interface Demo {
  /** `available`: can be loaded; `unavailable`: in production, and if other accounts exist */
  status: 'available' | 'loaded' | 'unavailable';
  /** Accounts for the login: staff and a trainee; empty unless the demo programme is loaded */
  accounts: string[];
  /** Public password of all demo accounts; null unless the demo programme is loaded */
  password: string | null;
}

/** Parameters of `GET /api/auth/setup-status` */
export type SetupStatusParameters = Record<string, never>;

/** Request body of `GET /api/auth/setup-status` */
export type SetupStatusBody = undefined;

/** Successful response of `GET /api/auth/setup-status` */
export interface SetupStatusResponse {
  /** Whether the super admin must still be created */
  setupRequired: boolean;
  /** Number of super admins */
  superAdminCount: number;
}

/** Parameters of `POST /api/auth/setup` */
export type SetupParameters = Record<string, never>;

/** Request body of `POST /api/auth/setup` */
export interface SetupBody {
  /** First name */
  firstName: string;
  /** Last name */
  lastName: string;
  /** Email address, unique among accounts; stored in lower case */
  email: string;
  /** Password: at least 6 characters; a new one has at most 1,000 */
  password: string;
  /** Phone number, unique among accounts */
  phone: string;
  /** Whether the account may sign in */
  isActive?: boolean;
}

/** Successful response of `POST /api/auth/setup` */
export interface SetupResponse {
  /** Confirmation for people */
  message: 'Setup completed successfully.';
  /** A signed JSON web token, to be sent as `Authorization: Bearer <token>` */
  token: string;
  user: SetupUser;
}

/** Parameters of `POST /api/auth/login` */
export type LoginParameters = Record<string, never>;

/** Request body of `POST /api/auth/login` */
export interface LoginBody {
  /** Email address or phone number of the account */
  identifier: string;
  /** Password: at least 6 characters; a new one has at most 1,000 */
  password: string;
}

/** Successful response of `POST /api/auth/login` */
export type LoginResponse = Login;

/** Parameters of `POST /api/auth/trainee-login` */
export type TraineeLoginParameters = Record<string, never>;

/** Request body of `POST /api/auth/trainee-login` */
export interface TraineeLoginBody {
  /** Email address or phone number of the account */
  identifier: string;
  /** Password: at least 6 characters; a new one has at most 1,000 */
  password: string;
}

/** Successful response of `POST /api/auth/trainee-login` */
export type TraineeLoginResponse = Login;

/** Parameters of `POST /api/auth/register` */
export type RegisterParameters = Record<string, never>;

/** Request body of `POST /api/auth/register` */
export interface RegisterBody {
  /** First name */
  firstName: string;
  /** Last name */
  lastName: string;
  /** Email address, unique among accounts; stored in lower case */
  email: string;
  /** Password: at least 6 characters; a new one has at most 1,000 */
  password: string;
  /** Role of the account */
  role: 'super_admin' | 'trainer' | 'trainee';
  /** Phone number, unique among accounts */
  phone: string;
  /** Whether the account may sign in */
  isActive?: boolean;
  /** Whether the password must be changed at the first login; it expires like a generated one */
  requiresPasswordChange?: boolean;
}

/** Successful response of `POST /api/auth/register` */
export interface RegisterResponse {
  /** Confirmation for people */
  message: 'User created successfully.';
  user: RegisteredUser;
}

/** Parameters of `GET /api/auth/me` */
export type MeParameters = Record<string, never>;

/** Request body of `GET /api/auth/me` */
export type MeBody = undefined;

/** Successful response of `GET /api/auth/me` */
export interface MeResponse {
  user: OwnUser;
}

/** Parameters of `PUT /api/auth/profile` */
export type UpdateProfileParameters = Record<string, never>;

/** Request body of `PUT /api/auth/profile` */
export interface UpdateProfileBody {
  /** First name */
  firstName?: string | null;
  /** Last name */
  lastName?: string | null;
  /** Phone number, unique among accounts */
  phone?: string | number | null;
}

/** Successful response of `PUT /api/auth/profile` */
export interface UpdateProfileResponse {
  /** Confirmation for people */
  message: 'Profile updated successfully.';
  user: ProfileUser;
}

/** Parameters of `PUT /api/auth/change-password` */
export type ChangePasswordParameters = Record<string, never>;

/** Request body of `PUT /api/auth/change-password` */
export interface ChangePasswordBody {
  /** The password in use */
  currentPassword: string;
  /** The new password: at least 6 characters, at most 1,000 */
  newPassword: string;
}

/** Successful response of `PUT /api/auth/change-password` */
export interface ChangePasswordResponse {
  /** Confirmation for people */
  message: 'Password changed successfully.';
}

/** Parameters of `PUT /api/auth/first-password-change` */
export type ChangeFirstPasswordParameters = Record<string, never>;

/** Request body of `PUT /api/auth/first-password-change` */
export interface ChangeFirstPasswordBody {
  /** The new password: at least 6 characters, at most 1,000 */
  newPassword: string;
}

/** Successful response of `PUT /api/auth/first-password-change` */
export interface ChangeFirstPasswordResponse {
  /** Confirmation for people */
  message: 'Password changed successfully.';
  user: FirstPasswordChangeUser;
}

/** Parameters of `POST /api/auth/email` */
export type RequestEmailChangeParameters = Record<string, never>;

/** Request body of `POST /api/auth/email` */
export interface RequestEmailChangeBody {
  /** Email address, unique among accounts; stored in lower case */
  email: string;
  /** The password in use */
  currentPassword: string;
}

/** Successful response of `POST /api/auth/email` */
export interface RequestEmailChangeResponse {
  /** Confirmation for people */
  message: 'A link was sent to the new email, unless it belongs to another account.';
}

/** Parameters of `POST /api/auth/check-enrollment` */
export type CheckEnrollmentParameters = Record<string, never>;

/** Request body of `POST /api/auth/check-enrollment` */
export type CheckEnrollmentBody = undefined;

/** Successful response of `POST /api/auth/check-enrollment` */
export interface CheckEnrollmentResponse {
  /** Whether the caller has active or pending enrollments */
  hasEnrollments: boolean;
  /** The enrollments */
  enrollments: CurrentEnrollment[];
}

/** Parameters of `PUT /api/auth/avatar` */
export type SetAvatarParameters = Record<string, never>;

/** Request body of `PUT /api/auth/avatar` */
export interface SetAvatarBody {
  /** The file */
  image: Blob;
}

/** Successful response of `PUT /api/auth/avatar` */
export interface SetAvatarResponse {
  /** Confirmation for people */
  message: 'Avatar updated successfully.';
  /** URL of the image */
  imageUrl: string;
}

/** Parameters of `DELETE /api/auth/avatar` */
export type RemoveAvatarParameters = Record<string, never>;

/** Request body of `DELETE /api/auth/avatar` */
export type RemoveAvatarBody = undefined;

/** Successful response of `DELETE /api/auth/avatar` */
export interface RemoveAvatarResponse {
  /** Confirmation for people */
  message: 'Avatar removed successfully.';
}

/** Parameters of `GET /api/mail-preferences` */
export type ShowMailPreferencesParameters = Record<string, never>;

/** Request body of `GET /api/mail-preferences` */
export type ShowMailPreferencesBody = undefined;

/** Successful response of `GET /api/mail-preferences` */
export interface ShowMailPreferencesResponse {
  /** Language of mails; null for the language of the service */
  language: 'en' | 'de' | null;
  /** Kinds of mails that are turned off */
  off: ('enrolled' | 'accepted' | 'moved_up' | 'refused' | 'completed' | 'requests')[];
  /** Kinds that the caller may turn off; empty if the service sends no mail */
  kinds: ('enrolled' | 'accepted' | 'moved_up' | 'refused' | 'completed' | 'requests')[];
}

/** Parameters of `PUT /api/mail-preferences` */
export type ChangeMailPreferencesParameters = Record<string, never>;

/** Request body of `PUT /api/mail-preferences` */
export interface ChangeMailPreferencesBody {
  /** Language of mails; null for the language of the service */
  language?: 'en' | 'de' | null;
  /** Kinds of mails that are turned off */
  off?: ('enrolled' | 'accepted' | 'moved_up' | 'refused' | 'completed' | 'requests')[];
}

/** Successful response of `PUT /api/mail-preferences` */
export interface ChangeMailPreferencesResponse {
  /** Language of mails; null for the language of the service */
  language: 'en' | 'de' | null;
  /** Kinds of mails that are turned off */
  off: ('enrolled' | 'accepted' | 'moved_up' | 'refused' | 'completed' | 'requests')[];
  /** Kinds that the caller may turn off; empty if the service sends no mail */
  kinds: ('enrolled' | 'accepted' | 'moved_up' | 'refused' | 'completed' | 'requests')[];
}

/** Parameters of `GET /api/auth/calendar` */
export type ShowCalendarParameters = Record<string, never>;

/** Request body of `GET /api/auth/calendar` */
export type ShowCalendarBody = undefined;

/** Successful response of `GET /api/auth/calendar` */
export interface ShowCalendarResponse {
  /** Time at which the address was created; null without an address */
  createdAt: string | null;
  /** Hour of the last use; null before the first use */
  lastUsedAt: string | null;
}

/** Parameters of `POST /api/auth/calendar` */
export type CreateCalendarParameters = Record<string, never>;

/** Request body of `POST /api/auth/calendar` */
export type CreateCalendarBody = undefined;

/** Successful response of `POST /api/auth/calendar` */
export interface CreateCalendarResponse {
  /** Confirmation for people */
  message: 'Calendar address created successfully.';
  /** The address; only its path if `PUBLIC_URL` is not set */
  url: string;
}

/** Parameters of `DELETE /api/auth/calendar` */
export type RevokeCalendarParameters = Record<string, never>;

/** Request body of `DELETE /api/auth/calendar` */
export type RevokeCalendarBody = undefined;

/** Successful response of `DELETE /api/auth/calendar` */
export interface RevokeCalendarResponse {
  /** Confirmation for people */
  message: 'Calendar address revoked successfully.';
}

/** Parameters of `GET /api/calendars/{key}.ics` */
export interface PrivateCalendarParameters {
  path: {
    /** The secret part of the address */
    key: string;
  };
}

/** Request body of `GET /api/calendars/{key}.ics` */
export type PrivateCalendarBody = undefined;

/** Successful response of `GET /api/calendars/{key}.ics` */
export type PrivateCalendarResponse = string;

/** Parameters of `POST /api/links/check` */
export type CheckLinkParameters = Record<string, never>;

/** Request body of `POST /api/links/check` */
export interface CheckLinkBody {
  /** Part of the link after `#` */
  token: string;
}

/** Successful response of `POST /api/links/check` */
export interface CheckLinkResponse {
  /** `invite`, `reset`: sets a password; `email`: confirms an email; `email-cancel`: cancels a change of the email */
  purpose: 'invite' | 'reset' | 'email' | 'email-cancel';
  /** First name of the account; null with the purpose `email`, because a stranger may have received the link */
  firstName: string | null;
  /** Email address of the recipient */
  email: string;
  /** Time at which the link expires */
  expiresAt: string;
}

/** Parameters of `POST /api/links/set-password` */
export type SetPasswordParameters = Record<string, never>;

/** Request body of `POST /api/links/set-password` */
export interface SetPasswordBody {
  /** Part of the link after `#` */
  token: string;
  /** The new password: at least 6 characters, at most 1,000 */
  newPassword: string;
}

/** Successful response of `POST /api/links/set-password` */
export interface SetPasswordResponse {
  /** Confirmation for people */
  message: 'Password set successfully.';
}

/** Parameters of `POST /api/links/confirm-email` */
export type ConfirmEmailParameters = Record<string, never>;

/** Request body of `POST /api/links/confirm-email` */
export interface ConfirmEmailBody {
  /** Part of the link after `#` */
  token: string;
}

/** Successful response of `POST /api/links/confirm-email` */
export interface ConfirmEmailResponse {
  /** Confirmation for people */
  message: 'Email changed successfully.';
  /** The new email for the login */
  email: string;
}

/** Parameters of `POST /api/links/cancel-email` */
export type CancelEmailParameters = Record<string, never>;

/** Request body of `POST /api/links/cancel-email` */
export interface CancelEmailBody {
  /** Part of the link after `#` */
  token: string;
}

/** Successful response of `POST /api/links/cancel-email` */
export interface CancelEmailResponse {
  /** Confirmation for people */
  message: 'Change of email cancelled.';
  /** Whether the account has its previous email again. False if another account has this email; then no link is sent */
  restored: boolean;
}

/** Parameters of `GET /api/forgot-password` */
export type ShowForgotPasswordParameters = Record<string, never>;

/** Request body of `GET /api/forgot-password` */
export type ShowForgotPasswordBody = undefined;

/** Successful response of `GET /api/forgot-password` */
export interface ShowForgotPasswordResponse {
  /** Whether the service can send mail */
  available: boolean;
}

/** Parameters of `POST /api/forgot-password` */
export type ForgotPasswordParameters = Record<string, never>;

/** Request body of `POST /api/forgot-password` */
export interface ForgotPasswordBody {
  /** Email address or phone number of the account */
  identifier: string;
}

/** Successful response of `POST /api/forgot-password` */
export interface ForgotPasswordResponse {
  /** Confirmation for people */
  message: 'If there is an account with this email or phone, a link is on its way to its email.';
}

/** Parameters of `POST /api/auth/web-session` */
export type StartWebSessionParameters = Record<string, never>;

/** Request body of `POST /api/auth/web-session` */
export interface StartWebSessionBody {
  /** Email address or phone number of the account */
  identifier: string;
  /** Password: at least 6 characters; a new one has at most 1,000 */
  password: string;
}

/** Successful response of `POST /api/auth/web-session` */
export type StartWebSessionResponse = WebSession;

/** Parameters of `GET /api/auth/web-session` */
export type ShowWebSessionParameters = Record<string, never>;

/** Request body of `GET /api/auth/web-session` */
export type ShowWebSessionBody = undefined;

/** Successful response of `GET /api/auth/web-session` */
export type ShowWebSessionResponse = WebSession;

/** Parameters of `DELETE /api/auth/web-session` */
export type EndWebSessionParameters = Record<string, never>;

/** Request body of `DELETE /api/auth/web-session` */
export type EndWebSessionBody = undefined;

/** Successful response of `DELETE /api/auth/web-session` */
export interface EndWebSessionResponse {
  /** Confirmation for people */
  message: 'Logged out successfully.';
  /** Address to open, which also ends the session at the organisation's sign-in; null without one */
  signOutUrl: string | null;
}

/** Parameters of `POST /api/auth/logout` */
export type LogoutParameters = Record<string, never>;

/** Request body of `POST /api/auth/logout` */
export type LogoutBody = undefined;

/** Successful response of `POST /api/auth/logout` */
export interface LogoutResponse {
  /** Confirmation for people */
  message: 'Logged out successfully.';
}

/** Parameters of `POST /api/auth/logout-all` */
export type LogoutAllParameters = Record<string, never>;

/** Request body of `POST /api/auth/logout-all` */
export type LogoutAllBody = undefined;

/** Successful response of `POST /api/auth/logout-all` */
export interface LogoutAllResponse {
  /** Confirmation for people */
  message: 'Logged out of all sessions.';
}

/** Parameters of `GET /api/auth/sessions` */
export interface ListSessionsParameters {
  query?: {
    /** Number of the page, from 1 */
    page?: number;
    /** Maximum number of items on a page */
    limit?: number;
  };
}

/** Request body of `GET /api/auth/sessions` */
export type ListSessionsBody = undefined;

/** Successful response of `GET /api/auth/sessions` */
export interface ListSessionsResponse {
  /** The sessions of this page */
  sessions: Session[];
  pagination: Pagination;
}

/** Parameters of `DELETE /api/auth/sessions/{id}` */
export interface EndSessionParameters {
  path: {
    /** Id of the session */
    id: string;
  };
}

/** Request body of `DELETE /api/auth/sessions/{id}` */
export type EndSessionBody = undefined;

/** Successful response of `DELETE /api/auth/sessions/{id}` */
export interface EndSessionResponse {
  /** Confirmation for people */
  message: 'Session ended.';
}

/** Parameters of `GET /api/oidc` */
export type ShowOidcParameters = Record<string, never>;

/** Request body of `GET /api/oidc` */
export type ShowOidcBody = undefined;

/** Successful response of `GET /api/oidc` */
export interface ShowOidcResponse {
  /** Name of the organisation's account; null if this sign-in is not set up */
  name: string | null;
  /** Whether others than the super admin can sign in with a password */
  passwordLogin: boolean;
}

/** Parameters of `GET /api/oidc/start` */
export interface StartOidcParameters {
  query?: {
    /** Path to open after the sign-in: one of this service; others become `/` */
    returnTo?: string;
  };
}

/** Request body of `GET /api/oidc/start` */
export type StartOidcBody = undefined;

/** Successful response of `GET /api/oidc/start` */
export type StartOidcResponse = undefined;

/** Parameters of `GET /api/oidc/callback` */
export interface FinishOidcParameters {
  query?: {
    /** Code of the issuer, for one use */
    code?: string;
    /** State of the sign-in, as this service has sent it */
    state?: string;
    /** Issuer (RFC 9207) */
    iss?: string;
    /** Refusal of the issuer */
    error?: string;
  };
}

/** Request body of `GET /api/oidc/callback` */
export type FinishOidcBody = undefined;

/** Successful response of `GET /api/oidc/callback` */
export type FinishOidcResponse = undefined;

/** Parameters of `GET /api/auth/identities` */
export type ListOwnIdentitiesParameters = Record<string, never>;

/** Request body of `GET /api/auth/identities` */
export type ListOwnIdentitiesBody = undefined;

/** Successful response of `GET /api/auth/identities` */
export interface ListOwnIdentitiesResponse {
  /** The identities */
  identities: Identity[];
  /** Whether the caller can also sign in with a password */
  hasPassword: boolean;
}

/** Parameters of `POST /api/auth/identities` */
export type LinkIdentityParameters = Record<string, never>;

/** Request body of `POST /api/auth/identities` */
export interface LinkIdentityBody {
  /** The password in use */
  currentPassword: string;
}

/** Successful response of `POST /api/auth/identities` */
export interface LinkIdentityResponse {
  /** Address of the sign-in */
  url: string;
}

/** Parameters of `DELETE /api/auth/identities/{id}` */
export interface RemoveOwnIdentityParameters {
  path: {
    /** Id of the identity */
    id: string;
  };
}

/** Request body of `DELETE /api/auth/identities/{id}` */
export type RemoveOwnIdentityBody = undefined;

/** Successful response of `DELETE /api/auth/identities/{id}` */
export interface RemoveOwnIdentityResponse {
  /** Confirmation for people */
  message: 'Identity removed successfully.';
}

/** Parameters of `GET /api/users/{id}/identities` */
export interface ListUserIdentitiesParameters {
  path: {
    /** Id of the account */
    id: string;
  };
}

/** Request body of `GET /api/users/{id}/identities` */
export type ListUserIdentitiesBody = undefined;

/** Successful response of `GET /api/users/{id}/identities` */
export interface ListUserIdentitiesResponse {
  /** The identities */
  identities: Identity[];
}

/** Parameters of `DELETE /api/users/{id}/identities/{identityId}` */
export interface RemoveUserIdentityParameters {
  path: {
    /** Id of the account */
    id: string;
    /** Id of the identity */
    identityId: string;
  };
}

/** Request body of `DELETE /api/users/{id}/identities/{identityId}` */
export type RemoveUserIdentityBody = undefined;

/** Successful response of `DELETE /api/users/{id}/identities/{identityId}` */
export interface RemoveUserIdentityResponse {
  /** Confirmation for people */
  message: 'Identity removed successfully.';
}

/** Parameters of `GET /api/users` */
export interface ListUsersParameters {
  query?: {
    /** Role of the account */
    role?: 'super_admin' | 'trainer' | 'trainee';
    /** Whether the account may sign in */
    isActive?: boolean;
    /** Whether the account must change its initial password */
    requiresPasswordChange?: boolean;
    /** Whether the account is locked after too many wrong passwords, for all IP addresses or for some */
    locked?: boolean;
    /** State of the invitation, as in `inviteState`; `no`: never invited */
    invited?: 'no' | 'queued' | 'sent' | 'failed' | 'accepted';
    /** Way to sign in: `password`, `oidc` (the organisation's account, after its first use), or `none` of them */
    signsIn?: 'password' | 'oidc' | 'none';
    /** Id of a group: only its members */
    group?: string;
    /** Text to search for in names, emails and titles; for super admins also in phones; for rows of imports also in the cells of rejected rows. See docs/OPERATIONS.md */
    search?: string;
    /** Field to sort by; names, titles and categories in dictionary order. `soonest` ignores `sortOrder`: upcoming courses by their first day, then running courses, then courses without a first day, then ended courses. Own enrollments begin with running courses, and end with cancelled enrollments */
    sortBy?: 'createdAt' | 'lastName' | 'firstName' | 'email' | 'lastLogin';
    /** Ascending or descending */
    sortOrder?: 'ASC' | 'DESC';
    /** Number of the page, from 1 */
    page?: number;
    /** Maximum number of items on a page */
    limit?: number;
    /** Id of the last item of the previous page. This page begins after that item, and is as fast as the first page. Without `afterId`, or if the item no longer exists, the service reads and skips all previous items. `page` is still needed for the numbers in `pagination` */
    afterId?: string;
  };
}

/** Request body of `GET /api/users` */
export type ListUsersBody = undefined;

/** Successful response of `GET /api/users` */
export interface ListUsersResponse {
  /** The accounts of this page */
  users: UserDetails[];
  pagination: Pagination;
}

/** Parameters of `POST /api/users` */
export type CreateUserParameters = Record<string, never>;

/** Request body of `POST /api/users` */
export interface CreateUserBody {
  /** First name */
  firstName: string;
  /** Last name */
  lastName: string;
  /** Email address, unique among accounts; stored in lower case */
  email: string;
  /** Phone number, unique among accounts */
  phone?: string | null;
  /** Role of the account */
  role: 'trainee' | 'trainer';
  /** `invite`: a mail that invites the person; `generated`: a generated password in the response; `none`: no password and no mail, for people who use the organisation's sign-in */
  credentials: 'invite' | 'generated' | 'none';
  /** Confirmation for people */
  message?: string | null;
}

/** Successful response of `POST /api/users` */
export interface CreateUserResponse {
  /** Confirmation for people */
  message: 'User created successfully.';
  user: User;
  /** The generated password, shown only here; null for `invite` and `none` */
  temporaryPassword: string | null;
}

/** Parameters of `GET /api/users/export.csv` */
export interface ExportUsersParameters {
  query?: {
    /** Role of the account */
    role?: 'super_admin' | 'trainer' | 'trainee';
    /** Whether the account may sign in */
    isActive?: boolean;
    /** Whether the account must change its initial password */
    requiresPasswordChange?: boolean;
    /** Whether the account is locked after too many wrong passwords, for all IP addresses or for some */
    locked?: boolean;
    /** State of the invitation, as in `inviteState`; `no`: never invited */
    invited?: 'no' | 'queued' | 'sent' | 'failed' | 'accepted';
    /** Way to sign in: `password`, `oidc` (the organisation's account, after its first use), or `none` of them */
    signsIn?: 'password' | 'oidc' | 'none';
    /** Id of a group: only its members */
    group?: string;
    /** Text to search for in names, emails and titles; for super admins also in phones; for rows of imports also in the cells of rejected rows. See docs/OPERATIONS.md */
    search?: string;
    /** The columns, in this order; several are separated by commas. All by default */
    fields?: ('id' | 'firstName' | 'lastName' | 'email' | 'phone' | 'role' | 'isActive' | 'requiresPasswordChange' | 'lastLogin' | 'language' | 'createdAt' | 'group')[];
    /** `csv`, or `xlsx` for an Excel workbook */
    format?: 'csv' | 'xlsx';
  };
}

/** Request body of `GET /api/users/export.csv` */
export type ExportUsersBody = undefined;

/** Successful response of `GET /api/users/export.csv` */
export type ExportUsersResponse = string | Blob;

/** Parameters of `POST /api/users/bulk` */
export type ChangeManyUsersParameters = Record<string, never>;

/** Request body of `POST /api/users/bulk` */
export interface ChangeManyUsersBody {
  /** What to do with the accounts */
  action: 'activate' | 'deactivate' | 'reset_password' | 'mail_reset_link' | 'invite' | 'delete' | 'end_sessions';
  /** Ids of the accounts */
  ids?: string[];
  /** All accounts that match, instead of a list */
  filter?: {
    /** Role of the account */
    role?: 'super_admin' | 'trainer' | 'trainee';
    /** Whether the account may sign in */
    isActive?: boolean;
    /** Whether the account must change its initial password */
    requiresPasswordChange?: boolean;
    /** Whether the account is locked after too many wrong passwords, for all IP addresses or for some */
    locked?: boolean;
    /** State of the invitation, as in `inviteState`; `no`: never invited */
    invited?: 'no' | 'queued' | 'sent' | 'failed' | 'accepted';
    /** Way to sign in: `password`, `oidc` (the organisation's account, after its first use), or `none` of them */
    signsIn?: 'password' | 'oidc' | 'none';
    /** Id of a group: only its members */
    group?: string;
    /** Text to search for in names, emails and titles; for super admins also in phones; for rows of imports also in the cells of rejected rows. See docs/OPERATIONS.md */
    search?: string;
  };
  /** Only report what would be done */
  dryRun?: boolean;
  /** Confirmation for people */
  message?: string | null;
}

/** Successful response of `POST /api/users/bulk` */
export type ChangeManyUsersResponse = BulkChange;

/** Parameters of `POST /api/users/by-email` */
export type FindUsersByEmailParameters = Record<string, never>;

/** Request body of `POST /api/users/by-email` */
export interface FindUsersByEmailBody {
  /** Emails of accounts. Case and surrounding spaces do not count. */
  emails: string[];
}

/** Successful response of `POST /api/users/by-email` */
export interface FindUsersByEmailResponse {
  /** The accounts of this page */
  users: User[];
  /** Emails as given, without an account */
  unknown: string[];
}

/** Parameters of `GET /api/users/{id}` */
export interface ShowUserParameters {
  path: {
    /** Id of the account */
    id: string;
  };
}

/** Request body of `GET /api/users/{id}` */
export type ShowUserBody = undefined;

/** Successful response of `GET /api/users/{id}` */
export interface ShowUserResponse {
  user: UserDetails;
  /** Groups of the person, by name */
  groups: GroupName[];
}

/** Parameters of `PUT /api/users/{id}` */
export interface UpdateUserParameters {
  path: {
    /** Id of the account */
    id: string;
  };
}

/** Request body of `PUT /api/users/{id}` */
export interface UpdateUserBody {
  /** First name */
  firstName?: string;
  /** Last name */
  lastName?: string;
  /** Email address, unique among accounts; stored in lower case */
  email?: string;
  /** Phone number, unique among accounts */
  phone?: string;
  /** Role of the account */
  role?: 'super_admin' | 'trainer' | 'trainee';
  /** Whether the email changes only after it is confirmed by a mailed link */
  verify?: boolean;
}

/** Successful response of `PUT /api/users/{id}` */
export interface UpdateUserResponse {
  /** Confirmation for people */
  message: 'User updated successfully.';
  user: User;
}

/** Parameters of `DELETE /api/users/{id}` */
export interface DeleteUserParameters {
  path: {
    /** Id of the account */
    id: string;
  };
}

/** Request body of `DELETE /api/users/{id}` */
export type DeleteUserBody = undefined;

/** Successful response of `DELETE /api/users/{id}` */
export interface DeleteUserResponse {
  /** Confirmation for people */
  message: 'User deleted successfully.';
  /** Set while free seats are being given to waiting lists: read again in a few seconds. Absent otherwise */
  seatsBeingGiven?: true;
}

/** Parameters of `PUT /api/users/{id}/status` */
export interface ChangeActivationParameters {
  path: {
    /** Id of the account */
    id: string;
  };
}

/** Request body of `PUT /api/users/{id}/status` */
export interface ChangeActivationBody {
  /** Whether the account may sign in */
  isActive: boolean;
}

/** Successful response of `PUT /api/users/{id}/status` */
export interface ChangeActivationResponse {
  /** Confirmation for people */
  message: 'User activated successfully.' | 'User deactivated successfully.';
  user: User;
  /** Set while free seats are being given to waiting lists: read again in a few seconds. Absent otherwise */
  seatsBeingGiven?: true;
}

/** Parameters of `POST /api/users/{id}/reset-password` */
export interface ResetPasswordParameters {
  path: {
    /** Id of the account */
    id: string;
  };
}

/** Request body of `POST /api/users/{id}/reset-password` */
export interface ResetPasswordBody {
  /** Mail a link to set a password instead; the old password stays valid until the link is used */
  link?: boolean;
}

/** Successful response of `POST /api/users/{id}/reset-password` */
export interface ResetPasswordResponse {
  /** Confirmation for people */
  message: 'Password reset successfully.' | 'A link to set a password is on its way.';
  /** The new password; null if a link is mailed */
  temporaryPassword: string | null;
}

/** Parameters of `GET /api/users/{id}/sessions` */
export interface ListUserSessionsParameters {
  path: {
    /** Id of the account */
    id: string;
  };
  query?: {
    /** Number of the page, from 1 */
    page?: number;
    /** Maximum number of items on a page */
    limit?: number;
  };
}

/** Request body of `GET /api/users/{id}/sessions` */
export type ListUserSessionsBody = undefined;

/** Successful response of `GET /api/users/{id}/sessions` */
export interface ListUserSessionsResponse {
  /** The sessions of this page */
  sessions: Session[];
  pagination: Pagination;
}

/** Parameters of `DELETE /api/users/{id}/sessions` */
export interface EndUserSessionsParameters {
  path: {
    /** Id of the account */
    id: string;
  };
}

/** Request body of `DELETE /api/users/{id}/sessions` */
export type EndUserSessionsBody = undefined;

/** Successful response of `DELETE /api/users/{id}/sessions` */
export interface EndUserSessionsResponse {
  /** Confirmation for people */
  message: 'All sessions ended.';
  /** Number of sessions that ended */
  endedCount: number;
}

/** Parameters of `DELETE /api/users/{id}/sessions/{sessionId}` */
export interface EndUserSessionParameters {
  path: {
    /** Id of the account */
    id: string;
    /** Id of the session */
    sessionId: string;
  };
}

/** Request body of `DELETE /api/users/{id}/sessions/{sessionId}` */
export type EndUserSessionBody = undefined;

/** Successful response of `DELETE /api/users/{id}/sessions/{sessionId}` */
export interface EndUserSessionResponse {
  /** Confirmation for people */
  message: 'Session ended.';
}

/** Parameters of `POST /api/users/{id}/unlock` */
export interface UnlockUserParameters {
  path: {
    /** Id of the account */
    id: string;
  };
}

/** Request body of `POST /api/users/{id}/unlock` */
export type UnlockUserBody = undefined;

/** Successful response of `POST /api/users/{id}/unlock` */
export interface UnlockUserResponse {
  /** Confirmation for people */
  message: 'User unlocked successfully.';
}

/** Parameters of `GET /api/groups` */
export interface ListGroupsParameters {
  query?: {
    /** Text to search for in the names, or the id of a group */
    search?: string;
    /** Number of the page, from 1 */
    page?: number;
    /** Maximum number of items on a page */
    limit?: number;
    /** Id of the last item of the previous page. This page begins after that item, and is as fast as the first page. Without `afterId`, or if the item no longer exists, the service reads and skips all previous items. `page` is still needed for the numbers in `pagination` */
    afterId?: string;
  };
}

/** Request body of `GET /api/groups` */
export type ListGroupsBody = undefined;

/** Successful response of `GET /api/groups` */
export interface ListGroupsResponse {
  /** The groups */
  groups: Group[];
  pagination: Pagination;
}

/** Parameters of `POST /api/groups` */
export type CreateGroupParameters = Record<string, never>;

/** Request body of `POST /api/groups` */
export interface CreateGroupBody {
  /** Name of the group, unique regardless of case and repeated spaces */
  name: string;
  /** Remark about the group; null without one */
  note?: string | null;
}

/** Successful response of `POST /api/groups` */
export interface CreateGroupResponse {
  /** Confirmation for people */
  message: 'Group created successfully.';
  group: GroupDetails;
}

/** Parameters of `GET /api/groups/{id}` */
export interface ShowGroupParameters {
  path: {
    /** Id of the group */
    id: string;
  };
}

/** Request body of `GET /api/groups/{id}` */
export type ShowGroupBody = undefined;

/** Successful response of `GET /api/groups/{id}` */
export interface ShowGroupResponse {
  group: GroupDetails;
}

/** Parameters of `PUT /api/groups/{id}` */
export interface UpdateGroupParameters {
  path: {
    /** Id of the group */
    id: string;
  };
}

/** Request body of `PUT /api/groups/{id}` */
export interface UpdateGroupBody {
  /** Name of the group, unique regardless of case and repeated spaces */
  name?: string;
  /** Remark about the group; null without one */
  note?: string | null;
}

/** Successful response of `PUT /api/groups/{id}` */
export interface UpdateGroupResponse {
  /** Confirmation for people */
  message: 'Group updated successfully.';
  group: GroupDetails;
}

/** Parameters of `DELETE /api/groups/{id}` */
export interface DeleteGroupParameters {
  path: {
    /** Id of the group */
    id: string;
  };
}

/** Request body of `DELETE /api/groups/{id}` */
export type DeleteGroupBody = undefined;

/** Successful response of `DELETE /api/groups/{id}` */
export interface DeleteGroupResponse {
  /** Confirmation for people */
  message: 'Group deleted successfully.';
}

/** Parameters of `PUT /api/groups/{id}/members` */
export interface ChangeMembersParameters {
  path: {
    /** Id of the group */
    id: string;
  };
}

/** Request body of `PUT /api/groups/{id}/members` */
export interface ChangeMembersBody {
  /** Ids of the accounts to add */
  add?: string[];
  /** Ids of the members to remove */
  remove?: string[];
}

/** Successful response of `PUT /api/groups/{id}/members` */
export type ChangeMembersResponse = MemberChanges;

/** Parameters of `GET /api/courses` */
export interface ListCoursesParameters {
  query?: {
    /** Category of the course */
    category?: string;
    /** Difficulty */
    level?: 'beginner' | 'intermediate' | 'advanced';
    /** Form of the course */
    courseType?: 'online' | 'classroom' | 'hybrid';
    /** Id of the trainer */
    trainerId?: string;
    /** Whether the course is in the catalogue */
    isPublished?: boolean;
    /** Only courses that have seats left, or only full ones */
    seatsLeft?: boolean;
    /** Only ended courses (`true`), only current and future courses (`false`), or all courses, in the time zone of the programme */
    ended?: 'true' | 'false' | 'all';
    /** Only courses that start today or within this number of days */
    startsWithin?: number;
    /** Text to search for in names, emails and titles; for super admins also in phones; for rows of imports also in the cells of rejected rows. See docs/OPERATIONS.md */
    search?: string;
    /** Optional keys of the response: seats. Several are separated by commas */
    include?: 'seats'[];
    /** Field to sort by; names, titles and categories in dictionary order. `soonest` ignores `sortOrder`: upcoming courses by their first day, then running courses, then courses without a first day, then ended courses. Own enrollments begin with running courses, and end with cancelled enrollments */
    sortBy?: 'createdAt' | 'updatedAt' | 'title' | 'category' | 'startDate' | 'soonest';
    /** Ascending or descending */
    sortOrder?: 'ASC' | 'DESC';
    /** Number of the page, from 1 */
    page?: number;
    /** Maximum number of items on a page */
    limit?: number;
    /** Id of the last item of the previous page. This page begins after that item, and is as fast as the first page. Without `afterId`, or if the item no longer exists, the service reads and skips all previous items. `page` is still needed for the numbers in `pagination` */
    afterId?: string;
  };
}

/** Request body of `GET /api/courses` */
export type ListCoursesBody = undefined;

/** Successful response of `GET /api/courses` */
export interface ListCoursesResponse {
  /** The courses of this page */
  courses: CourseWithSeats[];
  pagination: Pagination;
}

/** Parameters of `POST /api/courses` */
export type CreateCourseParameters = Record<string, never>;

/** Request body of `POST /api/courses` */
export interface CreateCourseBody {
  /** Title of the course */
  title: string;
  /** Full description, on one or more lines */
  description: string;
  /** Description in a sentence */
  shortDescription?: string | null;
  /** Category of the course */
  category?: string | null;
  /** Difficulty */
  level?: 'beginner' | 'intermediate' | 'advanced' | '' | null;
  /** Language of the course */
  language?: string | null;
  /** Form of the course */
  courseType?: 'online' | 'classroom' | 'hybrid' | '' | null;
  /** Tags, each once */
  tags?: string[];
  /** What trainees should know or bring */
  requirements?: string | null;
  /** What trainees learn */
  learningOutcomes?: string | null;
  /** Maximum number of pending and active trainees; null for no limit */
  maxStudents?: number | null;
  /** First day of the course */
  startDate?: string | null;
  /** Last day of the course */
  endDate?: string | null;
  /** Last day on which trainees can request enrollment; null for no limit except the end of the course */
  enrollUntil?: string | null;
  /** Whether requests become active immediately while seats are free. Otherwise a manager accepts them */
  autoAccept?: boolean;
  /** Maximum length of the waiting list; null for no limit, 0 for no waiting list */
  waitingMax?: number | null;
  /** Where the course takes place */
  location?: string | null;
  /** Whether clients should highlight the course */
  isFeatured?: boolean;
  /** Id of the trainer */
  trainerId?: string;
}

/** Successful response of `POST /api/courses` */
export interface CreateCourseResponse {
  /** Confirmation for people */
  message: 'Course created successfully.';
  course: Course;
}

/** Parameters of `GET /api/courses/categories/all` */
export type ListCategoriesParameters = Record<string, never>;

/** Request body of `GET /api/courses/categories/all` */
export type ListCategoriesBody = undefined;

/** Successful response of `GET /api/courses/categories/all` */
export interface ListCategoriesResponse {
  /** Categories in alphabetical order */
  categories: string[];
}

/** Parameters of `GET /api/courses/trainers/available` */
export interface ListAvailableTrainersParameters {
  query?: {
    /** Text to search for in names, emails and titles; for super admins also in phones; for rows of imports also in the cells of rejected rows. See docs/OPERATIONS.md */
    search?: string;
    /** Number of the page, from 1 */
    page?: number;
    /** Maximum number of items on a page */
    limit?: number;
    /** Id of the last item of the previous page. This page begins after that item, and is as fast as the first page. Without `afterId`, or if the item no longer exists, the service reads and skips all previous items. `page` is still needed for the numbers in `pagination` */
    afterId?: string;
  };
}

/** Request body of `GET /api/courses/trainers/available` */
export type ListAvailableTrainersBody = undefined;

/** Successful response of `GET /api/courses/trainers/available` */
export interface ListAvailableTrainersResponse {
  /** The trainers of this page */
  trainers: Person[];
  pagination: Pagination;
}

/** Parameters of `GET /api/courses/stats/overview` */
export type CourseStatisticsParameters = Record<string, never>;

/** Request body of `GET /api/courses/stats/overview` */
export type CourseStatisticsBody = undefined;

/** Successful response of `GET /api/courses/stats/overview` */
export interface CourseStatisticsResponse {
  stats: CourseStatistics;
}

/** Parameters of `GET /api/courses/trainer/{trainerId}` */
export interface ListTrainerCoursesParameters {
  path: {
    /** Id of the trainer */
    trainerId: string;
  };
  query?: {
    /** Whether the course is in the catalogue */
    isPublished?: boolean;
    /** Only courses that have seats left, or only full ones */
    seatsLeft?: boolean;
    /** Only ended courses (`true`), only current and future courses (`false`), or all courses, in the time zone of the programme */
    ended?: 'true' | 'false' | 'all';
    /** Only courses that start today or within this number of days */
    startsWithin?: number;
    /** Text to search for in names, emails and titles; for super admins also in phones; for rows of imports also in the cells of rejected rows. See docs/OPERATIONS.md */
    search?: string;
    /** Optional keys of the response: seats. Several are separated by commas */
    include?: 'seats'[];
    /** Field to sort by; names, titles and categories in dictionary order. `soonest` ignores `sortOrder`: upcoming courses by their first day, then running courses, then courses without a first day, then ended courses. Own enrollments begin with running courses, and end with cancelled enrollments */
    sortBy?: 'createdAt' | 'updatedAt' | 'title' | 'category' | 'startDate' | 'soonest';
    /** Ascending or descending */
    sortOrder?: 'ASC' | 'DESC';
    /** Number of the page, from 1 */
    page?: number;
    /** Maximum number of items on a page */
    limit?: number;
    /** Id of the last item of the previous page. This page begins after that item, and is as fast as the first page. Without `afterId`, or if the item no longer exists, the service reads and skips all previous items. `page` is still needed for the numbers in `pagination` */
    afterId?: string;
  };
}

/** Request body of `GET /api/courses/trainer/{trainerId}` */
export type ListTrainerCoursesBody = undefined;

/** Successful response of `GET /api/courses/trainer/{trainerId}` */
export interface ListTrainerCoursesResponse {
  /** The courses of this page */
  courses: CourseWithSeats[];
  pagination: Pagination;
}

/** Parameters of `GET /api/courses/export.csv` */
export interface ExportCoursesParameters {
  query?: {
    /** Category of the course */
    category?: string;
    /** Difficulty */
    level?: 'beginner' | 'intermediate' | 'advanced';
    /** Form of the course */
    courseType?: 'online' | 'classroom' | 'hybrid';
    /** Id of the trainer */
    trainerId?: string;
    /** Whether the course is in the catalogue */
    isPublished?: boolean;
    /** Only courses that have seats left, or only full ones */
    seatsLeft?: boolean;
    /** Only ended courses (`true`), only current and future courses (`false`), or all courses, in the time zone of the programme */
    ended?: 'true' | 'false' | 'all';
    /** Only courses that start today or within this number of days */
    startsWithin?: number;
    /** Text to search for in names, emails and titles; for super admins also in phones; for rows of imports also in the cells of rejected rows. See docs/OPERATIONS.md */
    search?: string;
    /** The columns, in this order; several are separated by commas. All by default */
    fields?: ('title' | 'description' | 'shortDescription' | 'category' | 'level' | 'language' | 'courseType' | 'tags' | 'requirements' | 'learningOutcomes' | 'maxStudents' | 'startDate' | 'endDate' | 'enrollUntil' | 'autoAccept' | 'waitingMax' | 'location' | 'isPublished' | 'isFeatured' | 'seatsTaken' | 'trainer' | 'createdAt' | 'updatedAt' | 'id' | 'trainerId')[];
    /** `csv`, or `xlsx` for an Excel workbook */
    format?: 'csv' | 'xlsx';
  };
}

/** Request body of `GET /api/courses/export.csv` */
export type ExportCoursesBody = undefined;

/** Successful response of `GET /api/courses/export.csv` */
export type ExportCoursesResponse = string | Blob;

/** Parameters of `GET /api/courses/{id}` */
export interface ShowCourseParameters {
  path: {
    /** Id of the course */
    id: string;
  };
  query?: {
    /** Optional keys of the response: seats. Several are separated by commas */
    include?: 'seats'[];
  };
}

/** Request body of `GET /api/courses/{id}` */
export type ShowCourseBody = undefined;

/** Successful response of `GET /api/courses/{id}` */
export interface ShowCourseResponse {
  course: CourseWithSeats;
}

/** Parameters of `PUT /api/courses/{id}` */
export interface UpdateCourseParameters {
  path: {
    /** Id of the course */
    id: string;
  };
}

/** Request body of `PUT /api/courses/{id}` */
export interface UpdateCourseBody {
  /** Title of the course */
  title?: string;
  /** Full description, on one or more lines */
  description?: string;
  /** Description in a sentence */
  shortDescription?: string | null;
  /** Category of the course */
  category?: string | null;
  /** Difficulty */
  level?: 'beginner' | 'intermediate' | 'advanced' | '' | null;
  /** Language of the course */
  language?: string | null;
  /** Form of the course */
  courseType?: 'online' | 'classroom' | 'hybrid' | '' | null;
  /** Tags, each once */
  tags?: string[];
  /** What trainees should know or bring */
  requirements?: string | null;
  /** What trainees learn */
  learningOutcomes?: string | null;
  /** Maximum number of pending and active trainees; null for no limit */
  maxStudents?: number | null;
  /** First day of the course */
  startDate?: string | null;
  /** Last day of the course */
  endDate?: string | null;
  /** Last day on which trainees can request enrollment; null for no limit except the end of the course */
  enrollUntil?: string | null;
  /** Whether requests become active immediately while seats are free. Otherwise a manager accepts them */
  autoAccept?: boolean;
  /** Maximum length of the waiting list; null for no limit, 0 for no waiting list */
  waitingMax?: number | null;
  /** Where the course takes place */
  location?: string | null;
  /** Whether clients should highlight the course */
  isFeatured?: boolean;
}

/** Successful response of `PUT /api/courses/{id}` */
export interface UpdateCourseResponse {
  /** Confirmation for people */
  message: 'Course updated successfully.';
  course: Course;
  /** Set while free seats are being given to waiting lists: read again in a few seconds. Absent otherwise */
  seatsBeingGiven?: true;
}

/** Parameters of `DELETE /api/courses/{id}` */
export interface DeleteCourseParameters {
  path: {
    /** Id of the course */
    id: string;
  };
  query?: {
    /** Delete the course although it has active enrollments; super admin only */
    force?: boolean;
  };
}

/** Request body of `DELETE /api/courses/{id}` */
export type DeleteCourseBody = undefined;

/** Successful response of `DELETE /api/courses/{id}` */
export interface DeleteCourseResponse {
  /** Confirmation for people */
  message: 'Course deleted successfully.';
}

/** Parameters of `GET /api/courses/{id}/calendar.ics` */
export interface CourseCalendarParameters {
  path: {
    /** Id of the course */
    id: string;
  };
}

/** Request body of `GET /api/courses/{id}/calendar.ics` */
export type CourseCalendarBody = undefined;

/** Successful response of `GET /api/courses/{id}/calendar.ics` */
export type CourseCalendarResponse = string;

/** Parameters of `PUT /api/courses/{id}/publish` */
export interface PublishCourseParameters {
  path: {
    /** Id of the course */
    id: string;
  };
}

/** Request body of `PUT /api/courses/{id}/publish` */
export interface PublishCourseBody {
  /** Whether the course is in the catalogue */
  isPublished: boolean;
}

/** Successful response of `PUT /api/courses/{id}/publish` */
export interface PublishCourseResponse {
  /** Confirmation for people */
  message: 'Course published successfully.' | 'Course unpublished successfully.';
  course: CoursePublication;
  /** Set while free seats are being given to waiting lists: read again in a few seconds. Absent otherwise */
  seatsBeingGiven?: true;
}

/** Parameters of `PUT /api/courses/{id}/assign-trainer` */
export interface AssignTrainerParameters {
  path: {
    /** Id of the course */
    id: string;
  };
}

/** Request body of `PUT /api/courses/{id}/assign-trainer` */
export interface AssignTrainerBody {
  /** Id of the trainer */
  trainerId: string;
}

/** Successful response of `PUT /api/courses/{id}/assign-trainer` */
export interface AssignTrainerResponse {
  /** Confirmation for people */
  message: 'Trainer assigned successfully.';
  course: Course;
}

/** Parameters of `GET /api/enrollments` */
export interface ListEnrollmentsParameters {
  query?: {
    /** Id of the course */
    courseId?: string;
    /** Id of the trainee */
    userId?: string;
    /** Id of the trainer */
    trainerId?: string;
    /** Id of a group: only its members */
    group?: string;
    /** Text to search for in name and email address of the trainee */
    search?: string;
    /** Statuses of the enrollments; several are separated by commas */
    status?: ('pending' | 'waiting' | 'active' | 'completed' | 'cancelled')[];
    /** Progress in percent */
    progress?: number;
    /** Only enrollments in courses that start today or within this number of days */
    startsWithin?: number;
    /** Field to sort by; names, titles and categories in dictionary order. `soonest` ignores `sortOrder`: upcoming courses by their first day, then running courses, then courses without a first day, then ended courses. Own enrollments begin with running courses, and end with cancelled enrollments */
    sortBy?: 'enrolledAt' | 'completedAt' | 'progress';
    /** Ascending or descending */
    sortOrder?: 'ASC' | 'DESC';
    /** Number of the page, from 1 */
    page?: number;
    /** Maximum number of items on a page */
    limit?: number;
    /** Id of the last item of the previous page. This page begins after that item, and is as fast as the first page. Without `afterId`, or if the item no longer exists, the service reads and skips all previous items. `page` is still needed for the numbers in `pagination` */
    afterId?: string;
  };
}

/** Request body of `GET /api/enrollments` */
export type ListEnrollmentsBody = undefined;

/** Successful response of `GET /api/enrollments` */
export interface ListEnrollmentsResponse {
  /** The enrollments */
  enrollments: EnrollmentDetails[];
  pagination: Pagination;
}

/** Parameters of `POST /api/enrollments` */
export type RequestEnrollmentParameters = Record<string, never>;

/** Request body of `POST /api/enrollments` */
export interface RequestEnrollmentBody {
  /** Id of the course */
  courseId: string;
  /** The trainee's notes for the request */
  notes?: string | null;
  /** For a request by a trainee: whether to join the waiting list if the course is full */
  joinWaitingList?: boolean;
}

/** Successful response of `POST /api/enrollments` */
export interface RequestEnrollmentResponse {
  /** Confirmation for people */
  message: 'Enrollment requested successfully.';
  enrollment: Enrollment;
  /** Set while free seats are being given to waiting lists: read again in a few seconds. Absent otherwise */
  seatsBeingGiven?: true;
}

/** Parameters of `GET /api/enrollments/my` */
export interface ListOwnEnrollmentsParameters {
  query?: {
    /** Id of the course */
    courseId?: string;
    /** Only ended courses (`true`), only current and future courses (`false`), or all courses, in the time zone of the programme */
    ended?: 'true' | 'false' | 'all';
    /** Text to search for in title, category and tags of the course */
    search?: string;
    /** Statuses of the enrollments; several are separated by commas */
    status?: ('pending' | 'waiting' | 'active' | 'completed' | 'cancelled')[];
    /** Field to sort by; names, titles and categories in dictionary order. `soonest` ignores `sortOrder`: upcoming courses by their first day, then running courses, then courses without a first day, then ended courses. Own enrollments begin with running courses, and end with cancelled enrollments */
    sortBy?: 'enrolledAt' | 'completedAt' | 'progress' | 'soonest';
    /** Ascending or descending */
    sortOrder?: 'ASC' | 'DESC';
    /** Number of the page, from 1 */
    page?: number;
    /** Maximum number of items on a page */
    limit?: number;
    /** Id of the last item of the previous page. This page begins after that item, and is as fast as the first page. Without `afterId`, or if the item no longer exists, the service reads and skips all previous items. `page` is still needed for the numbers in `pagination` */
    afterId?: string;
  };
}

/** Request body of `GET /api/enrollments/my` */
export type ListOwnEnrollmentsBody = undefined;

/** Successful response of `GET /api/enrollments/my` */
export interface ListOwnEnrollmentsResponse {
  /** The enrollments */
  enrollments: OwnEnrollment[];
  pagination: Pagination;
}

/** Parameters of `POST /api/enrollments/assign` */
export type AssignEnrollmentParameters = Record<string, never>;

/** Request body of `POST /api/enrollments/assign` */
export interface AssignEnrollmentBody {
  /** Id of the course */
  courseId: string;
  /** Id of the trainee */
  traineeId: string;
  /** Status */
  status?: 'pending' | 'active';
  /** If a course is full: `reject`, or `wait` (join its waiting list); for imports also `skip-course` (leave the course out) */
  whenFull?: 'reject' | 'wait';
  /** The trainee's notes for the request */
  notes?: string | null;
  /** Reply of the trainer or the super admin */
  reply?: string | null;
}

/** Successful response of `POST /api/enrollments/assign` */
export interface AssignEnrollmentResponse {
  /** Confirmation for people */
  message: 'Trainee enrolled successfully.';
  enrollment: Enrollment;
  /** Set while free seats are being given to waiting lists: read again in a few seconds. Absent otherwise */
  seatsBeingGiven?: true;
}

/** Parameters of `POST /api/enrollments/bulk` */
export type AssignManyParameters = Record<string, never>;

/** Request body of `POST /api/enrollments/bulk` */
export interface AssignManyBody {
  /** Id of the course */
  courseId: string;
  /** Ids of the trainees */
  traineeIds?: string[];
  /** Group whose active trainees are enrolled, up to 1,000, instead of a list; oldest account first */
  groupId?: string;
  /** Only report what would be done */
  dryRun?: boolean;
  /** Status */
  status?: 'pending' | 'active';
  /** If a course is full: `reject`, or `wait` (join its waiting list); for imports also `skip-course` (leave the course out) */
  whenFull?: 'reject' | 'wait';
  /** The trainee's notes for the request */
  notes?: string | null;
  /** Reply of the trainer or the super admin */
  reply?: string | null;
}

/** Successful response of `POST /api/enrollments/bulk` */
export interface AssignManyResponse {
  /** Confirmation for people */
  message: 'Trainees enrolled successfully.' | 'Nothing was changed.';
  /** The enrollments */
  enrollments: Enrollment[];
  /** The trainees who were not enrolled */
  skipped: {
    /** Id of the trainee */
    traineeId: string;
    /** Why the trainee was not enrolled */
    reason: string;
    code: ErrorCode;
    params?: ErrorParams;
  }[];
  /** With `dryRun`, the outcome for each trainee; absent otherwise */
  outcomes?: {
    /** Id of the trainee */
    traineeId: string;
    /** Name of the trainee; null without an active trainee */
    name: string | null;
    /** Actual or planned outcome of the row or account */
    outcome: 'done' | 'waiting' | 'unchanged' | 'refused';
    /** Code of the refusal; null otherwise */
    code: 'VALIDATION' | 'SETUP_COMPLETED' | 'EMAIL_TAKEN' | 'ALREADY_ENROLLED' | 'COURSE_NOT_PUBLISHED' | 'COURSE_ENDED' | 'ENROLLMENT_CLOSED' | 'WAITING_LIST_FULL' | 'COURSE_FULL' | 'SEATS_BEING_GIVEN' | 'COURSE_IN_USE' | 'COURSE_QUOTA' | 'COURSE_LIMIT' | 'GROUP_EXISTS' | 'GROUP_LIMIT' | 'ACCOUNT_INACTIVE' | 'TRAINER_HAS_COURSES' | 'TRAINEE_HAS_ENROLLMENTS' | 'STATUS_REFUSED' | 'STATUS_CHANGED' | 'REFERENCE_GONE' | 'PHONE_TAKEN' | 'SUPER_ADMIN_EXISTS' | 'SUPER_ADMIN_PROTECTED' | 'OWN_ACCOUNT' | 'NO_MATCHING_ACCOUNT' | 'WRONG_PASSWORD' | 'PASSWORD_LOGIN_OFF' | 'OIDC_NOT_SET_UP' | 'OIDC_UNAVAILABLE' | 'OIDC_STATE_INVALID' | 'OIDC_DENIED' | 'OIDC_EMAIL_UNVERIFIED' | 'OIDC_NAME_MISSING' | 'OIDC_NO_ACCOUNT' | 'IDENTITY_TAKEN' | 'IDENTITY_LAST' | 'TOO_MANY_ATTEMPTS' | 'CURRENT_PASSWORD_INCORRECT' | 'PASSWORD_CHANGE_NOT_REQUIRED' | 'PASSWORD_CHANGE_REQUIRED' | 'TOKEN_MISSING' | 'TOKEN_INVALID' | 'SUPER_ADMIN_REQUIRED' | 'TRAINER_REQUIRED' | 'TRAINEE_REQUIRED' | 'OTHER_TRAINER' | 'ENROLLMENT_REQUIRED' | 'STATUS_NOT_FOR_TRAINEES' | 'OTHER_ORIGIN' | 'NOT_FOUND' | 'METHOD_NOT_ALLOWED' | 'MALFORMED_JSON' | 'MALFORMED_URL' | 'HOST_UNKNOWN' | 'BODY_TOO_LARGE' | 'BODY_INCOMPLETE' | 'RANGE_NOT_SATISFIABLE' | 'UNSUPPORTED_MEDIA_TYPE' | 'OVERLOADED' | 'NOT_READY' | 'SERVER_ERROR' | 'UNAVAILABLE' | 'MAIL_SERVER_UNUSABLE' | 'IMPORT_FILE_INVALID' | 'IMPORT_CONFLICT' | 'IMPORT_AT_TERMINAL' | 'IMPORT_BUSY' | 'IMPORT_HAS_ROWS' | 'IMPORT_ROWS_DELETED' | 'PLAN_EXPIRED' | 'IMPORT_REFUSED' | 'SYNC_HELD' | 'PLAN_OUTDATED' | 'INVITE_LIMIT' | 'COURSE_LOST' | 'PLAN_LIMIT' | 'CREDENTIALS_FETCHED' | 'DISK_FULL' | 'SEED_REFUSED' | 'DATABASE_NOT_EMPTY' | 'LINK_INVALID' | 'INVITATION_NOT_NEEDED' | 'MAIL_NOT_SET_UP' | 'MAIL_SENDER_BUSY' | 'MAIL_CONFLICT' | 'MAIL_TOO_OLD' | 'MAIL_REPLACED' | null;
    /** Reason of the refusal, for people; null otherwise */
    message: string | null;
  }[];
  /** Set while free seats are being given to waiting lists: read again in a few seconds. Absent otherwise */
  seatsBeingGiven?: true;
}

/** Parameters of `DELETE /api/enrollments/bulk/remove` */
export type RemoveManyParameters = Record<string, never>;

/** Request body of `DELETE /api/enrollments/bulk/remove` */
export interface RemoveManyBody {
  /** Ids of the enrollments */
  enrollmentIds: string[];
}

/** Successful response of `DELETE /api/enrollments/bulk/remove` */
export interface RemoveManyResponse {
  /** Confirmation for people */
  message: 'Enrollments removed successfully.';
  /** Number of removed enrollments */
  removedCount: number;
  /** The removed enrollments */
  removedEnrollments: Enrollment[];
  /** Set while free seats are being given to waiting lists: read again in a few seconds. Absent otherwise */
  seatsBeingGiven?: true;
}

/** Parameters of `PUT /api/enrollments/bulk/status` */
export type ChangeManyStatusesParameters = Record<string, never>;

/** Request body of `PUT /api/enrollments/bulk/status` */
export interface ChangeManyStatusesBody {
  /** Status */
  status: 'active' | 'completed' | 'cancelled';
  /** Expected status of the enrollment. The change is refused if the enrollment has another status */
  expectedStatus?: 'pending' | 'waiting' | 'active' | 'completed' | 'cancelled';
  /** The enrollments, in the order in which they get seats */
  ids?: string[];
  /** All matching enrollments, up to 1,000, instead of a list; oldest enrollment first */
  filter?: {
    /** Id of the course */
    courseId?: string;
    /** Id of the trainee */
    userId?: string;
    /** Id of the trainer */
    trainerId?: string;
    /** Id of a group: only its members */
    group?: string;
    /** Text to search for in name and email address of the trainee */
    search?: string;
    /** Status */
    status?: ('pending' | 'waiting' | 'active' | 'completed' | 'cancelled')[];
    /** Progress in percent */
    progress?: number;
    /** Only enrollments in courses that start today or within this number of days */
    startsWithin?: number;
  };
  /** The trainee's notes for the request */
  notes?: string | null;
  /** Reply of the trainer or the super admin */
  reply?: string | null;
}

/** Successful response of `PUT /api/enrollments/bulk/status` */
export type ChangeManyStatusesResponse = BulkStatusChange;

/** Parameters of `GET /api/enrollments/available-trainees` */
export interface ListAvailableTraineesParameters {
  query: {
    /** Id of the course */
    courseId: string;
    /** Id of a group: only its members */
    group?: string;
    /** Text to search for in names, emails and titles; for super admins also in phones; for rows of imports also in the cells of rejected rows. See docs/OPERATIONS.md */
    search?: string;
    /** Number of the page, from 1 */
    page?: number;
    /** Maximum number of items on a page */
    limit?: number;
    /** Id of the last item of the previous page. This page begins after that item, and is as fast as the first page. Without `afterId`, or if the item no longer exists, the service reads and skips all previous items. `page` is still needed for the numbers in `pagination` */
    afterId?: string;
  };
}

/** Request body of `GET /api/enrollments/available-trainees` */
export type ListAvailableTraineesBody = undefined;

/** Successful response of `GET /api/enrollments/available-trainees` */
export interface ListAvailableTraineesResponse {
  /** The trainees of this page */
  trainees: Person[];
  pagination: Pagination;
}

/** Parameters of `POST /api/enrollments/available-trainees` */
export type FindAvailableTraineesParameters = Record<string, never>;

/** Request body of `POST /api/enrollments/available-trainees` */
export interface FindAvailableTraineesBody {
  /** Id of the course */
  courseId: string;
  /** Emails of trainees. Case and surrounding spaces do not count. */
  emails: string[];
}

/** Successful response of `POST /api/enrollments/available-trainees` */
export interface FindAvailableTraineesResponse {
  /** The trainees of this page */
  trainees: Person[];
  /** Emails as given, without an active trainee who can be enrolled */
  unavailable: string[];
}

/** Parameters of `GET /api/enrollments/stats/overview` */
export type EnrollmentStatisticsParameters = Record<string, never>;

/** Request body of `GET /api/enrollments/stats/overview` */
export type EnrollmentStatisticsBody = undefined;

/** Successful response of `GET /api/enrollments/stats/overview` */
export interface EnrollmentStatisticsResponse {
  stats: EnrollmentStatistics;
}

/** Parameters of `GET /api/enrollments/trainer/{trainerId}` */
export interface ListTrainerEnrollmentsParameters {
  path: {
    /** Id of the trainer */
    trainerId: string;
  };
  query?: {
    /** Id of the course */
    courseId?: string;
    /** Text to search for in names, emails and titles; for super admins also in phones; for rows of imports also in the cells of rejected rows. See docs/OPERATIONS.md */
    search?: string;
    /** Statuses of the enrollments; several are separated by commas */
    status?: ('pending' | 'waiting' | 'active' | 'completed' | 'cancelled')[];
    /** Field to sort by; names, titles and categories in dictionary order. `soonest` ignores `sortOrder`: upcoming courses by their first day, then running courses, then courses without a first day, then ended courses. Own enrollments begin with running courses, and end with cancelled enrollments */
    sortBy?: 'enrolledAt' | 'completedAt' | 'progress';
    /** Ascending or descending */
    sortOrder?: 'ASC' | 'DESC';
    /** Number of the page, from 1 */
    page?: number;
    /** Maximum number of items on a page */
    limit?: number;
    /** Id of the last item of the previous page. This page begins after that item, and is as fast as the first page. Without `afterId`, or if the item no longer exists, the service reads and skips all previous items. `page` is still needed for the numbers in `pagination` */
    afterId?: string;
  };
}

/** Request body of `GET /api/enrollments/trainer/{trainerId}` */
export type ListTrainerEnrollmentsBody = undefined;

/** Successful response of `GET /api/enrollments/trainer/{trainerId}` */
export interface ListTrainerEnrollmentsResponse {
  /** The enrollments */
  enrollments: EnrollmentDetails[];
  pagination: Pagination;
}

/** Parameters of `GET /api/enrollments/course/{courseId}/trainees` */
export interface ListCourseTraineesParameters {
  path: {
    /** Id of the course */
    courseId: string;
  };
  query?: {
    /** Text to search for in name and email address of the trainee */
    search?: string;
    /** Progress in percent */
    progress?: number;
    /** Statuses of the enrollments; several are separated by commas */
    status?: ('pending' | 'waiting' | 'active' | 'completed' | 'cancelled')[];
    /** Field to sort by; names, titles and categories in dictionary order. `soonest` ignores `sortOrder`: upcoming courses by their first day, then running courses, then courses without a first day, then ended courses. Own enrollments begin with running courses, and end with cancelled enrollments */
    sortBy?: 'enrolledAt' | 'completedAt' | 'progress' | 'lastName' | 'waitingPlace';
    /** Ascending or descending */
    sortOrder?: 'ASC' | 'DESC';
    /** Number of the page, from 1 */
    page?: number;
    /** Maximum number of items on a page */
    limit?: number;
    /** Id of the last item of the previous page. This page begins after that item, and is as fast as the first page. Without `afterId`, or if the item no longer exists, the service reads and skips all previous items. `page` is still needed for the numbers in `pagination` */
    afterId?: string;
  };
}

/** Request body of `GET /api/enrollments/course/{courseId}/trainees` */
export type ListCourseTraineesBody = undefined;

/** Successful response of `GET /api/enrollments/course/{courseId}/trainees` */
export interface ListCourseTraineesResponse {
  /** The trainees of this page */
  trainees: CourseTrainee[];
  pagination: Pagination;
}

/** Parameters of `GET /api/enrollments/export.csv` */
export interface ExportEnrollmentsParameters {
  query?: {
    /** Id of the course */
    courseId?: string;
    /** Id of the trainee */
    userId?: string;
    /** Id of the trainer */
    trainerId?: string;
    /** Id of a group: only its members */
    group?: string;
    /** Text to search for in name and email address of the trainee */
    search?: string;
    /** Statuses of the enrollments; several are separated by commas */
    status?: ('pending' | 'waiting' | 'active' | 'completed' | 'cancelled')[];
    /** Progress in percent */
    progress?: number;
    /** Only enrollments in courses that start today or within this number of days */
    startsWithin?: number;
    /** The columns, in this order; several are separated by commas. All by default */
    fields?: ('firstName' | 'lastName' | 'email' | 'phone' | 'course' | 'status' | 'progress' | 'notes' | 'notesAt' | 'reply' | 'replyAt' | 'replyBy' | 'cancelReason' | 'enrolledAt' | 'completedAt' | 'waitingPlace' | 'certificate' | 'id' | 'userId' | 'courseId')[];
    /** `csv`, or `xlsx` for an Excel workbook */
    format?: 'csv' | 'xlsx';
  };
}

/** Request body of `GET /api/enrollments/export.csv` */
export type ExportEnrollmentsBody = undefined;

/** Successful response of `GET /api/enrollments/export.csv` */
export type ExportEnrollmentsResponse = string | Blob;

/** Parameters of `GET /api/enrollments/{id}` */
export interface ShowEnrollmentParameters {
  path: {
    /** Id of the enrollment */
    id: string;
  };
}

/** Request body of `GET /api/enrollments/{id}` */
export type ShowEnrollmentBody = undefined;

/** Successful response of `GET /api/enrollments/{id}` */
export interface ShowEnrollmentResponse {
  enrollment: EnrollmentDetails;
}

/** Parameters of `DELETE /api/enrollments/{id}` */
export interface RemoveEnrollmentParameters {
  path: {
    /** Id of the enrollment */
    id: string;
  };
}

/** Request body of `DELETE /api/enrollments/{id}` */
export type RemoveEnrollmentBody = undefined;

/** Successful response of `DELETE /api/enrollments/{id}` */
export interface RemoveEnrollmentResponse {
  /** Confirmation for people */
  message: 'Enrollment removed successfully.';
  /** The removed enrollments */
  removedEnrollments: Enrollment[];
  /** Set while free seats are being given to waiting lists: read again in a few seconds. Absent otherwise */
  seatsBeingGiven?: true;
}

/** Parameters of `PUT /api/enrollments/{id}/status` */
export interface ChangeStatusParameters {
  path: {
    /** Id of the enrollment */
    id: string;
  };
}

/** Request body of `PUT /api/enrollments/{id}/status` */
export interface ChangeStatusBody {
  /** Status */
  status: 'pending' | 'active' | 'completed' | 'cancelled';
  /** Expected status of the enrollment. The change is refused if the enrollment has another status */
  expectedStatus?: 'pending' | 'waiting' | 'active' | 'completed' | 'cancelled';
  /** The trainee's notes for the request */
  notes?: string | null;
  /** Reply of the trainer or the super admin */
  reply?: string | null;
  /** For a request by a trainee: whether to join the waiting list if the course is full */
  joinWaitingList?: boolean;
}

/** Successful response of `PUT /api/enrollments/{id}/status` */
export interface ChangeStatusResponse {
  /** Confirmation for people */
  message: 'Enrollment status updated successfully.';
  enrollment: Enrollment;
  /** Set while free seats are being given to waiting lists: read again in a few seconds. Absent otherwise */
  seatsBeingGiven?: true;
}

/** Parameters of `PUT /api/enrollments/{id}/reply` */
export interface SetReplyParameters {
  path: {
    /** Id of the enrollment */
    id: string;
  };
}

/** Request body of `PUT /api/enrollments/{id}/reply` */
export interface SetReplyBody {
  /** Reply of the trainer or the super admin */
  reply: string | null;
}

/** Successful response of `PUT /api/enrollments/{id}/reply` */
export interface SetReplyResponse {
  /** Confirmation for people */
  message: 'Reply updated successfully.';
  enrollment: Enrollment;
}

/** Parameters of `PUT /api/enrollments/{id}/progress` */
export interface SetProgressParameters {
  path: {
    /** Id of the enrollment */
    id: string;
  };
}

/** Request body of `PUT /api/enrollments/{id}/progress` */
export interface SetProgressBody {
  /** Progress in percent */
  progress: number;
}

/** Successful response of `PUT /api/enrollments/{id}/progress` */
export interface SetProgressResponse {
  /** Confirmation for people */
  message: 'Progress updated successfully.';
  enrollment: Enrollment;
}

/** Parameters of `GET /api/certificates` */
export interface ListCertificatesParameters {
  query?: {
    /** Only certificates of this course */
    courseId?: string;
    /** Only certificates of this person */
    userId?: string;
    /** Only valid certificates, or only revoked ones */
    valid?: boolean;
    /** Number of the page, from 1 */
    page?: number;
    /** Maximum number of items on a page */
    limit?: number;
    /** Id of the last item of the previous page. This page begins after that item, and is as fast as the first page. Without `afterId`, or if the item no longer exists, the service reads and skips all previous items. `page` is still needed for the numbers in `pagination` */
    afterId?: string;
  };
}

/** Request body of `GET /api/certificates` */
export type ListCertificatesBody = undefined;

/** Successful response of `GET /api/certificates` */
export interface ListCertificatesResponse {
  /** The certificates */
  certificates: Certificate[];
  pagination: Pagination;
}

/** Parameters of `GET /api/certificates/{code}` */
export interface VerifyCertificateParameters {
  path: {
    /** Code of the certificate */
    code: string;
  };
}

/** Request body of `GET /api/certificates/{code}` */
export type VerifyCertificateBody = undefined;

/** Successful response of `GET /api/certificates/{code}` */
export interface VerifyCertificateResponse {
  /** Whether a valid certificate has this code */
  valid: boolean;
  certificate?: VerifiedCertificate;
}

/** Parameters of `DELETE /api/certificates/{code}` */
export interface RevokeCertificateParameters {
  path: {
    /** Code of the certificate */
    code: string;
  };
}

/** Request body of `DELETE /api/certificates/{code}` */
export type RevokeCertificateBody = undefined;

/** Successful response of `DELETE /api/certificates/{code}` */
export interface RevokeCertificateResponse {
  /** Confirmation for people */
  message: 'Certificate revoked successfully.';
  certificate: Certificate;
}

/** Parameters of `GET /api/logo` */
export type ShowLogoParameters = Record<string, never>;

/** Request body of `GET /api/logo` */
export type ShowLogoBody = undefined;

/** Successful response of `GET /api/logo` */
export type ShowLogoResponse = Blob;

/** Parameters of `POST /api/courses/{id}/thumbnail` */
export interface SetThumbnailParameters {
  path: {
    /** Id of the course */
    id: string;
  };
}

/** Request body of `POST /api/courses/{id}/thumbnail` */
export interface SetThumbnailBody {
  /** The file */
  image: Blob;
}

/** Successful response of `POST /api/courses/{id}/thumbnail` */
export interface SetThumbnailResponse {
  /** Confirmation for people */
  message: 'Thumbnail uploaded successfully.';
  /** URL of the image */
  imageUrl: string;
}

/** Parameters of `DELETE /api/courses/{id}/thumbnail` */
export interface RemoveThumbnailParameters {
  path: {
    /** Id of the course */
    id: string;
  };
}

/** Request body of `DELETE /api/courses/{id}/thumbnail` */
export type RemoveThumbnailBody = undefined;

/** Successful response of `DELETE /api/courses/{id}/thumbnail` */
export interface RemoveThumbnailResponse {
  /** Confirmation for people */
  message: 'Thumbnail removed successfully.';
}

/** Parameters of `POST /api/courses/{id}/files` */
export interface AddMaterialParameters {
  path: {
    /** Id of the course */
    id: string;
  };
}

/** Request body of `POST /api/courses/{id}/files` */
export interface AddMaterialBody {
  /** The file */
  file: Blob;
}

/** Successful response of `POST /api/courses/{id}/files` */
export interface AddMaterialResponse {
  /** Confirmation for people */
  message: 'File uploaded successfully.';
  file: Material;
}

/** Parameters of `GET /api/courses/{id}/files` */
export interface ListMaterialsParameters {
  path: {
    /** Id of the course */
    id: string;
  };
  query?: {
    /** Number of the page, from 1 */
    page?: number;
    /** Maximum number of items on a page */
    limit?: number;
  };
}

/** Request body of `GET /api/courses/{id}/files` */
export type ListMaterialsBody = undefined;

/** Successful response of `GET /api/courses/{id}/files` */
export interface ListMaterialsResponse {
  /** The files of this page */
  files: Material[];
  pagination: Pagination;
}

/** Parameters of `GET /api/courses/{id}/files/{fileId}` */
export interface OpenMaterialParameters {
  path: {
    /** Id of the course */
    id: string;
    /** Id of the file */
    fileId: string;
  };
}

/** Request body of `GET /api/courses/{id}/files/{fileId}` */
export type OpenMaterialBody = undefined;

/** Successful response of `GET /api/courses/{id}/files/{fileId}` */
export type OpenMaterialResponse = Blob;

/** Parameters of `DELETE /api/courses/{id}/files/{fileId}` */
export interface RemoveMaterialParameters {
  path: {
    /** Id of the course */
    id: string;
    /** Id of the file */
    fileId: string;
  };
}

/** Request body of `DELETE /api/courses/{id}/files/{fileId}` */
export type RemoveMaterialBody = undefined;

/** Successful response of `DELETE /api/courses/{id}/files/{fileId}` */
export interface RemoveMaterialResponse {
  /** Confirmation for people */
  message: 'File deleted successfully.';
}

/** Parameters of `GET /api/images/{name}` */
export interface ShowImageParameters {
  path: {
    /** File name of the image */
    name: string;
  };
}

/** Request body of `GET /api/images/{name}` */
export type ShowImageBody = undefined;

/** Successful response of `GET /api/images/{name}` */
export type ShowImageResponse = Blob;

/** Parameters of `GET /api/imports/template.csv` */
export interface ImportTemplateParameters {
  query?: {
    /** `csv`, or `xlsx` for an Excel workbook */
    format?: 'csv' | 'xlsx';
  };
}

/** Request body of `GET /api/imports/template.csv` */
export type ImportTemplateBody = undefined;

/** Successful response of `GET /api/imports/template.csv` */
export type ImportTemplateResponse = string | Blob;

/** Parameters of `GET /api/imports/example.csv` */
export type ImportExampleParameters = Record<string, never>;

/** Request body of `GET /api/imports/example.csv` */
export type ImportExampleBody = undefined;

/** Successful response of `GET /api/imports/example.csv` */
export type ImportExampleResponse = string;

/** Parameters of `POST /api/imports` */
export type CreateImportParameters = Record<string, never>;

/** Request body of `POST /api/imports` */
export interface CreateImportBody {
  /** The file */
  file: Blob;
  /** Role of the account */
  role?: 'trainee' | 'trainer';
  /** Id or title of a course */
  course?: string;
  /** Name of a group to which everybody is added; an unknown name creates the group */
  group?: string;
  /** Further courses in which all trainees are enrolled */
  otherCourses?: string[] | '' | null;
  /** Name of the group that the file keeps in step; an unknown name creates the group */
  roster?: string;
  /** For accounts that the roster created, when their people leave: keep them active, or deactivate those without other courses and groups; requires `roster` */
  onLeave?: 'keep' | 'deactivate';
  /** Members who may leave the roster in one sync, as a part or a number; with more, the sync is held */
  maxLeaving?: string;
  /** Status of new enrollments whose row has no status */
  enrollmentStatus?: 'pending' | 'active';
  /** For a row whose account exists: skip it, update the account, or reject the row */
  onExisting?: 'skip' | 'update' | 'fail';
  /** Field that identifies an existing account */
  match?: 'email' | 'phone';
  /** For a row without a phone and without an existing account: reject the row, or create an account without a phone */
  missingPhone?: 'reject' | 'allow';
  /** If a course is full: `reject`, or `wait` (join its waiting list); for imports also `skip-course` (leave the course out) */
  whenFull?: 'reject' | 'wait' | 'skip-course';
  /** Also set the passwords of existing accounts; requires `onExisting` to be `update` */
  resetPasswords?: boolean;
  /** Mail new people without a password an invitation to set a password, instead of generating one */
  invite?: boolean;
  /** With `invite`: also generate passwords, for people who cannot receive mail */
  withPasswords?: boolean;
  /** Give new people without a password in the file no password, for people who use the organisation's sign-in */
  noPassword?: boolean;
  /** Notify people by mail about enrollments in published courses, except people who get an invitation */
  notify?: boolean;
  /** After a rejected row: continue, stop there, or import nothing */
  onError?: 'continue' | 'stop' | 'abort';
  /** Maximum number of rejected rows; with more, nothing is imported */
  maxErrors?: number;
  /** Character encoding of the file; detected if absent */
  encoding?: 'auto' | 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252' | 'windows-1250' | 'windows-1251' | 'windows-1253' | 'windows-1254' | 'windows-1255' | 'windows-1256' | 'windows-1257' | 'windows-874' | 'macintosh' | 'shift_jis' | 'gb18030' | 'big5' | 'euc-kr' | '' | null;
  /** Delimiter of the file; detected if absent */
  delimiter?: 'auto' | ',' | ';' | 'tab' | '|' | '' | null;
  /** Sheet of a workbook: its name, or its number among the visible sheets. By default the first visible sheet with a suitable header */
  sheet?: string | null;
  /** Mapping of columns with other names: `heading=field`. `heading=` ignores a column */
  map?: string[] | '' | null;
  /** Courses for names in the file: `name=course`, with an id or a title. `name=` imports the rows without this course */
  mapCourse?: string[] | '' | null;
  /** Only plan the import. Nothing is written until the plan is applied */
  plan?: boolean;
}

/** Successful response of `POST /api/imports` */
export interface CreateImportResponse {
  import: ImportWithPlan;
}

/** Parameters of `GET /api/imports` */
export interface ListImportsParameters {
  query?: {
    /** Status */
    status?: 'planning' | 'planned' | 'discarded' | 'expired' | 'queued' | 'running' | 'interrupted' | 'completed' | 'stopped' | 'failed' | 'cancelled' | 'undoing' | 'undone';
    /** Only imports with rejected rows that ended within this number of days, without undone ones */
    rejectedWithin?: number;
    /** Number of the page, from 1 */
    page?: number;
    /** Maximum number of items on a page */
    limit?: number;
  };
}

/** Request body of `GET /api/imports` */
export type ListImportsBody = undefined;

/** Successful response of `GET /api/imports` */
export interface ListImportsResponse {
  /** The imports of this page */
  imports: Import[];
  pagination: Pagination;
}

/** Parameters of `GET /api/imports/{id}` */
export interface ShowImportParameters {
  path: {
    /** Id of the import */
    id: string;
  };
}

/** Request body of `GET /api/imports/{id}` */
export type ShowImportBody = undefined;

/** Successful response of `GET /api/imports/{id}` */
export interface ShowImportResponse {
  import: ImportWithPlan;
}

/** Parameters of `GET /api/imports/{id}/events` */
export interface WatchImportParameters {
  path: {
    /** Id of the import */
    id: string;
  };
}

/** Request body of `GET /api/imports/{id}/events` */
export type WatchImportBody = undefined;

/** Successful response of `GET /api/imports/{id}/events` */
export type WatchImportResponse = string;

/** Parameters of `GET /api/imports/{id}/rejected.csv` */
export interface ImportRejectsParameters {
  path: {
    /** Id of the import */
    id: string;
  };
  query?: {
    /** `csv`, or `xlsx` for an Excel workbook */
    format?: 'csv' | 'xlsx';
  };
}

/** Request body of `GET /api/imports/{id}/rejected.csv` */
export type ImportRejectsBody = undefined;

/** Successful response of `GET /api/imports/{id}/rejected.csv` */
export type ImportRejectsResponse = string | Blob;

/** Parameters of `GET /api/imports/{id}/outcome.csv` */
export interface ImportOutcomeParameters {
  path: {
    /** Id of the import */
    id: string;
  };
  query?: {
    /** `csv`, or `xlsx` for an Excel workbook */
    format?: 'csv' | 'xlsx';
  };
}

/** Request body of `GET /api/imports/{id}/outcome.csv` */
export type ImportOutcomeBody = undefined;

/** Successful response of `GET /api/imports/{id}/outcome.csv` */
export type ImportOutcomeResponse = string | Blob;

/** Parameters of `GET /api/imports/{id}/credentials.csv` */
export interface ImportCredentialsParameters {
  path: {
    /** Id of the import */
    id: string;
  };
  query?: {
    /** `csv`, or `xlsx` for an Excel workbook */
    format?: 'csv' | 'xlsx';
  };
}

/** Request body of `GET /api/imports/{id}/credentials.csv` */
export type ImportCredentialsBody = undefined;

/** Successful response of `GET /api/imports/{id}/credentials.csv` */
export type ImportCredentialsResponse = string | Blob;

/** Parameters of `POST /api/imports/{id}/plan` */
export interface PlanImportParameters {
  path: {
    /** Id of the import */
    id: string;
  };
}

/** Request body of `POST /api/imports/{id}/plan` */
export interface PlanImportBody {
  /** Role of the account */
  role?: 'trainee' | 'trainer';
  /** Id or title of a course */
  course?: string;
  /** Name of a group to which everybody is added; an unknown name creates the group */
  group?: string;
  /** Name of the group that the file keeps in step; an unknown name creates the group */
  roster?: string;
  /** For accounts that the roster created, when their people leave: keep them active, or deactivate those without other courses and groups; requires `roster` */
  onLeave?: 'keep' | 'deactivate';
  /** Members who may leave the roster in one sync, as a part or a number; with more, the sync is held */
  maxLeaving?: string;
  /** Status of new enrollments whose row has no status */
  enrollmentStatus?: 'pending' | 'active';
  /** For a row whose account exists: skip it, update the account, or reject the row */
  onExisting?: 'skip' | 'update' | 'fail';
  /** Field that identifies an existing account */
  match?: 'email' | 'phone';
  /** For a row without a phone and without an existing account: reject the row, or create an account without a phone */
  missingPhone?: 'reject' | 'allow';
  /** If a course is full: `reject`, or `wait` (join its waiting list); for imports also `skip-course` (leave the course out) */
  whenFull?: 'reject' | 'wait' | 'skip-course';
  /** After a rejected row: continue, stop there, or import nothing */
  onError?: 'continue' | 'stop' | 'abort';
  /** Character encoding of the file; detected if absent */
  encoding?: 'auto' | 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252' | 'windows-1250' | 'windows-1251' | 'windows-1253' | 'windows-1254' | 'windows-1255' | 'windows-1256' | 'windows-1257' | 'windows-874' | 'macintosh' | 'shift_jis' | 'gb18030' | 'big5' | 'euc-kr' | '' | null;
  /** Delimiter of the file; detected if absent */
  delimiter?: 'auto' | ',' | ';' | 'tab' | '|' | '' | null;
  /** Sheet of a workbook: its name, or its number among the visible sheets. By default the first visible sheet with a suitable header */
  sheet?: string | null;
  /** Also set the passwords of existing accounts; requires `onExisting` to be `update` */
  resetPasswords?: boolean;
  /** Mail new people without a password an invitation to set a password, instead of generating one */
  invite?: boolean;
  /** With `invite`: also generate passwords, for people who cannot receive mail */
  withPasswords?: boolean;
  /** Give new people without a password in the file no password, for people who use the organisation's sign-in */
  noPassword?: boolean;
  /** Notify people by mail about enrollments in published courses, except people who get an invitation */
  notify?: boolean;
  /** Maximum number of rejected rows; with more, nothing is imported */
  maxErrors?: number;
  /** Fields of columns that were not recognised; other columns stay unchanged */
  map?: {
    /** Index of the column in the file, from 0 */
    column: number;
    /** Field that the column is imported as; null: it is not imported */
    field: 'firstName' | 'lastName' | 'email' | 'phone' | 'role' | 'isActive' | 'language' | 'password' | 'passwordHash' | 'course' | 'enrollmentStatus' | 'reply' | 'group' | 'fullName' | 'suspended' | null;
  }[];
  /** Further courses in which all trainees are enrolled */
  otherCourses?: string[];
  /** Courses for names in the file: `name=course`, with an id or a title. `name=` imports the rows without this course */
  mapCourse?: string[];
}

/** Successful response of `POST /api/imports/{id}/plan` */
export interface PlanImportResponse {
  import: ImportWithPlan;
}

/** Parameters of `POST /api/imports/{id}/apply` */
export interface ApplyImportParameters {
  path: {
    /** Id of the import */
    id: string;
  };
}

/** Request body of `POST /api/imports/{id}/apply` */
export interface ApplyImportBody {
  /** Id of the reviewed plan. The request is refused if the import was planned again after the review */
  planId?: string;
  /** Number of members who leave by the plan: approves a sync that would be held */
  allowLeaving?: number;
}

/** Successful response of `POST /api/imports/{id}/apply` */
export interface ApplyImportResponse {
  import: ImportWithPlan;
}

/** Parameters of `GET /api/imports/{id}/rows` */
export interface ListImportRowsParameters {
  path: {
    /** Id of the import */
    id: string;
  };
  query?: {
    /** Actual or planned outcome of the row or account */
    outcome?: 'created' | 'updated' | 'skipped' | 'rejected' | 'left';
    /** Machine-readable code of the failure */
    code?: string;
    /** Text to search for in names, emails and titles; for super admins also in phones; for rows of imports also in the cells of rejected rows. See docs/OPERATIONS.md */
    search?: string;
    /** Number of the page, from 1 */
    page?: number;
    /** Maximum number of items on a page */
    limit?: number;
  };
}

/** Request body of `GET /api/imports/{id}/rows` */
export type ListImportRowsBody = undefined;

/** Successful response of `GET /api/imports/{id}/rows` */
export interface ListImportRowsResponse {
  /** Rows read */
  rows: ImportRow[];
  pagination: Pagination;
}

/** Parameters of `POST /api/imports/{id}/cancel` */
export interface CancelImportParameters {
  path: {
    /** Id of the import */
    id: string;
  };
}

/** Request body of `POST /api/imports/{id}/cancel` */
export type CancelImportBody = undefined;

/** Successful response of `POST /api/imports/{id}/cancel` */
export interface CancelImportResponse {
  /** Confirmation for people */
  message: 'Import cancelled.' | 'Plan discarded.' | 'Import will end at the next batch of rows.';
  import: Import;
}

/** Parameters of `POST /api/imports/{id}/resume` */
export interface ResumeImportParameters {
  path: {
    /** Id of the import */
    id: string;
  };
}

/** Request body of `POST /api/imports/{id}/resume` */
export type ResumeImportBody = undefined;

/** Successful response of `POST /api/imports/{id}/resume` */
export interface ResumeImportResponse {
  import: Import;
}

/** Parameters of `POST /api/imports/{id}/undo` */
export interface UndoImportParameters {
  path: {
    /** Id of the import */
    id: string;
  };
  query?: {
    /** Return the outcome without undoing anything */
    dryRun?: boolean;
  };
}

/** Request body of `POST /api/imports/{id}/undo` */
export type UndoImportBody = undefined;

/** Successful response of `POST /api/imports/{id}/undo` */
export interface UndoImportResponse {
  /** Confirmation for people */
  message: 'Import undone.' | 'Import undone in part.' | 'Nothing was undone: all accounts are kept.' | 'Nothing was undone. This is a preview.';
  undo: ImportUndo;
  /** Number of kept accounts by reason, the most frequent first */
  keptReasons: {
    /** Why the accounts are kept */
    code: 'LOGGED_IN' | 'INVITE_ACCEPTED' | 'EDITED' | 'ENROLLED' | 'HAS_COURSES' | 'KEY_TAKEN' | 'COURSE_FULL' | 'GONE' | 'IN_USE';
    /** Number of accounts */
    count: number;
  }[];
  import: Import;
  /** Set while free seats are being given to waiting lists: read again in a few seconds. Absent otherwise */
  seatsBeingGiven?: true;
}

/** Parameters of `GET /api/audit` */
export interface ListAuditParameters {
  query?: {
    /** The change that was recorded */
    action?: 'setup.complete' | 'user.register' | 'user.update' | 'user.verify-email' | 'user.confirm-email' | 'user.cancel-email' | 'user.activate' | 'user.deactivate' | 'user.reset-password' | 'user.mail-reset-link' | 'user.set-password' | 'user.invite' | 'user.link' | 'user.unlink' | 'user.unlock' | 'user.end-session' | 'user.end-sessions' | 'user.delete' | 'user.transfer-super-admin' | 'address.unlock' | 'user.import' | 'user.undo-import' | 'import.plan' | 'import.start' | 'import.resume' | 'import.finish' | 'import.cancel' | 'import.undo' | 'import.credentials' | 'course.create' | 'course.update' | 'course.publish' | 'course.unpublish' | 'course.assign-trainer' | 'course.delete' | 'course.import' | 'course.undo-import' | 'course.thumbnail' | 'course.add-file' | 'course.remove-file' | 'enrollment.assign' | 'enrollment.status' | 'enrollment.progress' | 'enrollment.reply' | 'enrollment.remove' | 'enrollment.revoke-certificate' | 'group.create' | 'group.update' | 'group.delete' | 'group.members' | 'group.sync' | 'group.hold' | 'demo.load' | 'demo.remove' | 'mail.retry' | 'mail.withdraw';
    /** Id of the account that made the change; null for an operator at the terminal */
    actorId?: string;
    /** Kind of the changed object */
    targetType?: 'user' | 'address' | 'import' | 'course' | 'enrollment' | 'group' | 'mail';
    /** Id of the changed object */
    targetId?: string;
    /** Earliest time of the changes */
    from?: string;
    /** Time before which the changes were made */
    to?: string;
    /** Number of the page, from 1 */
    page?: number;
    /** Maximum number of items on a page */
    limit?: number;
    /** Id of the last item of the previous page. This page begins after that item, and is as fast as the first page. Without `afterId`, or if the item no longer exists, the service reads and skips all previous items. `page` is still needed for the numbers in `pagination` */
    afterId?: string;
  };
}

/** Request body of `GET /api/audit` */
export type ListAuditBody = undefined;

/** Successful response of `GET /api/audit` */
export interface ListAuditResponse {
  /** The audit entries of this page */
  entries: AuditEntry[];
  pagination: Pagination;
}

/** Parameters of `GET /api/mails` */
export interface ListMailsParameters {
  query?: {
    /** Only mails in this state */
    state?: 'queued' | 'sending' | 'deferred' | 'sent' | 'failed' | 'withdrawn';
    /** Only mails of this kind */
    kind?: 'reset' | 'email-confirm' | 'email-notice' | 'email-changed' | 'password-changed' | 'role-transferred' | 'sync-held' | 'test' | 'invitation' | 'enrolled' | 'accepted' | 'moved_up' | 'refused' | 'completed' | 'requests';
    /** Only mails for this account */
    userId?: string;
    /** Only mails of this import */
    importId?: string;
    /** Only mails whose address doesn't exist, or all others */
    addressUnknown?: boolean;
    /** Only mails of this time or later */
    since?: string;
    /** Number of the page, from 1 */
    page?: number;
    /** Maximum number of items on a page */
    limit?: number;
    /** Id of the last item of the previous page. This page begins after that item, and is as fast as the first page. Without `afterId`, or if the item no longer exists, the service reads and skips all previous items. `page` is still needed for the numbers in `pagination` */
    afterId?: string;
  };
}

/** Request body of `GET /api/mails` */
export type ListMailsBody = undefined;

/** Successful response of `GET /api/mails` */
export interface ListMailsResponse {
  /** Mails */
  mails: Mail[];
  pagination: Pagination;
}

/** Parameters of `POST /api/mails/bulk` */
export type ChangeManyMailsParameters = Record<string, never>;

/** Request body of `POST /api/mails/bulk` */
export interface ChangeManyMailsBody {
  /** What to do with the mails */
  action: 'retry' | 'withdraw';
  /** Ids of the accounts */
  ids: string[];
}

/** Successful response of `POST /api/mails/bulk` */
export interface ChangeManyMailsResponse {
  /** The requested action */
  action: 'retry' | 'withdraw';
  /** The outcome for each mail */
  outcomes: {
    /** Opaque identifier */
    id: string;
    /** Whether the mail was changed */
    outcome: 'done' | 'refused';
    /** Code of the refusal; null otherwise */
    code: 'VALIDATION' | 'SETUP_COMPLETED' | 'EMAIL_TAKEN' | 'ALREADY_ENROLLED' | 'COURSE_NOT_PUBLISHED' | 'COURSE_ENDED' | 'ENROLLMENT_CLOSED' | 'WAITING_LIST_FULL' | 'COURSE_FULL' | 'SEATS_BEING_GIVEN' | 'COURSE_IN_USE' | 'COURSE_QUOTA' | 'COURSE_LIMIT' | 'GROUP_EXISTS' | 'GROUP_LIMIT' | 'ACCOUNT_INACTIVE' | 'TRAINER_HAS_COURSES' | 'TRAINEE_HAS_ENROLLMENTS' | 'STATUS_REFUSED' | 'STATUS_CHANGED' | 'REFERENCE_GONE' | 'PHONE_TAKEN' | 'SUPER_ADMIN_EXISTS' | 'SUPER_ADMIN_PROTECTED' | 'OWN_ACCOUNT' | 'NO_MATCHING_ACCOUNT' | 'WRONG_PASSWORD' | 'PASSWORD_LOGIN_OFF' | 'OIDC_NOT_SET_UP' | 'OIDC_UNAVAILABLE' | 'OIDC_STATE_INVALID' | 'OIDC_DENIED' | 'OIDC_EMAIL_UNVERIFIED' | 'OIDC_NAME_MISSING' | 'OIDC_NO_ACCOUNT' | 'IDENTITY_TAKEN' | 'IDENTITY_LAST' | 'TOO_MANY_ATTEMPTS' | 'CURRENT_PASSWORD_INCORRECT' | 'PASSWORD_CHANGE_NOT_REQUIRED' | 'PASSWORD_CHANGE_REQUIRED' | 'TOKEN_MISSING' | 'TOKEN_INVALID' | 'SUPER_ADMIN_REQUIRED' | 'TRAINER_REQUIRED' | 'TRAINEE_REQUIRED' | 'OTHER_TRAINER' | 'ENROLLMENT_REQUIRED' | 'STATUS_NOT_FOR_TRAINEES' | 'OTHER_ORIGIN' | 'NOT_FOUND' | 'METHOD_NOT_ALLOWED' | 'MALFORMED_JSON' | 'MALFORMED_URL' | 'HOST_UNKNOWN' | 'BODY_TOO_LARGE' | 'BODY_INCOMPLETE' | 'RANGE_NOT_SATISFIABLE' | 'UNSUPPORTED_MEDIA_TYPE' | 'OVERLOADED' | 'NOT_READY' | 'SERVER_ERROR' | 'UNAVAILABLE' | 'MAIL_SERVER_UNUSABLE' | 'IMPORT_FILE_INVALID' | 'IMPORT_CONFLICT' | 'IMPORT_AT_TERMINAL' | 'IMPORT_BUSY' | 'IMPORT_HAS_ROWS' | 'IMPORT_ROWS_DELETED' | 'PLAN_EXPIRED' | 'IMPORT_REFUSED' | 'SYNC_HELD' | 'PLAN_OUTDATED' | 'INVITE_LIMIT' | 'COURSE_LOST' | 'PLAN_LIMIT' | 'CREDENTIALS_FETCHED' | 'DISK_FULL' | 'SEED_REFUSED' | 'DATABASE_NOT_EMPTY' | 'LINK_INVALID' | 'INVITATION_NOT_NEEDED' | 'MAIL_NOT_SET_UP' | 'MAIL_SENDER_BUSY' | 'MAIL_CONFLICT' | 'MAIL_TOO_OLD' | 'MAIL_REPLACED' | null;
    /** Reason of the refusal, for people; null otherwise */
    message: string | null;
  }[];
}

/** Parameters of `POST /api/mails/test` */
export type SendTestMailParameters = Record<string, never>;

/** Request body of `POST /api/mails/test` */
export interface SendTestMailBody {
  /** Recipient of the mail */
  email: string;
}

/** Successful response of `POST /api/mails/test` */
export interface SendTestMailResponse {
  /** Confirmation for people */
  message: 'Test mail queued.';
}

/** Parameters of `GET /api/mails/{id}` */
export interface ShowMailParameters {
  path: {
    /** Id of the mail */
    id: string;
  };
}

/** Request body of `GET /api/mails/{id}` */
export type ShowMailBody = undefined;

/** Successful response of `GET /api/mails/{id}` */
export interface ShowMailResponse {
  mail: Mail;
}

/** Parameters of `GET /api/overview` */
export type ShowOverviewParameters = Record<string, never>;

/** Request body of `GET /api/overview` */
export type ShowOverviewBody = undefined;

/** Successful response of `GET /api/overview` */
export interface ShowOverviewResponse {
  /** The overview */
  overview: SuperAdminOverview | TrainerOverview | TraineeOverview;
}

/** Parameters of `GET /healthz` */
export type HealthParameters = Record<string, never>;

/** Request body of `GET /healthz` */
export type HealthBody = undefined;

/** Successful response of `GET /healthz` */
export interface HealthResponse {
  /** Status */
  status: 'ok';
}

/** Parameters of `GET /readyz` */
export type ReadinessParameters = Record<string, never>;

/** Request body of `GET /readyz` */
export type ReadinessBody = undefined;

/** Successful response of `GET /readyz` */
export interface ReadinessResponse {
  /** Status */
  status: 'ok';
  /** Requests being processed, queued, and refused in the last second */
  requests?: {
    /** Requests being processed */
    working: number;
    /** Requests in the queue */
    queued: number;
    /** Requests refused in the last second */
    turnedAway: number;
  };
  /** Requests waiting for their clients, and password hashes waiting for a core */
  waiting?: {
    /** Requests whose body is being received */
    bodies: number;
    /** Uploads being received or waiting */
    uploads: number;
    /** Responses that clients have not read yet */
    responses: number;
    /** Passwords waiting to be hashed or compared */
    hashes: number;
  };
  /** Open client connections */
  connections?: number;
}

/** Parameters of `GET /api/demo` */
export type ShowDemoParameters = Record<string, never>;

/** Request body of `GET /api/demo` */
export type ShowDemoBody = undefined;

/** Successful response of `GET /api/demo` */
export interface ShowDemoResponse {
  demo: Demo;
}

/** Parameters of `POST /api/demo` */
export type LoadDemoParameters = Record<string, never>;

/** Request body of `POST /api/demo` */
export type LoadDemoBody = undefined;

/** Successful response of `POST /api/demo` */
export interface LoadDemoResponse {
  /** Confirmation for people */
  message: 'Demo programme loaded.';
  demo: Demo;
}

/** Parameters of `GET /api/openapi.json` */
export type OpenapiParameters = Record<string, never>;

/** Request body of `GET /api/openapi.json` */
export type OpenapiBody = undefined;

/** Successful response of `GET /api/openapi.json` */
export interface OpenapiResponse {
  /** Version of OpenAPI */
  openapi: string;
}

/** Parameters of `GET /api/docs` */
export type DocsParameters = Record<string, never>;

/** Request body of `GET /api/docs` */
export type DocsBody = undefined;

/** Successful response of `GET /api/docs` */
export type DocsResponse = string;

/** Parameters of `GET /metrics` */
export type MetricsParameters = Record<string, never>;

/** Request body of `GET /metrics` */
export type MetricsBody = undefined;

/** Successful response of `GET /metrics` */
export type MetricsResponse = string;

/** The operations by their names */
export interface Operations {
  /** Whether the first-time setup must still be done */
  setupStatus: {
    method: 'GET';
    path: '/api/auth/setup-status';
    parameters: SetupStatusParameters;
    body: SetupStatusBody;
    response: SetupStatusResponse;
  };
  /** Create the super admin and sign in; refused if a super admin exists */
  setup: {
    method: 'POST';
    path: '/api/auth/setup';
    parameters: SetupParameters;
    body: SetupBody;
    response: SetupResponse;
  };
  /** Sign in by email or phone */
  login: {
    method: 'POST';
    path: '/api/auth/login';
    parameters: LoginParameters;
    body: LoginBody;
    response: LoginResponse;
  };
  /** Sign in by email or phone, as a trainee only */
  traineeLogin: {
    method: 'POST';
    path: '/api/auth/trainee-login';
    parameters: TraineeLoginParameters;
    body: TraineeLoginBody;
    response: TraineeLoginResponse;
  };
  /** Create an account */
  register: {
    method: 'POST';
    path: '/api/auth/register';
    parameters: RegisterParameters;
    body: RegisterBody;
    response: RegisterResponse;
  };
  /** The caller's own account */
  me: {
    method: 'GET';
    path: '/api/auth/me';
    parameters: MeParameters;
    body: MeBody;
    response: MeResponse;
  };
  /** Change the caller's names and phone; absent and empty fields do not change */
  updateProfile: {
    method: 'PUT';
    path: '/api/auth/profile';
    parameters: UpdateProfileParameters;
    body: UpdateProfileBody;
    response: UpdateProfileResponse;
  };
  /** Replace the caller's password; ends the account's other sessions */
  changePassword: {
    method: 'PUT';
    path: '/api/auth/change-password';
    parameters: ChangePasswordParameters;
    body: ChangePasswordBody;
    response: ChangePasswordResponse;
  };
  /** Replace an initial password */
  changeFirstPassword: {
    method: 'PUT';
    path: '/api/auth/first-password-change';
    parameters: ChangeFirstPasswordParameters;
    body: ChangeFirstPasswordBody;
    response: ChangeFirstPasswordResponse;
  };
  /** Request a change of the caller's email: the new email gets a link that confirms the change */
  requestEmailChange: {
    method: 'POST';
    path: '/api/auth/email';
    parameters: RequestEmailChangeParameters;
    body: RequestEmailChangeBody;
    response: RequestEmailChangeResponse;
  };
  /** The calling trainee's active and pending enrollments, newest first */
  checkEnrollment: {
    method: 'POST';
    path: '/api/auth/check-enrollment';
    parameters: CheckEnrollmentParameters;
    body: CheckEnrollmentBody;
    response: CheckEnrollmentResponse;
  };
  /** Give the caller's account an image: JPEG, PNG or WebP */
  setAvatar: {
    method: 'PUT';
    path: '/api/auth/avatar';
    parameters: SetAvatarParameters;
    body: SetAvatarBody;
    response: SetAvatarResponse;
  };
  /** Remove the image of the caller's account */
  removeAvatar: {
    method: 'DELETE';
    path: '/api/auth/avatar';
    parameters: RemoveAvatarParameters;
    body: RemoveAvatarBody;
    response: RemoveAvatarResponse;
  };
  /** The caller's choice of mails and their language */
  showMailPreferences: {
    method: 'GET';
    path: '/api/mail-preferences';
    parameters: ShowMailPreferencesParameters;
    body: ShowMailPreferencesBody;
    response: ShowMailPreferencesResponse;
  };
  /** Choose the language of mails to the caller, and the kinds that are turned off; absent fields do not change */
  changeMailPreferences: {
    method: 'PUT';
    path: '/api/mail-preferences';
    parameters: ChangeMailPreferencesParameters;
    body: ChangeMailPreferencesBody;
    response: ChangeMailPreferencesResponse;
  };
  /** Times of creation and last use of the private address of the caller's calendar */
  showCalendar: {
    method: 'GET';
    path: '/api/auth/calendar';
    parameters: ShowCalendarParameters;
    body: ShowCalendarBody;
    response: ShowCalendarResponse;
  };
  /** Create a private address of the caller's calendar, which replaces the previous one */
  createCalendar: {
    method: 'POST';
    path: '/api/auth/calendar';
    parameters: CreateCalendarParameters;
    body: CreateCalendarBody;
    response: CreateCalendarResponse;
  };
  /** Revoke the private address of the caller's calendar */
  revokeCalendar: {
    method: 'DELETE';
    path: '/api/auth/calendar';
    parameters: RevokeCalendarParameters;
    body: RevokeCalendarBody;
    response: RevokeCalendarResponse;
  };
  /** The dates of a trainee's or trainer's courses, for subscriptions in calendar programs */
  privateCalendar: {
    method: 'GET';
    path: '/api/calendars/{key}.ics';
    parameters: PrivateCalendarParameters;
    body: PrivateCalendarBody;
    response: PrivateCalendarResponse;
  };
  /** The purpose of a mailed link; does not use up the link */
  checkLink: {
    method: 'POST';
    path: '/api/links/check';
    parameters: CheckLinkParameters;
    body: CheckLinkBody;
    response: CheckLinkResponse;
  };
  /** Set a password with the link of an invitation or a forgotten password */
  setPassword: {
    method: 'POST';
    path: '/api/links/set-password';
    parameters: SetPasswordParameters;
    body: SetPasswordBody;
    response: SetPasswordResponse;
  };
  /** Change the email of an account to the recipient of the link */
  confirmEmail: {
    method: 'POST';
    path: '/api/links/confirm-email';
    parameters: ConfirmEmailParameters;
    body: ConfirmEmailBody;
    response: ConfirmEmailResponse;
  };
  /** Cancel a change of the email that the person has not requested */
  cancelEmail: {
    method: 'POST';
    path: '/api/links/cancel-email';
    parameters: CancelEmailParameters;
    body: CancelEmailBody;
    response: CancelEmailResponse;
  };
  /** Whether links for forgotten passwords can be mailed */
  showForgotPassword: {
    method: 'GET';
    path: '/api/forgot-password';
    parameters: ShowForgotPasswordParameters;
    body: ShowForgotPasswordBody;
    response: ShowForgotPasswordResponse;
  };
  /** Mail a link to set a new password */
  forgotPassword: {
    method: 'POST';
    path: '/api/forgot-password';
    parameters: ForgotPasswordParameters;
    body: ForgotPasswordBody;
    response: ForgotPasswordResponse;
  };
  /** Sign in to the web console */
  startWebSession: {
    method: 'POST';
    path: '/api/auth/web-session';
    parameters: StartWebSessionParameters;
    body: StartWebSessionBody;
    response: StartWebSessionResponse;
  };
  /** The signed-in account, and the end of the session */
  showWebSession: {
    method: 'GET';
    path: '/api/auth/web-session';
    parameters: ShowWebSessionParameters;
    body: ShowWebSessionBody;
    response: ShowWebSessionResponse;
  };
  /** Sign out of the web console */
  endWebSession: {
    method: 'DELETE';
    path: '/api/auth/web-session';
    parameters: EndWebSessionParameters;
    body: EndWebSessionBody;
    response: EndWebSessionResponse;
  };
  /** End the caller's session */
  logout: {
    method: 'POST';
    path: '/api/auth/logout';
    parameters: LogoutParameters;
    body: LogoutBody;
    response: LogoutResponse;
  };
  /** End all sessions of the caller's account */
  logoutAll: {
    method: 'POST';
    path: '/api/auth/logout-all';
    parameters: LogoutAllParameters;
    body: LogoutAllBody;
    response: LogoutAllResponse;
  };
  /** The caller's sessions, newest first */
  listSessions: {
    method: 'GET';
    path: '/api/auth/sessions';
    parameters: ListSessionsParameters;
    body: ListSessionsBody;
    response: ListSessionsResponse;
  };
  /** End one of the caller's sessions */
  endSession: {
    method: 'DELETE';
    path: '/api/auth/sessions/{id}';
    parameters: EndSessionParameters;
    body: EndSessionBody;
    response: EndSessionResponse;
  };
  /** Whether people can sign in with the organisation's account, and with a password */
  showOidc: {
    method: 'GET';
    path: '/api/oidc';
    parameters: ShowOidcParameters;
    body: ShowOidcBody;
    response: ShowOidcResponse;
  };
  /** Begin to sign in with the organisation's account */
  startOidc: {
    method: 'GET';
    path: '/api/oidc/start';
    parameters: StartOidcParameters;
    body: StartOidcBody;
    response: StartOidcResponse;
  };
  /** Return from the organisation's sign-in */
  finishOidc: {
    method: 'GET';
    path: '/api/oidc/callback';
    parameters: FinishOidcParameters;
    body: FinishOidcBody;
    response: FinishOidcResponse;
  };
  /** The caller's identities, oldest first, and whether the caller can also sign in with a password */
  listOwnIdentities: {
    method: 'GET';
    path: '/api/auth/identities';
    parameters: ListOwnIdentitiesParameters;
    body: ListOwnIdentitiesBody;
    response: ListOwnIdentitiesResponse;
  };
  /** Begin to link an identity at the organisation's sign-in to the caller's account */
  linkIdentity: {
    method: 'POST';
    path: '/api/auth/identities';
    parameters: LinkIdentityParameters;
    body: LinkIdentityBody;
    response: LinkIdentityResponse;
  };
  /** Remove one of the caller's identities; ends the caller's other sessions */
  removeOwnIdentity: {
    method: 'DELETE';
    path: '/api/auth/identities/{id}';
    parameters: RemoveOwnIdentityParameters;
    body: RemoveOwnIdentityBody;
    response: RemoveOwnIdentityResponse;
  };
  /** An account's identities, oldest first */
  listUserIdentities: {
    method: 'GET';
    path: '/api/users/{id}/identities';
    parameters: ListUserIdentitiesParameters;
    body: ListUserIdentitiesBody;
    response: ListUserIdentitiesResponse;
  };
  /** Remove one of an account's identities; ends the account's sessions */
  removeUserIdentity: {
    method: 'DELETE';
    path: '/api/users/{id}/identities/{identityId}';
    parameters: RemoveUserIdentityParameters;
    body: RemoveUserIdentityBody;
    response: RemoveUserIdentityResponse;
  };
  /** Accounts, filtered, searched and sorted */
  listUsers: {
    method: 'GET';
    path: '/api/users';
    parameters: ListUsersParameters;
    body: ListUsersBody;
    response: ListUsersResponse;
  };
  /** Create an account with an invitation, with a generated password, or without a password */
  createUser: {
    method: 'POST';
    path: '/api/users';
    parameters: CreateUserParameters;
    body: CreateUserBody;
    response: CreateUserResponse;
  };
  /** All accounts that match, oldest first, without passwords */
  exportUsers: {
    method: 'GET';
    path: '/api/users/export.csv';
    parameters: ExportUsersParameters;
    body: ExportUsersBody;
    response: ExportUsersResponse;
  };
  /** Change up to 1,000 accounts: of a list, or all that match a filter */
  changeManyUsers: {
    method: 'POST';
    path: '/api/users/bulk';
    parameters: ChangeManyUsersParameters;
    body: ChangeManyUsersBody;
    response: ChangeManyUsersResponse;
  };
  /** Find the accounts with given emails */
  findUsersByEmail: {
    method: 'POST';
    path: '/api/users/by-email';
    parameters: FindUsersByEmailParameters;
    body: FindUsersByEmailBody;
    response: FindUsersByEmailResponse;
  };
  /** An account with its groups */
  showUser: {
    method: 'GET';
    path: '/api/users/{id}';
    parameters: ShowUserParameters;
    body: ShowUserBody;
    response: ShowUserResponse;
  };
  /** Change the given fields of an account; a new email or role ends its sessions */
  updateUser: {
    method: 'PUT';
    path: '/api/users/{id}';
    parameters: UpdateUserParameters;
    body: UpdateUserBody;
    response: UpdateUserResponse;
  };
  /** Delete an account with its enrollments */
  deleteUser: {
    method: 'DELETE';
    path: '/api/users/{id}';
    parameters: DeleteUserParameters;
    body: DeleteUserBody;
    response: DeleteUserResponse;
  };
  /** Activate or deactivate an account; deactivation ends its sessions */
  changeActivation: {
    method: 'PUT';
    path: '/api/users/{id}/status';
    parameters: ChangeActivationParameters;
    body: ChangeActivationBody;
    response: ChangeActivationResponse;
  };
  /** Generate a password that must be changed at the next login, or mail a link to set a password */
  resetPassword: {
    method: 'POST';
    path: '/api/users/{id}/reset-password';
    parameters: ResetPasswordParameters;
    body: ResetPasswordBody;
    response: ResetPasswordResponse;
  };
  /** An account's sessions, newest first */
  listUserSessions: {
    method: 'GET';
    path: '/api/users/{id}/sessions';
    parameters: ListUserSessionsParameters;
    body: ListUserSessionsBody;
    response: ListUserSessionsResponse;
  };
  /** End all sessions of an account */
  endUserSessions: {
    method: 'DELETE';
    path: '/api/users/{id}/sessions';
    parameters: EndUserSessionsParameters;
    body: EndUserSessionsBody;
    response: EndUserSessionsResponse;
  };
  /** End one of an account's sessions */
  endUserSession: {
    method: 'DELETE';
    path: '/api/users/{id}/sessions/{sessionId}';
    parameters: EndUserSessionParameters;
    body: EndUserSessionBody;
    response: EndUserSessionResponse;
  };
  /** Unlock an account that is locked after too many wrong passwords */
  unlockUser: {
    method: 'POST';
    path: '/api/users/{id}/unlock';
    parameters: UnlockUserParameters;
    body: UnlockUserBody;
    response: UnlockUserResponse;
  };
  /** Groups by name */
  listGroups: {
    method: 'GET';
    path: '/api/groups';
    parameters: ListGroupsParameters;
    body: ListGroupsBody;
    response: ListGroupsResponse;
  };
  /** Create a group without members */
  createGroup: {
    method: 'POST';
    path: '/api/groups';
    parameters: CreateGroupParameters;
    body: CreateGroupBody;
    response: CreateGroupResponse;
  };
  /** A group; `GET /api/users?group=` lists its members */
  showGroup: {
    method: 'GET';
    path: '/api/groups/{id}';
    parameters: ShowGroupParameters;
    body: ShowGroupBody;
    response: ShowGroupResponse;
  };
  /** Change the given fields of a group */
  updateGroup: {
    method: 'PUT';
    path: '/api/groups/{id}';
    parameters: UpdateGroupParameters;
    body: UpdateGroupBody;
    response: UpdateGroupResponse;
  };
  /** Delete a group; the accounts and enrollments of its members stay */
  deleteGroup: {
    method: 'DELETE';
    path: '/api/groups/{id}';
    parameters: DeleteGroupParameters;
    body: DeleteGroupBody;
    response: DeleteGroupResponse;
  };
  /** Add up to 1,000 people to a group, or remove them */
  changeMembers: {
    method: 'PUT';
    path: '/api/groups/{id}/members';
    parameters: ChangeMembersParameters;
    body: ChangeMembersBody;
    response: ChangeMembersResponse;
  };
  /** The catalogue: published courses, for trainers also their own courses, for the super admin all courses */
  listCourses: {
    method: 'GET';
    path: '/api/courses';
    parameters: ListCoursesParameters;
    body: ListCoursesBody;
    response: ListCoursesResponse;
  };
  /** Create an unpublished course of the calling trainer; the super admin names the trainer */
  createCourse: {
    method: 'POST';
    path: '/api/courses';
    parameters: CreateCourseParameters;
    body: CreateCourseBody;
    response: CreateCourseResponse;
  };
  /** The categories of the courses in the catalogue */
  listCategories: {
    method: 'GET';
    path: '/api/courses/categories/all';
    parameters: ListCategoriesParameters;
    body: ListCategoriesBody;
    response: ListCategoriesResponse;
  };
  /** The trainers to whom a course can be assigned */
  listAvailableTrainers: {
    method: 'GET';
    path: '/api/courses/trainers/available';
    parameters: ListAvailableTrainersParameters;
    body: ListAvailableTrainersBody;
    response: ListAvailableTrainersResponse;
  };
  /** Figures of all courses; trainers get only the figures of their own courses */
  courseStatistics: {
    method: 'GET';
    path: '/api/courses/stats/overview';
    parameters: CourseStatisticsParameters;
    body: CourseStatisticsBody;
    response: CourseStatisticsResponse;
  };
  /** A trainer's courses */
  listTrainerCourses: {
    method: 'GET';
    path: '/api/courses/trainer/{trainerId}';
    parameters: ListTrainerCoursesParameters;
    body: ListTrainerCoursesBody;
    response: ListTrainerCoursesResponse;
  };
  /** Matching courses, oldest first; trainers get only their own courses */
  exportCourses: {
    method: 'GET';
    path: '/api/courses/export.csv';
    parameters: ExportCoursesParameters;
    body: ExportCoursesBody;
    response: ExportCoursesResponse;
  };
  /** A course; an unpublished course only for its trainer, its active trainees and the super admin */
  showCourse: {
    method: 'GET';
    path: '/api/courses/{id}';
    parameters: ShowCourseParameters;
    body: ShowCourseBody;
    response: ShowCourseResponse;
  };
  /** Change the given fields of a course */
  updateCourse: {
    method: 'PUT';
    path: '/api/courses/{id}';
    parameters: UpdateCourseParameters;
    body: UpdateCourseBody;
    response: UpdateCourseResponse;
  };
  /** Delete a course with its enrollments and files; with active enrollments only by the super admin, with `force` */
  deleteCourse: {
    method: 'DELETE';
    path: '/api/courses/{id}';
    parameters: DeleteCourseParameters;
    body: DeleteCourseBody;
    response: DeleteCourseResponse;
  };
  /** The dates of a course for calendar programs, for everybody who may see the course */
  courseCalendar: {
    method: 'GET';
    path: '/api/courses/{id}/calendar.ics';
    parameters: CourseCalendarParameters;
    body: CourseCalendarBody;
    response: CourseCalendarResponse;
  };
  /** Show a course in the catalogue, or remove it from the catalogue */
  publishCourse: {
    method: 'PUT';
    path: '/api/courses/{id}/publish';
    parameters: PublishCourseParameters;
    body: PublishCourseBody;
    response: PublishCourseResponse;
  };
  /** Give a course to another trainer, with its enrollments */
  assignTrainer: {
    method: 'PUT';
    path: '/api/courses/{id}/assign-trainer';
    parameters: AssignTrainerParameters;
    body: AssignTrainerBody;
    response: AssignTrainerResponse;
  };
  /** Enrollments, newest first; trainees get only their own, and trainers only those in their own courses */
  listEnrollments: {
    method: 'GET';
    path: '/api/enrollments';
    parameters: ListEnrollmentsParameters;
    body: ListEnrollmentsBody;
    response: ListEnrollmentsResponse;
  };
  /** Request enrollment in a published course, or a place on its waiting list */
  requestEnrollment: {
    method: 'POST';
    path: '/api/enrollments';
    parameters: RequestEnrollmentParameters;
    body: RequestEnrollmentBody;
    response: RequestEnrollmentResponse;
  };
  /** The calling trainee's enrollments, newest first */
  listOwnEnrollments: {
    method: 'GET';
    path: '/api/enrollments/my';
    parameters: ListOwnEnrollmentsParameters;
    body: ListOwnEnrollmentsBody;
    response: ListOwnEnrollmentsResponse;
  };
  /** Enroll a trainee, or put the trainee on the waiting list of a full course */
  assignEnrollment: {
    method: 'POST';
    path: '/api/enrollments/assign';
    parameters: AssignEnrollmentParameters;
    body: AssignEnrollmentBody;
    response: AssignEnrollmentResponse;
  };
  /** Enroll many trainees: all eligible trainees, or nobody if the course has too few free seats */
  assignMany: {
    method: 'POST';
    path: '/api/enrollments/bulk';
    parameters: AssignManyParameters;
    body: AssignManyBody;
    response: AssignManyResponse;
  };
  /** Remove enrollments, all of them or none */
  removeMany: {
    method: 'DELETE';
    path: '/api/enrollments/bulk/remove';
    parameters: RemoveManyParameters;
    body: RemoveManyBody;
    response: RemoveManyResponse;
  };
  /** Change the status of up to 1,000 enrollments: of a list, or of all that match a filter */
  changeManyStatuses: {
    method: 'PUT';
    path: '/api/enrollments/bulk/status';
    parameters: ChangeManyStatusesParameters;
    body: ChangeManyStatusesBody;
    response: ChangeManyStatusesResponse;
  };
  /** The active trainees who can be enrolled in a course */
  listAvailableTrainees: {
    method: 'GET';
    path: '/api/enrollments/available-trainees';
    parameters: ListAvailableTraineesParameters;
    body: ListAvailableTraineesBody;
    response: ListAvailableTraineesResponse;
  };
  /** Find the trainees with given emails who can be enrolled in a course */
  findAvailableTrainees: {
    method: 'POST';
    path: '/api/enrollments/available-trainees';
    parameters: FindAvailableTraineesParameters;
    body: FindAvailableTraineesBody;
    response: FindAvailableTraineesResponse;
  };
  /** Number of the caller's visible enrollments by status */
  enrollmentStatistics: {
    method: 'GET';
    path: '/api/enrollments/stats/overview';
    parameters: EnrollmentStatisticsParameters;
    body: EnrollmentStatisticsBody;
    response: EnrollmentStatisticsResponse;
  };
  /** The enrollments in a trainer's courses, newest first */
  listTrainerEnrollments: {
    method: 'GET';
    path: '/api/enrollments/trainer/{trainerId}';
    parameters: ListTrainerEnrollmentsParameters;
    body: ListTrainerEnrollmentsBody;
    response: ListTrainerEnrollmentsResponse;
  };
  /** A course's trainees, newest enrollment first */
  listCourseTrainees: {
    method: 'GET';
    path: '/api/enrollments/course/{courseId}/trainees';
    parameters: ListCourseTraineesParameters;
    body: ListCourseTraineesBody;
    response: ListCourseTraineesResponse;
  };
  /** Matching enrollments with their trainees, oldest first; trainers get only those in their own courses */
  exportEnrollments: {
    method: 'GET';
    path: '/api/enrollments/export.csv';
    parameters: ExportEnrollmentsParameters;
    body: ExportEnrollmentsBody;
    response: ExportEnrollmentsResponse;
  };
  /** An enrollment */
  showEnrollment: {
    method: 'GET';
    path: '/api/enrollments/{id}';
    parameters: ShowEnrollmentParameters;
    body: ShowEnrollmentBody;
    response: ShowEnrollmentResponse;
  };
  /** Remove an enrollment */
  removeEnrollment: {
    method: 'DELETE';
    path: '/api/enrollments/{id}';
    parameters: RemoveEnrollmentParameters;
    body: RemoveEnrollmentBody;
    response: RemoveEnrollmentResponse;
  };
  /** Change the status of an enrollment; trainees can cancel their enrollment, or request it again */
  changeStatus: {
    method: 'PUT';
    path: '/api/enrollments/{id}/status';
    parameters: ChangeStatusParameters;
    body: ChangeStatusBody;
    response: ChangeStatusResponse;
  };
  /** Set or remove the reply to a trainee without a change of status; sends no mail */
  setReply: {
    method: 'PUT';
    path: '/api/enrollments/{id}/reply';
    parameters: SetReplyParameters;
    body: SetReplyBody;
    response: SetReplyResponse;
  };
  /** Set the progress of a trainee */
  setProgress: {
    method: 'PUT';
    path: '/api/enrollments/{id}/progress';
    parameters: SetProgressParameters;
    body: SetProgressBody;
    response: SetProgressResponse;
  };
  /** Certificates, newest first; trainers get only certificates of their own courses */
  listCertificates: {
    method: 'GET';
    path: '/api/certificates';
    parameters: ListCertificatesParameters;
    body: ListCertificatesBody;
    response: ListCertificatesResponse;
  };
  /** Check a certificate by its code */
  verifyCertificate: {
    method: 'GET';
    path: '/api/certificates/{code}';
    parameters: VerifyCertificateParameters;
    body: VerifyCertificateBody;
    response: VerifyCertificateResponse;
  };
  /** Revoke a certificate; the enrollment stays completed */
  revokeCertificate: {
    method: 'DELETE';
    path: '/api/certificates/{code}';
    parameters: RevokeCertificateParameters;
    body: RevokeCertificateBody;
    response: RevokeCertificateResponse;
  };
  /** The programme's logo from the setting `PROGRAMME_LOGO` */
  showLogo: {
    method: 'GET';
    path: '/api/logo';
    parameters: ShowLogoParameters;
    body: ShowLogoBody;
    response: ShowLogoResponse;
  };
  /** Give a course its image: JPEG, PNG or WebP */
  setThumbnail: {
    method: 'POST';
    path: '/api/courses/{id}/thumbnail';
    parameters: SetThumbnailParameters;
    body: SetThumbnailBody;
    response: SetThumbnailResponse;
  };
  /** Remove the image of a course */
  removeThumbnail: {
    method: 'DELETE';
    path: '/api/courses/{id}/thumbnail';
    parameters: RemoveThumbnailParameters;
    body: RemoveThumbnailBody;
    response: RemoveThumbnailResponse;
  };
  /** Add a file to a course */
  addMaterial: {
    method: 'POST';
    path: '/api/courses/{id}/files';
    parameters: AddMaterialParameters;
    body: AddMaterialBody;
    response: AddMaterialResponse;
  };
  /** A course's files, newest first */
  listMaterials: {
    method: 'GET';
    path: '/api/courses/{id}/files';
    parameters: ListMaterialsParameters;
    body: ListMaterialsBody;
    response: ListMaterialsResponse;
  };
  /** Download a file of a course */
  openMaterial: {
    method: 'GET';
    path: '/api/courses/{id}/files/{fileId}';
    parameters: OpenMaterialParameters;
    body: OpenMaterialBody;
    response: OpenMaterialResponse;
  };
  /** Delete a file of a course */
  removeMaterial: {
    method: 'DELETE';
    path: '/api/courses/{id}/files/{fileId}';
    parameters: RemoveMaterialParameters;
    body: RemoveMaterialBody;
    response: RemoveMaterialResponse;
  };
  /** The image of a course or account */
  showImage: {
    method: 'GET';
    path: '/api/images/{name}';
    parameters: ShowImageParameters;
    body: ShowImageBody;
    response: ShowImageResponse;
  };
  /** A template to fill in */
  importTemplate: {
    method: 'GET';
    path: '/api/imports/template.csv';
    parameters: ImportTemplateParameters;
    body: ImportTemplateBody;
    response: ImportTemplateResponse;
  };
  /** An example file for an import: `examples/trainees.csv` of the package */
  importExample: {
    method: 'GET';
    path: '/api/imports/example.csv';
    parameters: ImportExampleParameters;
    body: ImportExampleBody;
    response: ImportExampleResponse;
  };
  /** Import accounts from a workbook or a CSV file in the background, or plan the import */
  createImport: {
    method: 'POST';
    path: '/api/imports';
    parameters: CreateImportParameters;
    body: CreateImportBody;
    response: CreateImportResponse;
  };
  /** Imports, newest first, including imports of the terminal */
  listImports: {
    method: 'GET';
    path: '/api/imports';
    parameters: ListImportsParameters;
    body: ListImportsBody;
    response: ListImportsResponse;
  };
  /** An import, its plan and its progress */
  showImport: {
    method: 'GET';
    path: '/api/imports/{id}';
    parameters: ShowImportParameters;
    body: ShowImportBody;
    response: ShowImportResponse;
  };
  /** Server-sent events: `progress` with the import at each change, `end` when the import has ended or is planned */
  watchImport: {
    method: 'GET';
    path: '/api/imports/{id}/events';
    parameters: WatchImportParameters;
    body: WatchImportBody;
    response: WatchImportResponse;
  };
  /** The rejected rows as in the file, with line, code and reason */
  importRejects: {
    method: 'GET';
    path: '/api/imports/{id}/rejected.csv';
    parameters: ImportRejectsParameters;
    body: ImportRejectsBody;
    response: ImportRejectsResponse;
  };
  /** The outcome of every row, with the current accounts */
  importOutcome: {
    method: 'GET';
    path: '/api/imports/{id}/outcome.csv';
    parameters: ImportOutcomeParameters;
    body: ImportOutcomeBody;
    response: ImportOutcomeResponse;
  };
  /** The generated passwords. They can be downloaded only once, and are then deleted */
  importCredentials: {
    method: 'GET';
    path: '/api/imports/{id}/credentials.csv';
    parameters: ImportCredentialsParameters;
    body: ImportCredentialsBody;
    response: ImportCredentialsResponse;
  };
  /** Plan the uploaded file again with other options or columns */
  planImport: {
    method: 'POST';
    path: '/api/imports/{id}/plan';
    parameters: PlanImportParameters;
    body: PlanImportBody;
    response: PlanImportResponse;
  };
  /** Apply the plan of an import in the background */
  applyImport: {
    method: 'POST';
    path: '/api/imports/{id}/apply';
    parameters: ApplyImportParameters;
    body: ApplyImportBody;
    response: ApplyImportResponse;
  };
  /** Rows of an import: of its plan until the plan is applied, then with their outcomes */
  listImportRows: {
    method: 'GET';
    path: '/api/imports/{id}/rows';
    parameters: ListImportRowsParameters;
    body: ListImportRowsBody;
    response: ListImportRowsResponse;
  };
  /** Cancel a queued or running import at the next batch of rows; committed rows stay */
  cancelImport: {
    method: 'POST';
    path: '/api/imports/{id}/cancel';
    parameters: CancelImportParameters;
    body: CancelImportBody;
    response: CancelImportResponse;
  };
  /** Resume an import that failed, was interrupted or cancelled */
  resumeImport: {
    method: 'POST';
    path: '/api/imports/{id}/resume';
    parameters: ResumeImportParameters;
    body: ResumeImportBody;
    response: ResumeImportResponse;
  };
  /** Remove the accounts that an import created and restore those that it updated */
  undoImport: {
    method: 'POST';
    path: '/api/imports/{id}/undo';
    parameters: UndoImportParameters;
    body: UndoImportBody;
    response: UndoImportResponse;
  };
  /** Privileged changes, newest first: actor, action, time, origin, and values before and after */
  listAudit: {
    method: 'GET';
    path: '/api/audit';
    parameters: ListAuditParameters;
    body: ListAuditBody;
    response: ListAuditResponse;
  };
  /** Waiting, sent, failed and withdrawn mails, newest first */
  listMails: {
    method: 'GET';
    path: '/api/mails';
    parameters: ListMailsParameters;
    body: ListMailsBody;
    response: ListMailsResponse;
  };
  /** Send up to 1,000 mails again, or withdraw them */
  changeManyMails: {
    method: 'POST';
    path: '/api/mails/bulk';
    parameters: ChangeManyMailsParameters;
    body: ChangeManyMailsBody;
    response: ChangeManyMailsResponse;
  };
  /** Queue a test mail */
  sendTestMail: {
    method: 'POST';
    path: '/api/mails/test';
    parameters: SendTestMailParameters;
    body: SendTestMailBody;
    response: SendTestMailResponse;
  };
  /** A mail */
  showMail: {
    method: 'GET';
    path: '/api/mails/{id}';
    parameters: ShowMailParameters;
    body: ShowMailBody;
    response: ShowMailResponse;
  };
  /** Figures of the whole programme; trainers and trainees get only the figures of their own courses */
  showOverview: {
    method: 'GET';
    path: '/api/overview';
    parameters: ShowOverviewParameters;
    body: ShowOverviewBody;
    response: ShowOverviewResponse;
  };
  /** Whether the process is alive */
  health: {
    method: 'GET';
    path: '/healthz';
    parameters: HealthParameters;
    body: HealthBody;
    response: HealthResponse;
  };
  /** Whether the service is ready: the database answers and has the right schema, and an SQLite file has free disk space */
  readiness: {
    method: 'GET';
    path: '/readyz';
    parameters: ReadinessParameters;
    body: ReadinessBody;
    response: ReadinessResponse;
  };
  /** Whether the demo programme is loaded or can be loaded, and how to log in */
  showDemo: {
    method: 'GET';
    path: '/api/demo';
    parameters: ShowDemoParameters;
    body: ShowDemoBody;
    response: ShowDemoResponse;
  };
  /** Add the demo programme to an empty database: 3 trainers, 12 courses with files, 200 trainees and their enrollments */
  loadDemo: {
    method: 'POST';
    path: '/api/demo';
    parameters: LoadDemoParameters;
    body: LoadDemoBody;
    response: LoadDemoResponse;
  };
  /** This description */
  openapi: {
    method: 'GET';
    path: '/api/openapi.json';
    parameters: OpenapiParameters;
    body: OpenapiBody;
    response: OpenapiResponse;
  };
  /** This description as a page */
  docs: {
    method: 'GET';
    path: '/api/docs';
    parameters: DocsParameters;
    body: DocsBody;
    response: DocsResponse;
  };
  /** Metrics for Prometheus; if METRICS_TOKEN is set, they require this token */
  metrics: {
    method: 'GET';
    path: '/metrics';
    parameters: MetricsParameters;
    body: MetricsBody;
    response: MetricsResponse;
  };
}
