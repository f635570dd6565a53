import { expect } from 'chai';
import { RequestQueue } from '../../src/http/server/request-queue.js';

const anyone = () => true;

function filled(...requests: readonly [network: string, since: number, isFirst?: boolean][]) {
  const queue = new RequestQueue();
  const refused: number[] = [];
  for (const [network, since, isFirst = false] of requests) {
    const refuse = () => void refused.push(since);
    queue.add(network, { begin: () => undefined, refuse, since }, isFirst);
  }
  return { queue, refused };
}

function takeAll(queue: RequestQueue, mayBegin: (network: string) => boolean = anyone): string[] {
  const taken: string[] = [];
  for (let next = queue.take(mayBegin); next; next = queue.take(mayBegin))
    taken.push(`${next.network}${next.request.since}`);
  return taken;
}

describe('The order of waiting requests', () => {
  it('is round robin between networks, and within one as they came', () => {
    const { queue } = filled(['a', 1], ['a', 2], ['a', 3], ['b', 4], ['c', 5], ['b', 6]);
    expect(queue.length).to.equal(6);
    expect(takeAll(queue)).to.deep.equal(['a1', 'b4', 'c5', 'a2', 'b6', 'a3']);
    expect([queue.length, queue.others]).to.deep.equal([0, 0]);
  });

  it('has the first of a burst before the others of their network only', () => {
    const { queue } = filled(['a', 1, true], ['a', 2, true], ['a', 3], ['b', 4], ['a', 5, true]);
    expect([queue.length, queue.others]).to.deep.equal([5, 3]);
    // Behind one that isn't of the first, none is.
    expect(takeAll(queue)).to.deep.equal(['a1', 'b4', 'a2', 'a3', 'a5']);
  });

  it('leaves out networks that may not begin a request now', () => {
    const { queue } = filled(['a', 1], ['b', 2]);
    const notA = (network: string) => network !== 'a';
    expect(queue.has(notA)).to.equal(true);
    expect(takeAll(queue, notA)).to.deep.equal(['b2']);
    expect(queue.has(notA)).to.equal(false);
    expect(takeAll(queue)).to.deep.equal(['a1']);
  });

  it('ends those that have waited for too long, in each network', () => {
    const { queue } = filled(['a', 1, true], ['a', 2], ['a', 9], ['b', 3], ['b', 10]);
    const late = queue.expire(13, { first: Number.POSITIVE_INFINITY, others: 10 });
    expect(late.map(({ since }) => since)).to.deep.equal([2, 3]);
    expect([queue.length, queue.others]).to.deep.equal([3, 2]);
    expect(queue.expire(13, { first: 0, others: 0 })).to.have.length(3);
    expect([queue.length, queue.others, queue.has(anyone)]).to.deep.equal([0, 0, false]);
  });

  it('has the network with most of them give way, its newest first', () => {
    const { queue } = filled(['a', 1, true], ['a', 2], ['a', 3], ['a', 4], ['b', 5]);
    expect(queue.giveWay('c')?.since).to.equal(4);
    // The other has one and would have two.
    expect(queue.giveWay('b')).to.equal(undefined);
    expect(queue.giveWay('a')).to.equal(undefined);
    expect(queue.giveWay('c')?.since).to.equal(3);
    expect(queue.giveWay('c')).to.equal(undefined);
    expect(takeAll(queue)).to.deep.equal(['a1', 'b5', 'a2']);
  });
});
