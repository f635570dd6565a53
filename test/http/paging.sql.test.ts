import { expect } from 'chai';
import { courseListingSchema } from '../../src/schemas/course.js';
import { buildCourse, buildEnrollment, buildUser, signIn } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { castOf } from './support/cast.js';
import { expectInvalid, messageOf } from './support/expectations.js';

const moment = new Date('2026-01-01T00:00:00Z');

for (const [plural, defaultLimit] of [
  ['courses', 12],
  ['enrollments', 20],
] as const)
  describe(`Pages of GET /api/${plural}/trainer/:trainerId`, () => {
    const harness = useHarness();

    it(`have ${defaultLimit} entries by default; ties never repeat or skip an entry`, async () => {
      const { user: trainer, token } = await signIn(harness.context, { role: 'trainer' });
      const list = async (query: string) =>
        (await harness.api('get', `/api/${plural}/trainer/${trainer.id}${query}`, token).expect(200)).body;
      const trainee = await buildUser(harness.context);
      const ids: string[] = [];
      // All rows have the same time, so that only the id determines the order.
      for (let built = 0; built <= defaultLimit; built += 1) {
        const course = await buildCourse(harness.context, trainer, { createdAt: moment });
        const enrollment = await buildEnrollment(harness.context, trainee, course, { enrolledAt: moment });
        ids.unshift(plural === 'courses' ? course.id : enrollment.id);
      }
      const idsOf = (body: Record<string, { id: string }[]>) => body[plural]?.map(({ id }) => id);
      const pagination = { currentPage: 1, totalPages: 2, totalItems: ids.length, itemsPerPage: defaultLimit };
      const first = await list('');
      expect(first).to.have.all.keys(plural, 'pagination');
      expect([idsOf(first), first.pagination]).to.deep.equal([ids.slice(0, -1), pagination]);
      expect(await list('?page=9')).to.deep.equal({ [plural]: [], pagination: { ...pagination, currentPage: 9 } });
      const seen: string[] = [];
      for (let page = 1; seen.length < ids.length; page += 1)
        seen.push(...(idsOf(await list(`?limit=3&page=${page}`)) ?? ['missing']));
      expect(seen).to.deep.equal(ids);
    });
  });

const sortKeys = ['createdAt', 'updatedAt', 'title', 'category', 'startDate'];

describe('GET /api/courses', () => {
  const harness = useHarness();

  it('accepts a page from 1, a limit from 1 to 100, the listed sort fields, and two orders', async () => {
    const list = (query: string) => harness.api('get', `/api/courses?${query}`);
    for (const query of ['page=1&limit=1', 'page=1000000&limit=100']) await list(query).expect(200);
    for (const [field, values] of [
      ['page', ['0', '-1', '1.5', 'abc', '', 'NaN', '1e999', '1000001', '99999999999999999999']],
      ['limit', ['0', '101', '-1', '1.5', 'abc', '', 'Infinity']],
      ['sortBy', ['id', 'trainerId', 'created_at', 'TITLE', 'title;', 'trainer.passwordHash', '']],
      ['sortOrder', ['up', 'asc', 'ASC,id', '']],
      ['search', ['x'.repeat(201), '%00', 'a%0Ab']],
      ['isPublished', ['1', 'yes', 'TRUE', '']],
    ] as const)
      for (const value of values) expectInvalid(await list(`${field}=${value}`), [field], 'query');
    expect(messageOf(await list('limit=101'))).to.equal('limit must be a whole number from 1 to 100.');
  });

  it('has a test below for every sort key of its schema', () => {
    const { allow } = courseListingSchema.describe().keys.sortBy;
    // course-dates.sql.test.ts tests `soonest`.
    expect([...sortKeys, 'soonest'], 'Add the key here, and to the courses that are sorted').to.deep.equal(allow);
  });

  it('sorts by each key in both orders, ties by id, without repeated or skipped courses across pages', async () => {
    const cast = await castOf(harness.context);
    const order: string[] = [];
    for (const number of [2, 1, 3, 2, 1, 3, 1]) {
      const day = `2026-01-0${number}`;
      const startDate = number === 1 ? null : day;
      const given = { title: `t${number}`, category: `c${number}`, startDate, createdAt: new Date(day) };
      const { id } = await buildCourse(harness.context, cast.owner.user, { ...given, isPublished: true });
      // The model sets updatedAt automatically.
      const sql = 'UPDATE courses SET updated_at = :day WHERE id = :id';
      await harness.context.database.sequelize.query(sql, { replacements: { day: `${day} 00:00:00.000`, id } });
      order.push(`${number}${id}`);
    }
    const ascending = order.sort().map((key) => key.slice(1));
    const paths = [['/api/courses'], ['/api/courses', cast.owner], ['/api/courses', cast.admin]] as const;
    for (const [path, by] of [...paths, [`/api/courses/trainer/${cast.owner.user.id}`, cast.owner] as const])
      for (const sortBy of sortKeys)
        for (const [sortOrder, ids] of Object.entries({ ASC: ascending, DESC: ascending.toReversed() })) {
          const seen: string[] = [];
          for (const page of [1, 2, 3]) {
            const query = `?sortBy=${sortBy}&sortOrder=${sortOrder}&limit=3&page=${page}`;
            const { body } = await harness.api('get', path + query, by?.token).expect(200);
            seen.push(...body.courses.map(({ id }: { id: string }) => id));
          }
          expect(seen, `${path} ${sortBy} ${sortOrder}`).to.deep.equal(ids);
        }
    const { body } = await harness.api('get', '/api/courses').expect(200);
    expect(body.courses.map(({ id }: { id: string }) => id)).to.deep.equal(ascending.toReversed());
  });
});
