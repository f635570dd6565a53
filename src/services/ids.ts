import { randomBytes } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { phoneKey } from '../schemas/keys.js';

/** Whether a text is an id as this program writes them: one from a database may be any text. */
export const isId = (text: string): boolean => /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(text);

/** Creates ids, UUIDv7 (RFC 9562), in ascending order. Cheap, because all random bytes come from one call. */
export function newIds(count: number): string[] {
  const idAt = newIdsByIndex(count);
  return Array.from({ length: count }, (_, index) => idAt(index));
}

/** Pairs items with new ids, in ascending order. */
export function withNewIds<T>(items: readonly T[]): [id: string, item: T][] {
  const idAt = newIdsByIndex(items.length);
  return items.map((item, index) => [idAt(index), item]);
}

function newIdsByIndex(count: number): (index: number) => string {
  const random = randomBytes(16 * (count + 1));
  const msecs = Date.now();
  // With the highest bit cleared, counting up can't overflow.
  const first = random.readUInt32BE(0) >>> 1;
  return (index) => uuidv7({ msecs, seq: first + index, random: random.subarray(16 * (index + 1), 16 * (index + 2)) });
}

/** Letters and digits in lower case, with digits of every script as 0 to 9. */
const lettersAndDigits = (text: string) =>
  phoneKey(text)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');

/**
 * The id in a text, which may have capitals, brackets, no or other dashes, and invisible characters.
 * @returns nothing when the text is no spelling of an id
 */
export function idIn(text: string): string | undefined {
  const parts = /^([\da-f]{8})([\da-f]{4})([\da-f]{4})([\da-f]{4})([\da-f]{12})$/.exec(lettersAndDigits(text));
  return parts?.slice(1).join('-');
}

/**
 * Whether a text looks like a part of an id, as no phone number does: 20 consecutive hexadecimal digits with a letter among
 * them. Recognises incomplete and mistyped ids.
 */
export function hasPartOfId(text: string): boolean {
  return (lettersAndDigits(text).match(/[\da-f]{20,}/g) ?? []).some((run) => /[a-f]/.test(run));
}
