import { hash } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { KeyIndex } from '../../../../../src/services/imports/read/rows/key-index.js';

/** Puts the keys into an index and a Map, and compares all results. */
function compareWithMap(keys: readonly string[]): void {
  const index = new KeyIndex();
  const map = new Map<string, number>();
  keys.forEach((key, at) => {
    const line = at + 2;
    const first = map.get(key);
    // One assertion for each key would take longer than the index itself.
    if (index.recordLine(key, line) !== first) expect.fail(`key ${at} (${key}): not first seen on line ${first}`);
    if (first === undefined) map.set(key, line);
  });
}

describe('The index of the lines on which keys were first seen', () => {
  it('agrees with a Map, whatever the keys', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('a', 'b', 'c'))), compareWithMap),
    );
  });

  it('agrees with a Map while it grows to 200,000 keys with a third of repetitions', () => {
    compareWithMap(Array.from({ length: 200_000 }, (_, at) => `${at % 3 === 0 ? at >> 1 : at}@example.org`));
  });

  it('takes no longer for keys with similar digests', () => {
    // Capacity of the index with 18,000 keys, which would occupy one run of slots.
    let capacity = 256;
    while (capacity * 0.9 < 18_000) capacity = Math.ceil(1.25 * capacity);
    const alike: string[] = [];
    for (let at = 0; alike.length < 18_000; at += 1) {
      const low = Number.parseInt(hash('sha1', String(at), 'hex').slice(4, 12), 16);
      if (low % capacity < capacity / 20) alike.push(String(at));
    }
    const timeOf = (keys: readonly string[]) => {
      const before = performance.now();
      compareWithMap(keys);
      return performance.now() - before;
    };
    const others = Array.from({ length: 18_000 }, (_, at) => `other ${at}`);
    timeOf(others);
    expect(timeOf(alike) / timeOf(others)).to.be.below(10);
  });
});
