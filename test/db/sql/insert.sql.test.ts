import { expect } from 'chai';
import { insertRows } from '../../../src/db/sql/insert.js';
import { newIds } from '../../../src/services/new-ids.js';
import { useHarness } from '../../support/harness.js';

describe('inserting many rows', () => {
  const harness = useHarness();
  const entry = (id: string, targetId: string) => ({
    id,
    at: new Date('2026-01-02T03:04:05.678Z'),
    actorId: null,
    origin: 'cli' as const,
    ip: null,
    action: 'user.update' as const,
    targetType: 'user' as const,
    targetId,
    beforeJson: null,
    afterJson: `{"note":"Is it :true? $1 'quoted' \\\\ ${'x'.repeat(300)}"}`,
  });

  it('reads rows from a generator, sends several statements, and stores text unchanged', async () => {
    const { database } = harness.context;
    const ids = newIds(2000);
    function* rows() {
      for (const [index, id] of ids.entries()) yield entry(id, `target ${index}`);
    }
    await database.inTransaction((transaction) => insertRows(database.models.AuditEntry, rows(), transaction));
    const stored = await database.models.AuditEntry.findAll({ where: { id: ids }, order: ['id'] });
    expect(stored.map(({ id, targetId }) => [id, targetId])).to.deep.equal(
      ids.map((id, index) => [id, `target ${index}`]),
    );
    expect(stored[0]?.get()).to.deep.include(entry(ids[0] ?? '', 'target 0'));
  });

  it('refuses rows with other attributes than the first', async () => {
    const { database } = harness.context;
    const [one = '', other = ''] = newIds(2);
    const rows = [entry(one, 'one'), { ...entry(other, 'other'), courseId: other }];
    const error = await database
      .inTransaction((transaction) => insertRows(database.models.AuditEntry, rows, transaction))
      .catch((thrown: unknown) => thrown);
    expect(error).to.be.an('error').with.property('message', 'The rows of an insert have different attributes.');
    expect(await database.models.AuditEntry.count({ where: { id: [one, other] } })).to.equal(0);
  });
});
