import type { Transaction, WhereOptions } from 'sequelize';
import { col, fn, Op } from 'sequelize';
import type { AuditEntry } from '../../db/models/audit-entry.js';
import type { Course } from '../../db/models/course.js';
import type { Enrollment } from '../../db/models/enrollment.js';
import type { Session } from '../../db/models/session.js';
import type { User } from '../../db/models/user.js';
import { insertRows } from '../../db/sql/insert.js';
import type { Order } from '../../db/sql/page.js';
import { AppError } from '../../errors.js';
import { auditedFields } from '../../schemas/account-fields.js';
import {
  type AuditActionOn,
  type AuditTargetType,
  auditListingSchema,
  auditTargetTypeOf,
} from '../../schemas/audit.js';
import { courseFieldNames } from '../../schemas/course-fields.js';
import { enrollmentFieldNames } from '../../schemas/enrollment-fields.js';
import { validate } from '../../schemas/validate.js';
import type { Author, Core } from '../core.js';
import { withNewIds } from '../new-ids.js';
import { maxCounted, type Page, readPage } from '../paging.js';
import { addNames } from './audit-names.js';

/** A record about something of one kind. */
interface AuditRecordOn<Type extends AuditTargetType> {
  action: AuditActionOn<Type>;
  targetType: Type;
  targetId: string;
  before?: object;
  after?: object;
}

/**
 * The record of a privileged change, of any kind unless one is named. `before` and `after` hold no secrets: build them with the
 * functions below.
 */
export type AuditRecord<Type extends AuditTargetType = AuditTargetType> = {
  [One in Type]: AuditRecordOn<One>;
}[Type];

/**
 * The session of an author may have ended since the request was authenticated, while it waited for its body or in a queue.
 * @throws AppError `TOKEN_INVALID`
 */
async function assertSessionExists(core: Core, author: Author, transaction: Transaction): Promise<void> {
  const { sessionId } = author.origin === 'program' ? {} : author;
  if (sessionId === undefined) return;
  const session = await core.database.models.Session.findByPk(sessionId, { attributes: ['id'], transaction });
  if (!session) throw new AppError('TOKEN_INVALID');
}

/** Audit entries that are ready to be written. */
export interface PreparedAudit {
  /** Writes them: see {@link recordAudit}. */
  save(transaction: Transaction): Promise<void>;
}

/** Makes the rows of audit entries, without asking the database. */
export function prepareAudit(core: Core, actor: Author, records: readonly AuditRecord[]): PreparedAudit {
  const at = core.now();
  const rows = withNewIds(records).map(([id, { action, targetType, targetId, before, after }]) => ({
    id,
    at,
    actorId: actor.actorId,
    origin: actor.origin,
    ip: actor.ip,
    osUser: actor.origin === 'cli' ? core.osUser : null,
    action,
    targetType,
    targetId,
    beforeJson: before === undefined ? null : JSON.stringify(before),
    afterJson: after === undefined ? null : JSON.stringify(after),
  }));
  return {
    async save(transaction) {
      await assertSessionExists(core, actor, transaction);
      await insertRows(core.database.models.AuditEntry, rows, transaction);
    },
  };
}

/**
 * Writes audit entries in the transaction of the changes, so that neither is committed without the other. Before the change
 * ends sessions of its author.
 * @throws AppError `TOKEN_INVALID` when the author has been signed out meanwhile: then the changes are rolled back
 */
export async function recordAudit(
  core: Core,
  actor: Author,
  records: AuditRecord | readonly AuditRecord[],
  transaction: Transaction,
): Promise<void> {
  await prepareAudit(core, actor, [records].flat()).save(transaction);
}

/** The changed fields, before and after the change. */
export function changesBetween<T extends object>(before: T, after: T): { before: Partial<T>; after: Partial<T> } {
  // TypeScript types the keys of any object as text.
  const changed = (Object.keys(after) as (keyof T)[]).filter(
    (key) => JSON.stringify(before[key]) !== JSON.stringify(after[key]),
  );
  // fromEntries forgets which keys it was given.
  const only = (source: T) => Object.fromEntries(changed.map((key) => [key, source[key]])) as Partial<T>;
  return { before: only(before), after: only(after) };
}

/** An account as the audit log shows it: never its password. */
export const auditedUser = (user: Pick<User, (typeof auditedFields)[number]>): object =>
  Object.fromEntries(auditedFields.map((field) => [field, user[field]]));

/** A session as the audit log shows it. */
export function auditedSession({ id, createdAt, ip, userAgent }: Session): object {
  return { id, createdAt, ip, userAgent };
}

/** A course as the audit log shows it. */
export const auditedCourse = (course: Course): object =>
  Object.fromEntries([...courseFieldNames, 'trainerId' as const].map((field) => [field, course[field]]));

/** An enrollment as the audit log shows it. */
export const auditedEnrollment = (enrollment: Enrollment): object =>
  Object.fromEntries(
    (['userId', 'courseId', ...enrollmentFieldNames] as const).map((field) => [field, enrollment[field]]),
  );

/**
 * One page of the audit log, newest first, with names beside the ids.
 * @throws AppError `VALIDATION`
 */
export async function listAudit(core: Core, query: unknown): Promise<Page<AuditEntry>> {
  const listing = validate(auditListingSchema, query);
  const { action, actorId, targetType, targetId, from, to } = listing;
  const typeOfAction = action && auditTargetTypeOf(action);
  const where: WhereOptions<AuditEntry> = {
    ...(action !== undefined && { action }),
    ...(actorId !== undefined && { actorId }),
    // No index has both an action and a kind: either none match, or the action alone decides.
    ...(typeOfAction === undefined && targetType !== undefined && { targetType }),
    ...(typeOfAction !== undefined && targetType !== undefined && targetType !== typeOfAction && { id: [] }),
    ...(targetId !== undefined && { targetId }),
    ...((from ?? to) && { at: { ...(from && { [Op.gte]: from }), ...(to && { [Op.lt]: to }) } }),
  };
  const order: Order = [
    ['at', 'DESC'],
    ['id', 'DESC'],
  ];
  const page = await readPage(core, core.database.models.AuditEntry, listing, { where, order, maxCounted });
  await addNames(core, page.items);
  return page;
}

/** Ids of the log that end so, also of what was deleted: two of them at most. */
export async function auditedIdsEndingWith(
  { database }: Core,
  end: string,
  targetType: AuditTargetType | undefined,
): Promise<string[]> {
  const where = { targetId: { [Op.like]: `%${end}` }, ...(targetType !== undefined && { targetType }) };
  const found = await database.read(() =>
    database.models.AuditEntry.findAll({
      attributes: [[fn('DISTINCT', col('target_id')), 'targetId']],
      where,
      limit: 2,
    }),
  );
  return found.flatMap(({ targetId }) => targetId ?? []);
}
