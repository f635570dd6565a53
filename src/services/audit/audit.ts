import type { Transaction, WhereOptions } from 'sequelize';
import { col, fn, Op } from 'sequelize';
import type { AuditEntry } from '../../db/models/audit-entry.js';
import type { Course } from '../../db/models/course.js';
import type { Enrollment } from '../../db/models/enrollment.js';
import type { Group } from '../../db/models/group.js';
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

interface AuditRecordOn<Type extends AuditTargetType> {
  action: AuditActionOn<Type>;
  targetType: Type;
  targetId: string;
  before?: object;
  after?: object;
}

/**
 * Audit record of a privileged change, for any type of target by default. `before` and `after` must not contain
 * secrets: build them with the functions below.
 */
export type AuditRecord<Type extends AuditTargetType = AuditTargetType> = {
  [One in Type]: AuditRecordOn<One>;
}[Type];

/**
 * Asserts that the author is still signed in. The session may have ended since the authentication, while the request waited for its body
 * or in a queue.
 * @throws AppError `TOKEN_INVALID`
 */
async function assertSessionExists(core: Core, author: Author, transaction: Transaction): Promise<void> {
  const { sessionId } = author.origin === 'program' ? {} : author;
  if (sessionId === undefined) return;
  const session = await core.database.models.Session.findByPk(sessionId, { attributes: ['id'], transaction });
  if (!session) throw new AppError('TOKEN_INVALID');
}

export interface PreparedAudit {
  /** Writes the entries: see {@link recordAudit}. */
  save(transaction: Transaction): Promise<void>;
}

/** Builds the rows of audit entries without a query. */
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
 * Writes audit entries in the transaction of the changes, so that neither is committed without the other. Call it
 * before the change ends sessions of its author.
 * @throws AppError `TOKEN_INVALID` if the author's session has ended; the error rolls the changes back
 */
export async function recordAudit(
  core: Core,
  actor: Author,
  records: AuditRecord | readonly AuditRecord[],
  transaction: Transaction,
): Promise<void> {
  await prepareAudit(core, actor, [records].flat()).save(transaction);
}

export function changesBetween<T extends object>(before: T, after: T): { before: Partial<T>; after: Partial<T> } {
  // TypeScript types the keys of any object as strings.
  const changed = (Object.keys(after) as (keyof T)[]).filter(
    (key) => JSON.stringify(before[key]) !== JSON.stringify(after[key]),
  );
  // The assertion restores the types of the keys, which Object.fromEntries loses.
  const only = (source: T) => Object.fromEntries(changed.map((key) => [key, source[key]])) as Partial<T>;
  return { before: only(before), after: only(after) };
}

/** Returns the fields of an account for the audit log, never its password. */
export const auditedUser = (user: Pick<User, (typeof auditedFields)[number]>): object =>
  Object.fromEntries(auditedFields.map((field) => [field, user[field]]));

export function auditedSession({ id, createdAt, ip, userAgent }: Session): object {
  return { id, createdAt, ip, userAgent };
}

export const auditedCourse = (course: Course): object =>
  Object.fromEntries([...courseFieldNames, 'trainerId' as const].map((field) => [field, course[field]]));

export const auditedEnrollment = (enrollment: Enrollment): object =>
  Object.fromEntries(
    (['userId', 'courseId', ...enrollmentFieldNames] as const).map((field) => [field, enrollment[field]]),
  );

export const auditedGroup = ({ name, note }: Group): object => ({ name, note });

/**
 * Returns one page of the audit log, newest first, with names for the ids.
 * @throws AppError `VALIDATION`
 */
export async function listAudit(core: Core, query: unknown): Promise<Page<AuditEntry>> {
  const listing = validate(auditListingSchema, query);
  const { action, actorId, targetType, targetId, from, to } = listing;
  const typeOfAction = action && auditTargetTypeOf(action);
  const where: WhereOptions<AuditEntry> = {
    ...(action !== undefined && { action }),
    ...(actorId !== undefined && { actorId }),
    // No index covers both action and type. An action determines the type, so a different type matches no entries.
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

/** Returns at most two target ids in the log with this end, also of deleted objects. */
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
