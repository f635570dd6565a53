import { useTranslation } from 'react-i18next';
import type { ResponseBody } from '../api/client.js';
import { statusRules } from '../api/enrollment-statuses.js';
import { useApi } from '../api/queries.js';
import type { Course } from '../courses/course-values.js';
import type { EnrollmentStatus } from '../enrollments/enrollment-changes.js';

export type OwnEnrollment = ResponseBody<'listOwnEnrollments'>['enrollments'][number];

/** Course of an enrollment. If it is no longer published, only the fields in the enrollment are known. */
export type EnrolledCourse = Course | (OwnEnrollment['course'] & { isPublished: false });

export const hasProgress = (status: EnrollmentStatus): boolean =>
  statusRules[status].takesPart || status === 'completed';

/** Statuses of the trainee's newest 100 enrollments, by course id: the most that one request returns. */
export function useOwnStatuses(): ReadonlyMap<string, EnrollmentStatus> {
  const { data } = useApi('listOwnEnrollments', { query: { limit: 100 } });
  return new Map(data?.enrollments.map(({ courseId, status }) => [courseId, status]));
}

/** Status of the trainee's own enrollment in a sentence, with the number on the waiting list or the reason of cancellation. */
export function OwnStatus({ enrollment }: { enrollment: OwnEnrollment }) {
  const { t } = useTranslation();
  const { status, waitingPlace, cancelReason } = enrollment;
  if (status === 'waiting' && waitingPlace) return t('catalogue.waiting.place', { place: waitingPlace });
  if (status === 'cancelled' && cancelReason) return t(`catalogue.cancelReason.${cancelReason}`);
  return t(`catalogue.status.${status}`);
}
