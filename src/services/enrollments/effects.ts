import type { Transaction } from 'sequelize';
import { markFreedSeats } from '../../db/freed-seats.js';
import type { Enrollment } from '../../db/models/enrollment.js';
import { type ActorKind, type EnrollmentStatus, rulesOf } from '../../schemas/enrollment-statuses.js';
import type { NewsKind } from '../../schemas/mail-preferences.js';
import { issueCertificates, revokeCertificates } from '../certificates/issue.js';
import type { Actor, Author, Core } from '../core.js';
import { queueDigests, queueNews, withdrawNews } from '../mail/news.js';
import { actorKindOf } from './rules.js';

export interface EnrollmentCause {
  author: Author;
  /** Whether the trainee gets a mail about a manager's change. */
  notify: boolean;
  /** Reply that the change writes. */
  reply?: string | null | undefined;
  importId?: string;
}

export interface EnrollmentEffects {
  certificate?: 'issue' | 'revoke';
  /** Withdraws unsent news about the enrollment. */
  withdrawsNews?: boolean;
  /** Kind of the mail to the trainee. */
  news?: NewsKind;
  /** Adds the request to the next mail to the trainer. */
  isInDigest?: boolean;
  /** Whether the waiting list of the course may get a seat. */
  freesSeat?: boolean;
}

/** Whether an author's changes send mails by default. Changes at the terminal send mails on request only. */
export const notifiesByDefault = ({ origin }: Actor): boolean => origin === 'http';

/**
 * Derives the effects of a change.
 * @param from undefined for a new enrollment
 * @param to undefined for a removed one
 */
export function enrollmentEffects(
  from: EnrollmentStatus | undefined,
  to: EnrollmentStatus | undefined,
  { author, notify }: Pick<EnrollmentCause, 'author' | 'notify'>,
): EnrollmentEffects {
  const effects: EnrollmentEffects = {};
  if (from === to) return effects;
  const by: ActorKind = author.origin === 'program' ? 'program' : actorKindOf(author);
  const notifies = notify && by === 'manager';
  const isAnswer = from === 'pending' || from === 'waiting';
  if (from === 'completed') effects.certificate = 'revoke'; // effect: revoke-certificate
  if (to === 'completed') effects.certificate = 'issue'; // effect: issue-certificate
  if (from !== undefined) effects.withdrawsNews = true; // effect: withdraw-news
  if (notifies && to === 'active' && isAnswer) effects.news = 'accepted'; // effect: news-accepted
  // Revoking a completion sends no news.
  if (notifies && to === 'active' && !isAnswer && from !== 'completed') effects.news = 'enrolled'; // effect: news-enrolled
  if (notifies && to === 'cancelled') effects.news = 'refused'; // effect: news-refused
  if (notifies && to === 'completed') effects.news = 'completed'; // effect: news-completed
  if (by === 'program' && (to === 'pending' || to === 'active')) effects.news = 'moved_up'; // effect: news-moved-up
  if (by !== 'manager' && to === 'pending') effects.isInDigest = true; // effect: digest
  // Joining the waiting list counts, too: a seat may have become free while nobody was waiting.
  if (to === undefined || !rulesOf(to).takesSeat) effects.freesSeat = true; // effect: free-seat
  return effects;
}

/** Change of an enrollment: see {@link enrollmentEffects}. */
export interface EnrollmentChange {
  enrollment: Pick<Enrollment, 'id' | 'userId' | 'courseId' | 'trainerId'> & Partial<Pick<Enrollment, 'certificate'>>;
  from: EnrollmentStatus | undefined;
  to: EnrollmentStatus | undefined;
  cause: EnrollmentCause;
}

/**
 * Carries out the effects of changes, with one statement for each kind of effect. Call it at the end of the transaction that has locked
 * and written the enrollments. Delete enrollments afterwards, because certificates refer to them. Sets new certificates on the
 * enrollments.
 */
export async function applyEnrollmentEffects(
  core: Core,
  changes: readonly EnrollmentChange[],
  transaction: Transaction,
): Promise<void> {
  const all = changes.map((change) => ({ ...change, ...enrollmentEffects(change.from, change.to, change.cause) }));
  const enrollmentsWith = (wanted: (effects: EnrollmentEffects) => boolean | undefined) =>
    all.filter(wanted).map(({ enrollment }) => enrollment);
  const revoked = enrollmentsWith(({ certificate }) => certificate === 'revoke').map(({ id }) => id);
  const outdated = enrollmentsWith(({ withdrawsNews }) => withdrawsNews);
  const completed = enrollmentsWith(({ certificate }) => certificate === 'issue');
  const requested = enrollmentsWith(({ isInDigest }) => isInDigest).map(({ trainerId }) => trainerId);
  const freed = enrollmentsWith(({ freesSeat }) => freesSeat).map(({ courseId }) => courseId);
  const news = all.flatMap(({ enrollment: { userId, courseId }, news: kind, cause: { author, reply, importId } }) =>
    kind ? [{ kind, userId, courseId, author, ...(reply && { data: { reply } }), ...(importId && { importId }) }] : [],
  );
  markFreedSeats(transaction, freed); // effect: apply-free-seat
  await revokeCertificates(core, { enrollmentId: revoked }, transaction); // effect: apply-revoke-certificate
  await issueCertificates(core, completed, transaction); // effect: apply-issue-certificate
  await withdrawNews(core, outdated, transaction); // effect: apply-withdraw-news
  await queueNews(core, news, transaction); // effect: apply-news
  await queueDigests(core, requested, transaction); // effect: apply-digest
}
