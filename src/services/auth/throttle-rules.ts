import { createHash } from 'node:crypto';
import type { LoginThrottle } from '../../db/models/login-throttle.js';
import type { LockEndRange } from '../../db/sql/conditions.js';
import { type LoginSubjects, saltOf } from '../../db/sql/login-query.js';
import { networkOf } from '../../network.js';

/** The subjects by which failed logins are counted, and other requests without a session, and their limits. */

const minuteMs = 60_000;
const longestLockMs = 60 * minuteMs;
/** How long the number of earlier locks is kept, in milliseconds. */
export const lockHistoryMs = 24 * 60 * minuteMs;
/** How long an account is known at an address after a login from there, in milliseconds. */
export const knownMs = 30 * 24 * 60 * minuteMs;

/** How far the clock of another instance may be ahead, in milliseconds: as for tokens. */
const clockSkewMs = 5 * minuteMs;

/** The limit of one subject. */
interface Rule {
  /** Whether the rows of the rule are those of an account, if there is one. */
  belongsToAccount: boolean;
  /** The permitted number of failures. */
  failures: number;
  /** The period in which they are counted, in milliseconds. */
  windowMs: number;
  /** The length of the lock after `locks` consecutive locks, in milliseconds. */
  lockMs(locks: number): number;
}

/** For an account, and alike for an identifier without an account, so that a refusal doesn't reveal which it is. */
const identifierRule: Rule = {
  belongsToAccount: true,
  failures: 10,
  windowMs: 10 * minuteMs,
  lockMs: (locks) => Math.min(10 * 2 ** locks * minuteMs, longestLockMs),
};

/** For one address. */
const addressRule: Rule = {
  belongsToAccount: false,
  failures: 100,
  windowMs: 60 * minuteMs,
  lockMs: () => longestLockMs,
};

/** For the phone numbers that an account tries, because each response tells whether another account has the number. */
const phoneRule: Rule = { belongsToAccount: false, failures: 20, windowMs: 60 * minuteMs, lockMs: () => longestLockMs };

/** For the links that are opened and used at one address: a class behind it opens expired invitations, too. */
const linkRule: Rule = { ...addressRule, failures: 300 };

/** For the links that are asked for at one address by those who have forgotten a password. */
const forgottenRule: Rule = { ...addressRule, failures: 100 };

/**
 * The latest moment that a row can have noted by now. A later one was noted by a clock that was ahead, and would count until
 * all clocks are there.
 */
export const latestMoment = (now: Date): Date => new Date(now.getTime() + clockSkewMs);

/** When locks end that are in force: later than `after`, and at `until` at the latest. */
export const locksInForce = (now: Date): LockEndRange => ({
  after: now,
  until: new Date(latestMoment(now).getTime() + longestLockMs),
});

const accountPrefix = 'account:';
export const addressPrefix = 'address:';
/** Prefix of an account at an address, where it has its own limit once it has signed in from there. */
const pairPrefix = 'pair:';
const phonePrefix = 'phones-of:';
const linkPrefix = 'links:';
const forgottenPrefix = 'forgotten:';
/** Prefix of rows that don't count, but record the last request through a proxy that isn't trusted. */
export const proxyPrefix = 'proxy:';

/** The rule of a subject. */
export function ruleOf(subject: string): Rule {
  if (subject.startsWith(addressPrefix)) return addressRule;
  if (subject.startsWith(linkPrefix)) return linkRule;
  if (subject.startsWith(forgottenPrefix)) return forgottenRule;
  return subject.startsWith(phonePrefix) ? phoneRule : identifierRule;
}

/** The target of an attempt: an account with its stored password, or an identifier without an account. */
export type Target = { accountId: string; passwordHash: string } | { identifier: string };

const unknownSubject = (identifier: string) => `unknown:${createHash('sha256').update(identifier).digest('hex')}`;

/** The key of the row of an account, or of an identifier without one. */
export const subjectOf = (target: Target): string =>
  'accountId' in target ? `${accountPrefix}${target.accountId}` : unknownSubject(target.identifier);

/** The key of the row of an address; of its network for IPv6. */
export const addressSubject = (ip: string) => `${addressPrefix}${networkOf(ip)}`;

const pairSuffix = (ip: string) => `:${networkOf(ip)}`;

/** Beginning of the keys of an account at all addresses where this password was used. */
export const pairPrefixOf = (accountId: string, passwordHash: string) =>
  `${pairPrefix}${accountId}:${saltOf(passwordHash)}`;

/**
 * The key of the row of an account at an address, which counts in place of all others once the account has signed in from there.
 * Another password has another salt, so no address is known any more: somebody who knew the old one may have signed in from many.
 * Undefined for an identifier without an account, and without an address.
 */
export const pairSubject = (target: Target, ip: string | null): string | undefined =>
  'accountId' in target && ip !== null
    ? `${pairPrefixOf(target.accountId, target.passwordHash)}${pairSuffix(ip)}`
    : undefined;

/** The rows that a login asks for, before it knows the account. */
export const loginSubjects = (identifier: string, ip: string | null): LoginSubjects => ({
  unknown: unknownSubject(identifier),
  accountPrefix,
  pair: ip === null ? undefined : { prefix: pairPrefix, suffix: pairSuffix(ip) },
  address: ip === null ? undefined : addressSubject(ip),
});

/** The key of the row that counts the phone numbers that an account tries. */
export const phonesSubject = (accountId: string) => `${phonePrefix}${accountId}`;

/** The key of the row that counts the links used at an address; of its network for IPv6. */
export const linksSubject = (ip: string) => `${linkPrefix}${networkOf(ip)}`;

/** The key of the row that counts the passwords forgotten at an address; of its network for IPv6. */
export const forgottenSubject = (ip: string) => `${forgottenPrefix}${networkOf(ip)}`;

/** The milliseconds since a moment; infinite for none, and for one that a clock noted that was ahead. */
export const msSince = (now: Date, moment: Date | null): number =>
  moment === null || moment > latestMoment(now) ? Number.POSITIVE_INFINITY : now.getTime() - moment.getTime();

/** Whether a lock is no longer part of the history, or was set by a clock that was ahead. */
export const isForgotten = (lockedUntil: Date | null, now: Date): boolean =>
  lockedUntil === null ||
  now.getTime() - lockedUntil.getTime() >= lockHistoryMs ||
  lockedUntil > locksInForce(now).until;

/** The end of the last lock that is still in force; nothing when no row is locked. */
export function lastLock(rows: readonly LoginThrottle[], now: Date): Date | undefined {
  const { after, until } = locksInForce(now);
  const ends = rows.flatMap(({ lockedUntil }) => lockedUntil ?? []).filter((end) => end > after && end <= until);
  return ends.sort((one, other) => other.getTime() - one.getTime())[0];
}
