import { expect } from 'chai';
import { DatabaseError, type Transaction } from 'sequelize';
import { markFreedSeats } from '../../../src/db/freed-seats.js';
import type { Course } from '../../../src/db/models/course.js';
import type { User } from '../../../src/db/models/user.js';
import { AppError } from '../../../src/errors.js';
import { applyEffects } from '../../../src/services/accounts/apply-effects.js';
import { saveUser } from '../../../src/services/accounts/change-user.js';
import { updateAccounts } from '../../../src/services/accounts/rows.js';
import { operator } from '../../../src/services/core.js';
import { lockPhoneKeys } from '../../../src/services/phone-country.js';
import { withPromotion } from '../../../src/services/waiting-list/promotion.js';
import { failureOf } from '../../db/support/failure.js';
import { buildCourse, buildEnrollment, buildUser } from '../../support/factories.js';
import { useHarness } from '../../support/harness.js';

describe('Courses in which a transaction may have freed a seat', () => {
  const harness = useHarness();
  let trainee: User;
  let course: Course;
  let second: Course;

  const context = () => harness.context;
  const models = () => context().database.models;
  /** The courses that are known once the work is committed, `first` and `second`. */
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
    trainee = await buildUser(context());
    const trainer = await buildUser(context(), { role: 'trainer' });
    course = await buildCourse(context(), trainer, { isPublished: true, maxStudents: 1 });
    second = await buildCourse(context(), trainer, { isPublished: true, maxStudents: 1 });
  });
  const enrolled = (status: 'active' | 'waiting' | 'cancelled', into = course) =>
    buildEnrollment(context(), trainee, into, { status });

  const cause = { action: 'user.update', actor: operator } as const;

  it('are those of the waiting list of people who become active, by themselves or with others', async () => {
    await enrolled('waiting');
    await enrolled('active', second);
    const deactivate = async () => {
      await models().User.update({ isActive: false }, { where: { id: trainee.id } });
      await trainee.reload();
    };
    await deactivate();
    trainee.isActive = true;
    const alone = (transaction: Transaction) => saveUser(context(), trainee, cause, transaction);
    expect(await freedBy(alone)).to.deep.equal(['first']);
    await deactivate();
    const imported = async (transaction: Transaction) => {
      const phones = await lockPhoneKeys(context(), transaction);
      const update = { account: trainee.get(), changes: { isActive: true }, updatedAt: new Date() };
      return updateAccounts(context(), [update], transaction, { phones, cause });
    };
    expect(await freedBy(imported)).to.deep.equal(['first']);
  });

  it('are those in which deleted people had seats', async () => {
    await enrolled('waiting');
    await enrolled('active', second);
    const change = { before: trainee, after: undefined, cause };
    expect(await freedBy((transaction) => applyEffects(context(), [change], transaction))).to.deep.equal(['second']);
  });

  it('are handed over after the commit, and none of an attempt that was rolled back', async () => {
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

  it('are left to the promoter when the request that has freed them fails', async () => {
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
