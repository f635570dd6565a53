import { Op, type Transaction } from 'sequelize';
import type { Link } from '../../db/models/link.js';
import { type LinkedBy, linkedByWords } from '../../schemas/identity.js';
import type { LinkPurpose } from '../../schemas/mail.js';
import type { Core } from '../core.js';
import { isMailSetUp, type NewMail, queueMails, withdrawMails } from '../mail/outbox.js';

/** Database statements of the effects, for all accounts together. Only apply-effects.ts imports them. */

type Ids = readonly string[];

/** @param except ids of sessions that stay valid */
export async function endSessions(core: Core, userIds: Ids, except: Ids, transaction: Transaction): Promise<void> {
  if (userIds.length === 0) return;
  const others = except.length > 0 && { id: { [Op.notIn]: [...except] } };
  await core.database.models.Session.destroy({ where: { userId: [...userIds], ...others }, transaction });
}

/**
 * Ends links and unconfirmed changes of email after a change of password, email, role or activation. Links that cancel
 * a change of email stay valid: otherwise an attacker who has taken over an account could end them by changing the
 * password.
 */
export async function endLinks(
  core: Core,
  userIds: Ids,
  transaction: Transaction,
  purpose: LinkPurpose | { [Op.ne]: LinkPurpose } = { [Op.ne]: 'email-cancel' },
): Promise<void> {
  if (userIds.length === 0) return;
  await core.database.models.Link.destroy({ where: { userId: [...userIds], purpose }, transaction });
  await withdrawMails(core, { userId: [...userIds], kind: 'email-confirm' }, transaction, { evenSending: true });
}

export const endEmailChanges = (core: Core, userIds: Ids, transaction: Transaction): Promise<void> =>
  endLinks(core, userIds, transaction, 'email');

/**
 * Ends all links of accounts whose email or activation somebody else has changed, such as the super admin who rescues an account.
 * Includes links that cancel a change of email, because a stranger may read the mail of the old address.
 */
export async function endAllLinks(core: Core, userIds: Ids, transaction: Transaction): Promise<void> {
  if (userIds.length === 0) return;
  await endLinks(core, userIds, transaction);
  await endCancellations(core, { userId: [...userIds] }, transaction);
}

/**
 * Ends links after a change of email was cancelled: the links that cancel this change or later ones. Withdraws mails
 * with other links. Links that cancel earlier changes stay valid: they went to older addresses, which more likely
 * belong to the owner. They help the owner if an attacker has cancelled this change.
 */
export async function endLinksAfterCancel(core: Core, cancelled: readonly Link[], transaction: Transaction) {
  for (const { userId, createdAt } of cancelled) {
    await endCancellations(core, { userId, createdAt: { [Op.gte]: createdAt } }, transaction);
    await withdrawMails(core, { userId, kind: ['invitation', 'reset'] }, transaction);
  }
}

/** Ends links that cancel a change of email, and withdraws unsent notices with cancel links. */
async function endCancellations(
  core: Core,
  where: Readonly<{ userId: string | string[]; createdAt?: { [Op.gte]: Date } }>,
  transaction: Transaction,
): Promise<void> {
  await core.database.models.Link.destroy({ where: { ...where, purpose: 'email-cancel' }, transaction });
  await withdrawMails(core, { ...where, kind: 'email-notice' }, transaction, { evenSending: true });
}

/** Withdraws unsent invitations. {@link endLinks} ends their links. */
export async function endInvitations(core: Core, userIds: Ids, transaction: Transaction): Promise<void> {
  if (userIds.length === 0) return;
  await withdrawMails(core, { userId: [...userIds], kind: 'invitation' }, transaction, { evenSending: true });
}

/**
 * Queues new invitations for activated people, with the message of their last invitation, whose link has ended. Queued invitations
 * stay queued.
 */
export async function queueWaitingInvitations(
  core: Core,
  people: readonly { id: string; importId?: string | undefined }[],
  transaction: Transaction,
): Promise<void> {
  if (people.length === 0 || !isMailSetUp(core)) return;
  const { Mail } = core.database.models;
  const mails = await Mail.findAll({
    attributes: ['id', 'userId', 'state', 'data'],
    where: { userId: people.map(({ id }) => id), kind: 'invitation' },
    order: ['createdAt', 'id'],
    transaction,
  });
  const waitingIds = new Set(
    mails.flatMap(({ userId, state }) => (state === 'queued' || state === 'deferred' ? [userId] : [])),
  );
  const messages = new Map(mails.map(({ userId, data }) => [userId, data]));
  // A mail that is being sent contains an ended link.
  const sending = mails.flatMap(({ id, state }) => (state === 'sending' ? [id] : []));
  if (sending.length > 0) await withdrawMails(core, { id: sending }, transaction, { evenSending: true });
  const missing = people.filter(({ id }) => !waitingIds.has(id));
  await queueMails(
    core,
    missing.map(({ id, importId }): NewMail => {
      // Only queueMails() writes this JSON.
      const data = JSON.parse(messages.get(id) ?? '{}') as NonNullable<NewMail['data']>;
      return { kind: 'invitation', userId: id, data, ...(importId !== undefined && { importId }) };
    }),
    transaction,
  );
}

export async function leaveGroups({ database }: Core, userIds: Ids, transaction: Transaction): Promise<void> {
  if (userIds.length === 0) return;
  await database.models.GroupMember.destroy({ where: { userId: [...userIds] }, transaction });
}

export async function revokeCalendars({ database }: Core, userIds: Ids, transaction: Transaction): Promise<void> {
  if (userIds.length === 0) return;
  await database.models.Calendar.destroy({ where: { userId: [...userIds] }, transaction });
}

/** @param linkedBy restricts the identities that are removed */
export async function removeIdentities(
  { database }: Core,
  userIds: Ids,
  transaction: Transaction,
  linkedBy: readonly LinkedBy[] = linkedByWords,
): Promise<void> {
  if (userIds.length === 0) return;
  const where = { userId: [...userIds], linkedBy: [...linkedBy] };
  await database.models.Identity.destroy({ where, transaction });
}

/** Forgets that rosters have deactivated these accounts. */
export async function forgetDeactivations({ database }: Core, userIds: Ids, transaction: Transaction): Promise<void> {
  if (userIds.length === 0) return;
  const where = { userId: [...userIds], deactivated: true };
  await database.models.FormerMember.update({ deactivated: false }, { where, transaction });
}

/** Deletes the mails of deleted accounts. Foreign keys delete the links. */
export async function removeMails(core: Core, userIds: Ids, transaction: Transaction): Promise<void> {
  if (userIds.length === 0) return;
  await core.database.models.Mail.destroy({ where: { userId: [...userIds] }, transaction });
}

/** Accounts per statement. */
const batch = 500;

/**
 * Stores the current names of accounts in their enrollments without a former name, so that managers see a rename. Call it before
 * saving the new names.
 */
export async function keepFormerNames(
  { database: { models, sequelize } }: Core,
  userIds: Ids,
  transaction: Transaction,
): Promise<void> {
  const name = sequelize.literal(
    "(SELECT CONCAT(users.first_name, ' ', users.last_name) FROM users WHERE users.id = enrollments.user_id)",
  );
  for (let at = 0; at < userIds.length; at += batch) {
    const where = { userId: userIds.slice(at, at + batch), formerName: null };
    await models.Enrollment.update({ formerName: name }, { where, silent: true, transaction });
  }
}
