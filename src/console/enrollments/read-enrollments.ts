import { call } from '../api/client.js';
import type { readAll } from '../ui/lists/selection.js';
import type { EnrollmentRow } from './enrollment-changes.js';
import type { EnrollmentFilter } from './status-filter.js';

type Read = Parameters<typeof readAll<EnrollmentRow>>[0];

/** Returns a reader for `readAll`. The oldest enrollments come first, so they get the last seats. */
export const enrollmentReader =
  (filter: EnrollmentFilter, signal?: AbortSignal): Read =>
  async (following) => {
    const query = { ...filter, sortBy: 'enrolledAt', sortOrder: 'ASC', ...following } as const;
    return (await call('listEnrollments', { query }, signal)).enrollments;
  };
