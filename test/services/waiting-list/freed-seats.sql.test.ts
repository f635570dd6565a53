import { expect } from 'chai';
import { DatabaseError, type Transaction } from 'sequelize';
import { markFreedSeats } from '../../../src/db/freed-seats.js';
import type { Course } from '../../../src/db/models/course.js';
import { AppError } from '../../../src/errors.js';
import { withPromotion } from '../../../src/services/waiting-list/promotion.js';
import { failureOf } from '../../db/support/failure.js';
import { buildCourse, buildUser } from '../../support/factories.js';
import { useHarness } from '../../support/harness.js';

describe('Courses in which a transaction may have freed a seat', () => {
  const harness = useHarness();
  let course: Course;
  let second: Course;

  const context = () => harness.context;
  /** Runs work in a transaction. @returns the reported courses after the commit: `first` and `second` */
  async function freedBy(work: (transaction: Transaction) => Promise<unknown>): Promise<string[]> {
    context().freedSeats.take();
    await context().database.inTransaction(work);
    const names = new Map([
      [course.id, 'first'],
      [second.id, 'second'],
    ]);
    return context()
      .freedSeats.take()
      .map((id) => names.get(id) ?? id)
      .sort();
  }

  beforeEach(async () => {
    const trainer = await buildUser(context(), { role: 'trainer' });
    course = await buildCourse(context(), trainer, { isPublished: true, maxStudents: 1 });
    second = await buildCourse(context(), trainer, { isPublished: true, maxStudents: 1 });
  });
  it('are reported after the commit, but not after a rollback', async () => {
    const { freedSeats, database } = context();
    let attempts = 0;
    const freed = await freedBy(async (transaction) => {
      attempts += 1;
      markFreedSeats(transaction, [attempts === 1 ? course.id : second.id]);
      expect(freedSeats.take()).to.deep.equal([]);
      if (attempts === 1) throw new DatabaseError(Object.assign(new Error('busy'), { code: 'SQLITE_BUSY', sql: '' }));
    });
    expect([attempts, freed]).to.deep.equal([2, ['second']]);
    const failing = database.inTransaction(async (transaction) => {
      markFreedSeats(transaction, [course.id]);
      throw new AppError('NOT_FOUND');
    });
    expect((await failureOf(() => failing)).code).to.equal('NOT_FOUND');
    expect(freedSeats.take()).to.deep.equal([]);
  });

  it('are left to the promoter if the request that freed the seats fails', async () => {
    const { database, freedSeats } = context();
    freedSeats.take();
    const failing = withPromotion(context(), async () => {
      for (let times = 0; times < 2; times += 1)
        await database.inTransaction(async (transaction) => markFreedSeats(transaction, [course.id]));
      throw new AppError('NOT_FOUND');
    });
    expect((await failureOf(() => failing)).code).to.equal('NOT_FOUND');
    expect(freedSeats.take()).to.deep.equal([course.id]);
  });
});
