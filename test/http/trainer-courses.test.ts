import { expect } from 'chai';
import type { Course } from '../../src/db/models/course.js';
import type { User } from '../../src/db/models/user.js';
import { buildCourse, buildUser, signIn } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { expectFailure, expectInvalid, messages } from './support/expectations.js';

describe('GET /api/courses/trainer/:trainerId', () => {
  const harness = useHarness();
  let trainer: User;
  let token: string;
  beforeEach(async () => {
    ({ user: trainer, token } = await signIn(harness.context, {
      role: 'trainer',
      firstName: 'Grace',
      lastName: 'Hopper',
    }));
  });
  const list = (query = '', as = token, trainerId = trainer.id) =>
    harness.api('get', `/api/courses/trainer/${trainerId}${query}`, as);
  const course = (given: Partial<Course> = {}) => buildCourse(harness.context, trainer, given);
  const titles = async (query: string) => {
    const { body } = await list(query).expect(200);
    return body.courses.map(({ title }: { title: string }) => title);
  };

  it('lists a course with exactly the documented fields', async () => {
    const given = {
      title: 'Compilers',
      description: 'From A-0 on.',
      shortDescription: 'Compilers in brief',
      category: 'Programming',
      level: 'advanced',
      language: 'English',
      courseType: 'hybrid',
      requirements: 'None',
      learningOutcomes: 'A compiler',
      maxStudents: 30,
      startDate: '2026-03-01',
      endDate: '2026-04-30',
      location: 'Room 1',
      thumbnail: '/uploads/a-0.webp',
      isPublished: true,
      isFeatured: true,
    } as const;
    const built = await course({ ...given, tagsJson: '["code","history"]' });
    const { body } = await list().expect(200);
    expect(body).to.deep.equal({
      courses: [
        {
          ...given,
          id: built.id,
          tags: ['code', 'history'],
          trainerId: trainer.id,
          createdAt: built.createdAt.toISOString(),
          updatedAt: built.updatedAt.toISOString(),
          trainer: { id: trainer.id, firstName: 'Grace', lastName: 'Hopper', avatar: null },
        },
      ],
      pagination: { currentPage: 1, totalPages: 1, totalItems: 1, itemsPerPage: 12 },
    });
  });

  it('shows fields that are not set as null, tags as an empty list and a new course as unpublished', async () => {
    await course();
    const { body } = await list().expect(200);
    expect(body.courses[0]).to.include({
      category: null,
      level: null,
      maxStudents: null,
      startDate: null,
      thumbnail: null,
    });
    expect(body.courses[0]).to.deep.include({ tags: [], isPublished: false, isFeatured: false });
  });

  it("lists the trainer's own courses only", async () => {
    await course({ title: 'Own' });
    await buildCourse(harness.context, await buildUser(harness.context, { role: 'trainer' }), { title: 'Other' });
    expect(await titles('')).to.deep.equal(['Own']);
  });

  it('is empty for a trainer without courses', async () => {
    const { body } = await list().expect(200);
    expect(body).to.deep.equal({
      courses: [],
      pagination: { currentPage: 1, totalPages: 0, totalItems: 0, itemsPerPage: 12 },
    });
  });

  it("refuses another trainer's courses", async () => {
    const other = await buildUser(harness.context, { role: 'trainer' });
    for (const trainerId of [other.id, 'nobody']) {
      expectFailure(await list('', token, trainerId), 403, "Access denied. Another trainer's data can't be read.");
    }
  });

  it('refuses a trainee', async () => {
    const trainee = await signIn(harness.context);
    for (const trainerId of [trainer.id, trainee.user.id]) {
      expectFailure(
        await list('', trainee.token, trainerId),
        403,
        'Access denied. Trainer or Super admin role required.',
      );
    }
  });

  it('needs a token', async () => {
    expectFailure(await harness.api('get', `/api/courses/trainer/${trainer.id}`), 401, messages.noToken);
  });

  it("shows the super admin any trainer's courses", async () => {
    await course({ title: 'Own' });
    const admin = await signIn(harness.context, { role: 'super_admin' });
    const { body } = await list('', admin.token).expect(200);
    expect(body.courses).to.have.length(1);
  });

  it('answers the super admin 404 where there is no such trainer', async () => {
    const admin = await signIn(harness.context, { role: 'super_admin' });
    const trainee = await buildUser(harness.context);
    for (const trainerId of ['nobody', trainee.id, admin.user.id, "'OR'1'='1", '%F0%9F%98%80', 'x'.repeat(5000)]) {
      expectFailure(await list('', admin.token, trainerId), 404, 'Trainer not found.');
    }
    for (const trainerId of ['%00', `${trainer.id}%00`, `${trainer.id}%20`, '%20', '%1F']) {
      expectFailure(await list('', admin.token, trainerId), 404, 'Resource not found.');
    }
  });

  it('filters by isPublished', async () => {
    await course({ title: 'Draft' });
    await course({ title: 'Public', isPublished: true });
    expect(await titles('?isPublished=true')).to.deep.equal(['Public']);
    expect(await titles('?isPublished=false')).to.deep.equal(['Draft']);
    expect(await titles('')).to.have.members(['Draft', 'Public']);
  });

  it('takes true and false only as isPublished', async () => {
    for (const value of ['1', 'yes', 'TRUE', '', 'true&isPublished=true']) {
      expectInvalid(await list(`?isPublished=${value}`), ['isPublished'], 'query');
    }
  });

  it('refuses a search that is not one line of at most 200 characters', async () => {
    for (const value of ['a&search=b', 'x'.repeat(201), '%00', 'a%00b', 'a%0Ab'])
      expectInvalid(await list(`?search=${value}`), ['search'], 'query');
    await list(`?search=${'x'.repeat(200)}`).expect(200);
  });

  it('names every invalid parameter, and ignores unknown ones', async () => {
    const response = await list('?page=0&limit=x&sortBy=password&sortOrder=up&isPublished=2&search=a&search=b');
    expectInvalid(response, ['page', 'limit', 'sortBy', 'sortOrder', 'isPublished', 'search'], 'query');
    await list('?trainerId=other&__proto__=x&constructor=y&where[id]=1').expect(200);
  });
});

describe('GET /api/courses/trainer/:trainerId?search', () => {
  const harness = useHarness();
  let found: (term: string) => Promise<string[]>;
  beforeEach(async () => {
    const { user, token } = await signIn(harness.context, { role: 'trainer' });
    for (const title of [
      'Café Économie',
      '100% cotton',
      'snake_case',
      "O'Reilly \\ Sons",
      'STRASSE',
      'Ｗｉｄｅ',
      '日本語 が',
    ]) {
      await buildCourse(harness.context, user, { title });
    }
    found = async (term) => {
      const path = `/api/courses/trainer/${user.id}?search=${encodeURIComponent(term)}`;
      const { body } = await harness.api('get', path, token).expect(200);
      expect(body.pagination.totalItems).to.equal(body.courses.length);
      return body.courses.map(({ title }: { title: string }) => title);
    };
  });

  it('finds a part of the title', async () => {
    expect(await found('cotton')).to.deep.equal(['100% cotton']);
    expect(await found('  cotton ')).to.deep.equal(['100% cotton']);
    expect(await found('nothing like it')).to.deep.equal([]);
  });

  it('minds neither case nor accents nor compatibility forms', async () => {
    for (const term of ['cafe', 'CAFÉ', 'cafe\u0301', 'economie', 'é É'])
      expect(await found(term)).to.deep.equal(['Café Économie']);
    expect(await found('strasse')).to.deep.equal(['STRASSE']);
    expect(await found('wide')).to.deep.equal(['Ｗｉｄｅ']);
  });

  it('takes every sign as itself', async () => {
    expect(await found('%')).to.deep.equal(['100% cotton']);
    expect(await found('_')).to.deep.equal(['snake_case']);
    expect(await found('\\')).to.deep.equal(["O'Reilly \\ Sons"]);
    expect(await found("'")).to.deep.equal(["O'Reilly \\ Sons"]);
    for (const term of ['s*', '.', "' OR 1=1 --", ':search', '?', '\\0']) expect(await found(term)).to.deep.equal([]);
  });

  it('tells letters apart that only accents of other scripts join', async () => {
    expect(await found('日本')).to.deep.equal(['日本語 が']);
    expect(await found('か')).to.deep.equal([]);
  });

  it('lists everything for an empty search', async () => {
    for (const term of ['', '  ']) expect(await found(term)).to.have.length(7);
  });
});
