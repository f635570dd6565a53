import { AppError, isAppError } from '../../../errors.js';
import { findUser } from '../../../services/accounts/queries.js';
import type { Context } from '../../../services/context.js';
import { findCourseByName } from '../../../services/courses/find-course.js';
import { findGroupByName } from '../../../services/groups/queries.js';

const roleLists = { trainer: 'courses trainers', trainee: 'users list --role trainee' } as const;

/**
 * Returns the id of an account with this role.
 * @throws AppError `NOT_FOUND`, also for an account with another role
 */
export async function accountIdOf(context: Context, reference: string, role: keyof typeof roleLists): Promise<string> {
  const user = await findUser(context, reference);
  if (user.role === role) return user.id;
  const its = user.role.replace('_', ' ');
  const list = `To list ${role}s: coursectl ${roleLists[role]}`;
  throw new AppError('NOT_FOUND', `${user.email} is a ${its}, not a ${role}. ${list}`);
}

/**
 * Like {@link accountIdOf}, but returns an unknown reference unchanged. The service refuses it, after the checks that come
 * first in the API.
 */
export async function userIdOf(context: Context, reference: string, role: keyof typeof roleLists): Promise<string> {
  try {
    return await accountIdOf(context, reference, role);
  } catch (error) {
    // The error about another role has no subject.
    if (isAppError(error, 'NOT_FOUND') && error.subject !== undefined) return reference;
    throw error;
  }
}

/**
 * Returns the id of a course by id or title; an unknown reference is returned unchanged.
 * @throws AppError `VALIDATION` for a title of several courses
 */
export async function courseIdOf(context: Context, reference: string): Promise<string> {
  return (await findCourseByName(context, reference))?.id ?? reference;
}

/**
 * Returns the id of the group in a filter, by name or id; undefined without that filter.
 * @throws AppError `NOT_FOUND`, `VALIDATION`
 */
export async function groupIdOf(context: Context, reference: string | undefined): Promise<string | undefined> {
  return reference === undefined ? undefined : (await findGroupByName(context, reference)).id;
}
