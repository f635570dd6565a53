import type { Context } from '../../context.js';
import { isAppError } from '../../errors.js';
import { findUser } from '../../services/accounts/queries.js';
import { findCourseNamed } from '../../services/courses/names.js';

/**
 * The id of the account that an id or the end of one, an email address or a phone number names. A reference to none is returned
 * as it is: the service then refuses it, in its order of checks.
 */
export async function userIdOf(context: Context, reference: string): Promise<string> {
  try {
    return (await findUser(context, reference)).id;
  } catch (error) {
    if (isAppError(error, 'NOT_FOUND')) return reference;
    throw error;
  }
}

/** The same for a course, by id or title. @throws AppError `VALIDATION` for a title of several courses */
export async function courseIdOf(context: Context, reference: string): Promise<string> {
  return (await findCourseNamed(context, reference))?.id ?? reference;
}
