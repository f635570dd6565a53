import { expect } from 'chai';
import type { Core } from '../../../src/services/core.js';
import { operator } from '../../../src/services/core.js';
import {
  findMatchingEnrollments,
  findReferencedEnrollments,
} from '../../../src/services/enrollments/find-enrollments.js';
import { listEnrollments } from '../../../src/services/enrollments/queries.js';
import { buildCourse, buildEnrollment, buildEnrollments, buildTrainees, buildUser } from '../../support/factories.js';
import { useHarness } from '../../support/harness.js';

const signal = new AbortController().signal;

describe('Enrollments that match a filter', () => {
  const harness = useHarness();
  const models = () => harness.context.database.models;
  const activeIds = async () =>
    (await models().Enrollment.findAll({ where: { status: 'active' } })).map(({ id }) => id);

  it('are found newest first, even if others stop matching between two queries', async () => {
    const { context } = harness;
    const course = await buildCourse(context, await buildUser(context, { role: 'trainer' }));
    const trainees = await buildTrainees(context, 510);
    const oldestFirst = await buildEnrollments(context, trainees, course, (index) => ({
      status: 'active',
      enrolledAt: new Date(2026, 0, 1, 0, 0, index),
    }));
    const newest = [...oldestFirst].reverse();
    // Enrollments around the ends of batches stop matching, so that later ones move in the order.
    const leaving = [newest.slice(0, 3), newest.slice(98, 100), newest.slice(498, 500)];
    const { database } = context;
    const read: typeof database.read = async (query) => {
      const found = await database.read(query);
      const id = leaving.shift();
      if (id) await models().Enrollment.update({ status: 'cancelled' }, { where: { id } });
      return found;
    };
    const core: Core = { ...context, database: { ...database, read } };
    const found = (await findMatchingEnrollments(core, operator, { status: 'active' }, signal)).map(({ id }) => id);
    expect(leaving).to.deep.equal([]);
    expect(found).to.include.members(await activeIds());
    expect(found).to.deep.equal(newest.filter((id) => found.includes(id)));
    // The first three stopped matching before they were read.
    expect(found).not.to.include.members(newest.slice(0, 3));
  });

  it('are returned without the long texts of their courses, as enrollments found by id are', async () => {
    const { context } = harness;
    const course = await buildCourse(context, await buildUser(context, { role: 'trainer' }), { title: 'Bees' });
    const trainee = await buildUser(context, { firstName: 'Ann', lastName: 'Miller' });
    const { id } = await buildEnrollment(context, trainee, course, { status: 'active', progress: 40, notes: 'Late.' });
    const names = { user: { firstName: 'Ann', lastName: 'Miller' }, course: { title: 'Bees', startDate: null } };
    const kept = [{ id, status: 'active', progress: 40, reply: null, formerName: null, ...names }];
    expect(await findMatchingEnrollments(context, operator, { courseId: course.id }, signal)).to.deep.equal(kept);
    expect(await findReferencedEnrollments(context, [id], signal)).to.deep.equal(kept);
  });

  for (const [size, settings] of [
    ['few', {}],
    ['many', { SEARCH_SCAN_ROWS: '0' }],
  ] as const)
    describe(`among ${size} accounts`, () => {
      const searching = useHarness(settings);

      it('are the same as in the listing, also with a search', async () => {
        const { context } = searching;
        const trainer = await buildUser(context, { role: 'trainer' });
        const [bees, knots] = [await buildCourse(context, trainer), await buildCourse(context, trainer)];
        for (const [index, name] of ['Ann Miller', 'Ben Mills', 'Cleo Young', 'Ann Young'].entries()) {
          const [firstName = '', lastName = ''] = name.split(' ');
          const trainee = await buildUser(context, { firstName, lastName });
          await buildEnrollment(context, trainee, bees, { status: index % 2 === 0 ? 'active' : 'pending' });
          await buildEnrollment(context, trainee, knots, { enrolledAt: new Date(2025, 0, index + 1) });
        }
        for (const [count, query] of [
          [8, {}],
          [2, { search: 'ann you' }],
          [1, { search: 'ann', status: 'active' }],
          [2, { search: 'mil', courseId: bees.id }],
        ] as const) {
          const { items } = await listEnrollments(context, operator, query);
          expect(items, JSON.stringify(query)).to.have.lengthOf(count);
          const found = await findMatchingEnrollments(context, operator, query, signal);
          expect(
            found.map(({ id }) => id),
            JSON.stringify(query),
          ).to.deep.equal(items.map(({ id }) => id));
        }
      });
    });
});
