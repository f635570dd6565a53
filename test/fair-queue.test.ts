import { expect } from 'chai';
import { createFairQueue, type QueueBounds } from '../src/fair-queue.js';
import { faultOf } from './storage/support/storage-contract.js';
import { scaled } from './support/machine.js';

const bounds: QueueBounds = { entries: 6, bytes: 1000, entriesEach: 4, waitMs: scaled(20_000) };

describe('the fair queue', () => {
  let done: string[];
  let release: (() => void) | undefined;

  /** Work that is at it until it is let go, which keeps all others waiting. */
  const untilReleased = () => new Promise<void>((resolve) => (release = resolve));
  const fill = (queue: ReturnType<typeof createFairQueue>, account: string, names: string, bytes = 1) =>
    [...names].map((name) =>
      queue
        .add({ account, bytes }, async () => void done.push(name))
        .then(
          () => `${name} done`,
          ({ code }) => `${name} ${code}`,
        ),
    );

  beforeEach(() => {
    done = [];
  });

  it('runs one entry at a time, and serves accounts round robin', async () => {
    const queue = createFairQueue(bounds);
    let underWay = 0;
    let most = 0;
    const order: string[] = [];
    const add = (account: string) =>
      queue.add({ account, bytes: 1 }, async () => {
        underWay += 1;
        most = Math.max(most, underWay);
        await new Promise((resolve) => setImmediate(resolve));
        order.push(account);
        underWay -= 1;
      });
    await Promise.all(['a', 'a', 'a', 'b', 'c'].map(add));
    // The first one began before anybody else was there.
    expect(order.join('')).to.equal('aabca');
    expect(most).to.equal(1);
  });

  it('limits the entries of one account', async () => {
    const queue = createFairQueue(bounds);
    const first = queue.add({ account: 'a', bytes: 1 }, untilReleased);
    const rest = fill(queue, 'a', '12345');
    expect(await rest[4]).to.equal('5 OVERLOADED');
    release?.();
    await first;
    expect(await Promise.all(rest)).to.deep.equal(['1 done', '2 done', '3 done', '4 done', '5 OVERLOADED']);
  });

  it('drops the newest entry of the account with most entries when it is full', async () => {
    const queue = createFairQueue(bounds);
    const first = queue.add({ account: 'z', bytes: 1 }, untilReleased);
    const greedy = [...fill(queue, 'a', '1234'), ...fill(queue, 'b', '56')];
    const others = ['c', 'd', 'e'].flatMap((account) => fill(queue, account, account));
    release?.();
    await first;
    expect(await Promise.all([...greedy, ...others])).to.deep.equal([
      '1 done',
      '2 done',
      '3 OVERLOADED',
      '4 OVERLOADED',
      '5 done',
      '6 OVERLOADED',
      'c done',
      'd done',
      'e done',
    ]);
  });

  it('refuses a new entry when no account has more entries', async () => {
    const queue = createFairQueue(bounds);
    const first = queue.add({ account: 'z', bytes: 1 }, untilReleased);
    const some = [...'abcdefgh'].flatMap((account) => fill(queue, account, account));
    release?.();
    await first;
    expect(await Promise.all(some)).to.deep.equal([
      ...[...'abcdef'].map((account) => `${account} done`),
      'g OVERLOADED',
      'h OVERLOADED',
    ]);
  });

  it('limits the total of bytes', async () => {
    const queue = createFairQueue(bounds);
    const first = queue.add({ account: 'z', bytes: 1 }, untilReleased);
    const some = [...fill(queue, 'a', '123', 400), ...fill(queue, 'b', '4', 400)];
    release?.();
    await first;
    expect(await Promise.all(some)).to.deep.equal(['1 done', '2 OVERLOADED', '3 OVERLOADED', '4 done']);
  });

  it('accepts a single entry above the limit of bytes', async () => {
    const queue = createFairQueue(bounds);
    expect(await Promise.all(fill(queue, 'a', '1', 2000))).to.deep.equal(['1 done']);
  });

  it('limits the waiting time', async () => {
    const queue = createFairQueue({ ...bounds, waitMs: 1 });
    const first = queue.add({ account: 'a', bytes: 1 }, untilReleased);
    expect(await Promise.all(fill(queue, 'a', '12'))).to.deep.equal(['1 OVERLOADED', '2 OVERLOADED']);
    release?.();
    await first;
    expect(done).to.deep.equal([]);
  });

  it('removes cancelled entries, and continues after failures', async () => {
    const queue = createFairQueue(bounds);
    const first = queue.add({ account: 'a', bytes: 1 }, untilReleased);
    const [unwanted, gone] = [new AbortController(), AbortSignal.abort()];
    const fails = queue.add({ account: 'b', bytes: 1 }, () => Promise.reject(new Error('broken')));
    const takenBack = ['waiting', 'gone'].map((name, index) =>
      queue.add({ account: 'c', bytes: 1, signal: index === 0 ? unwanted.signal : gone }, async () => done.push(name)),
    );
    const [last] = fill(queue, 'd', 'x');
    unwanted.abort();
    release?.();
    const [faults] = await Promise.all([Promise.all([fails, ...takenBack].map(faultOf)), first]);
    expect(faults.map(({ message }) => message)).to.deep.equal(['broken', 'Interrupted.', 'Interrupted.']);
    expect([await last, done]).to.deep.equal(['x done', ['x']]);
  });

  it('refuses waiting and new entries after it is closed', async () => {
    const queue = createFairQueue(bounds);
    const first = queue.add({ account: 'a', bytes: 1 }, untilReleased);
    const waiting = fill(queue, 'a', '12');
    queue.close();
    expect(await Promise.all([...waiting, ...fill(queue, 'b', '3')])).to.deep.equal([
      '1 OVERLOADED',
      '2 OVERLOADED',
      '3 OVERLOADED',
    ]);
    release?.();
    await first;
  });
});
