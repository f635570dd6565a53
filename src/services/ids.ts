import { randomBytes } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';

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
