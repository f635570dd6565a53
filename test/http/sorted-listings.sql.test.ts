import { expect } from 'chai';
import fc from 'fast-check';
import { QueryTypes } from 'sequelize';
import { v7 as uuidv7 } from 'uuid';
import { categoryMaximum, nameMaximum, sortKey, titleMaximum } from '../../src/schemas/sort-key.js';
import { insertAccounts } from '../../src/services/accounts/rows.js';
import { courseKeys } from '../../src/services/courses/commands.js';
import { newIds } from '../../src/services/new-ids.js';
import { onMysql } from '../support/database.js';
import { atDepth } from '../support/depth.js';
import { buildCourse, buildEnrollments, buildTrainees, buildUser, signIn } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { scaled } from '../support/machine.js';
import { anyName, byBytes } from '../support/names.js';
import { statementsOf } from '../support/statements.js';

const count = 20;

/** Other fields of mails. */
const mailRest = {
  importId: null,
  identifier: null,
  data: '{}',
  dedupeKey: null,
  state: 'sent' as const,
  nextAt: null,
};

describe('Listings sorted by names and titles', () => {
  const harness = useHarness();

  /** Returns a value of all rows in the order of a listing. Requests each page also by the last item of the previous page. */
  async function listed(token: string, plural: string, query: string, shown: (row: never) => string) {
    const values: string[] = [];
    let lastId: string | undefined;
    for (let page = 1, pages = 1; page <= pages; page += 1) {
      const { body } = await harness.api('get', `${query}&limit=7&page=${page}`, token).expect(200);
      if (lastId !== undefined) {
        const byKey = await harness.api('get', `${query}&limit=7&page=${page}&afterId=${lastId}`, token).expect(200);
        expect(byKey.body, `${query}, page ${page}`).to.deep.equal(body);
      }
      values.push(...body[plural].map(shown));
      lastId = body[plural].at(-1)?.id;
      pages = body.pagination.totalPages;
    }
    return values;
  }

  const inOrder = (values: readonly string[], most: number) =>
    values.toSorted((one, other) => byBytes(sortKey(one, most), sortKey(other, most)));

  /** Creates accounts with these last names, and the reversed list as first names. */
  async function insertPeople(role: 'trainee' | 'trainer', names: readonly string[]): Promise<readonly string[]> {
    const { context } = harness;
    const ids = newIds(names.length);
    const rest = { passwordHash: 'x', isActive: true, requiresPasswordChange: false, initialPasswordExpiresAt: null };
    const accounts = names.map((lastName, index) => ({
      firstName: names.at(-index - 1) ?? '',
      lastName,
      email: `${ids[index]}@example.org`,
      phone: ids[index] ?? '',
      role,
      ...rest,
    }));
    await context.database.inTransaction((transaction) => insertAccounts(context, accounts, transaction, ids));
    return ids;
  }

  it('have the order of the sort keys on every database', async () => {
    const { context } = harness;
    const { Course, User } = context.database.models;
    const { token, user: admin } = await signIn(context, { role: 'super_admin' });
    const names = fc.array(anyName(nameMaximum), { minLength: count, maxLength: count });
    const titles = fc.array(anyName(titleMaximum), { minLength: count, maxLength: count });
    const check = async (people: string[], titles: string[]) => {
      await insertPeople('trainer', people);
      const trainees = await insertPeople('trainee', people);
      const owner = await buildUser(context, { role: 'trainer', isActive: false });
      const courses = titles.map((title, index) => {
        const category =
          index % 3 === 0
            ? null
            : Array.from(titles.at(-index) ?? '')
                .slice(0, categoryMaximum)
                .join('')
                .trim();
        const fields = { title, category, description: 'What it is about.', isPublished: true };
        return { id: uuidv7(), trainerId: owner.id, ...fields, ...courseKeys(fields) };
      });
      await Course.bulkCreate(courses);
      const course = await buildCourse(context, owner);
      await buildEnrollments(context, trainees, course);
      const lastNames = inOrder(people, nameMaximum);
      const of = (query: string, shown: (row: { lastName: string; firstName: string }) => string, plural = 'users') =>
        listed(token, plural, query, shown);
      for (const field of ['lastName', 'firstName'] as const) {
        const users = `/api/users?role=trainee&sortBy=${field}&sortOrder=`;
        expect(await of(`${users}ASC`, (row) => row[field])).to.deep.equal(lastNames);
        expect(await of(`${users}DESC`, (row) => row[field])).to.deep.equal(lastNames.toReversed());
      }
      expect(await of('/api/courses/trainers/available?', (row) => row.lastName, 'trainers')).to.deep.equal(lastNames);
      const inCourse = `/api/enrollments/course/${course.id}/trainees?sortBy=lastName&sortOrder=ASC`;
      expect(await listed(token, 'trainees', inCourse, (row: { lastName: string }) => row.lastName)).to.deep.equal(
        lastNames,
      );
      const other = await buildCourse(context, owner);
      const available = `/api/enrollments/available-trainees?courseId=${other.id}`;
      expect(await of(available, (row) => row.lastName, 'trainees')).to.deep.equal(lastNames);
      await Course.destroy({ where: { id: [course.id, other.id] } });
      const catalogue = (sortBy: string, shown: (row: { title: string; category: string | null }) => string) =>
        listed(token, 'courses', `/api/courses?sortBy=${sortBy}&sortOrder=ASC`, shown);
      expect(await catalogue('title', ({ title }) => title)).to.deep.equal(inOrder(titles, titleMaximum));
      const categories = courses.map(({ category }) => category);
      expect(await catalogue('category', ({ category }) => category ?? '')).to.deep.equal([
        ...categories.filter((category) => category === null).map(() => ''),
        ...inOrder(
          categories.flatMap((category) => category ?? []),
          categoryMaximum,
        ),
      ]);
    };
    const clean = async () => {
      await Course.destroy({ where: {} });
      const others = (await User.findAll({ attributes: ['id'] })).flatMap(({ id }) => (id === admin.id ? [] : id));
      await User.destroy({ where: { id: others } });
    };
    await fc.assert(fc.asyncProperty(names, titles, check).afterEach(clean), {
      numRuns: atDepth(5, 50),
      includeErrorInReport: true,
    });
  }).timeout(scaled(120_000));

  /** Returns the SQL statements of a page. */
  async function statementsFor(query: string, token: string | undefined): Promise<string[]> {
    const get = () => harness.api('get', query, token).expect(200);
    const { statements } = await statementsOf(harness.context.database.sequelize, get);
    return statements.map((sql) => sql.replace(/;$/, ''));
  }

  /** Returns the subquery for the ids of a page, from the statement that reads the rows. */
  async function idsStatement(query: string, token: string | undefined): Promise<string> {
    const statements = await statementsFor(query, token);
    const found = statements.flatMap(
      (rows) => /\(SELECT id FROM \(SELECT id FROM \((.*)\) AS passed/s.exec(rows)?.[1] ?? [],
    );
    expect(found).to.have.length(1);
    return found[0] ?? '';
  }

  /** Returns the index of a statement, and whether its rows are sorted afterwards. */
  async function planOf(sql: string): Promise<{ index: string | undefined; isSorted: boolean }> {
    const { sequelize } = harness.context.database;
    if (onMysql) {
      // Requests a table, because MySQL 9.7 returns a tree by default.
      const plan = await sequelize.query<{ key: string | null; Extra: string | null }>(
        `EXPLAIN FORMAT=TRADITIONAL ${sql}`,
        { type: QueryTypes.SELECT },
      );
      return { index: plan[0]?.key ?? undefined, isSorted: plan.some(({ Extra }) => /filesort/.test(Extra ?? '')) };
    }
    const plan = await sequelize.query<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, { type: QueryTypes.SELECT });
    const details = plan.map(({ detail }) => detail).join('; ');
    return { index: /INDEX (\w+)/.exec(details)?.[1], isSorted: /TEMP B-TREE/.test(details) };
  }

  it('are read from indexes, trainers with any search, the audit log also without matches', async () => {
    const { context } = harness;
    const { Course, AuditEntry } = context.database.models;
    const { token } = await signIn(context, { role: 'super_admin' });
    const names = Array.from({ length: 900 }, (_, index) => `Name ${(index * 7) % 900}`);
    await insertPeople('trainee', names);
    const [trainerId = ''] = await insertPeople('trainer', names.slice(0, 120));
    const courses = names.slice(0, 300).map((title, index) => {
      const fields = { title, category: `Kind ${index % 40}`, description: 'x' };
      return { id: uuidv7(), trainerId, isPublished: true, ...fields, ...courseKeys(fields) };
    });
    await Course.bulkCreate(courses);
    const entry = { at: new Date(), origin: 'cli', action: 'user.update', targetType: 'user' } as const;
    const ofImport = { action: 'import.start', targetType: 'import' } as const;
    await AuditEntry.bulkCreate(newIds(900).map((id, index) => ({ id, ...entry, ...(index % 300 === 0 && ofImport) })));
    if (onMysql) await context.database.sequelize.query('ANALYZE TABLE users, courses, audit_entries');
    const sorted = (['ASC', 'DESC'] as const).flatMap((order) =>
      (
        [
          ['/api/users?sortBy=lastName', 'users_last_names', token],
          ['/api/users?sortBy=firstName', 'users_first_names', token],
          ['/api/courses?sortBy=title', 'courses_published_title_key', undefined],
          ['/api/courses?sortBy=category', 'courses_published_category_key', undefined],
        ] as const
      ).map(([path, index, reader]) => [`${path}&sortOrder=${order}`, index, reader] as const),
    );
    const trainers = '/api/courses/trainers/available';
    for (const [path, index, reader] of [
      ...sorted,
      ...['', '?page=3', '?search=name'].map((query) => [trainers + query, 'users_trainer_key', token] as const),
      ['/api/audit?targetType=import', 'audit_entries_target_type', token],
      ['/api/audit?targetType=address', 'audit_entries_target_type', token],
      ['/api/audit?action=import.start&targetType=import', 'audit_entries_action', token],
    ] as const)
      expect(await planOf(await idsStatement(path, reader)), path).to.deep.equal({ index, isSorted: false });
    const [count = ''] = (await statementsFor(trainers, token)).filter((sql) => sql.includes('COUNT'));
    expect((await planOf(/FROM \((.*)\) AS counted/s.exec(count)?.[1] ?? '')).index).to.equal('users_trainer_key');
    // Runs once for the page and the number of courses with free seats.
    const counting = (await statementsFor('/api/courses?seatsLeft=false&sortBy=title', undefined)).flatMap(
      (sql) => /\(SELECT \* FROM \((SELECT .*max_students.*)\) AS part0/s.exec(sql)?.[1] ?? [],
    );
    expect(counting).to.have.length(1);
    // MariaDB and MySQL sort such small tables without an index.
    if (!onMysql)
      expect(await planOf(counting[0] ?? '')).to.deep.equal({ index: 'courses_published_title_key', isSorted: false });
  });

  /** Returns the statements that find the parts of a page. */
  async function partsFor(query: string, token: string): Promise<string[]> {
    const found = (await statementsFor(query, token)).flatMap((sql) => {
      const [, parts = ''] = /(\(SELECT \* FROM \(SELECT .*\) AS part\d+)/s.exec(sql) ?? [];
      return [...parts.matchAll(/SELECT \* FROM \((SELECT .*?)\) AS part\d+/gs)].map(([, part = '']) => part);
    });
    expect(found, query).not.to.deep.equal([]);
    return found;
  }

  it('of accounts by a rare state are read from its index, in any order', async () => {
    const { context } = harness;
    const { User } = context.database.models;
    const { token } = await signIn(context, { role: 'super_admin' });
    const names = Array.from({ length: 900 }, (_, index) => `Name ${(index * 7) % 900}`);
    const few = (await insertPeople('trainee', names)).filter((_, index) => index % 300 === 0);
    const queries = [
      '',
      '&sortBy=lastName',
      '&role=trainee',
      '&role=trainee&sortBy=email',
      '&isActive=false',
      '&requiresPasswordChange=true',
      '&requiresPasswordChange=true&search=Name',
    ];
    for (const expected of [[], few]) {
      await User.update({ requiresPasswordChange: true, isActive: false }, { where: { id: expected } });
      if (onMysql) await context.database.sequelize.query('ANALYZE TABLE users');
      for (const more of ['requiresPasswordChange=true', 'isActive=false'].flatMap((filter) =>
        queries.filter((query) => !query.includes(filter)).map((query) => filter + query),
      )) {
        const query = `/api/users?${more}`;
        const { body } = await harness.api('get', query, token).expect(200);
        expect(body.pagination.totalItems, query).to.equal(expected.length);
        expect(
          body.users.map(({ id }: { id: string }) => id),
          query,
        ).to.have.members(expected);
        for (const sql of await partsFor(query, token))
          expect((await planOf(sql)).index, query).to.equal('users_state');
      }
      const exported = '/api/users/export.csv?requiresPasswordChange=true&role=trainee&search=name';
      const { text } = await harness.api('get', exported, token).expect(200);
      expect(text.trim().split('\n').slice(1)).to.have.length(expected.length);
    }
  });

  it('of accounts by a frequent state are read from the index of creation times', async () => {
    const { context } = harness;
    const { token } = await signIn(context, { role: 'super_admin' });
    const ids = await buildTrainees(context, 7010);
    await context.database.models.User.update({ requiresPasswordChange: true }, { where: { role: 'trainee' } });
    if (onMysql) await context.database.sequelize.query('ANALYZE TABLE users');
    const page = async (query: string) =>
      (await harness.api('get', `/api/users?requiresPasswordChange=true${query}`, token).expect(200)).body;
    for (const more of ['', '&role=trainee', '&isActive=true']) {
      const { users, pagination } = await page(more);
      expect(pagination, more).to.include({ totalItems: ids.length, totalPages: 351 });
      const next = await page(`${more}&page=2&afterId=${users.at(-1).id}`);
      expect(next.users, more).to.deep.equal((await page(`${more}&page=2`)).users);
      for (const sql of await partsFor(`/api/users?requiresPasswordChange=true${more}`, token))
        expect(await planOf(sql), more).to.deep.equal({ index: 'users_state', isSorted: false });
    }
    expect((await page('&sortBy=lastName')).pagination).to.include({ totalItems: ids.length });
    expect((await page('&search=nobody')).users).to.deep.equal([]);
  }).timeout(scaled(30_000));

  it('of enrollments by progress, of mails by kind, and the overview of a trainee are read from their indexes', async () => {
    const { context } = harness;
    const { Mail } = context.database.models;
    const { token } = await signIn(context, { role: 'super_admin' });
    const { user, token: own } = await signIn(context, { role: 'trainee' });
    const owner = await buildUser(context, { role: 'trainer' });
    const course = await buildCourse(context, owner);
    const trainees = [user.id, ...(await buildTrainees(context, 500))];
    const at = new Date();
    await buildEnrollments(context, trainees, course, (index) => ({ status: 'active', progress: index % 100 }));
    await Mail.bulkCreate(
      newIds(500).map((id, index) => {
        const kind = index === 0 ? 'test' : 'invitation';
        return { id, kind, priority: 1, userId: null, address: null, courseId: null, ...mailRest, createdAt: at };
      }),
    );
    if (onMysql) await context.database.sequelize.query('ANALYZE TABLE enrollments, mails');
    const progress = '/api/enrollments?progress=40';
    expect((await harness.api('get', progress, token).expect(200)).body.pagination).to.include({ totalItems: 5 });
    for (const sql of await partsFor(progress, token))
      expect(await planOf(sql)).to.deep.equal({ index: 'enrollments_progress', isSorted: false });
    const kind = '/api/mails?kind=test';
    expect((await harness.api('get', kind, token).expect(200)).body.pagination).to.include({ totalItems: 1 });
    expect(await planOf(await idsStatement(kind, token))).to.deep.equal({ index: 'mails_kind', isSorted: false });
    const counts = (await statementsFor('/api/overview', own)).filter((sql) => /SUM\(`progress`\)/.test(sql));
    expect(counts).to.have.length(1);
    for (const sql of counts) expect((await planOf(sql)).index).to.match(/^enrollments_user/);
  });
});
