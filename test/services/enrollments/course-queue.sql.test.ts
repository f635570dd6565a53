import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { AppError } from '../../../src/errors.js';
import { inCourseQueue } from '../../../src/services/enrollments/course-queue.js';
import { useHarness } from '../../support/harness.js';

describe('The queue of a course', () => {
  const harness = useHarness();

  it('refuses all that wait when the database does not answer, and lets later ones try again', async () => {
    let tries = 0;
    const fail = async () => {
      tries += 1;
      await sleep(20);
      throw new AppError('DATABASE_UNREACHABLE');
    };
    const ask = () => inCourseQueue(harness.context, 'course', fail).catch(({ code }: AppError) => code);
    const codes = await Promise.all(Array.from({ length: 10 }, ask));
    expect(new Set(codes)).to.deep.equal(new Set(['DATABASE_UNREACHABLE']));
    // Two at a time, until three have failed.
    expect(tries).to.be.within(3, 4);
    expect(await inCourseQueue(harness.context, 'course', async () => 'done')).to.equal('done');
  });
});
