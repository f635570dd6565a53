import type Types from 'joi';
import { enrollmentFieldNames, enrollmentFields } from './enrollment-fields.js';
import {
  type EnrollmentStatus,
  enrollmentStatuses,
  type InitialStatus,
  initialStatuses,
  settableStatuses,
  statusesSetBy,
} from './enrollment-statuses.js';
import * as fields from './fields.js';
import Joi from './joi.js';
import type { EndedFilter, PagingWithKey, Sorting } from './listing.js';
import * as listing from './listing.js';
import { refuse } from './problems.js';
import { type ExportQuery, exportQuery } from './table-format.js';

const status = fields.oneOf('status', settableStatuses);
const courseId = fields.id('courseId');

/** Text of a trainee; null and the empty string mean none. */
const notes = fields.nullable(fields.notes);

/** Text of a manager of the course. */
const reply = fields.nullable(fields.reply);

/**
 * Text that a change writes: the notes of a trainee, or the reply of a manager. A manager may send the reply as `notes`,
 * too.
 */
export interface NotesOrReply {
  notes?: string | null;
  reply?: string | null;
}

/** Refuses inputs with both notes and a reply, even if these are empty. */
const eitherNotesOrReply = <T extends NotesOrReply>(schema: Types.ObjectSchema<T>): Types.ObjectSchema<T> =>
  schema.custom((value: T, helpers) => {
    const hasBoth = value.notes !== undefined && value.reply !== undefined;
    const params = { fields: ['notes', 'reply'] };
    return hasBoth
      ? refuse(helpers, { code: 'EXCLUSIVE', params, message: 'Give notes or a reply, not both.' })
      : value;
  });

const enrollmentSortFields = ['enrolledAt', 'completedAt', 'progress'] as const;

/** Statuses, order and page of every listing of enrollments. */
export interface StatusListing extends PagingWithKey, Sorting<(typeof enrollmentSortFields)[number]> {
  status?: EnrollmentStatus[];
}

const statuses = listing
  .severalOf('status', enrollmentStatuses)
  .description('Statuses of the enrollments; several are separated by commas')
  .example(['pending', 'active']);

const statusListing = {
  status: statuses,
  ...listing.sorting(enrollmentSortFields),
  ...listing.pagingWithKey(20),
};

const searchIn = (what: string) => listing.search.description(`Text to search for in ${what}`);

const ownSortFields = [...enrollmentSortFields, 'soonest'] as const;

export interface OwnEnrollmentListing extends PagingWithKey, Sorting<(typeof ownSortFields)[number]> {
  status?: EnrollmentStatus[];
  courseId?: string;
  ended: EndedFilter;
  search?: string;
}

/** Query of `GET /api/enrollments/my`. */
export const ownEnrollmentListingSchema = Joi.object<OwnEnrollmentListing>({
  courseId,
  ended: listing.ended,
  search: searchIn('title, category and tags of the course'),
  ...statusListing,
  ...listing.sorting(ownSortFields),
});

export interface EnrollmentFilter {
  courseId?: string;
  userId?: string;
  trainerId?: string;
  /** Id of a group: enrollments of its members. */
  group?: string;
  search?: string;
  status?: EnrollmentStatus[];
  progress?: number;
  /** Days until the first day of the course, at most. */
  startsWithin?: number;
}

const progress = listing.wholeNumber('progress', ...enrollmentFields.progress.column.range);

const enrollmentFilter = {
  courseId,
  userId: fields.id('userId'),
  trainerId: fields.id('trainerId'),
  group: fields.group,
  search: searchIn('name and email address of the trainee'),
  status: statuses,
  progress,
  startsWithin: listing.startsWithin.description(
    'Only enrollments in courses that start today or within this number of days',
  ),
};

export interface EnrollmentListing extends EnrollmentFilter, StatusListing {}

/** Query of `GET /api/enrollments`. */
export const enrollmentListingSchema = Joi.object<EnrollmentListing>({ ...enrollmentFilter, ...statusListing });

export const enrollmentExportFields = [
  ...(['firstName', 'lastName', 'email', 'phone', 'course'] as const),
  ...enrollmentFieldNames,
  ...(['waitingPlace', 'certificate', 'id', 'userId', 'courseId'] as const),
];
export type EnrollmentExportField = (typeof enrollmentExportFields)[number];

export type EnrollmentExport = EnrollmentFilter & ExportQuery<EnrollmentExportField>;

const exportSchemaOf = (columns: readonly EnrollmentExportField[]) =>
  Joi.object<EnrollmentExport>({ ...enrollmentFilter, ...exportQuery(columns) });

/** Query of `GET /api/enrollments/export.csv`. */
export const enrollmentExportSchema = exportSchemaOf(enrollmentExportFields);

/** Columns for trainers, who don't see phones. */
export const trainerEnrollmentExportFields = enrollmentExportFields.filter((field) => field !== 'phone');
export const trainerEnrollmentExportSchema = exportSchemaOf(trainerEnrollmentExportFields);

/** Query of `GET /api/enrollments/trainer/:trainerId` (specification, section 4.12). */
export const trainerEnrollmentListingSchema = Joi.object<StatusListing & Pick<EnrollmentFilter, 'courseId' | 'search'>>(
  {
    courseId,
    search: listing.search,
    ...statusListing,
  },
);

const traineeSortFields = [...enrollmentSortFields, 'lastName', 'waitingPlace'] as const;

export interface CourseTraineeListing extends PagingWithKey, Sorting<(typeof traineeSortFields)[number]> {
  status?: EnrollmentStatus[];
  search?: string;
  progress?: number;
}

/** Query of `GET /api/enrollments/course/:courseId/trainees`. */
export const courseTraineeListingSchema = Joi.object<CourseTraineeListing>({
  search: searchIn('name and email address of the trainee'),
  progress,
  ...statusListing,
  ...listing.sorting(traineeSortFields),
});

export interface AvailableTraineeListing extends PagingWithKey {
  courseId: string;
  group?: string;
  search?: string;
}

/** Query of `GET /api/enrollments/available-trainees`. */
export const availableTraineeListingSchema = Joi.object<AvailableTraineeListing>({
  courseId: courseId.required(),
  group: fields.group,
  search: listing.search,
  ...listing.pagingWithKey(20),
});

export interface TraineeLookup {
  courseId: string;
  emails: string[];
}

/** Body of `POST /api/enrollments/available-trainees`. */
export const traineeLookupSchema = Joi.object<TraineeLookup, true>({
  courseId: courseId.required(),
  emails: fields.emailList.description('Emails of trainees. Case and surrounding spaces do not count.'),
});

/** Whether the trainee joins the waiting list if there is no seat. */
const joinWaitingList = fields.strictBoolean('joinWaitingList').default(false);

export interface EnrollmentRequest {
  courseId: string;
  notes?: string | null;
  joinWaitingList: boolean;
}

/** Body of `POST /api/enrollments`. */
export const enrollmentRequestSchema = Joi.object<EnrollmentRequest>({
  courseId: courseId.required(),
  notes,
  joinWaitingList,
});

/** First status of an enrollment that a manager creates. */
const initialStatus = fields.oneOf('status', initialStatuses).default('active');

export const whenFullChoices = ['reject', 'wait'] as const;
/** Treatment of trainees if the course is full: refusal, or the waiting list. */
export type WhenFull = (typeof whenFullChoices)[number];

const whenFull = fields.oneOf('whenFull', whenFullChoices).default('reject');

export interface EnrollmentAssignment extends NotesOrReply {
  courseId: string;
  traineeId: string;
  status: InitialStatus;
  whenFull: WhenFull;
}

/** Fields that are the same for all trainees of an assignment. */
export const assignedStateSchema = Joi.object<Pick<EnrollmentAssignment, 'status' | 'reply' | 'whenFull'>>({
  status: initialStatus,
  reply,
  whenFull,
});

/** Body of `POST /api/enrollments/assign`. */
export const enrollmentAssignmentSchema = eitherNotesOrReply(
  Joi.object<EnrollmentAssignment>({
    courseId: courseId.required(),
    traineeId: fields.id('traineeId').required(),
    status: initialStatus,
    whenFull,
    notes,
    reply,
  }),
);

/** Maximum number of accounts or enrollments in one request. */
const maxIds = 500;

const ids = (label: string) => fields.idList(label, maxIds).required();

export interface BulkAssignment extends Omit<EnrollmentAssignment, 'traineeId'> {
  /** Excludes `groupId`. */
  traineeIds?: string[];
  groupId?: string;
  dryRun: boolean;
}

/** Maximum number of trainees of a group in one request. */
export const maxOfGroup = 1000;

/** Maximum total of reply characters in one request: each enrollment stores a copy. */
export const maxReply = 100_000;

/** Limits the total length of notes or a reply to all trainees. The schema must check `traineeIds` before the text. */
const withinTotalLength =
  (label: string) =>
  (value: string, helpers: Types.CustomHelpers): string | Types.ErrorReport => {
    // The first ancestor is the object that contains the reply.
    const { traineeIds } = helpers.state.ancestors[0] as { traineeIds?: unknown };
    const count = Array.isArray(traineeIds) ? Math.min(Math.max(traineeIds.length, 1), maxIds) : 1;
    const most = Math.floor(maxReply / count);
    return fields.countCharacters(value) > most
      ? refuse(helpers, fields.tooLong(most, `${label} must be at most ${most} characters for ${count} trainees.`))
      : value;
  };

/** Body of `POST /api/enrollments/bulk`. */
export const bulkAssignmentSchema = eitherNotesOrReply(
  Joi.object<BulkAssignment>({
    courseId: courseId.required(),
    traineeIds: fields.idList('traineeIds', maxIds),
    groupId: fields
      .id('groupId')
      .description('Group whose active trainees are enrolled, up to 1,000, instead of a list; oldest account first'),
    dryRun: fields.strictBoolean('dryRun').default(false).description('Only report what would be done').example(false),
    status: initialStatus,
    whenFull,
    notes: notes.custom(withinTotalLength('Notes')),
    reply: reply.custom(withinTotalLength('Reply')),
  }),
);

const expectedStatus = fields.oneOf('expectedStatus', enrollmentStatuses);

export interface StatusChange extends NotesOrReply {
  status: EnrollmentStatus;
  /** Expected status before the change. The change is refused if the enrollment has another status. */
  expectedStatus?: EnrollmentStatus;
  /** Whether a trainee who requests enrollment again joins the waiting list if there is no seat. */
  joinWaitingList: boolean;
}

/** Body of `PUT /api/enrollments/:id/status`. */
export const statusChangeSchema = eitherNotesOrReply(
  Joi.object<StatusChange>({
    status: status.required(),
    expectedStatus,
    notes,
    reply,
    joinWaitingList,
  }),
);

/** Maximum number of enrollments in one change of status. */
export const maxStatusChanges = 1000;

export interface BulkStatusChange extends NotesOrReply {
  status: EnrollmentStatus;
  expectedStatus?: EnrollmentStatus;
  /** Ids of the enrollments. Excludes `filter`. */
  ids?: string[];
  filter?: EnrollmentFilter;
}

/** Body of `PUT /api/enrollments/bulk/status`. */
export const bulkStatusSchema = eitherNotesOrReply(
  Joi.object<BulkStatusChange>({
    status: fields.oneOf('status', statusesSetBy('manager')).required(),
    expectedStatus,
    ids: fields.idList('ids', maxStatusChanges).description('The enrollments, in the order in which they get seats'),
    filter: listing
      .conditions<EnrollmentFilter>({
        ...enrollmentFilter,
        status: Joi.array()
          .items(fields.oneOf('status', enrollmentStatuses))
          .min(1)
          .unique()
          .messages({ '*': `status must be a list of ${enrollmentStatuses.join(', ')}, each once.` }),
        progress: fields.strictWholeNumber('progress', ...enrollmentFields.progress.column.range),
      })
      .description('All matching enrollments, up to 1,000, instead of a list; oldest enrollment first'),
    notes,
    reply,
  }),
);

/** Body of `PUT /api/enrollments/:id/reply`: null and the empty string remove the reply. */
export const replySchema = Joi.object<{ reply: string | null }, true>({
  reply: fields.reply.allow(null, '').required(),
});

/** Body of `PUT /api/enrollments/:id/progress`. */
export const progressSchema = Joi.object<{ progress: number }, true>({
  progress: fields.strictWholeNumber('progress', ...enrollmentFields.progress.column.range).required(),
});

/** Body of `DELETE /api/enrollments/bulk/remove`. */
export const bulkRemovalSchema = Joi.object<{ enrollmentIds: string[] }, true>({ enrollmentIds: ids('enrollmentIds') });
