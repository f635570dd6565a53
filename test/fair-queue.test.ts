import { expect } from 'chai';
import { createFairQueue, type QueueLimits } from '../src/fair-queue.js';
import { faultOf } from './storage/support/storage-contract.js';
import { scaled } from './support/machine.js';

const limits: QueueLimits = {
  capacity: 1,
  entries: 6,
  waitingWeight: 1000,
  entriesPerOwner: 4,
  waitMs: scaled(20_000),
};

describe('the fair queue', () => {
  let done: string[];
  let release: (() => void) | undefined;

  /** Work that blocks the queue until `finish` is called. */
  const untilReleased = () => new Promise<void>((resolve) => (release = resolve));
  /** Ends the blocking work. Waits first, because the work begins in a later microtask. */
  async function finish(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    release?.();
  }
  const fill = (queue: ReturnType<typeof createFairQueue>, owner: string, names: string, weight = 1) =>
    [...names].map((name) =>
      queue
        .run({ owner, weight }, async () => void done.push(name))
        .then(
          () => `${name} done`,
          ({ code }) => `${name} ${code}`,
        ),
    );

  beforeEach(() => {
    done = [];
  });

  it('runs one entry at a time, and serves owners round robin', async () => {
    const queue = createFairQueue(limits);
    let underWay = 0;
    let most = 0;
    const order: string[] = [];
    const add = (owner: string) =>
      queue.run({ owner, weight: 1 }, async () => {
        underWay += 1;
        most = Math.max(most, underWay);
        await new Promise((resolve) => setImmediate(resolve));
        order.push(owner);
        underWay -= 1;
      });
    await Promise.all(['a', 'a', 'a', 'b', 'c'].map(add));
    // The first entry began before the other entries were added.
    expect(order.join('')).to.equal('aabca');
    expect(most).to.equal(1);
  });

  /** Returns the outcomes of entries that are added during other work. */
  async function outcomes(enter: (queue: ReturnType<typeof createFairQueue>) => Promise<string>[]): Promise<string> {
    const queue = createFairQueue(limits);
    const first = queue.run({ owner: 'z', weight: 1 }, untilReleased);
    const entries = enter(queue);
    await finish();
    await first;
    return (await Promise.all(entries)).join(', ').replaceAll(' OVERLOADED', ' refused').replaceAll(' done', '');
  }

  it('limits the entries of one owner', async () => {
    expect(await outcomes((queue) => fill(queue, 'a', '12345'))).to.equal('1, 2, 3, 4, 5 refused');
  });

  it('drops the newest entry of the owner with the most entries when it is full, or refuses the new entry', async () => {
    const others = (queue: ReturnType<typeof createFairQueue>, names: string) =>
      [...names].flatMap((name) => fill(queue, name, name));
    const greedy = await outcomes((queue) => [
      ...fill(queue, 'a', '1234'),
      ...fill(queue, 'b', '56'),
      ...others(queue, 'cde'),
    ]);
    expect(greedy).to.equal('1, 2, 3 refused, 4 refused, 5, 6 refused, c, d, e');
    expect(await outcomes((queue) => others(queue, 'abcdefgh'))).to.equal('a, b, c, d, e, f, g refused, h refused');
  });

  it('limits the weight that waits', async () => {
    const heavy = await outcomes((queue) => [...fill(queue, 'a', '123', 400), ...fill(queue, 'b', '4', 400)]);
    expect(heavy).to.equal('1, 2 refused, 3 refused, 4');
  });

  it('accepts a single entry above that limit', async () => {
    const queue = createFairQueue(limits);
    expect(await Promise.all(fill(queue, 'a', '1', 2000))).to.deep.equal(['1 done']);
  });

  it('limits the waiting time', async () => {
    const queue = createFairQueue({ ...limits, waitMs: 1 });
    const first = queue.run({ owner: 'a', weight: 1 }, untilReleased);
    expect(await Promise.all(fill(queue, 'a', '12'))).to.deep.equal(['1 OVERLOADED', '2 OVERLOADED']);
    await finish();
    await first;
    expect(done).to.deep.equal([]);
  });

  it('removes cancelled entries, and continues after failures', async () => {
    const queue = createFairQueue(limits);
    const first = queue.run({ owner: 'a', weight: 1 }, untilReleased);
    const [unwanted, gone] = [new AbortController(), AbortSignal.abort()];
    const fails = queue.run({ owner: 'b', weight: 1 }, () => Promise.reject(new Error('broken')));
    const takenBack = ['waiting', 'gone'].map((name, index) =>
      queue.run({ owner: 'c', weight: 1, signal: index === 0 ? unwanted.signal : gone }, async () => done.push(name)),
    );
    const [last] = fill(queue, 'd', 'x');
    const ended = Promise.all([fails, ...takenBack].map(faultOf));
    unwanted.abort();
    await finish();
    const [faults] = await Promise.all([ended, first]);
    expect(faults.map(({ message }) => message)).to.deep.equal(['broken', 'Interrupted.', 'Interrupted.']);
    expect([await last, done]).to.deep.equal(['x done', ['x']]);
  });

  it('refuses waiting and new entries after it is closed', async () => {
    const queue = createFairQueue(limits);
    const first = queue.run({ owner: 'a', weight: 1 }, untilReleased);
    const waiting = fill(queue, 'a', '12');
    queue.close();
    expect(await Promise.all([...waiting, ...fill(queue, 'b', '3')])).to.deep.equal([
      '1 OVERLOADED',
      '2 OVERLOADED',
      '3 OVERLOADED',
    ]);
    await finish();
    await first;
  });

  it('derives the waiting time from the time since the queue was empty', async () => {
    const asked: number[] = [];
    const waitMs = (sinceEmptyMs: number) => {
      asked.push(sinceEmptyMs);
      return 60_000;
    };
    const queue = createFairQueue({ ...limits, waitMs });
    const first = queue.run({ owner: 'a' }, untilReleased);
    const early = fill(queue, 'a', '1');
    await new Promise((resolve) => setTimeout(resolve, 30));
    const later = fill(queue, 'b', '2');
    expect(asked).to.have.length(2);
    expect(asked[0]).to.be.below(asked[1] ?? 0);
    // The queue is empty now, so the waiting time starts again.
    await finish();
    await Promise.all([first, ...early, ...later]);
    const second = queue.run({ owner: 'a' }, untilReleased);
    const last = fill(queue, 'a', '3');
    expect(asked[2]).to.be.below(asked[1] ?? 0);
    await finish();
    await Promise.all([second, ...last]);
  });

  it('limits an owner to its share while other owners are active', async () => {
    const queue = createFairQueue({ ...limits, capacity: 4, share: 2 });
    const alone = Array.from({ length: 5 }, () => queue.enter({ owner: 'a' }));
    expect(queue.load()).to.deep.equal({ running: 4, waiting: 1 });
    const other = queue.enter({ owner: 'b' });
    alone[0]?.leave();
    await other.ready;
    alone[1]?.leave();
    expect(queue.load()).to.deep.equal({ running: 3, waiting: 1 });
    alone[2]?.leave();
    await alone[4]?.ready;
    expect(queue.load()).to.deep.equal({ running: 3, waiting: 0 });
  });

  it('runs other entries while an entry is released, and ends each entry once', async () => {
    const queue = createFairQueue(limits);
    const [first, second] = [queue.enter({ owner: 'a' }), queue.enter({ owner: 'a' })];
    first.release();
    await second.ready;
    first.reacquire();
    expect(queue.load()).to.deep.equal({ running: 2, waiting: 0 });
    for (const place of [first, first, second]) place.leave();
    first.reacquire();
    first.release();
    expect(queue.load()).to.deep.equal({ running: 0, waiting: 0 });
  });
});
