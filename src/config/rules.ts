import { isIP } from 'node:net';
import ms from 'ms';
import { isLoopback } from '../network.js';
import type { MailAddress } from './mail-settings.js';

/**
 * Converts and checks the text of a setting.
 * @param text never empty, unless the default is empty
 * @param given texts of all given settings
 * @throws Error with the predicate of a sentence about the setting, such as "must be on or off". It doesn't contain the
 *   text.
 */
export type Rule<T> = (text: string, given: Readonly<Record<string, string | undefined>>) => T;

/** Value of Express's `trust proxy`: a number of hops, or the proxies' addresses. */
export type TrustProxy = false | number | readonly string[];

export const anyText: Rule<string> = (text) => text;

export const integer = (minimum: number, maximum: number): Rule<number> => {
  return (text) => {
    // Number() also reads other notations, such as 0x10.
    const value = /^[\s\d.e+-]*\d\s*$/i.test(text) ? Number(text) : Number.NaN;
    if (!Number.isInteger(value) || value < minimum || value > maximum)
      throw new Error(`must be a whole number from ${minimum} to ${maximum}`);
    return value;
  };
};

/** Accepts text that matches the pattern, and an empty default. */
export const matching = (pattern: RegExp, mustBe: string): Rule<string> => {
  return (text) => {
    if (text !== '' && !pattern.test(text)) throw new Error(mustBe);
    return text;
  };
};

export function oneOf<const T extends string>(...words: readonly T[]): Rule<T> {
  const mustBe =
    words.length > 3
      ? `must be one of ${words.join(', ')}`
      : `must be ${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
  return (text) => {
    const word = words.find((one) => one === text);
    if (word === undefined) throw new Error(mustBe);
    return word;
  };
}

export const flag = (yes: string, no: string): Rule<boolean> => {
  const word = oneOf(yes, no);
  return (text, given) => word(text, given) === yes;
};

const label = '[\\p{L}\\d](?:[\\p{L}\\d-]*[\\p{L}\\d])?';
const domain = new RegExp(`^(?=.{1,253}$)(?:${label}\\.)*(?!\\d)${label}$`, 'u');

export const timeZone: Rule<string> = (text) => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone;
  } catch (error) {
    // Intl throws a RangeError for an unknown time zone.
    if (!(error instanceof RangeError)) throw error;
    throw new Error('must be the name of a time zone, such as Europe/Berlin or UTC');
  }
};

export const hostName: Rule<string> = (text) => {
  if (isIP(text) === 0 && !domain.test(text))
    throw new Error('must be a host name or an address to listen on, such as 127.0.0.1 or 0.0.0.0');
  return text;
};

export const webAddress: Rule<string> = (text) => {
  // `coursectl config` shows this value, so it must not contain secrets.
  if (!URL.canParse(text) || !/^https?:\/\/[^@\s]+$/i.test(text))
    throw new Error('must be a URL without a user name, such as https://s3.example.org');
  return text;
};

/** Accepts `Name <address>` or an address alone. */
export const mailAddress: Rule<MailAddress> = (text) => {
  const [, name = '', address = ''] = /^(?:"?([^"<>\p{Cc}]*?)"?\s*<([^<>]*)>)$/u.exec(text.trim()) ?? [
    text,
    '',
    text.trim(),
  ];
  if (!/^[^\s@,;:<>()"\\\p{Cc}]{1,64}@[\p{L}\d-]+(?:\.[\p{L}\d-]+)*$/u.test(address) || name.length > 100)
    throw new Error('must be an email address, such as training@example.org or Training <training@example.org>');
  return { name: name.trim(), address };
};

/** Returns the origin of a web address: https, or http for this machine. */
export const publicUrl: Rule<string> = (text) => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname));
  if (!url || !isSafe || url.origin !== text.replace(/\/$/, '').toLowerCase())
    throw new Error(
      'must be the address that people open, with https:// and without a path, such as https://courses.example.org; http:// only for localhost',
    );
  return url.origin;
};

/** Accepts the issuer of OpenID Connect: https, or http for this machine. Keeps its text, which tokens repeat exactly. */
export const issuer: Rule<string> = (text) => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname));
  if (!isSafe || /[?#@\s]/.test(text) || text.endsWith('/.well-known/openid-configuration'))
    throw new Error(
      'must be the address of the issuer as its tokens give it, such as https://login.example.org/realms/staff: with https://, and without a user name, ?, # or /.well-known/openid-configuration; http:// only for localhost',
    );
  return text;
};

/** Returns the domains of a comma-separated list in lower case. */
export const domains: Rule<readonly string[]> = (text) => {
  const entries = commaSeparated(text).map((entry) => entry.toLowerCase());
  if (entries.some((entry) => !entry.includes('.') || !domain.test(entry)))
    throw new Error('must be a comma-separated list of domains of emails, such as example.org,staff.example.org');
  return entries;
};

/** Returns a duration in seconds. */
export const lifetime: Rule<number> = (text) => {
  const milliseconds = /^\d+$/.test(text)
    ? Number(text) * 1000
    : /^\d+(\.\d+)?\s?[a-z]+$/i.test(text)
      ? ms(text as ms.StringValue)
      : undefined;
  const seconds = Math.floor((milliseconds ?? Number.NaN) / 1000);
  if (!(seconds >= 1 && seconds <= 366 * 86_400))
    throw new Error('must be a time from 1s to 366d, such as 7d, 12h or 3600 (seconds)');
  return seconds;
};

export const origins: Rule<readonly string[]> = (text) =>
  commaSeparated(text).map((entry) => {
    const url = URL.canParse(entry) ? new URL(entry) : undefined;
    if (!url || url.origin === 'null' || url.origin !== entry.replace(/\/$/, '').toLowerCase()) {
      throw new Error(
        'must be a comma-separated list of origins, such as https://app.example.org,http://localhost:5173',
      );
    }
    return url.origin;
  });

export const proxies: Rule<TrustProxy> = (text) => {
  if (text === 'false' || text === '0') return false;
  if (/^\d{1,2}$/.test(text)) return Number(text);
  const entries = commaSeparated(text);
  const valid = entries.every((entry) => {
    const [address = '', bits, ...rest] = entry.split('/');
    const family = isIP(address);
    if (['loopback', 'linklocal', 'uniquelocal'].includes(entry)) return true;
    return (
      family !== 0 &&
      rest.length === 0 &&
      (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) >= 1 && Number(bits) <= (family === 4 ? 32 : 128)))
    );
  });
  if (!valid || entries.length === 0)
    throw new Error('must be a number of proxy hops or a list of addresses or CIDR ranges, such as 1 or 10.0.0.0/8');
  return entries;
};

export const extensions: Rule<readonly string[]> = (text) => {
  const entries = commaSeparated(text).map((entry) => entry.replace(/^\./, '').toLowerCase());
  if (entries.some((entry) => !/^[a-z0-9]{1,20}$/.test(entry)))
    throw new Error('must be a comma-separated list of file name extensions, such as pdf,docx,mp4');
  return entries;
};

function commaSeparated(text: string): string[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}
