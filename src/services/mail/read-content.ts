import type { Transaction } from 'sequelize';
import type { Mail } from '../../db/models/mail.js';
import type { User } from '../../db/models/user.js';
import type { EnrollmentStatus } from '../../schemas/enrollment-statuses.js';
import type { NewsKind } from '../../schemas/mail-preferences.js';
import type { Core } from '../core.js';
import type { MailKind } from './kinds.js';
import type { MailContent } from './mail-content.js';
import type { MailData } from './outbox.js';

/** The link of a mail, once it is made; empty for mails without one. */
export interface ShownLink {
  link: string;
  expiresAt: Date;
  /** How long it works from when it leaves, in milliseconds. */
  lifetimeMs: number;
}

/** What a mail says, but for its link. */
type ContentBuilder = (link: ShownLink) => MailContent;

interface MailContext {
  core: Core;
  mail: Mail;
  data: MailData;
  transaction: Transaction;
}

/** The courses that the digest for a trainer names. */
const maxNamedCourses = 10;

/** The statuses that an enrollment may have while a mail about it makes sense. */
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
  const about = { firstName, course, courseId, reply: data.reply ?? null, isPending };
  if (kind !== 'completed') return () => ({ kind, ...about });
  const certificate = enrollment.certificate?.code ?? null;
  return () => ({ kind, ...about, certificate });
}

/** What waits for a trainer's reply at this moment. */
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

/** Whether no account has the address of a mail, not even the one that it is about. */
async function isAddressUnused({ core, mail, transaction }: MailContext): Promise<boolean> {
  return (await core.database.models.User.count({ where: { email: mail.address ?? '' }, transaction })) === 0;
}

/** What an active person's mail says; nothing when its reason is gone. */
async function personalContent(reading: MailContext, user: User, kind: MailKind): Promise<ContentBuilder | undefined> {
  const { firstName, email } = user;
  const { newEmail = '', message = null, isNew = false, other = '' } = reading.data;
  if (user.mailOff.split(' ').includes(kind)) return undefined;
  switch (kind) {
    case 'reset':
    case 'password-changed':
      return (link) => ({ kind, firstName, ...link });
    case 'invitation':
      return user.hasPassword ? undefined : (link) => ({ kind, firstName, email, message, ...link });
    case 'email-confirm':
      return (await isAddressUnused(reading)) ? (link) => ({ kind, ...link }) : undefined;
    case 'email-notice':
      return (link) => ({ kind, firstName, newEmail, ...link });
    case 'email-changed':
      return () => ({ kind, firstName, newEmail });
    case 'role-transferred':
      return () => ({ kind, firstName, isNew, other });
    case 'test':
      return () => ({ kind });
    case 'requests':
      return requestsContent(reading, user);
    default:
      return newsContent(reading, user, kind);
  }
}

/**
 * What a mail says, read at the moment when it leaves; nothing when its reason is gone.
 * @param user whom it is about, if that account exists
 */
export async function readMailContent(
  core: Core,
  mail: Mail,
  user: User | undefined,
  transaction: Transaction,
): Promise<ContentBuilder | undefined> {
  // Rows are written by queueMails() alone.
  const kind = mail.kind as MailKind;
  if (kind === 'test') return () => ({ kind });
  if (!user?.isActive) return undefined;
  const data = JSON.parse(mail.data) as MailData;
  return personalContent({ core, mail, data, transaction }, user, kind);
}
