import { expect } from 'chai';
import { buildCourse, buildEnrollment, buildUser } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { useCast } from './support/cast.js';

const moments = [null, '2026-01-02T03:04:05.678Z', '2026-01-02T03:04:05.679Z'].map((text) =>
  text ? new Date(text) : null,
);
/** Several rows have the same time, and several have none. */
const momentAt = (index: number) => moments[index % moments.length] ?? null;

describe('A page after the last item of the previous page', () => {
  const harness = useHarness();
  const cast = useCast(harness);

  /** A listing contains a list of items with ids, and its pagination. */
  const get = async (path: string, token = cast.admin.token) =>
    (await harness.api('get', path, token).expect(200)).body as Record<string, { id: string }[]>;
  const idsOf = (plural: string, body: Record<string, { id: string }[]>) => (body[plural] ?? []).map(({ id }) => id);

  /** Returns the ids of all pages. Requests each page by the last id of the previous page, with a wrong page number. */
  async function walked(plural: string, path: string): Promise<string[]> {
    const ids: string[] = [];
    for (;;) {
      const after = ids.length === 0 ? '' : `&page=2&afterId=${ids.at(-1)}`;
      const next = idsOf(plural, await get(`${path}&limit=3${after}`));
      if (next.length === 0) return ids;
      ids.push(...next);
    }
  }

  it('is complete in every sort order, even with items without a value', async () => {
    const { context } = harness;
    for (let index = 0; index < 10; index += 1) {
      const date = momentAt(index);
      const trainee = await buildUser(context, { lastName: `Name ${index % 2}` });
      await trainee.update({ lastLogin: date });
      const startDate = date?.toISOString().slice(0, 10) ?? null;
      const course = await buildCourse(context, cast.owner.user, { startDate, isPublished: true });
      await buildEnrollment(context, trainee, course, { enrolledAt: date ?? new Date(0) });
    }
    for (const [plural, path, fields] of [
      ['users', '/api/users', ['lastName', 'firstName', 'email', 'lastLogin', 'createdAt']],
      ['courses', '/api/courses', ['startDate', 'title', 'category', 'updatedAt']],
      ['enrollments', '/api/enrollments', ['enrolledAt']],
      ['enrollments', `/api/enrollments/trainer/${cast.owner.user.id}`, ['enrolledAt']],
    ] as const)
      for (const field of fields)
        for (const order of ['ASC', 'DESC']) {
          const sorted = `${path}?sortBy=${field}&sortOrder=${order}`;
          const all = idsOf(plural, await get(`${sorted}&limit=100`));
          expect(all.length).to.be.at.least(10);
          expect(await walked(plural, sorted), sorted).to.deep.equal(all);
        }
    const entries = idsOf('entries', await get('/api/audit?limit=100'));
    expect(await walked('entries', '/api/audit?')).to.deep.equal(entries);
  });

  it('does not shift when rows before it are added or removed', async () => {
    for (let index = 0; index < 6; index += 1) await buildUser(harness.context, { lastName: `B${index}` });
    const path = '/api/users?sortBy=lastName&sortOrder=ASC&search=B&limit=3';
    const first = idsOf('users', await get(path));
    const second = idsOf('users', await get(`${path}&page=2`));
    await buildUser(harness.context, { lastName: 'B' });
    expect(idsOf('users', await get(`${path}&page=2&afterId=${first.at(-1)}`))).to.deep.equal(second);
  });

  it('is found by its number if the item does not exist or is hidden from the reader', async () => {
    const { context } = harness;
    const ids: string[] = [];
    for (const trainer of [cast.owner, cast.owner, cast.owner, cast.foreign]) {
      const course = await buildCourse(context, trainer.user);
      ids.push((await buildEnrollment(context, await buildUser(context), course)).id);
    }
    const path = '/api/enrollments?limit=1&page=2';
    const byNumber = await get(path, cast.owner.token);
    for (const id of [ids[3], 'gone', cast.owner.user.id])
      expect(await get(`${path}&afterId=${id}`, cast.owner.token)).to.deep.equal(byNumber);
    expect(await get(`${path}&afterId=${ids[2]}`, cast.owner.token)).to.deep.equal(byNumber);
  });
});
