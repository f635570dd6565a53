import { expect } from 'chai';
import fc from 'fast-check';
import { KeyIndex } from '../../../../../src/services/imports/read/rows/key-index.js';

/** Puts the keys into an index and into a Map, and compares every answer. */
function compareWithMap(keys: readonly string[]): void {
  const index = new KeyIndex();
  const map = new Map<string, number>();
  keys.forEach((key, at) => {
    const line = at + 2;
    const first = map.get(key);
    // An assertion a key would take longer than the index itself.
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

  it('agrees with a Map while it grows, over 200,000 keys of which a third repeat', () => {
    compareWithMap(Array.from({ length: 200_000 }, (_, at) => `${at % 3 === 0 ? at >> 1 : at}@example.org`));
  });
});
