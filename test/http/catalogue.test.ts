import { expect } from 'chai';
import type { Course } from '../../src/db/models/course.js';
import { courseListingSchema } from '../../src/schemas/course.js';
import { searchKey } from '../../src/schemas/keys.js';
import { buildCourse } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { type Cast, castOf, type Person } from './support/cast.js';
import { expectFailure, expectInvalid, messageOf, messages } from './support/expectations.js';

const titlesOf = (body: { courses: { title: string }[] }) => body.courses.map(({ title }) => title);

describe('GET /api/courses', () => {
  const harness = useHarness();
  let cast: Cast;
  beforeEach(async () => {
    cast = await castOf(harness.context);
  });
  const list = (query = '', by?: Person) => harness.api('get', `/api/courses${query}`, by?.token);
  const course = (title: string, given: Partial<Course> = {}, by = cast.owner) =>
    buildCourse(harness.context, by.user, { title, isPublished: true, ...given });
  async function titles(query = '', by?: Person): Promise<string[]> {
    const { body } = await list(query, by).expect(200);
    return titlesOf(body);
  }

  it('shows a course with exactly its fields, to anybody', async () => {
    const built = await course('Compilers', { category: 'Programming', tagsJson: '["code"]' });
    const { body } = await list().expect(200);
    const shown = (await harness.api('get', `/api/courses/${built.id}`, cast.trainee.token).expect(200)).body.course;
    expect(shown).to.include({ id: built.id, title: 'Compilers', category: 'Programming' });
    expect(body).to.deep.equal({
      courses: [shown],
      pagination: { currentPage: 1, totalPages: 1, totalItems: 1, itemsPerPage: 12 },
    });
  });

  describe('of published courses and drafts of two trainers', () => {
    beforeEach(async () => {
      await course('published');
      await course('draft', { isPublished: false });
      await course("other's published", {}, cast.foreign);
      await course("other's draft", { isPublished: false }, cast.foreign);
    });
    const published = ['published', "other's published"];

    it('shows those who are not signed in, and trainees, the published ones', async () => {
      for (const by of [undefined, cast.trainee]) {
        expect(await titles('', by)).to.have.members(published);
        expect(await titles('?isPublished=true', by)).to.have.members(published);
        expect((await list('?isPublished=false', by).expect(200)).body).to.deep.equal({
          courses: [],
          pagination: { currentPage: 1, totalPages: 0, totalItems: 0, itemsPerPage: 12 },
        });
        expect(await titles(`?trainerId=${cast.owner.user.id}`, by)).to.deep.equal(['published']);
      }
    });

    it('shows a trainer their own too', async () => {
      expect(await titles('', cast.owner)).to.have.members([...published, 'draft']);
      expect(await titles('?isPublished=true', cast.owner)).to.have.members(published);
      expect(await titles('?isPublished=false', cast.owner)).to.deep.equal(['draft']);
      expect(await titles(`?trainerId=${cast.foreign.user.id}`, cast.owner)).to.deep.equal(["other's published"]);
    });

    it('shows the super admin all', async () => {
      expect(await titles('', cast.admin)).to.have.length(4);
      expect(await titles('?isPublished=false', cast.admin)).to.have.members(['draft', "other's draft"]);
      const own = ['draft', 'published'];
      expect(await titles(`?trainerId=${cast.owner.user.id}`, cast.admin)).to.have.members(own);
    });

    it('refuses a bad token rather than showing what anybody sees', async () => {
      expectFailure(await harness.api('get', '/api/courses', 'bad'), 401, messages.badToken);
    });

    it('refuses those who must change their password first', async () => {
      await cast.trainee.user.update({ requiresPasswordChange: true });
      expect((await list('', cast.trainee)).status).to.equal(403);
    });
  });

  it('filters by category, level, courseType and trainer, each and together', async () => {
    await course('A', { category: 'Crafts', level: 'beginner', courseType: 'online' });
    await course('B', { category: 'Crafts', level: 'advanced', courseType: 'online' });
    await course('C', { category: 'Craft', level: 'beginner', courseType: 'hybrid' });
    await course('D', { category: 'crafts', level: 'beginner', courseType: 'online' }, cast.foreign);
    await course('E');
    const trainer = cast.owner.user.id;
    for (const [query, expected] of [
      ['category=Crafts', 'AB'],
      ['category=%20Crafts%20', 'AB'],
      ['category=Cr%25', ''],
      ['level=beginner', 'ACD'],
      ['courseType=online', 'ABD'],
      [`trainerId=${trainer}`, 'ABCE'],
      ['trainerId=nobody', ''],
      ['level=beginner&courseType=online', 'AD'],
      ['category=Crafts&level=beginner&courseType=online', 'A'],
      [`trainerId=${trainer}&level=beginner&search=c`, 'C'],
      [`trainerId=${trainer}&category=Crafts&level=advanced&courseType=online&isPublished=true&search=b`, 'B'],
    ] as const)
      expect((await titles(`?${query}&sortBy=title&sortOrder=ASC`)).join(''), query).to.equal(expected);
  });

  it('counts the courses that match the filters', async () => {
    for (const number of [1, 2, 3]) await course(`${number}`, { level: number === 3 ? 'advanced' : 'beginner' });
    const { body } = await list('?level=beginner&limit=1').expect(200);
    expect(body.pagination).to.deep.equal({ currentPage: 1, totalPages: 2, totalItems: 2, itemsPerPage: 1 });
  });

  it('searches title, category and tags, minding neither case nor accents, taking every sign as itself', async () => {
    await course('Café 100% snake_case', { searchKey: searchKey('Café 100% snake_case', 'Künste', 'Élan') });
    await course('Cafetière 1000 snakeXcase');
    for (const term of ['CAFÉ ', 'cafe 1', '100%', 'snake_', 'kunste', 'ELAN', 'cafe\u0301 '])
      expect(await titles(`?search=${encodeURIComponent(term)}`), term).to.include('Café 100% snake_case');
    for (const term of ['%', '_', '100%', 'snake_c'])
      expect(await titles(`?search=${encodeURIComponent(term)}`), term).to.deep.equal(['Café 100% snake_case']);
    for (const term of ['caf_', 'c%e', '\\', "'", '"', ';--', '*'])
      expect(await titles(`?search=${encodeURIComponent(term)}`), term).to.deep.equal([]);
    for (const term of ['', '  ', '\u0301'])
      expect(await titles(`?search=${encodeURIComponent(term)}`)).to.have.length(2);
  });

  it('names every invalid parameter', async () => {
    const paths = [
      'category',
      'level',
      'courseType',
      'isPublished',
      'seatsLeft',
      'include',
      'search',
      'sortBy',
      'sortOrder',
      'page',
      'limit',
    ];
    const wrong =
      'category=x&level=Beginner&courseType=remote&isPublished=1&seatsLeft=3&include=trainees&sortBy=id&sortOrder=asc&page=0&limit=101';
    expectInvalid(await list(`?${wrong}&search=${'x'.repeat(201)}`), paths, 'query');
    const twice = [...paths, 'trainerId'].map((path) => `${path}=a&${path}=b`).join('&');
    expectInvalid(await list(`?${twice}`), [...paths, 'trainerId'], 'query');
    for (const limit of [0, -1, 1.5, 101, 'x', '']) expectInvalid(await list(`?limit=${limit}`), ['limit'], 'query');
    for (const page of [0, -1, 1.5, 1_000_001, '1e999', ''])
      expectInvalid(await list(`?page=${page}`), ['page'], 'query');
    expect(messageOf(await list('?limit=101'))).to.equal('limit must be a whole number from 1 to 100.');
    await list('?limit=100&page=1000000').expect(200);
  });

  const sortKeys = ['createdAt', 'updatedAt', 'title', 'category', 'startDate'];

  it('sorts by every key of its schema: each is tested below', () => {
    const { allow } = courseListingSchema.describe().keys.sortBy;
    expect(sortKeys, 'Add the key here, to the courses that are sorted, and to paging.test.ts').to.deep.equal(allow);
  });

  for (const sortBy of sortKeys) {
    it(`sorts by ${sortBy} either way, ties by id: no course twice, none skipped, over pages and for everybody`, async () => {
      const order: string[] = [];
      for (const number of [2, 1, 3, 2, 1, 3, 1]) {
        const day = `2026-01-0${number}`;
        const given = { category: `c${number}`, startDate: number === 1 ? null : day, createdAt: new Date(day) };
        const { id } = await course(`t${number}`, given);
        const sql = 'UPDATE courses SET updated_at = :day WHERE id = :id';
        await harness.context.database.sequelize.query(sql, { replacements: { day: `${day} 00:00:00.000`, id } });
        order.push(`${number}${id}`);
      }
      const ascending = order.sort().map((key) => key.slice(1));
      const expected = { ASC: ascending, DESC: [...ascending].reverse() };
      for (const by of [undefined, cast.owner, cast.admin]) {
        for (const [sortOrder, ids] of Object.entries(expected)) {
          const seen: string[] = [];
          for (const page of [1, 2, 3, 4]) {
            const { body } = await list(`?sortBy=${sortBy}&sortOrder=${sortOrder}&limit=2&page=${page}`, by).expect(
              200,
            );
            seen.push(...body.courses.map(({ id }: { id: string }) => id));
          }
          expect(seen, sortOrder).to.deep.equal(ids);
        }
      }
    });
  }

  it('shows the newest first unless told otherwise, 12 on a page', async () => {
    for (let day = 1; day <= 13; day += 1) await course(`${day}`, { createdAt: new Date(Date.UTC(2026, 0, day)) });
    expect(await titles()).to.deep.equal(['13', '12', '11', '10', '9', '8', '7', '6', '5', '4', '3', '2']);
    expect(await titles('?page=2')).to.deep.equal(['1']);
    expect(await titles('?page=3')).to.deep.equal([]);
  });
});
