import { expect } from 'chai';
import { QueryTypes } from 'sequelize';
import { countStatement, readWaitingPlaces } from '../../../src/db/sql/waiting-list.js';
import { onMysql } from '../../support/database.js';
import { buildCourse, buildEnrollment, buildUser } from '../../support/factories.js';
import { useHarness } from '../../support/harness.js';
import { statementsOf } from '../../support/statements.js';

describe('Places on waiting lists', () => {
  const harness = useHarness();

  it('count the active people before an enrollment, over several statements', async () => {
    const { context } = harness;
    const trainer = await buildUser(context, { role: 'trainer' });
    const [long, short] = [await buildCourse(context, trainer), await buildCourse(context, trainer)];
    const list: { id: string; courseId: string; waitingNumber: number | null }[] = [];
    for (let index = 0; index < 105; index += 1) {
      const person = await buildUser(context, { isActive: index !== 2 });
      list.push(await buildEnrollment(context, person, long, { status: 'waiting' }));
    }
    const other = await buildEnrollment(context, await buildUser(context), short, { status: 'waiting' });
    const shown = [...list.toReversed().filter((_, index) => index !== 50), other];
    const { result, statements } = await statementsOf(context.database.sequelize, () =>
      readWaitingPlaces(context.database, shown),
    );
    const expected = list.map(({ id }, index) => [id, index > 2 ? index : index + 1] as const);
    for (const [id, place] of expected.filter((_, index) => index !== 54)) expect(result.get(id)).to.equal(place);
    expect(result.get(other.id)).to.equal(1);
    // 105 counts need two statements.
    expect(statements).to.have.length(2);
  });

  it('are counted without reading a row twice, or a row behind the last shown enrollment', async () => {
    const { context } = harness;
    const trainer = await buildUser(context, { role: 'trainer' });
    const course = await buildCourse(context, trainer);
    const list = [];
    for (let index = 0; index < 4; index += 1)
      list.push(await buildEnrollment(context, await buildUser(context), course, { status: 'waiting' }));
    const [, second, third] = list;
    if (!second || !third) throw new Error('The list is too short.');
    const { statements } = await statementsOf(context.database.sequelize, () =>
      readWaitingPlaces(context.database, [third, second]),
    );
    expect(statements.join())
      .to.match(/waiting_number >= \? AND w\.waiting_number < \?/)
      .and.not.include('OVER');
    if (onMysql) return;
    const { sql, values } = countStatement([{ id: third.id, courseId: course.id, from: 0, to: 3 }]);
    const plan = await context.database.sequelize.query<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, {
      replacements: values,
      type: QueryTypes.SELECT,
    });
    expect(plan.map(({ detail }) => detail).join('\n')).to.include(
      'enrollments_waiting_unique (course_id=? AND waiting_number>? AND waiting_number<?)',
    );
  });
});
