import { notFound, validationError } from '../../../errors.js';
import { presentAuditEntry } from '../../../presenters/audit-entry.js';
import { type AuditTargetType, auditListingSchema, auditTargetTypes } from '../../../schemas/audit.js';
import { findUser } from '../../../services/accounts/queries.js';
import { auditedIdsEndingWith, listAudit } from '../../../services/audit/audit.js';
import type { Context } from '../../../services/context.js';
import { findCourseByName } from '../../../services/courses/find-course.js';
import { findGroupByName } from '../../../services/groups/queries.js';
import { parseId } from '../../../services/ids.js';
import { importIdOf } from '../../../services/imports/store/find-import.js';
import { findIdEndingWith, isEndOfId, type ShortIdSubject } from '../../../services/short-ids.js';
import type { Result, Run } from '../../core/command/run.js';
import { checkListing, listing, presented } from '../../core/listing/listing.js';
import { auditColumns, type auditListOptions } from './columns.js';

/** Types whose short ids appear in lists. */
const subjects: Readonly<Partial<Record<AuditTargetType, ShortIdSubject>>> = {
  user: 'User',
  course: 'Course',
  group: 'Group',
  enrollment: 'Enrollment',
  import: 'Import',
  mail: 'Mail',
};

/** Returns the id with this end, also of a deleted record. @throws AppError `VALIDATION` if several ids have this end */
async function idEndingWith(context: Context, end: string, targetType: AuditTargetType | undefined) {
  const types = targetType === undefined ? Object.values(subjects) : [subjects[targetType] ?? []].flat();
  const present = await Promise.all(types.map((subject) => findIdEndingWith(context, subject, end)));
  const recorded = await auditedIdsEndingWith(context, end, targetType);
  const [id, ...others] = new Set([...present, ...recorded].filter((found) => found !== undefined));
  if (others.length === 0) return id;
  const message = `Target: several ids end with ${end}. Give the whole id: ${[id, ...others].join(', ')}.`;
  throw validationError([{ path: 'targetId', code: 'AMBIGUOUS', message }]);
}

/** Returns the id of a course. Returns an unknown short id unchanged, which matches no entries. @throws AppError `NOT_FOUND` */
async function courseNamed(context: Context, typed: string): Promise<string> {
  const course = await findCourseByName(context, typed);
  if (course) return course.id;
  if (isEndOfId(typed)) return typed;
  throw notFound('Course');
}

/**
 * Returns the id of a target: from a whole id in any spelling, a short id (also of deleted records), an email address, or
 * with `targetType` a name that other commands accept. Any other text is returned unchanged.
 * @throws AppError `VALIDATION` for an ambiguous name; `NOT_FOUND` for an unknown email address, and with `targetType`
 *   `user`, `group` or `course` for any unknown name
 */
async function targetIdOf(
  context: Context,
  reference: string,
  targetType: AuditTargetType | undefined,
): Promise<string> {
  const typed = reference.trim();
  const whole = parseId(typed);
  if (whole !== undefined) return whole;
  if (isEndOfId(typed)) {
    const ended = await idEndingWith(context, typed.toLowerCase(), targetType);
    if (ended !== undefined) return ended;
  }
  if (targetType === 'import') return importIdOf(context, typed);
  if (targetType === 'group') return (await findGroupByName(context, typed)).id;
  if (targetType === 'course') return courseNamed(context, typed);
  const isAccount = targetType === 'user' || (targetType === undefined && typed.includes('@'));
  return isAccount ? (await findUser(context, typed)).id : typed;
}

/** Returns the id of an account. A deleted account is known by its id only. @throws AppError `NOT_FOUND`, `VALIDATION` */
async function actorIdOf(context: Context, reference: string): Promise<string> {
  return parseId(reference) ?? (await findUser(context, reference)).id;
}

/** @throws AppError `USAGE`, `VALIDATION` */
export function checkList(run: Run<'', typeof auditListOptions>): void {
  // Excludes the target, because a name may be longer than an id. The listing checks the id.
  const { action, targetType, from, to } = run.options;
  checkListing(run, auditColumns, auditListingSchema, { action, targetType, from, to });
}

/** Lists the entries of the audit log. @throws AppError `NOT_FOUND`, `VALIDATION` */
export async function list(run: Run<'', typeof auditListOptions>): Promise<Result> {
  const { action, actor, targetType, target, from, to } = run.options;
  const listed = { key: 'entries', singular: 'entry', plural: 'entries', columns: auditColumns };
  return listing(run, listed, async () => {
    const context = await run.context();
    const actorId = actor === undefined ? undefined : await actorIdOf(context, actor);
    // checkList() has checked the type.
    const type = auditTargetTypes.find((one) => one === targetType);
    const targetId = target === undefined ? undefined : await targetIdOf(context, target, type);
    const query = { action, targetType, targetId, from, to, actorId };
    return async (page) => presented(await listAudit(context, { ...query, ...page }), presentAuditEntry);
  });
}
