import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { createLogger } from '../../../src/logger.js';
import { type AuditRecord, recordAudit } from '../../../src/services/audit/audit.js';
import { type Context, createContext } from '../../../src/services/context.js';
import { operator } from '../../../src/services/core.js';
import { pruneAudit } from '../../../src/services/maintenance/retention.js';
import { startHousekeeping } from '../../../src/services/maintenance/schedule.js';
import { newIds } from '../../../src/services/new-ids.js';
import { failureOf } from '../../db/support/failure.js';
import { useHarness } from '../../support/harness.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const day = 86_400_000;
const now = new Date('2026-06-30T12:00:00.000Z');
const ago = (days: number) => new Date(now.getTime() - days * day);
const unaborted = new AbortController().signal;

describe('The retention of the audit log', () => {
  const harness = useHarness();
  let folder: ReturnType<typeof temporaryFolder>;
  let context: Context;
  beforeEach(async () => {
    folder = temporaryFolder();
    const { config, hasher } = harness.context;
    const logger = createLogger('silent', { write: () => undefined });
    context = await createContext({ ...config, dataDir: folder.path }, logger, { hasher, now: () => now });
  });
  afterEach(async () => {
    await context.close();
    folder.remove();
  });

  const at = (moment: Date): Context => ({ ...context, now: () => moment });
  const recordOf = (targetId: string): AuditRecord => ({
    action: 'user.update',
    targetType: 'user',
    targetId,
    before: { firstName: 'Ada' },
    after: { firstName: 'Eve' },
  });

  /** Records changes of new accounts. @returns the ids of the accounts, in order */
  async function record(moment: Date, count = 1): Promise<string[]> {
    const targets = newIds(count);
    const records = targets.map((targetId) => recordOf(targetId));
    await context.database.inTransaction((transaction) => recordAudit(at(moment), operator, records, transaction));
    return targets;
  }
  const kept = async () =>
    (await context.database.models.AuditEntry.findAll({ order: ['at', 'id'] })).map((one) => one.targetId);
  const linesOf = (file: string) =>
    readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);

  const exportedTargets = () => {
    const archive = path.join(folder.path, 'retention');
    return readdirSync(archive).flatMap((name) => linesOf(path.join(archive, name)).map(({ targetId }) => targetId));
  };

  it('exports older entries to a private file, oldest first, deletes them, and keeps the others', async () => {
    const [older = ''] = await record(ago(32));
    const [old = ''] = await record(ago(31));
    const [young] = await record(ago(29));
    expect(await pruneAudit(context, 33, unaborted)).to.deep.equal({ exported: 0, files: [] });
    expect(readdirSync(folder.path)).to.deep.equal([]);
    const pruned = await pruneAudit(context, 30, unaborted);
    expect(pruned).to.deep.include({ exported: 2 });
    expect(await kept()).to.deep.equal([young]);
    const [file = ''] = pruned.files;
    expect(path.basename(file)).to.match(/^audit-20260630T120000Z-[\da-f-]{36}\.ndjson$/);
    expect(statSync(path.dirname(file)).mode & 0o777).to.equal(0o700);
    expect(statSync(file).mode & 0o777).to.equal(0o600);
    const lines = linesOf(file);
    expect(lines.map(({ targetId }) => targetId)).to.deep.equal([older, old]);
    const { id, ...entry } = lines[0] ?? {};
    expect(id).to.match(/^[\da-f-]{36}$/);
    expect(entry).to.deep.equal({
      type: 'auditEntry',
      at: ago(32).toISOString(),
      actorId: null,
      origin: 'cli',
      ip: null,
      osUser: context.osUser,
      action: 'user.update',
      targetType: 'user',
      targetId: older,
      before: { firstName: 'Ada' },
      after: { firstName: 'Eve' },
    });
  });

  it('runs on only one of two instances that start at the same time', async () => {
    const targets = await record(ago(40), 600);
    const results = await Promise.allSettled([1, 2].map(() => pruneAudit(context, 30, unaborted)));
    for (const result of results)
      if (result.status === 'rejected') expect(result.reason).to.include({ code: 'RETENTION_RUNNING' });
    expect(results.map(({ status }) => status)).to.include('fulfilled');
    expect(exportedTargets()).to.deep.equal(targets);
    expect(await kept()).to.deep.equal([]);
  });

  it('deletes a page only when its lines are in the file', async () => {
    const targets = [...(await record(ago(40), 250)), ...(await record(ago(39), 200))];
    const exported: number[] = [];
    const note = () => void exported.push(exportedTargets().length);
    context.database.models.AuditEntry.addHook('beforeBulkDestroy', note);
    await pruneAudit(context, 30, unaborted);
    expect(exported).to.deep.equal([200, 400, 450]);
    expect(exportedTargets()).to.deep.equal(targets);
    expect(await kept()).to.deep.equal([]);
  });

  /** Returns a context that calls `then` before the second page is read. */
  function beforeSecondPage(then: () => unknown): Context {
    const { database } = context;
    let happened = false;
    const read: typeof database.read = async (work) => {
      if (!happened && existsSync(path.join(folder.path, 'retention'))) {
        happened = true;
        await then();
      }
      return database.read(work);
    };
    return { ...context, database: { ...database, read } };
  }

  it('deletes exactly the rows in the file when stopped between pages', async () => {
    const targets = await record(ago(40), 450);
    const stop = new AbortController();
    const stopped = beforeSecondPage(() => stop.abort());
    expect((await failureOf(() => pruneAudit(stopped, 30, stop.signal))).code).to.equal('INTERRUPTED');
    const left = await kept();
    expect(left).to.have.length.within(1, 449);
    expect([...exportedTargets(), ...left]).to.deep.equal(targets);
  });

  it('deletes no more rows after another process has taken the lease', async () => {
    const targets = await record(ago(40), 450);
    const leases = (sql: string) => context.database.sequelize.query(`${sql} WHERE name = 'retention'`);
    const takenOver = beforeSecondPage(() => leases("UPDATE leases SET owner = 'another'"));
    const failure = failureOf(() => pruneAudit(takenOver, 30, unaborted));
    const { code } = await failure.finally(() => leases('DELETE FROM leases'));
    expect(code).to.equal('INTERRUPTED');
    const left = await kept();
    expect(left).to.deep.equal(targets.slice(200));
    expect(exportedTargets()).to.include.members(targets.slice(0, 200));
  });

  it('deletes no rows when stopped before the first page, or with an unusable folder', async () => {
    await record(ago(40));
    expect((await failureOf(() => pruneAudit(context, 30, AbortSignal.abort()))).code).to.equal('INTERRUPTED');
    expect(readdirSync(folder.path)).to.deep.equal([]);
    writeFileSync(path.join(folder.path, 'retention'), 'in the way');
    expect((await failureOf(() => pruneAudit(context, 30, unaborted))).code).to.equal('STORAGE_UNAVAILABLE');
    expect(await kept()).to.have.length(1);
  });

  it('runs in the hourly maintenance only if the setting is set', async () => {
    await record(ago(40));
    await startHousekeeping(context).close();
    expect(await kept()).to.have.length(1);
    let tell: (line: string) => void = () => undefined;
    const logged = new Promise<string>((resolve) => {
      tell = (line) => line.includes('"what":"audit log"') && resolve(line);
    });
    const logger = createLogger('info', { write: (line: string) => tell(line) });
    const config = { ...context.config, retention: { auditDays: 30 } };
    const housekeeping = startHousekeeping({ ...context, config, logger });
    expect(JSON.parse(await logged)).to.include({ exported: 1, msg: 'cleanup done' });
    await housekeeping.close();
    expect(await kept()).to.have.length(0);
  });
});
