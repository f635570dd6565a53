import { call } from '../api/client.js';
import type { EnrollmentRow } from './enrollment-changes.js';
import type { EnrollmentFilter } from './status-filter.js';

/** The most enrollments that the service lists at once. */
const maxListed = 100;

/**
 * All enrollments that match, who enrolled first first: where seats run out, they get them.
 * @param signal no further request is sent once it is aborted
 * @throws ApiError
 */
export async function readEnrollments(filter: EnrollmentFilter, signal: AbortSignal): Promise<EnrollmentRow[]> {
  const rows = new Map<string, EnrollmentRow>();
  const order = { sortBy: 'enrolledAt', sortOrder: 'ASC', limit: maxListed } as const;
  for (let after: { afterId?: string } = {}; ; ) {
    // Never by the number of the page: one that leaves the filter meanwhile would move the others forward.
    const { enrollments } = await call('listEnrollments', { query: { ...filter, ...order, ...after } }, signal);
    for (const row of enrollments) rows.set(row.id, row);
    const last = enrollments.at(-1);
    if (last === undefined || enrollments.length < maxListed) return [...rows.values()];
    after = { afterId: last.id };
  }
}
