import { createHash } from 'node:crypto';
import { isIPv6, SocketAddress } from 'node:net';

/** What failed logins are counted by, the subjects, and how many of them are let through. */

const minuteMs = 60_000;

/** How many failures of one subject are let through. */
interface Rule {
  /** So many failures are let through. */
  failures: number;
  /** They are counted for so long, in milliseconds. */
  windowMs: number;
  /** For how long it is locked then, the nth time in a row. */
  lockMs(locks: number): number;
}

/** For one account, or one text that means none: nobody learns from being refused which of them it is. */
const identifierRule: Rule = {
  failures: 10,
  windowMs: 10 * minuteMs,
  lockMs: (locks) => Math.min(10 * 2 ** locks, 60) * minuteMs,
};

/** For one address. */
const addressRule: Rule = { failures: 100, windowMs: 60 * minuteMs, lockMs: () => 60 * minuteMs };

/** For the phone numbers that an account takes or tries to take: each answer tells whether somebody has it. */
const phoneRule: Rule = { failures: 20, windowMs: 60 * minuteMs, lockMs: () => 60 * minuteMs };

export const addressPrefix = 'address:';
const phonePrefix = 'phones-of:';
/** Of a row that counts nothing, but says when a proxy that isn't trusted was last met. */
export const proxyPrefix = 'proxy:';

/** Whether a subject is an address: all who come from there share it. */
export const isAddress = (subject: string) => subject.startsWith(addressPrefix);

/** The rule that a subject is counted by. */
export function ruleOf(subject: string): Rule {
  if (isAddress(subject)) return addressRule;
  return subject.startsWith(phonePrefix) ? phoneRule : identifierRule;
}

/** Length of the prefix of the IPv6 network that one customer is given, in bits. */
const ipv6CustomerBits = 56;

/** The first 56 bits of an IPv6 address; an IPv4 address as it is, however it is written. */
export function networkOf(ip: string): string {
  if (!isIPv6(ip)) return ip;
  // An address can be written in many ways: this makes them one.
  const { address } = new SocketAddress({ address: ip.split('%')[0] ?? ip, family: 'ipv6' });
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const [head = '', tail] = address.split('::');
  const groups = (text: string) => (text === '' ? [] : text.split(':'));
  const [before, after] = [groups(head), groups(tail ?? '')];
  const zeros = tail === undefined ? [] : Array<string>(Math.max(0, 8 - before.length - after.length)).fill('0');
  const bits = [...before, ...zeros, ...after].map((group) => group.padStart(4, '0')).join('');
  return `${bits.slice(0, ipv6CustomerBits / 4)}/${ipv6CustomerBits}`;
}

/** Whose password is tried: an account's, or that of a text which means no account. */
export type Target = { accountId: string } | { identifier: string };

/** The key of the row that counts for an account, or for a text that means none. */
export function subjectOf(target: Target): string {
  if ('accountId' in target) return `account:${target.accountId}`;
  return `unknown:${createHash('sha256').update(target.identifier).digest('hex')}`;
}

/** The key of the row that counts for all who come from an address, or from its network where it is IPv6. */
export const addressSubject = (ip: string) => `${addressPrefix}${networkOf(ip)}`;

/**
 * The key of the row that counts for an account at an address, once it has signed in from there: what others do who share
 * the address isn't counted against it. None for a text that means no account.
 */
export function pairSubject(target: Target, ip: string): string | undefined {
  if (!('accountId' in target)) return undefined;
  return `pair:${createHash('sha256')
    .update(`${target.accountId} ${networkOf(ip)}`)
    .digest('hex')}`;
}

/** The key of the row that counts the phone numbers which an account tries. */
export const phonesSubject = (accountId: string) => `${phonePrefix}${accountId}`;
