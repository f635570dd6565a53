import type Types from 'joi';
import { enrollmentFieldNames, enrollmentFields } from './enrollment-fields.js';
import {
  type EnrollmentStatus,
  enrollmentStatuses,
  type InitialStatus,
  initialStatuses,
  settableStatuses,
} from './enrollment-statuses.js';
import * as fields from './fields.js';
import Joi from './joi.js';
import type { PagingWithKey, Sorting } from './listing.js';
import * as listing from './listing.js';
import { refused } from './problems.js';
import { type ExportQuery, exportQuery } from './table-format.js';

const status = fields.oneOf('status', settableStatuses);
const courseId = fields.id('courseId');

/** Notes; null and the empty string mean none. */
const notes = fields.orNothing(fields.notes);

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

export interface OwnEnrollmentListing extends StatusListing {
  courseId?: string;
  search?: string;
}

/** Query of `GET /api/enrollments/my`. */
export const ownEnrollmentListingSchema = Joi.object<OwnEnrollmentListing>({
  courseId,
  search: searchIn('title, category and tags of the course'),
  ...statusListing,
});

/** Which enrollments are listed or exported. */
export interface EnrollmentFilter {
  courseId?: string;
  userId?: string;
  trainerId?: string;
  search?: string;
  status?: EnrollmentStatus[];
}

const enrollmentFilter = {
  courseId,
  userId: fields.id('userId'),
  trainerId: fields.id('trainerId'),
  search: searchIn('name and email address of the trainee'),
  status: statuses,
};

export interface EnrollmentListing extends EnrollmentFilter, StatusListing {}

/** Query of `GET /api/enrollments`. */
export const enrollmentListingSchema = Joi.object<EnrollmentListing>({ ...enrollmentFilter, ...statusListing });

/** The columns of an export of enrollments. */
export const enrollmentExportFields = [
  ...(['firstName', 'lastName', 'email', 'phone', 'course'] as const),
  ...enrollmentFieldNames,
  ...(['id', 'userId', 'courseId'] as const),
];
export type EnrollmentExportField = (typeof enrollmentExportFields)[number];

export type EnrollmentExport = EnrollmentFilter & ExportQuery<EnrollmentExportField>;

const exportSchemaOf = (columns: readonly EnrollmentExportField[]) =>
  Joi.object<EnrollmentExport>({ ...enrollmentFilter, ...exportQuery(columns) });

/** Query of `GET /api/enrollments/export.csv`. */
export const enrollmentExportSchema = exportSchemaOf(enrollmentExportFields);

/** The same for trainers, who aren't shown phones. */
export const trainerEnrollmentExportSchema = exportSchemaOf(
  enrollmentExportFields.filter((field) => field !== 'phone'),
);

/** Query of `GET /api/enrollments/trainer/:trainerId` (specification, section 4.12). */
export const trainerEnrollmentListingSchema = Joi.object<OwnEnrollmentListing>({
  courseId,
  search: listing.search,
  ...statusListing,
});

const traineeSortFields = [...enrollmentSortFields, 'lastName'] as const;

export interface CourseTraineeListing extends PagingWithKey, Sorting<(typeof traineeSortFields)[number]> {
  status?: EnrollmentStatus[];
  search?: string;
}

/** Query of `GET /api/enrollments/course/:courseId/trainees`. */
export const courseTraineeListingSchema = Joi.object<CourseTraineeListing>({
  search: searchIn('name and email address of the trainee'),
  ...statusListing,
  ...listing.sorting(traineeSortFields),
});

export interface AvailableTraineeListing extends PagingWithKey {
  courseId: string;
  search?: string;
}

/** Query of `GET /api/enrollments/available-trainees`. */
export const availableTraineeListingSchema = Joi.object<AvailableTraineeListing>({
  courseId: courseId.required(),
  search: listing.search,
  ...listing.pagingWithKey(20),
});

export interface EnrollmentRequest {
  courseId: string;
  notes?: string | null;
}

/** Body of `POST /api/enrollments`. */
export const enrollmentRequestSchema = Joi.object<EnrollmentRequest>({ courseId: courseId.required(), notes });

/** The first status of an enrollment that isn't the trainee's own request. */
const initialStatus = fields.oneOf('status', initialStatuses).default('active');

export interface EnrollmentAssignment {
  courseId: string;
  traineeId: string;
  status: InitialStatus;
  notes?: string | null;
}

const assignedState = { status: initialStatus, notes };

/** What is the same for all trainees of an assignment. */
export const assignedStateSchema = Joi.object<Pick<EnrollmentAssignment, 'status' | 'notes'>>(assignedState);

/** Body of `POST /api/enrollments/assign`. */
export const enrollmentAssignmentSchema = Joi.object<EnrollmentAssignment>({
  courseId: courseId.required(),
  traineeId: fields.id('traineeId').required(),
  ...assignedState,
});

/** Accounts or enrollments that one request can name. */
const maxIds = 500;

const ids = (label: string) => fields.idList(label, maxIds).required();

export interface BulkAssignment extends Omit<EnrollmentAssignment, 'traineeId'> {
  traineeIds: string[];
}

/** Characters of notes in the answer to one request: each of its enrollments repeats them. */
const maxNotes = 100_000;

/** The notes stand after `traineeIds`, which have been checked by then. */
function notesForAll(value: string, helpers: Types.CustomHelpers): string | Types.ErrorReport {
  // The first ancestor is the object that the notes are of.
  const { traineeIds } = helpers.state.ancestors[0] as { traineeIds?: unknown };
  const count = Array.isArray(traineeIds) ? Math.min(Math.max(traineeIds.length, 1), maxIds) : 1;
  const most = Math.floor(maxNotes / count);
  return fields.characters(value) > most
    ? refused(helpers, fields.tooLong(most, `Notes must be at most ${most} characters for ${count} trainees.`))
    : value;
}

/** Body of `POST /api/enrollments/bulk`. */
export const bulkAssignmentSchema = Joi.object<BulkAssignment>({
  courseId: courseId.required(),
  traineeIds: ids('traineeIds'),
  status: initialStatus,
  notes: notes.custom(notesForAll),
});

export interface StatusChange {
  status: EnrollmentStatus;
  /** What the change begins from: with another status by then it is refused. */
  expectedStatus?: EnrollmentStatus;
  notes?: string | null;
}

/** Body of `PUT /api/enrollments/:id/status`. */
export const statusChangeSchema = Joi.object<StatusChange>({
  status: status.required(),
  expectedStatus: fields.oneOf('expectedStatus', enrollmentStatuses),
  notes,
});

/** Body of `PUT /api/enrollments/:id/progress`. */
export const progressSchema = Joi.object<{ progress: number }, true>({
  progress: fields.strictWholeNumber('progress', ...enrollmentFields.progress.column.range).required(),
});

/** Body of `DELETE /api/enrollments/bulk/remove`. */
export const bulkRemovalSchema = Joi.object<{ enrollmentIds: string[] }, true>({ enrollmentIds: ids('enrollmentIds') });
