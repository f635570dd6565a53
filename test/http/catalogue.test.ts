import { expect } from 'chai';
import type { Course } from '../../src/db/models/course.js';
import { buildCourse, buildUser } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { castOf, type Person, useCast } from './support/cast.js';

/** course-search.sql.test.ts tests the search, paging.sql.test.ts pages and sort orders. */
describe('GET /api/courses', () => {
  const harness = useHarness();
  const cast = useCast(harness);
  const list = (query = '', by?: Person) => harness.api('get', `/api/courses${query}`, by?.token);
  const course = (title: string, given: Partial<Course> = {}, by = cast.owner) =>
    buildCourse(harness.context, by.user, { title, isPublished: true, ...given });
  async function titles(query = '', by?: Person): Promise<string> {
    const { body } = await list(`?sortBy=title&sortOrder=ASC&${query}`, by).expect(200);
    return body.courses.map(({ title }: Course) => title).join('');
  }

  it('shows published courses to everybody, a trainer their drafts too, and the super admin all', async () => {
    await course('A');
    await course('a', { isPublished: false });
    await course('B', {}, cast.foreign);
    await course('b', { isPublished: false }, cast.foreign);
    const { owner, foreign, trainee, admin } = cast;
    for (const [by, query, expected] of [
      ...[undefined, trainee].flatMap(
        (by) =>
          [
            [by, '', 'AB'],
            [by, 'isPublished=true', 'AB'],
            [by, 'isPublished=false', ''],
            [by, `trainerId=${owner.user.id}`, 'A'],
          ] as const,
      ),
      [owner, '', 'AaB'],
      [owner, 'isPublished=true', 'AB'],
      [owner, 'isPublished=false', 'a'],
      [owner, `trainerId=${foreign.user.id}`, 'B'],
      [admin, '', 'AaBb'],
      [admin, 'isPublished=false', 'ab'],
      [admin, `trainerId=${owner.user.id}`, 'Aa'],
    ] as const)
      expect(await titles(query, by), `${by?.user.role} ${query}`).to.equal(expected);
    await trainee.user.update({ requiresPasswordChange: true });
    expect((await list('', trainee)).status).to.equal(403);
  });

  it('filters by category, level, courseType and trainer, alone and combined', async () => {
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
      expect(await titles(query), query).to.equal(expected);
  });
});

describe('GET /api/courses/categories/all', () => {
  const harness = useHarness();

  it('lists each category of visible courses only once, in dictionary order', async () => {
    const cast = await castOf(harness.context);
    const build = (by: Person, category: string | null, isPublished: boolean) =>
      buildCourse(harness.context, by.user, { category, isPublished });
    const seen = async (by?: Person) =>
      (await harness.api('get', '/api/courses/categories/all', by?.token).expect(200)).body;
    expect(await seen()).to.deep.equal({ categories: [] });
    for (const category of ['Zoology', 'Écriture', 'economics', 'animals', 'Zoology', null])
      await build(cast.owner, category, true);
    await build(cast.owner, 'Drafts', false);
    await build(cast.foreign, 'Secrets', false);
    const open = ['animals', 'economics', 'Écriture', 'Zoology'];
    for (const by of [undefined, cast.trainee]) expect(await seen(by)).to.deep.equal({ categories: open });
    expect((await seen(cast.owner)).categories).to.deep.equal(open.toSpliced(1, 0, 'Drafts'));
    expect((await seen(cast.foreign)).categories).to.deep.equal(open.toSpliced(3, 0, 'Secrets'));
    expect((await seen(cast.admin)).categories).to.have.length(6);
  });
});

describe('GET /api/courses/trainers/available', () => {
  const harness = useHarness();

  it('lists active trainers by name, and reflects changes of role, activation and name', async () => {
    const cast = await castOf(harness.context);
    await buildUser(harness.context, { role: 'trainer', isActive: false });
    const { id } = await buildUser(harness.context, { lastName: 'Zuse', email: 'konrad@example.org' });
    const names = async (query = '') => {
      const { body } = await harness.api('get', `/api/courses/trainers/available${query}`, cast.admin.token);
      return body.trainers.map(({ lastName }: { lastName: string }) => lastName);
    };
    const change = (path: string, body: object) =>
      harness.api('put', `/api/users/${id}${path}`, cast.admin.token).send(body).expect(200);
    expect(await names()).to.deep.equal(['Hopper', 'Turing']);
    await change('', { role: 'trainer' });
    expect(await names()).to.deep.equal(['Hopper', 'Turing', 'Zuse']);
    for (const [term, found] of [
      ['KONRAD@', ['Zuse']],
      ['test zus', ['Zuse']],
      ['%25', []],
      ['lovelace', []],
    ] as const)
      expect(await names(`?search=${term}`), term).to.deep.equal(found);
    await change('/status', { isActive: false });
    expect(await names()).to.deep.equal(['Hopper', 'Turing']);
    await change('/status', { isActive: true });
    await change('', { lastName: 'Aalto' });
    expect(await names()).to.deep.equal(['Aalto', 'Hopper', 'Turing']);
  });
});

describe('GET /api/courses/stats/overview', () => {
  const harness = useHarness();

  it("counts a trainer's own courses, and all for the super admin", async () => {
    const cast = await castOf(harness.context);
    const stats = async (by: Person) =>
      (await harness.api('get', '/api/courses/stats/overview', by.token).expect(200)).body;
    const nothing = { total: 0, published: 0, unpublished: 0, featured: 0, byCategory: [] };
    expect(await stats(cast.owner)).to.deep.equal({ stats: nothing });
    const build = (by: Person, given: Partial<Course>) => buildCourse(harness.context, by.user, given);
    await build(cast.owner, { category: 'Crafts', isPublished: true, isFeatured: true });
    await build(cast.owner, { category: 'Crafts' });
    await build(cast.owner, {});
    await build(cast.foreign, { category: 'Arts', isPublished: true });
    const byCategory = [
      { category: null, count: 1 },
      { category: 'Crafts', count: 2 },
    ];
    const own = { total: 3, published: 1, unpublished: 2, featured: 1, byCategory };
    expect(await stats(cast.owner)).to.deep.equal({ stats: own });
    const all = byCategory.toSpliced(1, 0, { category: 'Arts', count: 1 });
    expect(await stats(cast.admin)).to.deep.equal({ stats: { ...own, total: 4, published: 2, byCategory: all } });
  });
});
