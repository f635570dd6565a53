import { Op, type Transaction } from 'sequelize';
import type { Enrollment } from '../../db/models/enrollment.js';
import { type NewsKind, newsKinds } from '../../schemas/mail-preferences.js';
import { type Author, type Core, queueOwnerOf } from '../core.js';
import { isMailSetUp, type NewMail, queueMails, withdrawMails } from './outbox.js';

type EnrollmentKey = Pick<Enrollment, 'userId' | 'courseId'>;

export interface News extends EnrollmentKey, Pick<NewMail, 'data' | 'importId'> {
  kind: NewsKind;
  /**
   * Mails of different authors are sent alternately. News of the program itself counts as news of the course's trainer.
   */
  author: Author;
}

/** Queues news to active trainees who have not turned it off; only for published courses. */
export async function queueNews(core: Core, news: readonly News[], transaction: Transaction): Promise<void> {
  if (news.length === 0 || !isMailSetUp(core)) return;
  const { Course, User } = core.database.models;
  const users = await User.findAll({
    attributes: ['id', 'mailOff'],
    where: { id: [...new Set(news.map(({ userId }) => userId))], isActive: true },
    transaction,
  });
  const courses = await Course.findAll({
    attributes: ['id', 'trainerId'],
    where: { id: [...new Set(news.map(({ courseId }) => courseId))], isPublished: true },
    transaction,
  });
  const mailOff = new Map(users.map((user) => [user.id, user.mailOff.split(' ')]));
  const trainers = new Map(courses.map(({ id, trainerId }) => [id, trainerId]));
  const mails = news.flatMap(({ author, ...mail }) => {
    const trainerId = trainers.get(mail.courseId);
    if (trainerId === undefined || (mailOff.get(mail.userId)?.includes(mail.kind) ?? true)) return [];
    return [{ ...mail, queueOwner: author.origin === 'program' ? trainerId : queueOwnerOf(author) }];
  });
  await queueMails(core, mails, transaction);
}

/** Withdraws unsent news about enrollments that have changed again, so that repeated changes don't cause many mails. */
export async function withdrawNews(
  core: Core,
  enrollments: readonly EnrollmentKey[],
  transaction: Transaction,
): Promise<void> {
  if (enrollments.length === 0 || !isMailSetUp(core)) return;
  const conditions = [...new Set(enrollments.map(({ courseId }) => courseId))].map((courseId) => ({
    courseId,
    userId: enrollments.filter((enrollment) => enrollment.courseId === courseId).map(({ userId }) => userId),
  }));
  await withdrawMails(core, { kind: [...newsKinds], [Op.or]: conditions }, transaction);
}

/** Delay in which further requests are collected for one digest, in milliseconds. */
const digestDelayMs = 15 * 60_000;

/** Queues a digest of new requests for each trainer. Must be the last statement of the transaction: see queueMails(). */
export function queueDigests(core: Core, trainerIds: readonly string[], transaction: Transaction): Promise<void> {
  const digests = [...new Set(trainerIds)].sort().map((trainerId) => ({
    kind: 'requests' as const,
    userId: trainerId,
    queueOwner: trainerId,
    dedupeKey: `requests:${trainerId}`,
    delayMs: digestDelayMs,
  }));
  return queueMails(core, digests, transaction);
}
