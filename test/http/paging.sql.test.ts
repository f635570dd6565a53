import { expect } from 'chai';
import type { Course } from '../../src/db/models/course.js';
import type { User } from '../../src/db/models/user.js';
import { buildCourse, buildEnrollment, buildUser, signIn } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { expectInvalid, messageOf } from './support/expectations.js';

const moment = new Date('2026-01-01T00:00:00Z');

for (const [plural, defaultLimit] of [
  ['courses', 12],
  ['enrollments', 20],
] as const) {
  describe(`Paging of GET /api/${plural}/trainer/:trainerId`, () => {
    const harness = useHarness();
    let token: string;
    let trainer: User;
    beforeEach(async () => {
      ({ user: trainer, token } = await signIn(harness.context, { role: 'trainer' }));
    });
    const list = (query = '') => harness.api('get', `/api/${plural}/trainer/${trainer.id}${query}`, token);
    /** All of one moment, so that nothing but the id orders them. */
    async function build(count: number): Promise<string[]> {
      const ids: string[] = [];
      const trainee = await buildUser(harness.context);
      for (let built = 0; built < count; built += 1) {
        const course = await buildCourse(harness.context, trainer, { createdAt: moment });
        const enrollment = await buildEnrollment(harness.context, trainee, course, { enrolledAt: moment });
        ids.push(plural === 'courses' ? course.id : enrollment.id);
      }
      return ids;
    }
    const idsOf = (body: Record<string, { id: string }[]>) => body[plural]?.map(({ id }) => id) ?? [];

    it(`shows ${defaultLimit} entries on the first page unless told otherwise`, async () => {
      await build(defaultLimit + 1);
      const { body } = await list().expect(200);
      expect(body).to.have.all.keys(plural, 'pagination');
      expect(body[plural]).to.have.length(defaultLimit);
      const pagination = { currentPage: 1, totalPages: 2, totalItems: defaultLimit + 1, itemsPerPage: defaultLimit };
      expect(body.pagination).to.deep.equal(pagination);
    });

    it('shows the page and number of entries asked for', async () => {
      await build(5);
      const { body } = await list('?page=3&limit=2').expect(200);
      expect(body[plural]).to.have.length(1);
      expect(body.pagination).to.deep.equal({ currentPage: 3, totalPages: 3, totalItems: 5, itemsPerPage: 2 });
    });

    it('shows an empty page beyond the last', async () => {
      await build(2);
      const { body } = await list('?page=9').expect(200);
      const pagination = { currentPage: 9, totalPages: 1, totalItems: 2, itemsPerPage: defaultLimit };
      expect(body).to.deep.equal({ [plural]: [], pagination });
    });

    it('takes a page from 1 and a limit from 1 to 100', async () => {
      for (const query of ['?page=1&limit=1', '?page=1000&limit=100']) await list(query).expect(200);
      for (const value of ['0', '-1', '1.5', 'abc', '', '1;2', 'NaN', '1e999', '99999999999999999999', '1&page=2']) {
        expectInvalid(await list(`?page=${value}`), ['page'], 'query');
      }
      for (const value of ['0', '101', '-1', '1.5', 'abc', '', 'Infinity', '1&limit=2']) {
        expectInvalid(await list(`?limit=${value}`), ['limit'], 'query');
      }
      expect(messageOf(await list('?limit=101'))).to.equal('limit must be a whole number from 1 to 100.');
    });

    it('shows no entry twice and skips none, whatever ties there are', async () => {
      const ids = await build(7);
      const seen: string[] = [];
      for (const page of [1, 2, 3, 4]) seen.push(...idsOf((await list(`?limit=2&page=${page}`).expect(200)).body));
      expect(seen).to.deep.equal([...ids].sort().reverse());
    });
  });
}

describe('Order of GET /api/courses/trainer/:trainerId', () => {
  const harness = useHarness();
  let trainer: User;
  let titles: (query: string) => Promise<string[]>;
  beforeEach(async () => {
    const { user, token } = await signIn(harness.context, { role: 'trainer' });
    trainer = user;
    titles = async (query) => {
      const { body } = await harness.api('get', `/api/courses/trainer/${user.id}${query}`, token).expect(200);
      return body.courses.map(({ title }: { title: string }) => title);
    };
  });
  const course = (title: string, given: Partial<Course> = {}) =>
    buildCourse(harness.context, trainer, { title, ...given });

  it('shows the newest first unless told otherwise', async () => {
    await course('middle', { createdAt: new Date('2026-01-02') });
    await course('newest', { createdAt: new Date('2026-01-03') });
    await course('oldest', { createdAt: new Date('2026-01-01') });
    expect(await titles('')).to.deep.equal(['newest', 'middle', 'oldest']);
    expect(await titles('?sortOrder=ASC')).to.deep.equal(['oldest', 'middle', 'newest']);
  });

  for (const sortBy of ['createdAt', 'updatedAt', 'title', 'category', 'startDate']) {
    it(`sorts by ${sortBy}, either way`, async () => {
      for (const number of [2, 1, 3]) {
        const day = `2026-01-0${number}`;
        const built = await course(`${number}`, { category: `${number}`, startDate: day, createdAt: new Date(day) });
        // The model sets updatedAt by itself.
        const sql = 'UPDATE courses SET updated_at = :day WHERE id = :id';
        await harness.context.database.sequelize.query(sql, { replacements: { day, id: built.id } });
      }
      expect(await titles(`?sortBy=${sortBy}&sortOrder=ASC`)).to.deep.equal(['1', '2', '3']);
      expect(await titles(`?sortBy=${sortBy}&sortOrder=DESC`)).to.deep.equal(['3', '2', '1']);
    });
  }

  it('breaks ties by id, either way', async () => {
    for (const title of ['a', 'b', 'c', 'd', 'e']) await course(title, { category: 'same', createdAt: moment });
    for (const sortBy of ['category', 'createdAt', 'startDate']) {
      for (const [sortOrder, expected] of Object.entries({ ASC: 'abcde', DESC: 'edcba' })) {
        const seen: string[] = [];
        for (const page of [1, 2, 3])
          seen.push(...(await titles(`?sortBy=${sortBy}&sortOrder=${sortOrder}&limit=2&page=${page}`)));
        expect(seen.join(''), `${sortBy} ${sortOrder}`).to.equal(expected);
      }
    }
  });

  it('sorts by the listed fields and in the two orders only', async () => {
    const { token } = await signIn(harness.context, { role: 'super_admin' });
    const list = (query: string) => harness.api('get', `/api/courses/trainer/${trainer.id}?${query}`, token);
    for (const sortBy of [
      'id',
      'trainerId',
      'created_at',
      'TITLE',
      'title;',
      'trainer.passwordHash',
      '',
      'title&sortBy=title',
    ]) {
      expectInvalid(await list(`sortBy=${sortBy}`), ['sortBy'], 'query');
    }
    for (const sortOrder of ['up', 'asc', 'ASC,id', '', 'ASC&sortOrder=ASC']) {
      expectInvalid(await list(`sortOrder=${sortOrder}`), ['sortOrder'], 'query');
    }
  });
});
