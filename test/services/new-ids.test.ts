import { expect } from 'chai';
import { newIds } from '../../src/services/new-ids.js';

describe('New ids', () => {
  it('ascend, even across calls within one millisecond', () => {
    const ids = Array.from({ length: 500 }, () => newIds(3)).flat();
    expect(ids).to.deep.equal([...ids].sort());
    expect(new Set(ids).size).to.equal(ids.length);
  });
});
