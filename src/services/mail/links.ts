import { Op, type Transaction } from 'sequelize';
import type { Link } from '../../db/models/link.js';
import type { User } from '../../db/models/user.js';
import { AppError } from '../../errors.js';
import type { LinkPurpose } from '../../schemas/mail.js';
import type { Core } from '../core.js';
import { newSecret, secretHash } from '../credentials/secrets.js';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** How long a link works from when it leaves, in milliseconds. */
function lifetimeMsOf({ config }: Core, purpose: LinkPurpose): number {
  const { inviteDays, resetMinutes } = config.mail;
  return {
    invite: inviteDays * dayMs,
    reset: resetMinutes * minuteMs,
    email: dayMs,
    'email-cancel': 7 * dayMs,
  }[purpose];
}

/** A link that is to be mailed. */
export interface NewLink {
  /** 256 random bits, which are stored nowhere. */
  token: string;
  expiresAt: Date;
  lifetimeMs: number;
}

/**
 * Makes a link.
 * @param link its account is locked by the transaction, so that a change of it ends the link or comes before; `createdAt` is when its
 *   mail was queued, however late that leaves
 * @param now of the database, as all times of links are
 */
export async function createLink(
  core: Core,
  link: Pick<Link, 'userId' | 'purpose' | 'email' | 'createdAt'>,
  now: Date,
  transaction: Transaction,
): Promise<NewLink> {
  const token = newSecret();
  const lifetimeMs = lifetimeMsOf(core, link.purpose);
  const expiresAt = new Date(now.getTime() + lifetimeMs);
  await core.database.models.Link.create({ ...link, tokenHash: secretHash(token), expiresAt }, { transaction });
  return { token, expiresAt, lifetimeMs };
}

/** A link that works, and its account. */
export interface ValidLink {
  link: Link;
  user: User;
}

const invalid = () => new AppError('LINK_INVALID');

/** Links of these purposes work for the address that they were sent to alone. */
const wasSentToOldAddress = ({ purpose, email }: Link, user: User) =>
  (purpose === 'invite' || purpose === 'reset') && email !== user.email;

/**
 * The link of a token, which stays usable: programs open links to look for viruses.
 * @throws AppError `LINK_INVALID`, the same for unknown, used and expired ones, and those of other purposes
 */
export async function findLink(core: Core, token: string, purposes: readonly LinkPurpose[]): Promise<ValidLink> {
  const { Link, User } = core.database.models;
  const now = await core.databaseNow();
  const where = { tokenHash: secretHash(token), purpose: [...purposes], expiresAt: { [Op.gt]: now } };
  const link = await core.database.read(() => Link.findOne({ where }));
  const user = link && (await core.database.read(() => User.findByPk(link.userId)));
  if (!link || !user?.isActive || wasSentToOldAddress(link, user)) throw invalid();
  return { link, user };
}

/**
 * Uses a link up. Of two requests with the same one, the second is refused.
 * @param found by {@link findLink}
 * @returns its account, locked
 * @throws AppError `LINK_INVALID`
 */
export async function consumeLink(core: Core, { link }: ValidLink, transaction: Transaction): Promise<User> {
  const { Link, User } = core.database.models;
  const user = await User.findByPk(link.userId, { transaction, lock: transaction.LOCK.UPDATE });
  if (!user?.isActive || wasSentToOldAddress(link, user)) throw invalid();
  if ((await Link.destroy({ where: { tokenHash: link.tokenHash }, transaction })) === 0) throw invalid();
  return user;
}
