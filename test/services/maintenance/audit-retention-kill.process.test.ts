import { expect } from 'chai';
import { recordAudit } from '../../../src/services/audit.js';
import { operator } from '../../../src/services/core.js';
import { newIds } from '../../../src/services/ids.js';
import { itAtFullDepth } from '../../support/depth.js';
import { useHarness } from '../../support/harness.js';
import { scaled } from '../../support/machine.js';
import { useKilledRetention } from './support/killed-retention.js';

const count = 5000;

describe('An export of old audit entries that is killed with SIGKILL', function () {
  this.timeout(scaled(60_000));
  const harness = useHarness();
  const retention = useKilledRetention(harness, ['audit', 'prune'], { AUDIT_RETENTION_DAYS: '30' });
  const { names, killWhen } = retention;
  let ids: string[];
  beforeEach(async () => {
    const { database } = harness.context;
    const past = { ...harness.context, now: () => new Date('2020-01-01T00:00:00.000Z') };
    const records = newIds(count).map((targetId, index) => ({
      action: 'user.update' as const,
      targetType: 'user' as const,
      targetId,
      after: { notes: `${index % 50} is the number of this text. `.repeat(20) },
    }));
    await database.inTransaction((transaction) => recordAudit(past, operator, records, transaction));
    ids = (await database.models.AuditEntry.findAll({ attributes: ['id'], order: ['at', 'id'] })).map(({ id }) => id);
  });

  const rows = () => harness.context.database.models.AuditEntry.count();

  const exportedIds = () =>
    new Set(names().flatMap((name) => retention.linesOf(name).map((line) => (JSON.parse(line) as { id: string }).id)));

  /** What is not in the database any more is in a file. */
  async function expectNothingLost(): Promise<void> {
    const { AuditEntry } = harness.context.database.models;
    const kept = new Set((await AuditEntry.findAll({ attributes: ['id'] })).map(({ id }) => id));
    const exported = exportedIds();
    expect(ids.filter((id) => !kept.has(id) && !exported.has(id))).to.deep.equal([]);
  }

  async function expectToEndWell(): Promise<void> {
    const { exitCode, stderr } = await retention.run();
    expect({ exitCode, stderr }).to.deep.equal({ exitCode: 0, stderr: '' });
    expect([...exportedIds()].sort()).to.deep.equal([...ids].sort());
    expect(await rows()).to.equal(0);
  }

  const moments: Record<string, () => Promise<boolean>> = {
    'when it writes the file': async () => names().length > 0,
    'when some entries are deleted': async () => (await rows()) < count,
    'when all entries are deleted': async () => (await rows()) === 0,
  };
  for (const [moment, reached] of Object.entries(moments))
    itAtFullDepth(`${moment} loses nothing, and the next run ends it`, async () => {
      await killWhen(reached);
      await expectNothingLost();
      await expectToEndWell();
    });

  it('several times loses nothing', async () => {
    for (const reached of Object.values(moments)) {
      const before = await rows();
      const files = names().length;
      const fresh = async () => (await reached()) && ((await rows()) < before || names().length > files);
      await killWhen(fresh);
      await expectNothingLost();
    }
    await expectToEndWell();
  });
});
