import { expect } from 'chai';
import { AppError } from '../../src/errors.js';
import { createCostlyWork } from '../../src/http/overload/costly-work.js';

/** Work that ends on demand. */
function open() {
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { end, ended };
}

const outcomeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'done',
    (error: unknown) => (error instanceof AppError ? error.code : String(error)),
  );

describe('Long operations', () => {
  const never = new AbortController().signal;

  it('run at most two at a time for all accounts', async () => {
    const { runLongOperation } = createCostlyWork();
    const works = [open(), open(), open()];
    const begun: number[] = [];
    const results = works.map(({ ended }, index) =>
      runLongOperation({ owner: 'one', signal: never }, async () => {
        begun.push(index);
        await ended;
        return index;
      }),
    );
    await Promise.resolve();
    expect(begun).to.deep.equal([0, 1]);
    works[1]?.end();
    await results[1];
    await Promise.resolve();
    works[2]?.end();
    expect(await results[2]).to.equal(2);
    expect(begun).to.deep.equal([0, 1, 2]);
    works[0]?.end();
    expect(await Promise.all(results)).to.deep.equal([0, 1, 2]);
  });

  it('are not started for a client that has left, and are refused when ten operations of an account wait', async () => {
    const { runLongOperation } = createCostlyWork();
    const works = [open(), open()];
    const running = works.map(({ ended }) => runLongOperation({ owner: 'one', signal: never }, () => ended));
    const left = new AbortController();
    const begun: string[] = [];
    const waiting = runLongOperation({ owner: 'one', signal: left.signal }, async () => void begun.push('left'));
    left.abort();
    expect(await outcomeOf(waiting)).to.equal('INTERRUPTED');
    const line = Array.from({ length: 10 }, (_, number) =>
      runLongOperation({ owner: 'one', signal: never }, async () => void begun.push(String(number))),
    );
    const refused = runLongOperation({ owner: 'one', signal: never }, async () => undefined);
    expect(await outcomeOf(refused)).to.equal('OVERLOADED');
    for (const { end } of works) end();
    await Promise.all([...running, ...line]);
    expect(begun).to.deep.equal(Array.from({ length: 10 }, (_, number) => String(number)));
  });

  it('that export produce one piece at a time for all exports, and close an abandoned source', async () => {
    const { limitExport } = createCostlyWork();
    let making = 0;
    let most = 0;
    const closed: string[] = [];
    async function* source(name: string) {
      try {
        for (let number = 0; number < 5; number += 1) {
          making += 1;
          most = Math.max(most, making);
          await new Promise((resolve) => setImmediate(resolve));
          making -= 1;
          yield `${name}${number}`;
        }
      } finally {
        closed.push(name);
      }
    }
    const all = async (name: string) => {
      const pieces: string[] = [];
      for await (const piece of limitExport(source(name))) pieces.push(piece);
      return pieces.join(' ');
    };
    const found = await Promise.all([all('a'), all('b')]);
    expect(found).to.deep.equal(['a0 a1 a2 a3 a4', 'b0 b1 b2 b3 b4']);
    expect(most).to.equal(1);
    for await (const piece of limitExport(source('c'))) {
      expect(piece).to.equal('c0');
      break;
    }
    expect(closed).to.have.members(['a', 'b', 'c']);
  });
});
