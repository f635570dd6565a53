import { expect } from 'chai';
import { deleteUser } from '../../../src/services/accounts/commands.js';
import { operator } from '../../../src/services/core.js';
import { buildCourse, buildEnrollment, buildUser } from '../../support/factories.js';
import { useHarness } from '../../support/harness.js';
import { beforeTransactions } from '../../support/transactions.js';

describe('Freed seats', () => {
  const harness = useHarness();

  it('of a deleted account are noted in the transaction that deletes it', async () => {
    const { context } = harness;
    const trainer = await buildUser(context, { role: 'trainer' });
    const course = await buildCourse(context, trainer, { maxStudents: 1 });
    const trainee = await buildUser(context);
    await buildEnrollment(context, trainee, course, { status: 'active' });
    const dying = beforeTransactions(context, (number) => {
      if (number > 1) throw new Error('The process has died.');
    });
    await deleteUser(dying, operator, trainee.id);
    const noted = await context.database.models.FreedSeat.findAll();
    expect(noted.map(({ courseId }) => courseId)).to.deep.equal([course.id]);
  });
});
