import { notFound, validationError } from '../../../errors.js';
import { presentAuditEntry } from '../../../presenters/audit-entry.js';
import { type AuditTargetType, auditListingSchema, auditTargetTypes } from '../../../schemas/audit.js';
import { findUser } from '../../../services/accounts/queries.js';
import { auditedIdsEndingWith, listAudit } from '../../../services/audit/audit.js';
import type { Context } from '../../../services/context.js';
import { findCourseByName } from '../../../services/courses/find-course.js';
import { parseId } from '../../../services/ids.js';
import { importIdOf } from '../../../services/imports/store/find-import.js';
import { findIdEndingWith, isEndOfId, type ShortIdSubject } from '../../../services/short-ids.js';
import type { Result, Run } from '../../core/command/run.js';
import { checkListing, listing, presented } from '../../core/listing/listing.js';
import { auditColumns, type auditListOptions } from './columns.js';

/** What has an id that lists show the end of. */
const subjects: Readonly<Partial<Record<AuditTargetType, ShortIdSubject>>> = {
  user: 'User',
  course: 'Course',
  enrollment: 'Enrollment',
  import: 'Import',
  mail: 'Mail',
};

/** The id that ends so, of what there is or was. @throws AppError `VALIDATION` for the end of several */
async function endingWith(context: Context, end: string, targetType: AuditTargetType | undefined) {
  const types = targetType === undefined ? Object.values(subjects) : [subjects[targetType] ?? []].flat();
  const present = await Promise.all(types.map((subject) => findIdEndingWith(context, subject, end)));
  const recorded = await auditedIdsEndingWith(context, end, targetType);
  const [id, ...others] = new Set([...present, ...recorded].filter((found) => found !== undefined));
  if (others.length === 0) return id;
  const message = `Target: several ids end with ${end}. Give the whole id: ${[id, ...others].join(', ')}.`;
  throw validationError([{ path: 'targetId', code: 'AMBIGUOUS', message }]);
}

/** The id of a course. What may be the end of an id is returned as it is, and finds no entries. */
async function courseNamed(context: Context, typed: string): Promise<string> {
  const course = await findCourseByName(context, typed);
  if (course) return course.id;
  if (isEndOfId(typed)) return typed;
  throw notFound('Course');
}

/**
 * The id of what a text names: a whole id in any spelling, or the end of one, also of something that was deleted; an email
 * address; with a type the names that commands take. Any other text is returned as it is.
 * @throws AppError `VALIDATION` for a name of several; `NOT_FOUND` for an email address, and with type `user` or `course` for
 *   any name, of none
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
    const ended = await endingWith(context, typed.toLowerCase(), targetType);
    if (ended !== undefined) return ended;
  }
  if (targetType === 'import') return importIdOf(context, typed);
  if (targetType === 'course') return courseNamed(context, typed);
  const isAccount = targetType === 'user' || (targetType === undefined && typed.includes('@'));
  return isAccount ? (await findUser(context, typed)).id : typed;
}

/** The id of an account; one that was deleted is known by its id alone. @throws AppError `NOT_FOUND`, `VALIDATION` */
async function actorIdOf(context: Context, reference: string): Promise<string> {
  return parseId(reference) ?? (await findUser(context, reference)).id;
}

/** @throws AppError `USAGE`, `VALIDATION` */
export function checkList(run: Run<'', typeof auditListOptions>): void {
  // Not the target: it may be a name, which is longer than an id. The listing checks the id that it has.
  const { action, targetType, from, to } = run.options;
  checkListing(run, auditColumns, auditListingSchema, { action, targetType, from, to });
}

/** Who changed what. @throws AppError `NOT_FOUND`, `VALIDATION` */
export async function list(run: Run<'', typeof auditListOptions>): Promise<Result> {
  const { action, actor, targetType, target, from, to } = run.options;
  const listed = { key: 'entries', one: 'entry', many: 'entries', columns: auditColumns };
  return listing(run, listed, async () => {
    const context = await run.context();
    const actorId = actor === undefined ? undefined : await actorIdOf(context, actor);
    // The options were checked: it is one of the types.
    const type = auditTargetTypes.find((one) => one === targetType);
    const targetId = target === undefined ? undefined : await targetIdOf(context, target, type);
    const query = { action, targetType, targetId, from, to, actorId };
    return async (page) => presented(await listAudit(context, { ...query, ...page }), presentAuditEntry);
  });
}
