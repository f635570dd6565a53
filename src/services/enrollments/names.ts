import type { Enrollment } from '../../db/models/enrollment.js';
import { AppError, isAppError, notFound } from '../../errors.js';
import type { Core } from '../core.js';
import { idIn } from '../ids.js';
import { wholeId } from '../short-ids.js';
import { withUserAndCourse } from './queries.js';

/** Enrollments per query. */
const batch = 500;

/** The id that a reference means, or why it means none. */
async function idOf(core: Core, reference: string): Promise<string | AppError> {
  const id = idIn(reference);
  if (id !== undefined) return id;
  try {
    return await wholeId(core, 'Enrollment', reference);
  } catch (error) {
    if (isAppError(error, 'VALIDATION')) return error;
    throw error;
  }
}

/**
 * The enrollments with these ids, or the ends of them, with few queries for many of them; or why there is none: `NOT_FOUND`, or
 * `VALIDATION` for the end of several ids.
 * @param signal ends it between two queries
 * @throws AppError `INTERRUPTED`
 */
export async function enrollmentsNamed(
  core: Core,
  references: readonly string[],
  signal: AbortSignal,
): Promise<(Enrollment | AppError)[]> {
  const found: (Enrollment | AppError)[] = [];
  for (let at = 0; at < references.length; at += batch) {
    const ids: (string | AppError)[] = [];
    for (const reference of references.slice(at, at + batch)) {
      if (signal.aborted) throw new AppError('INTERRUPTED');
      ids.push(await idOf(core, reference));
    }
    const where = { id: ids.filter((id) => typeof id === 'string') };
    const include = withUserAndCourse(core);
    const enrollments = await core.database.read(() => core.database.models.Enrollment.findAll({ where, include }));
    const byId = new Map(enrollments.map((enrollment) => [enrollment.id, enrollment]));
    found.push(...ids.map((id) => (isAppError(id) ? id : (byId.get(id) ?? notFound('Enrollment')))));
  }
  return found;
}
