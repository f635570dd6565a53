import { cancelReasons, enrollmentStatuses } from './enrollment-statuses.js';
import { fieldNames, type StoredFields, type ValuesOf } from './fields-table.js';

/**
 * The fields of an enrollment, each declared once: the model, new rows, responses and the audit log derive from this table. What
 * requests take of them is in enrollment.ts.
 */
export const enrollmentFields = {
  status: { column: { type: 'word', length: 20, words: enrollmentStatuses, default: 'pending' } },
  progress: { column: { type: 'number', range: [0, 100], default: 0 } },
  /** The trainee's words, with the request. */
  notes: { column: { type: 'longText', nullable: true } },
  notesAt: { column: { type: 'moment', nullable: true } },
  /** The words of a manager of the course. */
  reply: { column: { type: 'longText', nullable: true } },
  replyAt: { column: { type: 'moment', nullable: true } },
  /** The account that replied; null at the terminal. */
  replyBy: { column: { type: 'id', nullable: true } },
  /** How a cancelled enrollment ended; null where that isn't known. */
  cancelReason: { column: { type: 'word', length: 20, words: cancelReasons, nullable: true } },
  enrolledAt: { column: { type: 'moment' } },
  completedAt: { column: { type: 'moment', nullable: true } },
} as const satisfies StoredFields;

export type EnrollmentField = keyof typeof enrollmentFields;
export type EnrollmentValues = ValuesOf<typeof enrollmentFields>;
export const enrollmentFieldNames = fieldNames(enrollmentFields);
