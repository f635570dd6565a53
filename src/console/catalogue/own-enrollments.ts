import { useApi } from '../api/queries.js';
import type { EnrollmentStatus } from '../enrollments/enrollment-changes.js';

/** The states of a trainee's enrollments, by course: of the newest hundred, which is what one request gives. */
export function useOwnStatuses(): ReadonlyMap<string, EnrollmentStatus> {
  const { data } = useApi('listOwnEnrollments', { query: { limit: 100 } });
  return new Map(data?.enrollments.map(({ courseId, status }) => [courseId, status]));
}
