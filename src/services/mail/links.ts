import { Op, type Transaction } from 'sequelize';
import type { Link } from '../../db/models/link.js';
import type { User } from '../../db/models/user.js';
import { AppError } from '../../errors.js';
import type { LinkPurpose } from '../../schemas/mail.js';
import type { Core } from '../core.js';
import { newSecret, secretHash } from '../credentials/secrets.js';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** Returns the lifetime of a link from the moment of sending, in milliseconds. */
function lifetimeMsOf({ config }: Core, purpose: LinkPurpose): number {
  const { inviteDays, resetMinutes } = config.mail;
  return {
    invite: inviteDays * dayMs,
    reset: resetMinutes * minuteMs,
    email: dayMs,
    'email-cancel': 7 * dayMs,
  }[purpose];
}

export interface NewLink {
  /** 256 random bits. The database stores only a hash. */
  token: string;
  expiresAt: Date;
  lifetimeMs: number;
}

/**
 * Creates a link.
 * @param link its account must be locked by the transaction, so that no concurrent change of the account misses the link;
 *   `createdAt` is the time at which the mail was queued
 * @param now time of the database, as for all times of links
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

export interface ValidLink {
  link: Link;
  user: User;
}

const invalid = () => new AppError('LINK_INVALID');

/**
 * Whether the account has a new address since the link was sent. Invitations and resets work only for the address in
 * `email`.
 */
const wasSentToOldAddress = ({ purpose, email }: Link, user: User) =>
  (purpose === 'invite' || purpose === 'reset') && email !== user.email;

/**
 * Finds the link of a token without using it up, because virus scanners open links.
 * @throws AppError `LINK_INVALID` for an unknown, used or expired link, and for a link with another purpose
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
 * Uses a link up. Of two requests with the same link, the second one is refused.
 * @param found result of {@link findLink}
 * @returns the account of the link, locked
 * @throws AppError `LINK_INVALID`
 */
export async function consumeLink(core: Core, { link }: ValidLink, transaction: Transaction): Promise<User> {
  const { Link, User } = core.database.models;
  const user = await User.findByPk(link.userId, { transaction, lock: transaction.LOCK.UPDATE });
  if (!user?.isActive || wasSentToOldAddress(link, user)) throw invalid();
  if ((await Link.destroy({ where: { tokenHash: link.tokenHash }, transaction })) === 0) throw invalid();
  return user;
}
