import { Op } from 'sequelize';
import type { Course } from '../../db/models/course.js';
import type { Enrollment } from '../../db/models/enrollment.js';
import type { User } from '../../db/models/user.js';
import { rowQuery } from '../../db/sql/page.js';
import { AppError, isAppError, notFound } from '../../errors.js';
import { enrollmentListingSchema } from '../../schemas/enrollment.js';
import { validate } from '../../schemas/validate.js';
import type { Actor, Core } from '../core.js';
import { parseId } from '../ids.js';
import { resolveShortId } from '../short-ids.js';
import { newestFirst, planEnrollmentSearch } from './queries.js';

/** Enrollments per query. */
const batch = 500;

/** Fields of an enrollment for a bulk change, without the long texts of the course. */
export interface NameableEnrollment extends Pick<Enrollment, 'id' | 'status' | 'progress' | 'reply'> {
  user: Pick<User, 'firstName' | 'lastName'>;
  /** The trainee's name before a rename; null without one. */
  formerName: string | null;
  course: Pick<Course, 'title' | 'startDate'>;
}

const withNames = ({ database: { models } }: Core) => [
  { model: models.User, as: 'user', attributes: ['firstName', 'lastName'] },
  { model: models.Course, as: 'course', attributes: ['title', 'startDate'] },
];

/** @param enrollment read with {@link withNames} */
function nameable(enrollment: Enrollment): NameableEnrollment {
  const { id, status, progress, reply, user, course } = enrollment;
  if (!user || !course) throw new Error(`Enrollment ${id} was read without its trainee or its course.`);
  const { firstName, lastName } = user;
  const { title, startDate } = course;
  const formerName = enrollment.formerNameIfDifferent();
  return { id, status, progress, reply, formerName, user: { firstName, lastName }, course: { title, startDate } };
}

/** Returns the id of a reference, or an error. */
async function idOf(core: Core, reference: string): Promise<string | AppError> {
  const id = parseId(reference);
  if (id !== undefined) return id;
  try {
    return await resolveShortId(core, 'Enrollment', reference);
  } catch (error) {
    if (isAppError(error, 'VALIDATION')) return error;
    throw error;
  }
}

/**
 * Finds enrollments by ids or ends of ids, with few queries for many references.
 * @param signal stops the search between two queries
 * @returns for each reference the enrollment, or an error: `NOT_FOUND`, or `VALIDATION` for the end of several ids
 * @throws AppError `INTERRUPTED`
 */
export async function findReferencedEnrollments(
  core: Core,
  references: readonly string[],
  signal: AbortSignal,
): Promise<(NameableEnrollment | AppError)[]> {
  const found: (NameableEnrollment | AppError)[] = [];
  for (let at = 0; at < references.length; at += batch) {
    const ids: (string | AppError)[] = [];
    for (const reference of references.slice(at, at + batch)) {
      if (signal.aborted) throw new AppError('INTERRUPTED');
      ids.push(await idOf(core, reference));
    }
    const where = { id: ids.filter((id) => typeof id === 'string') };
    const include = withNames(core);
    const enrollments = await core.database.read(() => core.database.models.Enrollment.findAll({ where, include }));
    const byId = new Map(enrollments.map((enrollment) => [enrollment.id, nameable(enrollment)]));
    found.push(...ids.map((id) => (isAppError(id) ? id : (byId.get(id) ?? notFound('Enrollment')))));
  }
  return found;
}

/**
 * Returns all enrollments that the actor may see and that match a filter of {@link enrollmentListingSchema}, newest first. One
 * statement reads all ids, so that no enrollment is missed while others stop matching.
 * @param signal stops the search between two queries
 * @throws AppError `VALIDATION`, `INTERRUPTED`
 */
export async function findMatchingEnrollments(
  core: Core,
  actor: Actor,
  input: unknown,
  signal: AbortSignal,
): Promise<NameableEnrollment[]> {
  const { where, parts } = await planEnrollmentSearch(core, actor, validate(enrollmentListingSchema, input));
  const { models, read } = core.database;
  const rows = rowQuery(models.Enrollment, { where, parts: parts?.parts, order: newestFirst });
  const ids = await read(() => rows.firstIds(Number.MAX_SAFE_INTEGER));
  const include = withNames(core);
  const found: NameableEnrollment[] = [];
  for (let at = 0; at < ids.length; at += batch) {
    if (signal.aborted) throw new AppError('INTERRUPTED');
    const still = { [Op.and]: [{ id: ids.slice(at, at + batch) }, where] };
    const enrollments = await read(() => models.Enrollment.findAll({ where: still, order: newestFirst, include }));
    found.push(...enrollments.map(nameable));
  }
  return found;
}
