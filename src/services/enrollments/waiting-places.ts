import type { Enrollment } from '../../db/models/enrollment.js';
import { readWaitingPlaces } from '../../db/sql/waiting-list.js';
import type { Core } from '../core.js';

/** Adds places to enrollments on a waiting list, with one query for all, or no query if nobody waits. */
export async function addWaitingPlaces(
  { database }: Core,
  enrollments: readonly Pick<Enrollment, 'id' | 'status' | 'courseId' | 'waitingNumber' | 'waitingPlace'>[],
): Promise<void> {
  const waiting = enrollments.filter(({ status }) => status === 'waiting');
  if (waiting.length === 0) return;
  const places = await database.read(() => readWaitingPlaces(database, waiting));
  for (const enrollment of waiting) enrollment.waitingPlace = places.get(enrollment.id);
}

/**
 * Adds places on the waiting list to changed enrollments. Runs after the commit, so that others who enroll in the course don't wait for
 * the query. A failure is only logged, because the change is committed.
 */
export async function addPlacesAfterChange(core: Core, enrollments: readonly Enrollment[]): Promise<void> {
  try {
    await addWaitingPlaces(core, enrollments);
  } catch (error) {
    const ids = enrollments.map(({ id }) => id);
    core.logger.warn({ err: error, enrollments: ids }, 'could not read places on the waiting list');
  }
}
