import type { Context } from '../../context.js';
import { isAppError } from '../../errors.js';
import { findUser } from '../../services/accounts/queries.js';
import { findCourseNamed } from '../../services/courses/queries.js';

/**
 * The id of the account that an id, an email address or a phone number means. What means none is passed on as it is:
 * then the service says so, in its own words and its own order.
 */
export async function userIdOf(context: Context, reference: string): Promise<string> {
  try {
    return (await findUser(context, reference)).id;
  } catch (error) {
    if (isAppError(error, 'NOT_FOUND')) return reference;
    throw error;
  }
}

/** The same for a course, by id or exact title. @throws AppError `VALIDATION` for a title of several courses */
export async function courseIdOf(context: Context, reference: string): Promise<string> {
  return (await findCourseNamed(context, reference))?.id ?? reference;
}
