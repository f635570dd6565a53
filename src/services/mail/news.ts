import type { Transaction } from 'sequelize';
import type { Enrollment } from '../../db/models/enrollment.js';
import type { EnrollmentStatus } from '../../schemas/enrollment-statuses.js';
import { type NewsKind, newsKinds } from '../../schemas/mail-preferences.js';
import { type Actor, type Author, type Core, queueOwnerOf } from '../core.js';
import { isMailSetUp, type NewMail, queueMails, withdrawMails } from './outbox.js';

/** Changes at the terminal tell nobody by themselves. */
export const tellsByItself = ({ origin }: Actor): boolean => origin === 'http';

/** A place, and what its mail says besides the news. */
type Place = Pick<Enrollment, 'userId' | 'courseId'> & Pick<NewMail, 'data'>;

/** What a manager's change of a status is to the trainee; nothing where there is no news. */
export function newsOf(from: EnrollmentStatus | undefined, to: EnrollmentStatus): NewsKind | undefined {
  switch (to) {
    case 'active':
      // A completion that is taken back is none.
      if (from === 'completed') return undefined;
      return from === 'pending' || from === 'waiting' ? 'accepted' : 'enrolled';
    case 'cancelled':
      return 'refused';
    case 'completed':
      return 'completed';
    case 'pending':
    case 'waiting':
      return undefined;
  }
}

/** What a mail says besides the news: what was written with the change, not what was written before. */
export const replyIn = ({ reply }: { reply?: string | null }): Pick<NewMail, 'data'> =>
  reply ? { data: { reply } } : {};

/**
 * Tells trainees what became of their places: those who are active and want to know, and of published courses alone. For the end of
 * a transaction.
 * @param author whose news take turns with those of others; those of the program with the news of the course's trainer
 */
export async function queueNews(
  core: Core,
  author: Author,
  kind: NewsKind | undefined,
  places: readonly Place[],
  transaction: Transaction,
  more: Pick<NewMail, 'data' | 'importId'> = {},
): Promise<void> {
  if (kind === undefined || places.length === 0 || !isMailSetUp(core)) return;
  const { Course, User } = core.database.models;
  const ids = { users: places.map(({ userId }) => userId), courses: places.map(({ courseId }) => courseId) };
  const users = await User.findAll({
    attributes: ['id', 'mailOff'],
    where: { id: [...new Set(ids.users)], isActive: true },
    transaction,
  });
  const courses = await Course.findAll({
    attributes: ['id', 'trainerId'],
    where: { id: [...new Set(ids.courses)], isPublished: true },
    transaction,
  });
  const told = new Set(users.flatMap(({ id, mailOff }) => (mailOff.split(' ').includes(kind) ? [] : [id])));
  const owners = new Map(
    courses.map(({ id, trainerId }) => [id, author.origin === 'program' ? trainerId : queueOwnerOf(author)]),
  );
  const mails = places.flatMap(({ userId, courseId, data }) => {
    const queueOwner = owners.get(courseId);
    if (queueOwner === undefined || !told.has(userId)) return [];
    return [{ kind, userId, courseId, queueOwner, ...(data && { data }), ...more }];
  });
  // What is still to leave about the same place is out of date: switching to and fro doesn't add up to many mails.
  for (const courseId of owners.keys()) {
    const userId = mails.filter((mail) => mail.courseId === courseId).map((mail) => mail.userId);
    await withdrawMails(core, { courseId, userId, kind: [...newsKinds] }, transaction);
  }
  await queueMails(core, mails, transaction);
}

/** How long requests are collected before their trainer hears of them, in milliseconds. */
const digestMs = 15 * 60_000;

/** Lets a trainer know that requests wait, with those of the next minutes. The last statement of the transaction. */
export function queueDigest(core: Core, trainerId: string, transaction: Transaction): Promise<void> {
  const digest = {
    kind: 'requests',
    userId: trainerId,
    queueOwner: trainerId,
    dedupeKey: `requests:${trainerId}`,
    delayMs: digestMs,
  } as const;
  return queueMails(core, [digest], transaction);
}
