import type { AccountField } from '../../schemas/account-fields.js';
import type { CourseField } from '../../schemas/course-fields.js';
import type { EnrollmentField } from '../../schemas/enrollment-fields.js';
import type { EnrollmentStatus } from '../../schemas/enrollment-statuses.js';

/** Description and example of a field or parameter. */
interface FieldDoc {
  description: string;
  example?: unknown;
}

const exampleTime = '2026-01-31T08:00:00.000Z';
const exampleId = '0198c1f2-7a3b-7c4d-8e5f-6a7b8c9d0e1f';

export const statusDocs = {
  pending: { description: 'Pending enrollments', example: 3 },
  waiting: { description: 'Enrollments on waiting lists', example: 2 },
  active: { description: 'Active enrollments', example: 12 },
  completed: { description: 'Completed enrollments', example: 7 },
  cancelled: { description: 'Cancelled enrollments', example: 1 },
} satisfies Record<EnrollmentStatus, FieldDoc>;

/**
 * Descriptions of the API's fields and parameters by name. If a name has another meaning in a schema, the schema has its
 * own description.
 */
export const fieldDocs: Readonly<
  Record<AccountField | CourseField | EnrollmentField, FieldDoc> & Record<string, FieldDoc>
> = {
  action: { description: 'The change that was recorded', example: 'course.publish' },
  actorId: {
    description: 'Id of the account that made the change; null for an operator at the terminal',
    example: exampleId,
  },
  actorName: {
    description:
      'Current name and email address of the account that made the change; null for an operator at the terminal, and if the account was deleted',
    example: 'Ada Lovelace (ada@example.org)',
  },
  address: {
    description: 'Email address of the recipient; null when the account was deleted before',
    example: 'ada@example.org',
  },
  after: {
    description: 'Changed fields of the target after the change; null after a deletion',
    example: { isPublished: true },
  },
  at: { description: 'Time of the change', example: exampleTime },
  attempts: { description: 'Number of attempts to send the mail', example: 1 },
  autoAccept: {
    description: 'Whether requests become active immediately while seats are free. Otherwise a manager accepts them',
    example: false,
  },
  avatar: { description: 'URL of the profile image; null without one', example: `/api/images/${exampleId}.webp` },
  before: {
    description: 'Changed fields of the target before the change; null for a creation',
    example: { isPublished: false },
  },
  averageProgress: { description: 'Average progress of active enrollments in percent; null without any', example: 40 },
  available: { description: 'Whether the service can send mail', example: true },
  bodies: { description: 'Requests whose body is being received', example: 0 },
  byCategory: { description: 'Number of courses by category' },
  byKind: { description: 'The same figures by kind of file' },
  byRole: { description: 'The same figures by role' },
  bytes: { description: 'Size in bytes', example: 48213 },
  cancelReason: {
    description:
      'How a cancelled enrollment ended: `left` by the trainee, `refused`, `removed` by a manager, or by a `roster` whose file no longer has the trainee; null for other statuses, and if unknown',
    example: null,
  },
  categories: { description: 'Categories in alphabetical order', example: ['Programming', 'Weaving'] },
  category: { description: 'Category of the course', example: 'Programming' },
  certificates: { description: 'The certificates' },
  code: { description: 'Machine-readable code of the failure', example: 'PASSWORD_CHANGE_REQUIRED' },
  column: { description: 'Index of the column in the file, from 0', example: 3 },
  completedAt: { description: 'Time of completion; null until then', example: null },
  connections: { description: 'Open client connections', example: 3 },
  contentType: { description: 'Media type, derived from the file name', example: 'application/pdf' },
  count: { description: 'Number of courses', example: 4 },
  counts: { description: 'Number of rows by outcome' },
  course: { description: 'Id or title of a course', example: 'Compilers' },
  courseId: { description: 'Id of the course', example: exampleId },
  courseType: { description: 'Form of the course', example: 'online' },
  courses: { description: 'The courses of this page' },
  created: { description: 'Accounts created', example: 40 },
  createdAt: { description: 'Time of creation', example: exampleTime },
  createdBy: {
    description: 'Id of the account that started the import; null for an operator at the terminal',
    example: exampleId,
  },
  current: { description: 'Whether this request belongs to the session', example: true },
  currentPage: { description: 'Number of this page, from 1', example: 1 },
  currentPassword: { description: 'The password in use', example: 'correct horse 7' },
  delimiter: { description: 'Delimiter of the file; detected if absent', example: ';' },
  reply: { description: 'Reply of the trainer or the super admin', example: 'See you on Monday.' },
  replyAt: { description: 'Time of the reply', example: exampleTime },
  replyBy: { description: 'Id of the account that replied; null for an operator at the terminal', example: exampleId },
  sheet: {
    description:
      'Sheet of a workbook: its name, or its number among the visible sheets. By default the first visible sheet with a suitable header',
    example: 'Trainees',
  },
  description: {
    description: 'Full description, on one or more lines',
    example: 'From source text to machine code.',
  },
  done: { description: 'Accounts changed', example: 2 },
  dryRun: { description: 'Return the outcome without undoing anything', example: true },
  email: { description: 'Email address, unique among accounts; stored in lower case', example: 'ada@example.org' },
  encoding: { description: 'Character encoding of the file; detected if absent', example: 'utf-8' },
  endDate: { description: 'Last day of the course', example: '2026-06-30' },
  enrollUntil: {
    description: 'Last day on which trainees can request enrollment; null for no limit except the end of the course',
    example: '2026-04-30',
  },
  ended: {
    description:
      'Only ended courses (`true`), only current and future courses (`false`), or all courses, in the time zone of the programme',
    example: 'false',
  },
  endedCount: { description: 'Number of sessions that ended', example: 2 },
  enrolled: { description: 'Created enrollments with a seat', example: 12 },
  enrolledAt: { description: 'Time of enrollment', example: exampleTime },
  enrollment: { description: 'The enrollment' },
  enrollmentIds: { description: 'Ids of the enrollments', example: [exampleId] },
  enrollmentStatus: { description: 'Status of new enrollments whose row has no status', example: 'active' },
  enrollments: { description: 'The enrollments' },
  entries: { description: 'The audit entries of this page' },
  error: { description: 'Message for people', example: 'Resource not found.' },
  errors: { description: 'The problems, one or more for each invalid field' },
  expectedStatus: {
    description: 'Expected status of the enrollment. The change is refused if the enrollment has another status',
    example: 'active',
  },
  expiresAt: { description: 'Time at which the session ends', example: exampleTime },
  featured: { description: 'Featured courses', example: 2 },
  field: { description: 'Field of the account or enrollment', example: 'phone' },
  file: { description: 'Name of the imported file', example: 'people.csv' },
  fileId: { description: 'Id of the file', example: exampleId },
  files: { description: 'The files of this page' },
  finishedAt: { description: 'Time at which the import ended; null until then', example: exampleTime },
  firstName: { description: 'First name', example: 'Ada' },
  force: { description: 'Delete the course although it has active enrollments; super admin only', example: false },
  formerName: {
    description:
      "The trainee's name before the first rename since the enrollment; null without a rename, if the name is the same again, and in responses to trainees",
    example: 'Ada King',
  },
  from: { description: 'Earliest time of the changes', example: exampleTime },
  hasCredentials: { description: 'Whether generated passwords are waiting to be downloaded', example: false },
  hasEnrollments: { description: 'Whether the caller has active or pending enrollments', example: true },
  hashes: { description: 'Passwords waiting to be hashed or compared', example: 0 },
  hasRejects: { description: 'Whether rejected rows can be downloaded', example: true },
  id: { description: 'Opaque identifier', example: exampleId },
  identifier: { description: 'Email address or phone number of the account', example: 'ada@example.org' },
  imageUrl: { description: 'URL of the image', example: `/api/images/${exampleId}.webp` },
  imports: { description: 'The imports of this page' },
  include: { description: 'Optional keys of the response', example: ['seats'] },
  ip: { description: 'IP address of the client; null if unknown', example: '203.0.113.7' },
  invite: {
    description: 'Mail new people without a password an invitation to set a password, instead of generating one',
    example: false,
  },
  inviteError: {
    description:
      'Why the last invitation was not sent: it failed, or it waits for the mail server; null without a problem',
    example: null,
  },
  invited: {
    description: 'State of the invitation, as in `inviteState`; `no`: never invited',
    example: 'failed',
  },
  invitedAt: { description: 'Time of the last invitation; null without one', example: exampleTime },
  inviteState: {
    description:
      "State of the invitation: `queued`, `sent` (accepted by the mail server), `failed`, `accepted` (the person has set a password, or signed in with the organisation's account); null without an invitation",
    example: 'sent',
  },
  isActive: { description: 'Whether the account may sign in', example: true },
  isFeatured: { description: 'Whether clients should highlight the course', example: false },
  isPublished: { description: 'Whether the course is in the catalogue', example: true },
  itemsPerPage: { description: 'Maximum number of items on a page', example: 20 },
  kind: { description: 'What the mail is about', example: 'invitation' },
  kept: { description: 'Accounts that the undo keeps, with the reason' },
  joinWaitingList: {
    description: 'For a request by a trainee: whether to join the waiting list if the course is full',
    example: true,
  },
  language: { description: 'Language of the course', example: 'English' },
  lastError: {
    description: 'Why the last attempt failed; for a queued mail, why sending is paused; null without a problem',
    example: '550 5.1.1 No such user',
  },
  lastLogin: { description: 'Time of the last login; null before the first', example: exampleTime },
  lastName: { description: 'Last name', example: 'Lovelace' },
  lastUsedAt: { description: 'Time of the last request; absent before the first', example: exampleTime },
  leftOut: { description: 'Enrollments left out because the course or its waiting list is full', example: 0 },
  learningOutcomes: { description: 'What trainees learn', example: 'Write a parser.' },
  level: { description: 'Difficulty', example: 'beginner' },
  limit: { description: 'Maximum number of items on a page', example: 20 },
  line: { description: 'Line of the file', example: 12 },
  location: { description: 'Where the course takes place', example: 'Room 4' },
  ids: { description: 'Ids of the accounts', example: [exampleId] },
  locked: {
    description: 'Whether the account is locked after too many wrong passwords, for all IP addresses or for some',
    example: true,
  },
  lockedUntil: {
    description:
      'End of the last lock after too many wrong passwords; null if the account is not locked. A lock may affect only one IP address',
    example: null,
  },
  logins: { description: 'Logins waiting for a password hash', example: 0 },
  mailFailedAt: {
    description: 'Time since which the mail server refuses the address as unknown; null otherwise',
    example: null,
  },
  mailsSent: {
    description: 'Mails of the import that were already sent to people whose accounts are removed',
    example: 0,
  },
  map: {
    description: 'Mapping of columns with other names: `heading=field`. `heading=` ignores a column',
    example: ['Mobile=phone'],
  },
  mapCourse: {
    description:
      'Courses for names in the file: `name=course`, with an id or a title. `name=` imports the rows without this course',
    example: ['1st Aid=First Aid'],
  },
  mails: { description: 'Mails' },
  match: { description: 'Field that identifies an existing account', example: 'email' },
  maxErrors: { description: 'Maximum number of rejected rows; with more, nothing is imported', example: 10 },
  maxStudents: { description: 'Maximum number of pending and active trainees; null for no limit', example: 25 },
  message: { description: 'Confirmation for people' },
  messageId: { description: 'Message-ID, the same for all attempts', example: `<${exampleId}@courses.example.org>` },
  missingPhone: {
    description:
      'For a row without a phone and without an existing account: reject the row, or create an account without a phone',
    example: 'reject',
  },
  msg: { description: 'The problem, for people', example: 'Email must be a valid email address.' },
  group: { description: 'Id of a group: only its members', example: exampleId },
  groupId: { description: 'Id of the group', example: exampleId },
  groups: { description: 'The groups' },
  note: { description: 'Remark about the group; null without one', example: 'Room 12' },
  name: { description: 'File name', example: 'slides.pdf' },
  names: {
    description: 'Current names of the ids in `before` and `after`, except for deleted objects',
    example: { [exampleId]: 'Grace Hopper (grace@example.org)' },
  },
  newPassword: {
    description: 'The new password: at least 6 characters, at most 1,000',
    example: 'battery staple 8',
  },
  nextAt: { description: 'Time of the next attempt; null unless one is planned', example: exampleTime },
  notes: { description: "The trainee's notes for the request", example: 'Needs a seat near the front.' },
  notesAt: { description: 'Time of the notes; null if unknown', example: exampleTime },
  noPassword: {
    description:
      "Give new people without a password in the file no password, for people who use the organisation's sign-in",
    example: false,
  },
  notify: {
    description: 'Notify people by mail about enrollments in published courses, except people who get an invitation',
    example: false,
  },
  number: { description: 'Number of the import: 1 for the first, counted up', example: 12 },
  onError: { description: 'After a rejected row: continue, stop there, or import nothing', example: 'continue' },
  onExisting: {
    description: 'For a row whose account exists: skip it, update the account, or reject the row',
    example: 'skip',
  },
  onLeave: {
    description:
      'For accounts that the roster created, when their people leave: keep them active, or deactivate those without other courses and groups; requires `roster`',
    example: 'keep',
  },
  otherCourses: { description: 'Further courses in which all trainees are enrolled', example: ['Fire Safety'] },
  openapi: { description: 'Version of OpenAPI', example: '3.1.0' },
  options: { description: 'The options of the import', example: { onExisting: 'skip' } },
  osUser: {
    description:
      'User of the operating system who made the change at the terminal; null for other changes, and if unknown',
    example: null,
  },
  origin: {
    description: 'Where the change was made: over HTTP, at the terminal, or by the service itself',
    example: 'http',
  },
  outcome: { description: 'Actual or planned outcome of the row or account', example: 'rejected' },
  outcomes: { description: 'The accounts in the order of the list, or of their ids for a filter' },
  page: { description: 'Number of the page, from 1', example: 1 },
  afterId: {
    description:
      'Id of the last item of the previous page. This page begins after that item, and is as fast as the first page. Without `afterId`, or if the item no longer exists, the service reads and skips all previous items. `page` is still needed for the numbers in `pagination`',
    example: exampleId,
  },
  password: { description: 'Password: at least 6 characters; a new one has at most 1,000', example: 'correct horse 7' },
  overview: { description: 'The overview' },
  path: { description: 'Name of the invalid field', example: 'email' },
  plan: { description: 'Only plan the import. Nothing is written until the plan is applied', example: true },
  planId: {
    description: 'Id of the reviewed plan. The request is refused if the import was planned again after the review',
    example: '3f9a1c0d5b7e2468',
  },
  pendingCount: { description: 'Number of requests without an answer. Only with `include=seats`', example: 3 },
  phone: { description: 'Phone number, unique among accounts', example: '+44 20 7946 0000' },
  progress: { description: 'Progress in percent', example: 40 },
  published: { description: 'Published courses', example: 9 },
  queued: { description: 'Requests in the queue', example: 0 },
  reason: { description: 'Why the trainee was not enrolled', example: 'Already enrolled in this course.' },
  refused: { description: 'Accounts refused', example: 1 },
  rejected: { description: 'Rows rejected', example: 2 },
  removed: { description: 'Accounts removed', example: 40 },
  removedCount: { description: 'Number of removed enrollments', example: 1 },
  removedEnrollments: { description: 'The removed enrollments' },
  requestsByCourse: { description: 'The 10 courses with the most pending requests' },
  requestsWaiting: { description: 'Requests waiting for an answer: pending enrollments', example: 3 },
  requests: { description: 'Requests being processed, queued, and refused in the last second' },
  requirements: { description: 'What trainees should know or bring', example: 'A laptop.' },
  requiresPasswordChange: { description: 'Whether the account must change its initial password', example: false },
  resetPasswords: {
    description: 'Also set the passwords of existing accounts; requires `onExisting` to be `update`',
    example: false,
  },
  responses: { description: 'Responses that clients have not read yet', example: 0 },
  restored: { description: 'Accounts restored to their fields before the import', example: 3 },
  role: { description: 'Role of the account', example: 'trainee' },
  rows: { description: 'Rows read', example: 42 },
  rowsDone: { description: 'Rows processed', example: 42 },
  rowsTotal: { description: 'Rows in the file; null until counted', example: 42 },
  search: {
    description:
      'Text to search for in names, emails and titles; for super admins also in phones; for rows of imports also in the cells of rejected rows. See docs/OPERATIONS.md',
    example: 'ada',
  },
  seatsBeingGiven: {
    description: 'Set while free seats are being given to waiting lists: read again in a few seconds. Absent otherwise',
    example: true,
  },
  seatsLeft: {
    description: 'Number of free seats; null for no limit. Only with `include=seats`',
    example: 13,
  },
  seatsTaken: { description: 'Number of pending and active trainees. Only with `include=seats`', example: 12 },
  identities: { description: 'The identities' },
  sessions: { description: 'The sessions of this page' },
  signsIn: {
    description:
      "Way to sign in: `password`, `oidc` (the organisation's account, after its first use), or `none` of them",
    example: 'none',
  },
  setupRequired: { description: 'Whether the super admin must still be created', example: false },
  shortDescription: { description: 'Description in a sentence', example: 'An introduction to compilers.' },
  skipped: { description: 'Rows skipped', example: 0 },
  sortBy: {
    description:
      'Field to sort by; names, titles and categories in dictionary order. `soonest` ignores `sortOrder`: upcoming courses by their first day, then running courses, then courses without a first day, then ended courses. Own enrollments begin with running courses, and end with cancelled enrollments',
    example: 'createdAt',
  },
  sortOrder: { description: 'Ascending or descending', example: 'DESC' },
  startDate: { description: 'First day of the course', example: '2026-02-01' },
  startedAt: { description: 'Time at which the import started; null until then', example: exampleTime },
  stats: { description: 'The statistics' },
  status: { description: 'Status', example: 'active' },
  superAdminCount: { description: 'Number of super admins', example: 1 },
  tags: { description: 'Tags, each once', example: ['parsing', 'evening'] },
  targetId: { description: 'Id of the changed object', example: exampleId },
  targetName: {
    description:
      'Current name of the changed object: name and email address of an account, title of a course, trainee and course of an enrollment, file of an import; null when it was deleted',
    example: 'Compilers',
  },
  targetType: { description: 'Kind of the changed object', example: 'course' },
  temporaryPassword: { description: 'The new initial password; shown only here', example: 'q7mfk-2hx9d-vw3np-8tzbr' },
  thumbnail: {
    description: 'URL of the image of the course; null without one',
    example: `/api/images/${exampleId}.webp`,
  },
  title: { description: 'Title of the course', example: 'Compilers' },
  to: { description: 'Time before which the changes were made', example: exampleTime },
  today: { description: "Today's date in the programme's time zone", example: '2026-11-16' },
  token: {
    description: 'A signed JSON web token, to be sent as `Authorization: Bearer <token>`',
    example: 'eyJhbGciOiJIUzI1NiJ9.e30.c2lnbmF0dXJl',
  },
  total: { description: 'Total number', example: 23 },
  totalItems: { description: 'Number of items on all pages; a lower bound with `totalItemsCapped`', example: 23 },
  totalItemsCapped: {
    description:
      'Set if counting stopped: there are more items than `totalItems`, which is 10,000, or the last known number on later pages. Absent if all items were counted',
    example: true,
  },
  totalPages: {
    description: 'Number of pages; with `totalItemsCapped` only the known pages, at least one more than this page',
    example: 2,
  },
  traineeId: { description: 'Id of the trainee', example: exampleId },
  traineeIds: { description: 'Ids of the trainees', example: [exampleId] },
  trainees: { description: 'The trainees of this page' },
  trainer: { description: 'The trainer of the course' },
  trainerId: { description: 'Id of the trainer', example: exampleId },
  trainers: { description: 'The trainers of this page' },
  turnedAway: { description: 'Requests refused in the last second', example: 0 },
  type: { description: 'Kind of the problem', example: 'field' },
  unchanged: { description: 'Accounts that did not change', example: 0 },
  ledgerClosedAt: {
    description:
      'Time from which the rows of the import are exported and deleted, so that the import can no longer be undone; null until then',
    example: null,
  },
  undoneAt: { description: 'Time at which the import was undone; null until then', example: null },
  unpublished: { description: 'Unpublished courses', example: 2 },
  updated: { description: 'Accounts updated', example: 0 },
  updatedAt: { description: 'Time of the last change', example: exampleTime },
  uploads: { description: 'Uploads being received or waiting', example: 0 },
  userAgent: { description: 'User-Agent header of the client; null without one', example: 'Mozilla/5.0' },
  userId: { description: 'Id of the trainee', example: exampleId },
  users: { description: 'The accounts of this page' },
  waiting: { description: 'Requests waiting for their clients or for a password hash' },
  waitingCount: { description: 'Number of trainees on the waiting list. Only with `include=seats`', example: 5 },
  waitingPlace: {
    description: 'Place on the waiting list: 1 is next; null if not waiting',
    example: null,
  },
  waitingMax: {
    description: 'Maximum length of the waiting list; null for no limit, 0 for no waiting list',
    example: 10,
  },
  whenFull: {
    description:
      'If a course is full: `reject`, or `wait` (join its waiting list); for imports also `skip-course` (leave the course out)',
    example: 'reject',
  },
  withPasswords: {
    description: 'With `invite`: also generate passwords, for people who cannot receive mail',
    example: false,
  },
  working: { description: 'Requests being processed', example: 1 },
};
