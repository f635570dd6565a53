import { phoneKey } from '../schemas/keys.js';

/** Whether a text has the form of ids that this program creates. Ids in a database may be any text. */
export const isId = (text: string): boolean => /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(text);

/** Length of a short id, in characters. */
export const shortIdLength = 8;

/** Returns letters and digits in lower case, with digits of every script as 0 to 9. */
const lettersAndDigits = (text: string) =>
  phoneKey(text)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');

/**
 * Returns the id in a text, which may have capitals, brackets, no or other dashes, and invisible characters.
 * @returns undefined if the text isn't an id in any notation
 */
export function parseId(text: string): string | undefined {
  const parts = /^([\da-f]{8})([\da-f]{4})([\da-f]{4})([\da-f]{4})([\da-f]{12})$/.exec(lettersAndDigits(text));
  return parts?.slice(1).join('-');
}

/**
 * Whether a text looks like a part of an id, unlike any phone number: 20 consecutive hexadecimal digits with a letter among them.
 * Recognises incomplete and mistyped ids.
 */
export function resemblesId(text: string): boolean {
  return (lettersAndDigits(text).match(/[\da-f]{20,}/g) ?? []).some((run) => /[a-f]/.test(run));
}
