import { randomBytes } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';

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

/** Time and sequence of the last id. Ids of one millisecond ascend, too, because the audit log is read in their order. */
let last = { msecs: 0, seq: 0 };

function newIdsByIndex(count: number): (index: number) => string {
  const random = randomBytes(16 * (count + 1));
  const msecs = Math.max(Date.now(), last.msecs);
  // With the highest bit cleared, counting up can't overflow.
  const first = msecs === last.msecs ? last.seq + 1 : random.readUInt32BE(0) >>> 1;
  last = { msecs, seq: first + count };
  return (index) => uuidv7({ msecs, seq: first + index, random: random.subarray(16 * (index + 1), 16 * (index + 2)) });
}
