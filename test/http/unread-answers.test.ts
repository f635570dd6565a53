import { expect } from 'chai';
import { createWaitingRequests } from '../../src/http/server/waiting-requests.js';

describe('Answers that their clients leave unread', () => {
  const megabyte = 1_000_000;
  let cut: string[];
  let waiting: ReturnType<typeof createWaitingRequests>;
  beforeEach(() => {
    cut = [];
    waiting = createWaitingRequests({ maxConcurrent: 20, minimumRate: 500, maxHeld: 10 * megabyte });
  });

  /** An answer of which so much is kept; something of it is taken all the time. */
  function answer(name: string, bytes: number, address: string | null, account?: string): () => void {
    let taken = 0;
    return waiting.answer({
      address,
      account,
      bytes: () => (taken += megabyte),
      held: () => (cut.includes(name) ? 0 : bytes),
      cut: () => void cut.push(name),
    });
  }

  it('are ended, the oldest first, where more than a bound is kept of them, even if they are taken slowly', () => {
    for (const name of ['first', 'second', 'third', 'fourth']) answer(name, 3 * megabyte, '192.0.2.1');
    expect(cut).to.deep.equal(['first']);
    answer('large', 9 * megabyte, '192.0.2.1');
    expect(cut).to.deep.equal(['first', 'second', 'third', 'fourth']);
    expect(waiting.figures().answers).to.equal(1);
  });

  it('are ended of the address that most is kept for, not of others', () => {
    answer('other', 3 * megabyte, '192.0.2.1');
    for (const name of ['first', 'second', 'third']) answer(name, 3 * megabyte, '2001:db8::1');
    expect(cut).to.deep.equal(['first']);
    // The same network.
    answer('fourth', 3 * megabyte, '2001:db8::2');
    expect(cut).to.deep.equal(['first', 'second']);
  });

  it('are ended of the account that most is kept for where addresses are not known', () => {
    answer('other', 4 * megabyte, null, 'one');
    for (const name of ['first', 'second', 'third']) answer(name, 3 * megabyte, null, 'two');
    expect(cut).to.deep.equal(['first']);
  });

  it('count no more when they have been taken', () => {
    for (let round = 0; round < 5; round += 1) answer(`${round}`, 9 * megabyte, '192.0.2.1')();
    expect(cut).to.deep.equal([]);
    expect(waiting.figures().answers).to.equal(0);
  });
});
