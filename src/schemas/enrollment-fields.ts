import { cancelReasons, enrollmentStatuses } from './enrollment-statuses.js';
import { fieldNames, type StoredFields, type ValuesOf } from './fields-table.js';

/**
 * The fields of an enrollment, each declared once: the model, new rows, responses and the audit log derive from this table. See
 * enrollment.ts for requests.
 */
export const enrollmentFields = {
  status: { column: { type: 'word', length: 20, words: enrollmentStatuses, default: 'pending' } },
  progress: { column: { type: 'number', range: [0, 100], default: 0 } },
  /** Text of the trainee with the request. */
  notes: { column: { type: 'longText', nullable: true } },
  notesAt: { column: { type: 'moment', nullable: true } },
  /** Text of a manager of the course. */
  reply: { column: { type: 'longText', nullable: true } },
  replyAt: { column: { type: 'moment', nullable: true } },
  /** Account that replied; null for a reply from the terminal. */
  replyBy: { column: { type: 'id', nullable: true } },
  /** Reason of a cancellation; null if unknown. */
  cancelReason: { column: { type: 'word', length: 20, words: cancelReasons, nullable: true } },
  enrolledAt: { column: { type: 'moment' } },
  completedAt: { column: { type: 'moment', nullable: true } },
} as const satisfies StoredFields;

export type EnrollmentField = keyof typeof enrollmentFields;
export type EnrollmentValues = ValuesOf<typeof enrollmentFields>;
export const enrollmentFieldNames = fieldNames(enrollmentFields);
