import type { Transaction } from 'sequelize';
import type { User } from '../../db/models/user.js';
import { networkOf } from '../../network.js';
import { linkSchema, setPasswordSchema } from '../../schemas/auth.js';
import { type LinkPurpose, linkPurposes } from '../../schemas/mail.js';
import { validate } from '../../schemas/validate.js';
import { auditedUser, changesBetween, recordAudit } from '../audit/audit.js';
import type { Client, Core } from '../core.js';
import type { HashRequest } from '../credentials/passwords.js';
import { consumeLink, endLinks, type OpenLink } from '../mail/links.js';
import { queueMails } from '../mail/outbox.js';
import { assertNotInitialPassword, chosenPassword } from './login.js';
import { assertPasswordAllowed } from './password-policy.js';
import { endSessions } from './sessions.js';
import { makeKnownAt } from './throttle.js';
import { findCountedLink, releaseLock } from './throttle-locks.js';

/** What the page of a link shows. */
interface ShownLink {
  purpose: LinkPurpose;
  /** Null for links that confirm an address, which may be a stranger's. */
  firstName: string | null;
  /** The address that the link was sent to. */
  email: string;
  expiresAt: Date;
}

/**
 * Says what a link is for; it can still be used.
 * @throws AppError `VALIDATION`, `TOO_MANY_ATTEMPTS`, `LINK_INVALID`
 */
export async function checkLink(core: Core, input: unknown, client: Client): Promise<ShownLink> {
  const { token } = validate(linkSchema, input);
  const { link, user } = await findCountedLink(core, token, linkPurposes, client);
  const { purpose, email, expiresAt } = link;
  return { purpose, firstName: purpose === 'email' ? null : user.firstName, email, expiresAt };
}

/**
 * Sets the password of a link's account. The link ends, as do all sessions, other links (but those that cancel a change of
 * address) and the lock of the account.
 * @throws AppError `VALIDATION`, `TOO_MANY_ATTEMPTS`, `LINK_INVALID`, `OVERLOADED`, `INTERRUPTED`
 */
export async function setPassword(core: Core, input: unknown, client: Client, signal?: AbortSignal): Promise<void> {
  const { token, newPassword } = validate(setPasswordSchema, input);
  const found = await findCountedLink(core, token, ['invite', 'reset'], client);
  await assertPasswordAllowed(core.config, 'newPassword', newPassword, found.user);
  const request: HashRequest = { owner: client.ip === null ? '' : networkOf(client.ip), signal };
  await assertNotInitialPassword(core, newPassword, found.user, request);
  const passwordHash = await core.hasher.hash(newPassword, core.config.auth.bcryptCost, request);
  const set = (transaction: Transaction) => store(core, found, passwordHash, client, transaction);
  // When the commit succeeded and only its response was lost, the link is used up.
  const { User } = core.database.models;
  const committed = async ({ id }: User) => (await User.findByPk(id))?.passwordHash === passwordHash;
  await core.database.inTransaction(set, { committed });
}

async function store(
  core: Core,
  found: OpenLink,
  passwordHash: string,
  { ip }: Client,
  transaction: Transaction,
): Promise<User> {
  const user = await consumeLink(core, found, transaction);
  const isFirst = found.link.purpose === 'invite' || !user.hasPassword;
  const before = auditedUser(user);
  // The link was mailed to this address.
  const changed = { ...chosenPassword(passwordHash), emailConfirmedAt: core.now() };
  await user.update({ ...changed, ...(isFirst && { inviteState: 'accepted' }) }, { transaction });
  await releaseLock(core, user.id, transaction);
  // So that strangers who lock the account again don't keep its person out.
  await makeKnownAt(core, user, ip, transaction);
  await endSessions(core, user.id, transaction);
  await endLinks(core, [user.id], transaction);
  const { id, role, email } = user;
  const record = { action: 'user.set-password', targetType: 'user', targetId: id } as const;
  const changes = changesBetween(before, auditedUser(user));
  await recordAudit(core, { origin: 'http', actorId: id, role, ip }, { ...record, ...changes }, transaction);
  if (!isFirst) await queueMails(core, [{ kind: 'password-changed', userId: id, address: email }], transaction);
  return user;
}
