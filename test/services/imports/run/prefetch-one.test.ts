import { setImmediate as nextTick } from 'node:timers/promises';
import { expect } from 'chai';
import { prefetchOne } from '../../../../src/services/imports/run/batches.js';

describe('prefetchOne', () => {
  /** Source that records when it yields items and when it is closed. */
  async function* source(count: number, events: string[]): AsyncGenerator<number> {
    try {
      for (let item = 1; item <= count; item += 1) {
        events.push(`produced ${item}`);
        yield item;
      }
      throw new Error('no more');
    } finally {
      events.push('closed');
    }
  }

  it('yields the items in order, and then the error of the source', async () => {
    const events: string[] = [];
    const consume = async () => {
      for await (const item of prefetchOne(source(3, events))) {
        await nextTick();
        events.push(`done ${item}`);
      }
    };
    expect(await consume().catch(({ message }: Error) => message)).to.equal('no more');
    const consumed = ['produced 1', 'produced 2', 'done 1', 'produced 3', 'done 2', 'closed', 'done 3'];
    expect(events).to.deep.equal(consumed);
  });

  it('closes the source if the consumer stops', async () => {
    const events: string[] = [];
    for await (const item of prefetchOne(source(9, events))) if (item === 2) break;
    expect(events).to.deep.equal(['produced 1', 'produced 2', 'produced 3', 'closed']);
  });
});
