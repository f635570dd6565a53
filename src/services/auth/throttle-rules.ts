import { createHash } from 'node:crypto';
import type { LoginThrottle } from '../../db/models/login-throttle.js';
import type { LockEndRange } from '../../db/sql/conditions.js';
import { type LoginSubjects, saltOf } from '../../db/sql/login-query.js';
import { networkOf } from '../../network.js';

/** Subjects for which failed logins and other requests are counted, and their limits. */

const minuteMs = 60_000;
const longestLockMs = 60 * minuteMs;
/** Period in which earlier locks lengthen the next lock, in milliseconds. */
export const lockHistoryMs = 24 * 60 * minuteMs;
/** Period in which an account is known at an address after a login from there, in milliseconds. */
export const knownMs = 30 * 24 * 60 * minuteMs;

/** Maximum advance of another instance's clock, in milliseconds; the same as for tokens. */
const clockSkewMs = 5 * minuteMs;

/** Limit of a kind of subjects. */
interface Rule {
  /** Whether rows of the rule refer to the account, if there is one. */
  belongsToAccount: boolean;
  /** Permitted number of failures. */
  failures: number;
  /** Period in which failures are counted, in milliseconds. */
  windowMs: number;
  /** Returns the length of a lock after `locks` consecutive locks, in milliseconds. */
  lockMs(locks: number): number;
}

/** For accounts and identifiers without an account. The limits are equal, so that a refusal doesn't reveal which accounts exist. */
const identifierRule: Rule = {
  belongsToAccount: true,
  failures: 10,
  windowMs: 10 * minuteMs,
  lockMs: (locks) => Math.min(10 * 2 ** locks * minuteMs, longestLockMs),
};

const addressRule: Rule = {
  belongsToAccount: false,
  failures: 100,
  windowMs: 60 * minuteMs,
  lockMs: () => longestLockMs,
};

/** For phone numbers that an account tries: each response reveals whether another account has the number. */
const phoneRule: Rule = { belongsToAccount: false, failures: 20, windowMs: 60 * minuteMs, lockMs: () => longestLockMs };

/** For invalid links at one address: a class behind it may open many expired invitations. */
const linkRule: Rule = { ...addressRule, failures: 300 };

/** For requests because of forgotten passwords at one address. */
const forgottenRule: Rule = { ...addressRule, failures: 100 };

/**
 * Returns the latest plausible time in a row. A later time was stored by a clock that was ahead, and would count until all clocks
 * reach it.
 */
export const latestMoment = (now: Date): Date => new Date(now.getTime() + clockSkewMs);

/** Returns the range of ends of locks in force. */
export const locksInForce = (now: Date): LockEndRange => ({
  after: now,
  until: new Date(latestMoment(now).getTime() + longestLockMs),
});

const accountPrefix = 'account:';
export const addressPrefix = 'address:';
/**
 * Prefix of rows for an account at an address. After a login from an address, the account has a separate limit there.
 */
const pairPrefix = 'pair:';
const phonePrefix = 'phones-of:';
const linkPrefix = 'links:';
const forgottenPrefix = 'forgotten:';
/** Prefix of rows that count nothing, but record the last request through an untrusted proxy. */
export const proxyPrefix = 'proxy:';

export function ruleOf(subject: string): Rule {
  if (subject.startsWith(addressPrefix)) return addressRule;
  if (subject.startsWith(linkPrefix)) return linkRule;
  if (subject.startsWith(forgottenPrefix)) return forgottenRule;
  return subject.startsWith(phonePrefix) ? phoneRule : identifierRule;
}

/** Target of an attempt: an account with its stored password, or an identifier without an account. */
export type Target = { accountId: string; passwordHash: string } | { identifier: string };

const unknownSubject = (identifier: string) => `unknown:${createHash('sha256').update(identifier).digest('hex')}`;

/** Returns the row key of an account, or of an identifier without one. */
export const subjectOf = (target: Target): string =>
  'accountId' in target ? `${accountPrefix}${target.accountId}` : unknownSubject(target.identifier);

/** Returns the row key of an address; for IPv6 of its network. */
export const addressSubject = (ip: string) => `${addressPrefix}${networkOf(ip)}`;

const pairSuffix = (ip: string) => `:${networkOf(ip)}`;

/** Returns the common prefix of an account's row keys at all addresses where this password was used. */
export const pairPrefixOf = (accountId: string, passwordHash: string) =>
  `${pairPrefix}${accountId}:${saltOf(passwordHash)}`;

/**
 * Returns the row key of an account at an address. After a login from the address, only this row counts. The key
 * contains the salt of the password. So after a change of password no address is known: an attacker with the old
 * password may have signed in from many.
 * @returns undefined for an identifier without an account, or without an address
 */
export const pairSubject = (target: Target, ip: string | null): string | undefined =>
  'accountId' in target && ip !== null
    ? `${pairPrefixOf(target.accountId, target.passwordHash)}${pairSuffix(ip)}`
    : undefined;

/** Returns keys and parts of keys, from which a login builds the keys of its rows when it reads the account. */
export const loginSubjects = (identifier: string, ip: string | null): LoginSubjects => ({
  unknown: unknownSubject(identifier),
  accountPrefix,
  pair: ip === null ? undefined : { prefix: pairPrefix, suffix: pairSuffix(ip) },
  address: ip === null ? undefined : addressSubject(ip),
});

/** Returns the row key for phone numbers that an account tries. */
export const phonesSubject = (accountId: string) => `${phonePrefix}${accountId}`;

/** Returns the row key for invalid links at an address; for IPv6 of its network. */
export const linksSubject = (ip: string) => `${linkPrefix}${networkOf(ip)}`;

/** Returns the row key for forgotten passwords at an address; for IPv6 of its network. */
export const forgottenSubject = (ip: string) => `${forgottenPrefix}${networkOf(ip)}`;

/**
 * Returns the milliseconds since a moment; infinite without a moment, and for a moment stored by a clock that was
 * ahead.
 */
export const msSince = (now: Date, moment: Date | null): number =>
  moment === null || moment > latestMoment(now) ? Number.POSITIVE_INFINITY : now.getTime() - moment.getTime();

/** Whether a lock is too old for the history, or was set by a clock that was ahead. */
export const isForgotten = (lockedUntil: Date | null, now: Date): boolean =>
  lockedUntil === null ||
  now.getTime() - lockedUntil.getTime() >= lockHistoryMs ||
  lockedUntil > locksInForce(now).until;

/** Returns the end of the last lock in force; undefined if no row is locked. */
export function lastLock(rows: readonly LoginThrottle[], now: Date): Date | undefined {
  const { after, until } = locksInForce(now);
  const ends = rows.flatMap(({ lockedUntil }) => lockedUntil ?? []).filter((end) => end > after && end <= until);
  return ends.sort((one, other) => other.getTime() - one.getTime())[0];
}
