import { expect } from 'chai';
import type { Course } from '../../src/db/models/course.js';
import type { User } from '../../src/db/models/user.js';
import { recordAudit } from '../../src/services/audit/audit.js';
import { unlockAddress } from '../../src/services/auth/throttle-locks.js';
import { operator } from '../../src/services/core.js';
import { buildCourse, buildImport, buildLock, buildUser, signIn } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { expectInvalid } from './support/expectations.js';

const nameOf = ({ firstName, lastName, email }: User) => `${firstName} ${lastName} (${email})`;

interface Entry {
  action: string;
  actorName: string | null;
  targetType: string;
  targetId: string | null;
  targetName: string | null;
  names: Record<string, string>;
}

describe('GET /api/audit', () => {
  const harness = useHarness();
  let admin: { user: User; token: string };
  let target: User;
  beforeEach(async () => {
    admin = await signIn(harness.context, { role: 'super_admin' });
    target = await buildUser(harness.context);
  });
  const list = (query = '') => harness.api('get', `/api/audit${query}`, admin.token);

  /** Creates entries a day apart. */
  async function record(count: number): Promise<void> {
    const { context } = harness;
    const { id: actorId, role } = admin.user;
    const actor = { origin: 'http', actorId, role, ip: '192.0.2.7' } as const;
    for (let day = 1; day <= count; day += 1) {
      const at = { ...context, now: () => new Date(Date.UTC(2026, 0, day)) };
      const action = day % 2 === 0 ? ('user.activate' as const) : ('user.deactivate' as const);
      await context.database.inTransaction((transaction) =>
        recordAudit(at, actor, { action, targetType: 'user', targetId: target.id, after: { day } }, transaction),
      );
    }
  }
  const days = async (query: string) => {
    const { body } = await list(query).expect(200);
    return body.entries.map(({ after }: { after: { day: number } }) => after.day);
  };

  it('shows entries with exactly the documented fields', async () => {
    await record(1);
    const { body } = await list().expect(200);
    expect(body.pagination).to.deep.equal({ currentPage: 1, totalPages: 1, totalItems: 1, itemsPerPage: 20 });
    expect(body.entries).to.have.length(1);
    expect(body.entries[0]).to.have.property('id').that.is.a('string');
    const { id: _, ...entry } = body.entries[0];
    expect(entry).to.deep.equal({
      at: '2026-01-01T00:00:00.000Z',
      action: 'user.deactivate',
      actorId: admin.user.id,
      actorName: nameOf(admin.user),
      origin: 'http',
      ip: '192.0.2.7',
      osUser: null,
      targetType: 'user',
      targetId: target.id,
      targetName: nameOf(target),
      before: null,
      after: { day: 1 },
      names: {},
    });
  });

  it('returns pages, newest first, and filters by action, actor, target and time', async () => {
    await record(4);
    for (const [query, expected] of [
      ['limit=3', [4, 3, 2]],
      ['limit=3&page=2', [1]],
      ['action=user.activate', [4, 2]],
      [`actorId=${admin.user.id}&targetType=user&targetId=${target.id}`, [4, 3, 2, 1]],
      ['actorId=nobody', []],
      ['targetType=course', []],
      ['targetType=user&action=user.activate', [4, 2]],
      ['targetType=course&action=user.activate', []],
      ['from=2026-01-02&to=2026-01-04', [3, 2]],
      ['from=2026-01-03T00:00:00Z', [4, 3]],
    ] as const)
      expect(await days(`?${query}`), query).to.deep.equal(expected);
    const zone = process.env.TZ;
    process.env.TZ = 'America/New_York';
    try {
      for (const from of ['2026-01-03T00:00:00', '2026-01-03 00:00', '2026-01-02T19:00:00-05:00'])
        expect(await days(`?from=${from}`), from).to.deep.equal([4, 3]);
    } finally {
      if (zone === undefined) delete process.env.TZ;
      else process.env.TZ = zone;
    }
  });

  describe('names', () => {
    let ben: User;
    let weaving: Course;
    let enrollmentId: string;
    const entries = async (query = ''): Promise<Entry[]> => (await list(query).expect(200)).body.entries;
    const send = (method: 'post' | 'put' | 'delete', path: string, body: object = {}) =>
      harness.api(method, path, admin.token).send(body);
    beforeEach(async () => {
      const { context } = harness;
      ben = await buildUser(context, { firstName: 'Ben', lastName: 'Young', email: 'ben@x.org' });
      const ada = await buildUser(context, { firstName: 'Ada', lastName: 'Zuse', email: 'ada@x.org', role: 'trainer' });
      const hopper = { firstName: 'Grace', lastName: 'Hopper', email: 'grace@x.org', role: 'trainer' as const };
      const grace = await buildUser(context, hopper);
      weaving = await buildCourse(context, ada, { title: 'Weaving' });
      await send('put', `/api/courses/${weaving.id}/assign-trainer`, { trainerId: grace.id }).expect(200);
      const assigned = await send('post', '/api/enrollments/assign', { courseId: weaving.id, traineeId: ben.id });
      enrollmentId = assigned.body.enrollment.id;
    });

    it('are returned with the ids of actor and target, and for ids before and after the change', async () => {
      const [enrolled, assigned] = await entries();
      expect(enrolled).to.include({
        action: 'enrollment.assign',
        actorName: nameOf(admin.user),
        targetId: enrollmentId,
        targetName: 'Ben Young - Weaving',
      });
      expect(enrolled?.names).to.deep.equal({ [ben.id]: 'Ben Young (ben@x.org)', [weaving.id]: 'Weaving' });
      expect(assigned).to.include({ action: 'course.assign-trainer', targetName: 'Weaving' });
      expect(Object.values(assigned?.names ?? {}).sort()).to.deep.equal([
        'Ada Zuse (ada@x.org)',
        'Grace Hopper (grace@x.org)',
      ]);
    });

    it('are current, and null when the object was deleted', async () => {
      await weaving.update({ title: 'Knots' });
      await ben.update({ lastName: 'Old' });
      expect((await entries(`?targetId=${enrollmentId}`))[0]?.targetName).to.equal('Ben Old - Knots');
      await send('delete', `/api/enrollments/${enrollmentId}`).expect(200);
      const [removed, enrolled] = await entries(`?targetId=${enrollmentId}`);
      expect([removed?.targetName, enrolled?.targetName]).to.deep.equal([null, null]);
      // The values still show the deleted object.
      expect(removed?.names).to.deep.equal({ [ben.id]: 'Ben Old (ben@x.org)', [weaving.id]: 'Knots' });
      await send('delete', `/api/courses/${weaving.id}`).expect(200);
      await ben.destroy();
      expect((await entries(`?targetId=${enrollmentId}`))[0]?.names).to.deep.equal({});
      expect((await entries('?action=course.delete'))[0]?.targetName).to.equal(null);
    });

    it('are the file name of an import, and the address itself for an address', async () => {
      const { Import } = harness.context.database.models;
      const id = await buildImport(harness.context, 0);
      await Import.update({ status: 'queued' }, { where: { id } });
      await buildLock(harness.context, { address: '192.0.2.9' });
      await unlockAddress(harness.context, operator, '192.0.2.9');
      await send('post', `/api/imports/${id}/cancel`).expect(200);
      const [ended, cancelled, unlocked] = await entries();
      expect(ended).to.include({ action: 'import.finish', targetName: 'people.csv' });
      expect(cancelled).to.include({ action: 'import.cancel', targetName: 'people.csv' });
      expect(unlocked).to.include({ actorName: null, targetName: '192.0.2.9' });
    });
  });

  it('refuses times that do not exist or that a database cannot store', async () => {
    const years = ['-000001-01-01T00:00:00Z', '0000-01-01T00:00:00%2B10:00', '0999-12-31', '%2B275760-09-13T00:00:00Z'];
    for (const time of [...years, '9999-12-31T23:59:59-05:00', '2026-02-31', '2026-02-31T08:00:00Z', '2026-13-01'])
      expectInvalid(await list(`?from=${time}&to=${time}`), ['from', 'to'], 'query');
    for (const time of ['1000-01-01', '9999-12-31T23:59:59.999Z', '2024-02-29', '2026-01-31T23:30:00-05:00', '2026'])
      expect((await list(`?from=${time}&to=${time}`)).status, time).to.equal(200);
  });
});
