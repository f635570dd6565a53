import { useTranslation } from 'react-i18next';
import type { ResponseBody } from '../api/client.js';
import { statusRules } from '../api/enrollment-statuses.js';
import { useApi } from '../api/queries.js';
import type { Course } from '../courses/course-values.js';
import type { EnrollmentStatus } from '../enrollments/enrollment-changes.js';

export type OwnEnrollment = ResponseBody<'listOwnEnrollments'>['enrollments'][number];

/** A course, or what those still see of it who have a place in one that isn't published any more. */
export type EnrolledCourse = Course | (OwnEnrollment['course'] & { isPublished: false });

/** Whether an enrollment has progress to show. */
export const hasProgress = (status: EnrollmentStatus): boolean =>
  statusRules[status].takesPart || status === 'completed';

/** The statuses of the trainee's newest hundred enrollments, which one request gives, by course. */
export function useOwnStatuses(): ReadonlyMap<string, EnrollmentStatus> {
  const { data } = useApi('listOwnEnrollments', { query: { limit: 100 } });
  return new Map(data?.enrollments.map(({ courseId, status }) => [courseId, status]));
}

/** The state of the trainee's own enrollment in a sentence: the place on a waiting list, or how it ended. */
export function OwnStatus({ enrollment }: { enrollment: OwnEnrollment }) {
  const { t } = useTranslation();
  const { status, waitingPlace, cancelReason } = enrollment;
  if (status === 'waiting' && waitingPlace) return t('catalogue.waiting.place', { place: waitingPlace });
  if (status === 'cancelled' && cancelReason) return t(`catalogue.cancelReason.${cancelReason}`);
  return t(`catalogue.status.${status}`);
}
