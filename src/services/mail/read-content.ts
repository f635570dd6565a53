import type { Transaction } from 'sequelize';
import type { Mail } from '../../db/models/mail.js';
import type { User } from '../../db/models/user.js';
import type { EnrollmentStatus } from '../../schemas/enrollment-statuses.js';
import type { NewsKind } from '../../schemas/mail-preferences.js';
import type { Core } from '../core.js';
import { usesPassword } from '../password-login.js';
import type { MailKind } from './kinds.js';
import type { MailContent } from './mail-content.js';
import type { MailData } from './outbox.js';

/** Link that a mail shows; empty for mails without a link. */
export interface ShownLink {
  link: string;
  expiresAt: Date;
  /** Lifetime from the moment of sending, in milliseconds. */
  lifetimeMs: number;
}

/** Completes the content of a mail with its link. */
type ContentBuilder = (link: ShownLink) => MailContent;

interface MailContext {
  core: Core;
  mail: Mail;
  data: MailData;
  transaction: Transaction;
}

const maxNamedCourses = 10;

/** Statuses of an enrollment at which news is still true. Otherwise the mail is withdrawn. */
const statusesOfNews = {
  enrolled: ['active'],
  accepted: ['active'],
  moved_up: ['active', 'pending'],
  refused: ['cancelled'],
  completed: ['completed'],
} as const satisfies Partial<Record<NewsKind, readonly EnrollmentStatus[]>>;

async function newsContent(
  { core, mail, data, transaction }: MailContext,
  { id: userId, firstName }: User,
  kind: keyof typeof statusesOfNews,
): Promise<ContentBuilder | undefined> {
  if (mail.courseId === null) return undefined;
  const { Certificate, Course, Enrollment } = core.database.models;
  const enrollment = await Enrollment.findOne({
    attributes: ['id', 'status'],
    where: { userId, courseId: mail.courseId, status: [...statusesOfNews[kind]] },
    include: [
      { model: Course, as: 'course', attributes: ['id', 'title'], where: { isPublished: true } },
      { model: Certificate, as: 'certificate', attributes: ['code'] },
    ],
    transaction,
  });
  if (!enrollment?.course) return undefined;
  const { id: courseId, title: course } = enrollment.course;
  const isPending = enrollment.status === 'pending';
  const common = { firstName, course, courseId, reply: data.reply ?? null, isPending };
  if (kind !== 'completed') return () => ({ kind, ...common });
  const certificate = enrollment.certificate?.code ?? null;
  return () => ({ kind, ...common, certificate });
}

/** Returns the digest of requests that wait for the trainer's reply now; undefined without requests. */
async function requestsContent(
  { core, transaction }: MailContext,
  { id: trainerId, firstName }: User,
): Promise<ContentBuilder | undefined> {
  const { Course, Enrollment } = core.database.models;
  const counted = await Enrollment.count({
    where: { trainerId, status: 'pending' },
    group: ['courseId'],
    transaction,
  });
  if (counted.length === 0) return undefined;
  const largest = counted.sort((one, other) => other.count - one.count).slice(0, maxNamedCourses);
  const ids = largest.map(({ courseId }) => String(courseId));
  const titles = await Course.findAll({ attributes: ['id', 'title'], where: { id: ids }, transaction });
  const titleOf = new Map(titles.map(({ id, title }) => [id, title]));
  const courses = largest.flatMap(({ courseId, count }) => {
    const title = titleOf.get(String(courseId));
    return title === undefined ? [] : [{ title, courseId: String(courseId), count }];
  });
  return () => ({ kind: 'requests', firstName, courses, more: counted.length - courses.length });
}

/** Whether no account has the address of a mail. The recipient's account counts, too. */
async function isAddressUnused({ core, mail, transaction }: MailContext): Promise<boolean> {
  return (await core.database.models.User.count({ where: { email: mail.address ?? '' }, transaction })) === 0;
}

/** Returns the content of a mail to an active person; undefined if the reason for the mail no longer exists. */
async function personalContent(context: MailContext, user: User, kind: MailKind): Promise<ContentBuilder | undefined> {
  const { firstName, email } = user;
  const { newEmail = '', message = null, isNew = false, other = '' } = context.data;
  const { group = '', file = '', leaving = 0, members = 0 } = context.data;
  const { core } = context;
  const isByPassword = usesPassword(core, user.role);
  const signInWith = isByPassword ? null : (core.config.oidc.name ?? '');
  if (user.mailOff.split(' ').includes(kind)) return undefined;
  switch (kind) {
    case 'reset':
      return isByPassword ? (link) => ({ kind, firstName, ...link }) : undefined;
    case 'password-changed':
      return () => ({ kind, firstName });
    case 'invitation':
      return user.hasPassword ? undefined : (link) => ({ kind, firstName, email, message, signInWith, ...link });
    case 'email-confirm':
      return (await isAddressUnused(context)) ? (link) => ({ kind, ...link }) : undefined;
    case 'email-notice':
      return (link) => ({ kind, firstName, newEmail, ...link });
    case 'email-changed':
      return () => ({ kind, firstName, newEmail });
    case 'role-transferred':
      return () => ({ kind, firstName, isNew, other });
    case 'sync-held':
      return () => ({ kind, firstName, group, file, leaving, members });
    case 'test':
      return () => ({ kind });
    case 'requests':
      return requestsContent(context, user);
    default:
      return newsContent(context, user, kind);
  }
}

/**
 * Reads the content of a mail just before it is sent.
 * @param user account that the mail is about, if it exists
 * @returns undefined if the reason for the mail no longer exists
 */
export async function readMailContent(
  core: Core,
  mail: Mail,
  user: User | undefined,
  transaction: Transaction,
): Promise<ContentBuilder | undefined> {
  // Only queueMails() writes rows, so the kind is a known one.
  const kind = mail.kind as MailKind;
  if (kind === 'test') return () => ({ kind });
  if (!user?.isActive) return undefined;
  const data = JSON.parse(mail.data) as MailData;
  return personalContent({ core, mail, data, transaction }, user, kind);
}
