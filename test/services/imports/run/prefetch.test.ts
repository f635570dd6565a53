import { setImmediate as nextTick } from 'node:timers/promises';
import { expect } from 'chai';
import { Prefetch } from '../../../../src/services/imports/run/prefetch.js';

describe('items produced in advance', () => {
  /** Items that note when they are produced, and that the source was closed. */
  async function* source(count: number, events: string[]): AsyncGenerator<number> {
    try {
      for (let item = 1; item <= count; item += 1) {
        events.push(`produced ${item}`);
        yield item;
      }
    } finally {
      events.push('closed');
    }
  }

  it('come in order, and are requested while the consumer processes one', async () => {
    const events: string[] = [];
    const items = new Prefetch(source(4, events), 2);
    for await (const item of items) {
      events.push(`taken ${item}`);
      items.request();
      items.request();
      await nextTick();
    }
    expect(events).to.deep.equal([
      'produced 1',
      'produced 2',
      'taken 1',
      'produced 3',
      'taken 2',
      'produced 4',
      'taken 3',
      'closed',
      'taken 4',
    ]);
  });

  it('are requested when the consumer takes the next one, if it has not asked for them', async () => {
    const events: string[] = [];
    for await (const item of new Prefetch(source(3, events), 1)) {
      await nextTick();
      events.push(`done ${item}`);
    }
    expect(events).to.deep.equal(['produced 1', 'done 1', 'produced 2', 'done 2', 'produced 3', 'done 3', 'closed']);
  });

  it('end with the source when the consumer stops', async () => {
    const events: string[] = [];
    const items = new Prefetch(source(9, events), 2);
    for await (const item of items) if (item === 2) break;
    expect(events.at(-1)).to.equal('closed');
    items.request();
    await nextTick();
    expect(events.at(-1)).to.equal('closed');
  });

  it('throw the error of the source where its item would come', async () => {
    async function* failing(): AsyncGenerator<number> {
      yield 1;
      throw new Error('no second item');
    }
    const taken: number[] = [];
    const error = await (async () => {
      for await (const item of new Prefetch(failing(), 2)) taken.push(item);
    })().catch((thrown: unknown) => thrown);
    expect(taken).to.deep.equal([1]);
    expect(error).to.be.an('error').with.property('message', 'no second item');
  });
});
