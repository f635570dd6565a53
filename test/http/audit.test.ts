import { expect } from 'chai';
import type { User } from '../../src/db/models/user.js';
import { recordAudit } from '../../src/services/audit.js';
import { actorOf } from '../../src/services/core.js';
import { buildUser, signIn } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { expectInvalid } from './support/expectations.js';

describe('GET /api/audit', () => {
  const harness = useHarness();
  let admin: { user: User; token: string };
  let target: User;
  beforeEach(async () => {
    admin = await signIn(harness.context, { role: 'super_admin' });
    target = await buildUser(harness.context);
  });
  const list = (query = '') => harness.api('get', `/api/audit${query}`, admin.token);

  /** Entries of one moment each, a day apart. */
  async function record(count: number): Promise<void> {
    const { context } = harness;
    const actor = actorOf({ user: admin.user, sessionId: 'x', ip: '192.0.2.7', userAgent: null });
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
      origin: 'http',
      ip: '192.0.2.7',
      targetType: 'user',
      targetId: target.id,
      before: null,
      after: { day: 1 },
    });
  });

  it('is newest first, and paged', async () => {
    await record(5);
    expect(await days('?limit=2')).to.deep.equal([5, 4]);
    expect(await days('?limit=2&page=3')).to.deep.equal([1]);
  });

  it('filters by action, actor, target and time', async () => {
    await record(4);
    expect(await days('?action=user.activate')).to.deep.equal([4, 2]);
    expect(await days(`?actorId=${admin.user.id}&targetType=user&targetId=${target.id}`)).to.deep.equal([4, 3, 2, 1]);
    expect(await days('?actorId=nobody')).to.deep.equal([]);
    expect(await days('?targetType=course')).to.deep.equal([]);
    expect(await days('?from=2026-01-02&to=2026-01-04')).to.deep.equal([3, 2]);
    expect(await days('?from=2026-01-03T00:00:00Z')).to.deep.equal([4, 3]);
  });

  it('names every invalid parameter', async () => {
    const response = await list('?action=login&targetType=thing&from=yesterday&to=1&page=0');
    expectInvalid(response, ['action', 'targetType', 'from', 'to', 'page'], 'query');
  });

  it('refuses times that do not exist or that a database can not store', async () => {
    const years = ['-000001-01-01T00:00:00Z', '0000-01-01T00:00:00%2B10:00', '0999-12-31', '%2B275760-09-13T00:00:00Z'];
    for (const time of [...years, '9999-12-31T23:59:59-05:00', '2026-02-31', '2026-02-31T08:00:00Z', '2026-13-01'])
      expectInvalid(await list(`?from=${time}&to=${time}`), ['from', 'to'], 'query');
    for (const time of ['1000-01-01', '9999-12-31T23:59:59.999Z', '2024-02-29', '2026-01-31T23:30:00-05:00', '2026'])
      expect((await list(`?from=${time}&to=${time}`)).status, time).to.equal(200);
  });
});
