import { expect } from 'chai';
import { operator } from '../../../src/services/core.js';
import { changeStatus, setProgress } from '../../../src/services/enrollments/commands.js';
import { onMysql } from '../../support/database.js';
import { buildCourse, buildEnrollment, buildUser } from '../../support/factories.js';
import { useHarness } from '../../support/harness.js';

describe('Progress while another transaction locks the course', () => {
  const harness = useHarness();

  it('can be set, while a change of status waits', async function () {
    // SQLite has no locks of rows: there one transaction writes at a time.
    if (!onMysql) return this.skip();
    const { database } = harness.context;
    const trainer = await buildUser(harness.context, { role: 'trainer' });
    const course = await buildCourse(harness.context, trainer);
    const [one, other] = await Promise.all(
      [1, 2].map(async () =>
        buildEnrollment(harness.context, await buildUser(harness.context), course, { status: 'active' }),
      ),
    );
    const order: string[] = [];
    let waiting: Promise<unknown> | undefined;
    await database.inTransaction(async (transaction) => {
      await database.models.Course.findByPk(course.id, { transaction, lock: transaction.LOCK.UPDATE });
      waiting = changeStatus(harness.context, operator, other?.id ?? '', { status: 'cancelled' }).then(() =>
        order.push('status'),
      );
      const enrollment = await setProgress(harness.context, operator, one?.id ?? '', { progress: 40 });
      expect(enrollment.progress).to.equal(40);
      order.push('progress');
    });
    order.push('course released');
    await waiting;
    expect(order).to.deep.equal(['progress', 'course released', 'status']);
  });
});
