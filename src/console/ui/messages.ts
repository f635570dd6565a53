import type { TFunction } from 'i18next';
import { ApiError, SessionEnded } from '../api/client.js';
import { formatBytes } from '../i18n/format.js';

/** What is said, and in which language where it isn't the page's: the service speaks English. */
export interface Saying {
  text: string;
  lang?: 'en';
}

/** Sentences of the service that people meet often: the console has words of its own for them. The service gives them no codes. */
const usual = {
  credentials: /^Invalid credentials( or account inactive)?\.$/,
  currentPassword: /^Current password is incorrect\.$/,
  emailTaken: /^User with this email already exists\.$/,
  phoneTaken: /^User with this phone number already exists\.$/,
  email: /^Email must be a valid email address\.$/,
  between: / must be (?<least>\d+) to (?<most>\d+) characters\.$/,
  tooLong: / must be at most (?<most>\d+) characters\.$/,
  tooShort: / must be at least (?<least>\d+) characters\.$/,
  seatsTaken: /^maxStudents must be at least (?<least>\d+): so many seats are taken\.$/,
  endBeforeStart: /^endDate must not be before startDate\.$/,
  fileTooLarge: /^The file has more than (?<bytes>\d+) bytes\.$/,
} as const;

/** What a sentence of the service says, in the console's own words where it has some. */
export function sayingOfService(sentence: string, t: TFunction): Saying {
  for (const [name, pattern] of Object.entries(usual)) {
    const match = pattern.exec(sentence);
    if (!match) continue;
    const { bytes, least, most } = match.groups ?? {};
    // `usual` has no other keys.
    return {
      text: t(`problem.${name as keyof typeof usual}`, {
        least: Number(least),
        most: Number(most),
        size: formatBytes(Number(bytes)),
      }),
    };
  }
  return { text: sentence, lang: 'en' };
}

/** What to tell of a failure: what the service says, unless there was no answer or the session had ended. */
export function sayingOf(error: unknown, t: TFunction): Saying {
  if (error instanceof SessionEnded) return { text: t('signIn.againHint') };
  if (error instanceof ApiError)
    return error.status === 0 ? { text: t('state.offline') } : sayingOfService(error.message, t);
  return { text: error instanceof Error ? error.message : String(error) };
}

/** As {@link sayingOf}, where there is no place to name the language. */
export const messageOf = (error: unknown, t: TFunction): string => sayingOf(error, t).text;
