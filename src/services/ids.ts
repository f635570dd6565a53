import { randomBytes } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { phoneKey } from '../schemas/keys.js';

/** So many new ids, UUIDv7 (RFC 9562), in ascending order. Asking once for all their random bytes is what makes it cheap. */
export function newIds(count: number): string[] {
  const random = randomBytes(16 * (count + 1));
  const msecs = Date.now();
  // Its highest bit is free: counting up from here does not run over.
  const first = random.readUInt32BE(0) >>> 1;
  return Array.from({ length: count }, (_, index) =>
    uuidv7({ msecs, seq: first + index, random: random.subarray(16 * (index + 1), 16 * (index + 2)) }),
  );
}

/** In lower case, digits of every script as 0 to 9. */
const lettersAndDigits = (text: string) =>
  phoneKey(text)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');

/**
 * The id that a text stands for, however it was copied: in capitals, in brackets, without its dashes or with other ones,
 * with characters that can't be seen.
 * @returns nothing for a text that isn't the spelling of an id
 */
export function idIn(text: string): string | undefined {
  const parts = /^([\da-f]{8})([\da-f]{4})([\da-f]{4})([\da-f]{4})([\da-f]{12})$/.exec(lettersAndDigits(text));
  return parts?.slice(1).join('-');
}

/**
 * Whether a text has more of an id than any phone number has: 20 hexadecimal digits in a row, with a letter among them.
 * An id of which a part is missing or wrong has them too.
 */
export function hasPartOfId(text: string): boolean {
  return (lettersAndDigits(text).match(/[\da-f]{20,}/g) ?? []).some((run) => /[a-f]/.test(run));
}
