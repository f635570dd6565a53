import { expect } from 'chai';
import fc from 'fast-check';
import { KeyIndex } from '../../../../src/services/imports/read/key-index.js';

/** Puts the keys into an index and into a Map, and compares every answer. */
function compareWithMap(keys: readonly string[]): void {
  const index = new KeyIndex();
  const map = new Map<string, number>();
  keys.forEach((key, at) => {
    const line = at + 2;
    const first = map.get(key);
    // An assertion a key would take longer than the index itself.
    if (index.firstLine(key, line) !== first) expect.fail(`key ${at} (${key}): not first seen on line ${first}`);
    if (first === undefined) map.set(key, line);
  });
}

describe('The index of keys', () => {
  it('knows the line on which a key was first seen, and keeps it', () => {
    const index = new KeyIndex();
    expect(index.firstLine('ada@example.org', 2)).to.equal(undefined);
    expect(index.firstLine('bob@example.org', 3)).to.equal(undefined);
    expect(index.firstLine('ada@example.org', 4)).to.equal(2);
    expect(index.firstLine('ada@example.org', 5)).to.equal(2);
  });

  it('distinguishes keys by every character', () => {
    const index = new KeyIndex();
    for (const key of ['', ' ', 'a', 'A', 'á', 'a\u0301', 'aa'])
      expect(index.firstLine(key, 2), key).to.equal(undefined);
  });

  it('agrees with a Map, whatever the keys', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('a', 'b', 'c'))), compareWithMap),
    );
  });

  it('agrees with a Map while it grows, over 200,000 keys of which a third repeat', () => {
    let state = 20_240_501;
    const random = (below: number) => {
      state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
      return state % below;
    };
    const keys = Array.from({ length: 200_000 }, (_, at) => `${random(3) === 0 ? random(at + 1) : at}@example.org`);
    compareWithMap(keys);
  });

  it('tells and moves the line of a key that has one', () => {
    const index = new KeyIndex();
    index.firstLine('ada@example.org', 2);
    expect([index.lineOf('ada@example.org'), index.lineOf('bob@example.org')]).to.deep.equal([2, undefined]);
    index.move('ada@example.org', 7);
    expect(index.firstLine('ada@example.org', 9)).to.equal(7);
  });

  it('keeps line numbers of any size', () => {
    const index = new KeyIndex();
    index.firstLine('late', 4_000_000_000);
    expect(index.firstLine('late', 4_000_000_001)).to.equal(4_000_000_000);
  });
});
