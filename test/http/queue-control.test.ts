import { expect } from 'chai';
import { createQueueControl, createRunningClock } from '../../src/http/server/queue-control.js';

const slots = 20;
const limits = { burst: 1000, burstMs: 5000, standingMs: 500, stuckMs: 3000 };

/** A queue that came at 0 and is served one request after the other, as slowly as given, and never empties. */
function served(serviceMs: number, requests: number) {
  const control = createQueueControl(slots, limits);
  control.emptied(0);
  for (let joined = 0; joined < limits.burst; joined += 1) control.joined();
  let now = 0;
  for (let number = 0; number < requests; number += 1) {
    now += serviceMs;
    control.began(now);
    control.answered(now, false);
  }
  return { control, now };
}

describe('The queue of requests', () => {
  it('serves the requests of a burst however long they wait, and knows which these are', () => {
    const control = createQueueControl(slots, limits);
    control.emptied(0);
    const joined = Array.from({ length: limits.burst + 1 }, () => control.joined());
    expect(joined.lastIndexOf(true)).to.equal(limits.burst - 1);
    control.emptied(1);
    expect(control.joined()).to.equal(true);
    // Half a second for each request: more than eight minutes for all.
    const { control: slow, now } = served(500, limits.burst);
    expect(slow.longestWait(now).first).to.equal(Number.POSITIVE_INFINITY);
  });

  it('is a burst for as long as serving one takes, by the measured service time', () => {
    expect(served(1, 4000).control.longestWait(4000).others).to.equal(5000);
    expect(served(1, 6000).control.longestWait(6000).others).to.equal(500);
    // 20 ms for each of 1000: the queue may have been empty 20 s ago.
    const { control, now } = served(20, 900);
    expect(now).to.equal(18_000);
    expect(control.longestWait(now).others).to.be.closeTo(20_000, 1);
    expect(control.mayJoin(now, 1999)).to.equal(true);
    expect(control.mayJoin(now, 2000)).to.equal(false);
  });

  it('lets requests wait under lasting overload as long as serving a short queue takes, within bounds', () => {
    const others = (serviceMs: number, requests: number) => {
      const { control, now } = served(serviceMs, requests);
      for (const [length, may] of [
        [199, true],
        [200, false],
      ] as const)
        expect(control.mayJoin(now, length), `${length} at ${serviceMs} ms`).to.equal(may);
      return control.longestWait(now).others;
    };
    expect(others(0.4, 20_000)).to.equal(500);
    expect(others(10, 1500)).to.be.closeTo(2000, 1);
    expect(others(100, 1500)).to.equal(5000);
  });

  it('follows when serving becomes slower or faster', () => {
    const { control, now } = served(0.4, 20_000);
    for (let number = 1; number <= 150; number += 1) {
      control.began(now + number * 10);
      control.answered(now + number * 10, false);
    }
    // The thousand of a burst would take 10 s now, and this one is 9.5 s old.
    expect(control.longestWait(now + 1500).others).to.be.closeTo(10_000, 200);
    expect(control.longestWait(now + 2500).others).to.be.closeTo(2000, 40);
  });

  it('lets nothing wait for long that is not served', () => {
    const { control, now } = served(20, 100);
    expect(control.longestWait(now + 2999).first).to.equal(Number.POSITIVE_INFINITY);
    expect(control.longestWait(now + 3000)).to.deep.equal({ first: 500, others: 500 });
    control.answered(now + 3000, false);
    const failed = [true, true, true].map((failure) => control.answered(now + 3001, failure));
    expect(failed).to.deep.equal([false, false, true]);
    expect(control.longestWait(now + 3001)).to.deep.equal({ first: 500, others: 500 });
    control.answered(now + 3002, false);
    expect(control.longestWait(now + 3002).first).to.equal(Number.POSITIVE_INFINITY);
  });

  it('counts a pause of the process as half a second', () => {
    let time = 1000;
    const clock = createRunningClock(500, () => time);
    expect(clock()).to.equal(0);
    time += 300;
    expect(clock()).to.equal(300);
    time += 60_000;
    expect(clock()).to.equal(800);
    time += 1;
    expect(clock()).to.equal(801);
  });
});
