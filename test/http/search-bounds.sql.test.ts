import { expect } from 'chai';
import { searchedEnrollments } from '../../src/services/enrollments/search.js';
import { searchBounds } from '../../src/services/paging.js';
import { buildCourse, buildEnrollment, buildUser } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { scaled } from '../support/machine.js';
import { type Cast, castOf } from './support/cast.js';

const firstNames = ['Mara', 'Mario', 'Anne-Marie', 'Lena', 'Nora', 'Maja'];
const lastNames = ['Lopez', 'Marsh', "O'Mara", 'van Dijk', 'Lenz', 'Noris', 'Malik'];
const searches = ['m', 'mar', 'mara l', 'l m', 'mar-lenz', 'lena.p', '44', 'nobody'];

/** Bounds that searches among few accounts exceed, for each way to find pages and counts. */
const changed: readonly Partial<typeof searchBounds>[] = [
  { counted: 0, countedOfEnrollments: 0, firstRows: 25 },
  { counted: 0, countedOfEnrollments: 0 },
  { counted: 12, countedOfEnrollments: 7, firstRows: 10 },
];

describe('A search by words, however many accounts it finds', function () {
  this.timeout(scaled(120_000));
  const harness = useHarness({ SEARCH_SCAN_ROWS: '0' });
  const bounds = { ...searchBounds };
  const { few } = searchedEnrollments;
  beforeEach(() => {
    searchedEnrollments.few = 0;
  });
  afterEach(() => {
    Object.assign(searchBounds, bounds);
    searchedEnrollments.few = few;
  });

  async function fill(cast: Cast): Promise<string> {
    const { context } = harness;
    const [course, other] = [await buildCourse(context, cast.owner.user), await buildCourse(context, cast.owner.user)];
    for (const [index, lastName] of [...lastNames, ...lastNames, ...lastNames, ...lastNames].entries()) {
      const firstName = firstNames[index % firstNames.length] ?? '';
      // Some emails begin with a searched name.
      const name = index % 2 > 0 ? `${firstName.toLowerCase()}.p` : 'p';
      const email = `${name}${index}@${index % 3 === 0 ? 'mar-lenz.example' : 'north.example'}`;
      const user = await buildUser(context, { firstName, lastName, email, isActive: index % 5 > 0 });
      if (index % 4 > 0) await buildEnrollment(context, user, course);
      if (index % 3 > 0) await buildEnrollment(context, user, other);
    }
    return (await buildCourse(context, cast.owner.user)).id;
  }

  it('finds the same pages, totals and exports', async () => {
    const cast = await castOf(harness.context);
    const courseId = await fill(cast);
    const trainerId = cast.owner.user.id;
    const listings = [
      '/api/users?limit=4&sortBy=lastName',
      '/api/users?limit=3&sortOrder=DESC&isActive=true',
      '/api/users?limit=4&sortBy=email&locked=true',
      `/api/enrollments/available-trainees?limit=4&courseId=${courseId}`,
      '/api/enrollments?limit=4&status=active&sortOrder=ASC',
      `/api/enrollments?limit=4&trainerId=${trainerId}`,
      `/api/enrollments/trainer/${trainerId}?limit=4`,
    ];
    const get = async (path: string) => (await harness.api('get', path, cast.admin.token).expect(200)).body;
    const itemsOf = (body: Record<string, { id: string }[]>) => body.users ?? body.trainees ?? body.enrollments ?? [];
    /** Returns each page of each search, by number and by the last id of the previous page. */
    async function all(): Promise<unknown[]> {
      const found: unknown[] = [];
      for (const listing of listings)
        for (const search of searches) {
          const path = `${listing}&search=${encodeURIComponent(search)}`;
          const first = await get(path);
          const last = itemsOf(first).at(-1)?.id;
          const second = await get(`${path}&page=2`);
          const after = last === undefined ? second : await get(`${path}&page=2&afterId=${last}`);
          expect(itemsOf(after), path).to.deep.equal(itemsOf(second));
          const shown = [first, second].map((body) => [itemsOf(body).map(({ id }) => id), body.pagination]);
          found.push([path, ...shown]);
        }
      for (const search of searches) {
        const path = `/api/users/export.csv?search=${encodeURIComponent(search)}`;
        found.push((await harness.api('get', path, cast.admin.token).expect(200)).text);
      }
      return found;
    }
    const expected = await all();
    // All courses belong to one trainer, and their titles contain none of these words.
    const ofTrainer = `/api/enrollments/trainer/${trainerId}`;
    for (const path of ['/api/enrollments', ofTrainer])
      for (const search of searches) {
        const of = async (at: string, { token }: Cast[keyof Cast]) =>
          (await harness.api('get', `${at}?search=${encodeURIComponent(search)}`, token).expect(200)).body;
        expect(await of(path, cast.owner), search).to.deep.equal(await of('/api/enrollments', cast.admin));
      }
    expect((await get(`${ofTrainer}?search=course`)).pagination).to.deep.equal((await get(ofTrainer)).pagination);
    for (const one of changed) {
      Object.assign(searchBounds, bounds, one);
      expect(await all(), JSON.stringify(one)).to.deep.equal(expected);
    }
  });
});
