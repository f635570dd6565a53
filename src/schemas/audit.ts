import * as fields from './fields.js';
import Joi from './joi.js';
import type { PagingWithKey } from './listing.js';
import * as listing from './listing.js';

/** Recorded actions, as `<object>.<action>`. */
export const auditActions = [
  'setup.complete',
  'user.register',
  'user.update',
  'user.verify-email',
  'user.confirm-email',
  'user.cancel-email',
  'user.activate',
  'user.deactivate',
  'user.reset-password',
  'user.mail-reset-link',
  'user.set-password',
  'user.invite',
  'user.link',
  'user.unlink',
  'user.unlock',
  'user.end-session',
  'user.end-sessions',
  'user.delete',
  'user.transfer-super-admin',
  'address.unlock',
  'user.import',
  'user.undo-import',
  'import.plan',
  'import.start',
  'import.resume',
  'import.finish',
  'import.cancel',
  'import.undo',
  'import.credentials',
  'course.create',
  'course.update',
  'course.publish',
  'course.unpublish',
  'course.assign-trainer',
  'course.delete',
  'course.import',
  'course.undo-import',
  'course.thumbnail',
  'course.add-file',
  'course.remove-file',
  'enrollment.assign',
  'enrollment.status',
  'enrollment.progress',
  'enrollment.reply',
  'enrollment.remove',
  'enrollment.revoke-certificate',
  'group.create',
  'group.update',
  'group.delete',
  'group.members',
  'group.sync',
  'group.hold',
  'demo.load',
  'demo.remove',
  'mail.retry',
  'mail.withdraw',
] as const;
export type AuditAction = (typeof auditActions)[number];

export const auditTargetTypes = ['user', 'address', 'import', 'course', 'enrollment', 'group', 'mail'] as const;
export type AuditTargetType = (typeof auditTargetTypes)[number];

type FirstWordOf<Action extends AuditAction> = Action extends `${infer Word}.${string}` ? Word : never;

/** Types of the objects that actions change, by the first word of the action. */
const targetTypes = {
  setup: 'user',
  user: 'user',
  demo: 'user',
  address: 'address',
  import: 'import',
  course: 'course',
  enrollment: 'enrollment',
  group: 'group',
  mail: 'mail',
} as const satisfies Record<FirstWordOf<AuditAction>, AuditTargetType>;

/** Actions that change objects of this type. */
export type AuditActionOn<Type extends AuditTargetType> = {
  [Action in AuditAction]: (typeof targetTypes)[FirstWordOf<Action>] extends Type ? Action : never;
}[AuditAction];

/** Returns the type of the objects that an action changes. */
export function auditTargetTypeOf(action: AuditAction): AuditTargetType {
  // TypeScript types a part of a string as any string.
  return targetTypes[action.slice(0, action.indexOf('.')) as FirstWordOf<AuditAction>];
}

export interface AuditListing extends PagingWithKey {
  action?: AuditAction;
  actorId?: string;
  targetType?: AuditTargetType;
  targetId?: string;
  /** Time of the earliest entries. */
  from?: Date;
  /** Time before which the entries were written. */
  to?: Date;
}

/** Whether the day in a text exists. Date would read 31 February as a day of March. */
const isDay = (text: unknown) => {
  const [day] = /^\d{4}-\d{2}-\d{2}/.exec(String(text)) ?? [];
  return day === undefined || new Date(day).toISOString().startsWith(day);
};

/** Whether the year has four digits, because MySQL can't compare other dates. */
const isComparable = (moment: Date) => moment.getUTCFullYear() >= 1000 && moment.getUTCFullYear() <= 9999;

/** Reads a time without a zone as UTC. JavaScript reads such a time in the zone of the machine, but a day as UTC. */
const inUtc = (value: Date, original: unknown) =>
  /[T\s][\d:.,]+$/.test(String(original)) ? new Date(`${original}Z`) : value;

/** Schema of a day or a moment in a query. */
export const moment = (label: string) =>
  Joi.date()
    .iso()
    .custom((value: Date, { error, original }) =>
      isComparable(value) && isDay(original) ? inUtc(value, original) : error('date.format'),
    )
    .messages({
      '*': `${label} must be an ISO 8601 date or time, such as 2026-01-31 or 2026-01-31T08:00:00Z.`,
    });

/** Query of `GET /api/audit`. */
export const auditListingSchema = Joi.object<AuditListing, true>({
  action: fields.oneOf('action', auditActions),
  actorId: fields.id('actorId'),
  targetType: fields.oneOf('targetType', auditTargetTypes),
  targetId: fields.id('targetId'),
  from: moment('from'),
  to: moment('to'),
  ...listing.pagingWithKey(20),
});
