import { Op, type Transaction, type WhereOptions } from 'sequelize';
import type { LoginThrottle } from '../../db/models/login-throttle.js';
import { isAppError } from '../../errors.js';
import type { LinkPurpose } from '../../schemas/mail.js';
import { recordAudit } from '../audit/audit.js';
import type { Actor, Client, Core } from '../core.js';
import { findLink, type ValidLink } from '../mail/links.js';
import { isInForce } from './current-locks.js';
import { countOrRefuse, lockAtLimit } from './throttle.js';
import {
  addressPrefix,
  addressSubject,
  forgottenSubject,
  knownMs,
  lastLock,
  linksSubject,
  lockHistoryMs,
  phonesSubject,
} from './throttle-rules.js';

/**
 * Resets the failures of an account everywhere, in the caller's transaction. Known addresses stay known.
 * @returns the end of the lock that was in force; null if there was none
 */
export async function releaseLock(core: Core, accountId: string, transaction: Transaction): Promise<Date | null> {
  const { LoginThrottle } = core.database.models;
  const rows = await LoginThrottle.findAll({
    attributes: ['subject', 'lockedUntil'],
    where: { accountId },
    transaction,
  });
  const forgotten = { failures: 0, lockedUntil: null, locks: 0 };
  // Updates by primary key: through another index, rows would be locked in another order than by logins.
  await LoginThrottle.update(forgotten, { where: { subject: rows.map(({ subject }) => subject) }, transaction });
  return lastLock(rows, core.now()) ?? null;
}

/** Address or IPv6 network from which only accounts that are known there can sign in. */
export interface LockedAddress {
  address: string;
  lockedUntil: Date;
}

/** Formats an address for display; for IPv6 its network. */
function formatAddress(network: string): string {
  const [digits = '', bits] = network.split('/');
  if (bits === undefined) return network;
  const groups = digits.match(/.{1,4}/g)?.map((group) => group.padEnd(4, '0')) ?? [];
  return `${groups.join(':')}::/${bits}`;
}

/** Returns the locked addresses, longest lock first. */
export async function lockedAddresses(core: Core): Promise<LockedAddress[]> {
  const rows = await core.database.read(() =>
    core.database.models.LoginThrottle.findAll({
      where: { subject: { [Op.startsWith]: addressPrefix }, lockedUntil: isInForce(core) },
      order: [
        ['lockedUntil', 'DESC'],
        ['subject', 'ASC'],
      ],
    }),
  );
  return rows.flatMap(({ subject, lockedUntil }) =>
    lockedUntil === null ? [] : [{ address: formatAddress(subject.slice(addressPrefix.length)), lockedUntil }],
  );
}

/**
 * Unlocks an address.
 * @param address in any notation, or from {@link lockedAddresses}; an IPv6 address unlocks its whole network
 * @returns the end of the lock that was in force; null if there was none
 */
export async function unlockAddress(core: Core, actor: Actor, address: string): Promise<Date | null> {
  const [plain = address] = address.split('/');
  const subject = addressSubject(plain);
  return core.database.inTransaction(async (transaction) => {
    const { LoginThrottle } = core.database.models;
    const row = await LoginThrottle.findByPk(subject, { transaction, lock: transaction.LOCK.UPDATE });
    await row?.destroy({ transaction });
    const lockedUntil = (row && lastLock([row], core.now())) ?? null;
    const targetId = formatAddress(subject.slice(addressPrefix.length));
    // An address without a lock is unchanged: no audit entry.
    if (lockedUntil !== null)
      await recordAudit(core, actor, { action: 'address.unlock', targetType: 'address', targetId }, transaction);
    return lockedUntil;
  });
}

/** Counts a request that is limited whether or not it fails. @param what name of the counted requests in the message */
async function countRequest(core: Core, subject: string, what: string): Promise<void> {
  await countOrRefuse(core, [subject], null, what);
  await lockAtLimit(core, [subject]);
}

/**
 * Counts a phone number that an account tries, because the response reveals whether another account has the number.
 * @throws AppError `TOO_MANY_ATTEMPTS`
 */
export const countPhoneTried = (core: Core, accountId: string): Promise<void> =>
  countRequest(core, phonesSubject(accountId), 'phone numbers tried');

/**
 * Returns the link of a token, and counts invalid tokens. Valid links aren't counted: a school behind one address may open hundreds
 * of invitations in an hour.
 * @throws AppError `LINK_INVALID`, `TOO_MANY_ATTEMPTS`
 */
export async function findLinkCountingFailures(
  core: Core,
  token: string,
  purposes: readonly LinkPurpose[],
  { ip }: Client,
): Promise<ValidLink> {
  try {
    return await findLink(core, token, purposes);
  } catch (error) {
    if (isAppError(error, 'LINK_INVALID') && ip !== null)
      await countRequest(core, linksSubject(ip), 'links that are not valid');
    throw error;
  }
}

/** Counts a request because of a forgotten password. @throws AppError `TOO_MANY_ATTEMPTS` */
export async function countForgottenPassword(core: Core, { ip }: Client): Promise<void> {
  if (ip !== null) await countRequest(core, forgottenSubject(ip), 'forgotten passwords');
}

/** Rows per transaction of the cleanup. Larger transactions would delay logins. */
const sweepBatch = 1000;

/** Deletes rows that are too old to count. @returns the number of deleted rows */
export async function sweepThrottle(core: Core, signal?: AbortSignal): Promise<number> {
  const { LoginThrottle } = core.database.models;
  const before = (milliseconds: number) => new Date(core.now().getTime() - milliseconds);
  const isOld = (column: string, milliseconds: number) => ({
    [Op.or]: [{ [column]: null }, { [column]: { [Op.lt]: before(milliseconds) } }],
  });
  const old: WhereOptions<LoginThrottle> = {
    windowStartedAt: { [Op.lt]: before(lockHistoryMs) },
    [Op.and]: [isOld('lockedUntil', lockHistoryMs), isOld('signedInAt', knownMs)],
  };
  let removed = 0;
  do {
    const found = await core.database.read(() =>
      LoginThrottle.findAll({ attributes: ['subject'], where: old, limit: sweepBatch }),
    );
    if (found.length === 0) return removed;
    const subject = found.map((row) => row.subject);
    // Checks the age again, because a login may have changed a row.
    removed += await core.database.inTransaction((transaction) =>
      LoginThrottle.destroy({ where: { subject, ...old }, transaction }),
    );
  } while (!signal?.aborted);
  return removed;
}
