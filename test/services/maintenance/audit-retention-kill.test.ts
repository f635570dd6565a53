import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { recordAudit } from '../../../src/services/audit.js';
import { operator } from '../../../src/services/core.js';
import { newIds } from '../../../src/services/ids.js';
import { testEnvironment, useHarness } from '../../support/harness.js';
import { scaled } from '../../support/machine.js';
import { type Running, useSubprocesses } from '../../support/subprocess.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const count = 5000;

describe('An export of old audit entries that is killed with SIGKILL', function () {
  this.timeout(scaled(60_000));
  const harness = useHarness();
  const processes = useSubprocesses();
  let folder: ReturnType<typeof temporaryFolder>;
  let ids: string[];
  beforeEach(async () => {
    folder = temporaryFolder();
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
  afterEach(() => folder.remove());

  const env = () => ({
    ...testEnvironment,
    DATABASE_URL: harness.databaseUrl,
    DATA_DIR: folder.path,
    AUDIT_RETENTION_DAYS: '30',
  });
  const start = () => processes.start(['audit', 'prune', '--yes', '--json'], { cwd: folder.path, env: env() });
  const rows = () => harness.context.database.models.AuditEntry.count();
  const archive = () => path.join(folder.path, 'retention');
  const names = () => (existsSync(archive()) ? readdirSync(archive()) : []);
  const complete = () => names().filter((name) => name.endsWith('.ndjson'));

  /** All lines of complete files. */
  const lines = () =>
    complete().flatMap((name) =>
      readFileSync(path.join(archive(), name), 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as { type: string; id: string }),
    );
  const exportedIds = () => new Set(lines().flatMap(({ type, id }) => (type === 'auditEntry' ? [id] : [])));

  /** Kills a run as soon as it has come so far, and frees its lease. */
  async function killWhen(reached: () => Promise<boolean>): Promise<void> {
    const running: Running = start();
    let isOver = false;
    const ended = running.ended.then(
      () => {
        isOver = true;
      },
      () => undefined,
    );
    while (!isOver && !(await reached())) await sleep(1);
    running.kill('SIGKILL');
    await ended;
    await harness.context.database.sequelize.query("UPDATE leases SET expires_at = 0 WHERE name = 'retention'");
  }

  /** What is not in the database any more is in a complete file. */
  async function expectNothingLost(): Promise<void> {
    const { AuditEntry } = harness.context.database.models;
    const kept = new Set((await AuditEntry.findAll({ attributes: ['id'] })).map(({ id }) => id));
    const exported = exportedIds();
    expect(ids.filter((id) => !kept.has(id) && !exported.has(id))).to.deep.equal([]);
  }

  async function expectToEndWell(): Promise<void> {
    const { exitCode, stderr } = await start().ended;
    expect({ exitCode, stderr }).to.deep.equal({ exitCode: 0, stderr: '' });
    expect([...exportedIds()].sort()).to.deep.equal([...ids].sort());
    expect(await rows()).to.equal(0);
    expect(await harness.context.database.models.AuditText.count()).to.equal(0);
    expect(names()).to.deep.equal(complete());
  }

  const moments: Record<string, () => Promise<boolean>> = {
    'when it writes the file': async () => names().length > 0,
    'when the file is complete': async () => complete().length > 0,
    'when some entries are deleted': async () => (await rows()) < count,
    'when all entries are deleted': async () => (await rows()) === 0,
  };
  for (const [moment, reached] of Object.entries(moments))
    it(`${moment} loses nothing, and the next run ends it`, async () => {
      await killWhen(reached);
      await expectNothingLost();
      await expectToEndWell();
    });

  it('several times loses nothing', async () => {
    for (const reached of Object.values(moments)) {
      const before = await rows();
      const files = complete().length;
      const fresh = async () => (await reached()) && ((await rows()) < before || complete().length > files);
      await killWhen(fresh);
      await expectNothingLost();
    }
    await expectToEndWell();
  });
});
