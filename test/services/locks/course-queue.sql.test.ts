import { setImmediate as otherWork } from 'node:timers/promises';
import { expect } from 'chai';
import { AppError } from '../../../src/errors.js';
import { inCourseQueue } from '../../../src/services/locks/course-queue.js';

describe('The queue of a course', () => {
  it('rejects all waiting work when the database does not respond, and accepts later work', async () => {
    const fail = async () => {
      await otherWork();
      throw new AppError('DATABASE_UNREACHABLE');
    };
    const ask = () => inCourseQueue('course', fail).catch(({ code }: AppError) => code);
    const codes = await Promise.all(Array.from({ length: 10 }, ask));
    // Two run at a time. A third one may just have begun.
    expect(codes.slice(0, 2)).to.deep.equal(['DATABASE_UNREACHABLE', 'DATABASE_UNREACHABLE']);
    expect(codes.slice(3)).to.deep.equal(Array(7).fill('OVERLOADED'));
    expect(await inCourseQueue('course', async () => 'done')).to.equal('done');
  });

  it('continues after any other failure', async () => {
    const ask = (code: 'COURSE_FULL' | undefined) =>
      inCourseQueue('course', async () => {
        if (code) throw new AppError(code);
        return 'done';
      }).catch(({ code }: AppError) => code);
    const codes = await Promise.all([ask('COURSE_FULL'), ask('COURSE_FULL'), ask(undefined)]);
    expect(codes).to.deep.equal(['COURSE_FULL', 'COURSE_FULL', 'done']);
  });
});
