import { expect } from 'chai';
import { Op, type WhereOptions } from 'sequelize';
import type { Enrollment } from '../../../src/db/models/enrollment.js';
import type { User } from '../../../src/db/models/user.js';
import { refersToRowByIndex, refersToRowByLookup } from '../../../src/db/sql/conditions.js';
import { buildCourse, buildEnrollment, buildUser } from '../../support/factories.js';
import { useHarness } from '../../support/harness.js';

describe('Conditions on rows that other rows refer to', () => {
  const harness = useHarness();

  it('match the same rows by index and by lookup', async () => {
    const { context } = harness;
    const { Enrollment, User } = context.database.models;
    const trainer = await buildUser(context, { role: 'trainer' });
    const courses = [await buildCourse(context, trainer), await buildCourse(context, trainer)];
    for (const lastName of ['Hopper', 'Hopper', 'Turing', "O'Hara"]) {
      const user = await buildUser(context, { lastName });
      for (const course of courses) await buildEnrollment(context, user, course);
    }
    const column = '`Enrollment`.`user_id`';
    const found = (condition: WhereOptions<Enrollment>) => Enrollment.count({ where: { [Op.and]: [condition] } });
    const cases: [WhereOptions<User>, number][] = [
      [{ lastName: 'Hopper' }, 4],
      [{ lastName: "O'Hara" }, 2],
      [{ lastName: { [Op.ne]: 'Hopper' }, role: 'trainee' }, 4],
      [{ lastName: 'Nobody' }, 0],
    ];
    for (const [where, expected] of cases) {
      expect(await found(refersToRowByIndex(column, User, where))).to.equal(expected);
      expect(await found(refersToRowByLookup(column, User, where))).to.equal(expected);
    }
  });
});
