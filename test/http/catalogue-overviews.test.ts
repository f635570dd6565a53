import { expect } from 'chai';
import type { Course } from '../../src/db/models/course.js';
import { buildCourse, buildUser } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { type Cast, castOf, type Person } from './support/cast.js';
import { expectFailure, expectInvalid } from './support/expectations.js';

const moment = new Date('2026-01-01T00:00:00Z');

describe('GET /api/courses/categories/all', () => {
  const harness = useHarness();

  it('lists the categories of the courses that the caller sees, each once, in order', async () => {
    const cast = await castOf(harness.context);
    const build = (by: Person, category: string | null, isPublished: boolean) =>
      buildCourse(harness.context, by.user, { category, isPublished });
    for (const category of ['Weaving', 'Crafts', 'Weaving', null]) await build(cast.owner, category, true);
    await build(cast.owner, 'Drafts', false);
    await build(cast.foreign, 'Secrets', false);
    const seen = async (by?: Person) => {
      const { body } = await harness.api('get', '/api/courses/categories/all', by?.token).expect(200);
      expect(body).to.have.all.keys('categories');
      return body.categories;
    };
    for (const by of [undefined, cast.trainee]) expect(await seen(by)).to.deep.equal(['Crafts', 'Weaving']);
    expect(await seen(cast.owner)).to.deep.equal(['Crafts', 'Drafts', 'Weaving']);
    expect(await seen(cast.foreign)).to.deep.equal(['Crafts', 'Secrets', 'Weaving']);
    expect(await seen(cast.admin)).to.deep.equal(['Crafts', 'Drafts', 'Secrets', 'Weaving']);
  });

  it('sorts them as a dictionary does', async () => {
    const cast = await castOf(harness.context);
    const categories = ['animals', 'Baking', 'Écriture', 'economics', 'Zoology', 'zoom'];
    for (const category of [...categories].reverse())
      await buildCourse(harness.context, cast.owner.user, { category, isPublished: true });
    const listed = await harness.api('get', '/api/courses/categories/all').expect(200);
    const figures = await harness.api('get', '/api/courses/stats/overview', cast.owner.token).expect(200);
    expect(listed.body.categories).to.deep.equal(['animals', 'Baking', 'economics', 'Écriture', 'Zoology', 'zoom']);
    expect(figures.body.stats.byCategory.map(({ category }: Course) => category)).to.deep.equal(listed.body.categories);
  });

  it('is empty where there are none', async () => {
    const { body } = await harness.api('get', '/api/courses/categories/all').expect(200);
    expect(body).to.deep.equal({ categories: [] });
  });
});

describe('GET /api/courses/trainers/available', () => {
  const harness = useHarness();
  let cast: Cast;
  beforeEach(async () => {
    cast = await castOf(harness.context);
  });
  const list = (query = '', by = cast.admin) => harness.api('get', `/api/courses/trainers/available${query}`, by.token);
  const names = async (query: string) => {
    const { body } = await list(query).expect(200);
    return body.trainers.map(({ lastName }: { lastName: string }) => lastName);
  };

  it('lists active trainers by name, with exactly these fields', async () => {
    await buildUser(harness.context, { role: 'trainer', isActive: false });
    const { body } = await list().expect(200);
    const shown = ({ user: { id, firstName, lastName, email } }: Person) => ({ id, firstName, lastName, email });
    expect(body).to.deep.equal({
      trainers: [cast.owner, cast.foreign].map((person) => ({ ...shown(person), avatar: null })),
      pagination: { currentPage: 1, totalPages: 1, totalItems: 2, itemsPerPage: 20 },
    });
  });

  it('searches names and email addresses', async () => {
    await buildUser(harness.context, {
      role: 'trainer',
      lastName: 'Erdős',
      email: 'paul@example.org',
      phone: '+36 123',
    });
    for (const term of ['erdos', 'PAUL@', 'test erd']) {
      expect(await names(`?search=${encodeURIComponent(term)}`), term).to.deep.equal(['Erdős']);
    }
    expect(await names('?search=%25')).to.deep.equal([]);
    expect(await names('?search=lovelace')).to.deep.equal([]);
  });

  it('follows roles, activation and names', async () => {
    const { id } = await buildUser(harness.context, { lastName: 'Zuse' });
    const change = (path: string, body: object) =>
      harness.api('put', `/api/users/${id}${path}`, cast.admin.token).send(body).expect(200);
    const isFound = async () => (await names('')).filter((name: string) => !name.startsWith('Person'));
    const before = await isFound();
    const others = (name: string) => [...before, name].sort();
    await change('', { role: 'trainer' });
    expect(await isFound()).to.deep.equal(others('Zuse'));
    await change('/status', { isActive: false });
    expect(await isFound()).to.deep.equal(before);
    await change('/status', { isActive: true });
    await change('', { lastName: 'Aalto' });
    expect(await isFound()).to.deep.equal(others('Aalto'));
    await change('', { role: 'trainee' });
    expect(await isFound()).to.deep.equal(before);
  });

  it('is paged, ties broken by id', async () => {
    const ids: string[] = [];
    for (let built = 0; built < 5; built += 1)
      ids.push((await buildUser(harness.context, { role: 'trainer', lastName: 'Aa' })).id);
    const seen: string[] = [];
    for (const page of [1, 2, 3]) {
      const { body } = await list(`?limit=2&page=${page}&search=aa`).expect(200);
      seen.push(...body.trainers.map(({ id }: { id: string }) => id));
    }
    expect(seen).to.deep.equal(ids.sort());
    expectInvalid(await list('?limit=101&page=0'), ['limit', 'page'], 'query');
  });

  it('is for the super admin only', async () => {
    for (const by of [cast.owner, cast.trainee])
      expectFailure(await list('', by), 403, 'Access denied. Super admin role required.');
  });
});

describe('GET /api/courses/stats/overview', () => {
  const harness = useHarness();
  let cast: Cast;
  beforeEach(async () => {
    cast = await castOf(harness.context);
  });
  const stats = async (by: Person) => {
    const { body } = await harness.api('get', '/api/courses/stats/overview', by.token).expect(200);
    expect(body).to.have.all.keys('stats');
    return body.stats;
  };

  it("counts a trainer's own courses, and all for the super admin", async () => {
    const build = (by: Person, given: Partial<Course>) =>
      buildCourse(harness.context, by.user, { createdAt: moment, ...given });
    await build(cast.owner, { category: 'Crafts', isPublished: true, isFeatured: true });
    await build(cast.owner, { category: 'Crafts' });
    await build(cast.owner, {});
    await build(cast.foreign, { category: 'Arts', isPublished: true });
    expect(await stats(cast.owner)).to.deep.equal({
      total: 3,
      published: 1,
      unpublished: 2,
      featured: 1,
      byCategory: [
        { category: null, count: 1 },
        { category: 'Crafts', count: 2 },
      ],
    });
    expect(await stats(cast.admin)).to.deep.equal({
      total: 4,
      published: 2,
      unpublished: 2,
      featured: 1,
      byCategory: [
        { category: null, count: 1 },
        { category: 'Arts', count: 1 },
        { category: 'Crafts', count: 2 },
      ],
    });
  });

  it('counts zero when there are no courses', async () => {
    const nothing = { total: 0, published: 0, unpublished: 0, featured: 0, byCategory: [] };
    for (const by of [cast.owner, cast.admin]) expect(await stats(by)).to.deep.equal(nothing);
  });

  it('is refused to trainees', async () => {
    const response = await harness.api('get', '/api/courses/stats/overview', cast.trainee.token);
    expectFailure(response, 403, 'Access denied. Trainer or Super admin role required.');
  });
});
