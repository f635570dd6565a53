import { expect } from 'chai';
import { insertRows } from '../../src/db/sql/insert.js';
import { newIds } from '../../src/services/new-ids.js';
import { maxCounted } from '../../src/services/paging.js';
import { testEnvironment } from '../support/environment.js';
import { buildCourse, buildEnrollment, buildEnrollments, buildTrainees, buildUser } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { scaled } from '../support/machine.js';
import { useCommandLine } from '../support/run-cli.js';
import { castOf, useCast } from './support/cast.js';

const moment = new Date('2026-01-01T00:00:00Z');

describe('The number of items of a large listing', function () {
  this.timeout(scaled(120_000));
  const harness = useHarness();
  const cli = useCommandLine(() => ({ ...testEnvironment, DATABASE_URL: harness.databaseUrl }));
  const cast = useCast(harness);

  const addTrainees = (count: number) => buildTrainees(harness.context, count);
  async function paginationOf(path: string, by = cast.admin) {
    const { body } = await harness.api('get', path, by.token).expect(200);
    return body.pagination;
  }
  const capped = { currentPage: 1, totalPages: 501, totalItems: maxCounted, itemsPerPage: 20, totalItemsCapped: true };

  it('is exact up to 10,000 accounts, "more than 10,000" beyond, and exact again on the last page', async () => {
    const others = Object.keys(cast).length;
    await addTrainees(maxCounted - others);
    const exact = { currentPage: 1, totalPages: 500, totalItems: maxCounted, itemsPerPage: 20 };
    expect(await paginationOf('/api/users')).to.deep.equal(exact);
    await buildTrainees(harness.context, 250, maxCounted);
    const total = maxCounted + 250;
    const page = (currentPage: number, totalPages: number, totalItems: number) => ({
      ...{ currentPage, totalPages, totalItems, itemsPerPage: 100 },
      ...(totalItems < total && { totalItemsCapped: true }),
    });
    for (const [query, expected] of [
      ['', capped],
      ['role=trainee&locked=false&search=number', capped],
      ['role=trainer', { ...exact, totalPages: 1, totalItems: 2 }],
      ['page=100&limit=100', page(100, 101, maxCounted)],
      ['page=101&limit=100', page(101, 102, 10_100)],
      ['page=103&limit=100', page(103, 103, total)],
      ['page=900&limit=100', page(900, 103, total)],
    ] as const)
      expect(await paginationOf(`/api/users?${query}`), query).to.deep.equal(expected);
    expect((await cli.run(['users', 'list', '--limit', '10'])).stderr).to.equal(
      'Page 1, more than 10000 accounts. Add --page 2 for the next page, or --limit all.\n',
    );
    const json = JSON.parse((await cli.run(['users', 'list', '--limit', 'all', '--json'])).stdout);
    expect(new Set(json.users.map(({ id }: { id: string }) => id)).size).to.equal(total);
    const pagination = { currentPage: 1, totalPages: 1, totalItems: total, itemsPerPage: total };
    expect(json.pagination).to.deep.equal(pagination);
  });

  it('is bounded for all enrollments and available trainees, and exact for a trainer and a course', async () => {
    const { context } = harness;
    const count = maxCounted + 1;
    const course = await buildCourse(context, cast.owner.user);
    const other = await buildCourse(context, cast.owner.user);
    const trainees = await addTrainees(count);
    await buildEnrollments(context, trainees, course);
    const exact = { currentPage: 1, totalPages: 501, totalItems: count, itemsPerPage: 20 };
    const { admin, owner } = cast;
    for (const [path, by, expected] of [
      ['/api/enrollments', admin, capped],
      [`/api/enrollments?courseId=${course.id}`, admin, exact],
      ['/api/enrollments', owner, exact],
      [`/api/enrollments/trainer/${owner.user.id}`, owner, exact],
      [`/api/enrollments/course/${course.id}/trainees`, owner, exact],
      [`/api/enrollments/available-trainees?courseId=${other.id}`, owner, capped],
    ] as const)
      expect(await paginationOf(path, by), path).to.deep.equal(expected);
  });

  it('is bounded for courses and for the audit log', async () => {
    const { database } = harness.context;
    const { Course, AuditEntry } = database.models;
    const count = maxCounted + 1;
    const { trainerId, title, description, searchKey, titleKey } = await buildCourse(harness.context, cast.owner.user, {
      isPublished: true,
    });
    const course = { trainerId, title, description, searchKey, titleKey, isPublished: true };
    const entry = { origin: 'cli', action: 'user.update', targetType: 'user', targetId: cast.trainee.user.id } as const;
    await database.inTransaction(async (transaction) => {
      const at = { createdAt: moment, updatedAt: moment };
      await insertRows(
        Course,
        newIds(maxCounted).map((id) => ({ id, ...course, ...at })),
        transaction,
      );
      await insertRows(
        AuditEntry,
        newIds(count).map((id) => ({ id, at: moment, ...entry })),
        transaction,
      );
    });
    const courses = { ...capped, totalPages: 834, itemsPerPage: 12 };
    expect(await paginationOf('/api/courses')).to.deep.equal(courses);
    expect(await paginationOf('/api/courses', cast.trainee)).to.deep.equal(courses);
    expect(await paginationOf(`/api/courses/trainer/${cast.owner.user.id}`, cast.owner)).to.include({
      totalItems: count,
    });
    // The seats of the next courses are counted only until there are more than 250.
    for (const by of [cast.admin, cast.owner, cast.trainee])
      expect(await paginationOf('/api/courses?seatsLeft=true', by)).to.deep.equal({
        ...courses,
        totalPages: 21,
        totalItems: 250,
      });
    const full = await buildCourse(harness.context, cast.owner.user, { maxStudents: 1, createdAt: moment });
    await buildEnrollment(harness.context, await buildUser(harness.context), full);
    for (const by of [cast.admin, cast.owner])
      expect(await paginationOf('/api/courses?seatsLeft=false', by)).to.include({ totalPages: 1, totalItems: 1 });
    expect(await paginationOf('/api/courses?seatsLeft=false', cast.trainee)).to.include({ totalItems: 0 });
    expect(await paginationOf('/api/courses?seatsLeft=true&page=834')).to.include({
      totalPages: 834,
      totalItems: 10_001,
    });
    expect(await paginationOf('/api/audit')).to.deep.equal(capped);
    expect(await paginationOf(`/api/audit?targetId=${cast.trainee.user.id}`)).to.deep.equal(capped);
  });
});

describe('The number of accounts that a search by words finds', function () {
  this.timeout(scaled(60_000));
  const harness = useHarness({ SEARCH_SCAN_ROWS: '0' });

  it('is exact up to 1,000, and "more than 1,000" beyond; the last page has the exact number', async () => {
    const cast = await castOf(harness.context);
    const course = await buildCourse(harness.context, cast.owner.user);
    const paginationOf = async (path: string) =>
      (await harness.api('get', `${path}&limit=100`, cast.admin.token).expect(200)).body.pagination;
    const lastIdOf = async (path: string): Promise<string> => {
      const { body } = await harness.api('get', `${path}&limit=100`, cast.admin.token).expect(200);
      return (body.users ?? body.trainees).at(-1).id;
    };
    const paths = [
      '/api/users?search=number',
      '/api/users?search=number&isActive=true&role=trainee',
      `/api/enrollments/available-trainees?courseId=${course.id}&search=number`,
    ];
    const page = (currentPage: number, totalItems: number) => ({
      currentPage,
      totalPages: Math.ceil(totalItems / 100),
      totalItems,
      itemsPerPage: 100,
    });
    await buildTrainees(harness.context, 1000);
    for (const path of paths) expect(await paginationOf(path), path).to.deep.equal(page(1, 1000));
    await buildTrainees(harness.context, 130, 1000);
    const capped = { ...page(1, 1000), totalPages: 11, totalItemsCapped: true };
    for (const path of paths) {
      expect(await paginationOf(path), path).to.deep.equal(capped);
      const next = { ...capped, currentPage: 11, totalPages: 12, totalItems: 1100 };
      expect(await paginationOf(`${path}&page=11`), path).to.deep.equal(next);
      expect(await paginationOf(`${path}&page=12`), path).to.deep.equal(page(12, 1130));
      // A page after an item has fewer rows before it if rows were deleted; these aren't counted.
      expect(await paginationOf(`${path}&page=13&afterId=${await lastIdOf(`${path}&page=11`)}`), path).to.deep.equal(
        page(13, 1130),
      );
      expect(await paginationOf(`${path}&page=40`), path).to.deep.equal({ ...page(40, 1130) });
    }
  });
});
