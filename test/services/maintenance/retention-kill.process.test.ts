import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { recordAudit } from '../../../src/services/audit/audit.js';
import { operator } from '../../../src/services/core.js';
import { newIds } from '../../../src/services/new-ids.js';
import { fullDepth } from '../../support/depth.js';
import { testEnvironment } from '../../support/environment.js';
import { type Harness, useHarness } from '../../support/harness.js';
import { scaled } from '../../support/machine.js';
import { useSubprocesses } from '../../support/subprocess.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const longAgo = new Date('2020-01-01T00:00:00.000Z');

/** Kind of rows that a command exports and deletes. */
interface Old {
  command: readonly string[];
  settings: Record<string, string>;
  /** Creates rows. @returns the keys of the rows before the retention, in order */
  make(harness: Harness): Promise<string[]>;
  /** Returns the keys of all rows in the database. */
  stored(harness: Harness): Promise<string[]>;
  /** Returns the key of a line; undefined for the line about an import. */
  keyOf(line: Record<string, unknown>): string | undefined;
  /** Checks more conditions, which must hold at any moment and at the end. */
  check?(harness: Harness, isEnded: boolean): Promise<void>;
}

const audit: Old = {
  command: ['audit', 'prune'],
  settings: { AUDIT_RETENTION_DAYS: '30' },
  async make({ context }) {
    const past = { ...context, now: () => longAgo };
    const records = newIds(5000).map((targetId, index) => ({
      action: 'user.update' as const,
      targetType: 'user' as const,
      targetId,
      after: { notes: `${index % 50} is the number of this text. `.repeat(20) },
    }));
    await context.database.inTransaction((transaction) => recordAudit(past, operator, records, transaction));
    return audit.stored({ context } as Harness);
  },
  async stored({ context }) {
    const rows = await context.database.models.AuditEntry.findAll({ attributes: ['id'], order: ['at', 'id'] });
    return rows.map(({ id }) => id);
  },
  keyOf: ({ id }) => String(id),
};

/** Rows of each import; enough for several transactions. */
const rowsOfImport = 1200;

const ledgers: Old = {
  command: ['imports', 'prune'],
  settings: { IMPORT_RETENTION_DAYS: '30' },
  async make(harness) {
    const { Import, ImportRow } = harness.context.database.models;
    const ids = newIds(3).sort();
    const file = { fileName: 'people.csv', filePath: '/people.csv', optionsJson: '{}' };
    const ended = { origin: 'cli', createdAt: longAgo, finishedAt: longAgo } as const;
    const counts = { rowsDone: rowsOfImport, rejectedCount: rowsOfImport };
    for (const [index, id] of ids.entries()) {
      // The third import is being undone, so it must keep its rows.
      const status = (['completed', 'cancelled', 'undoing'] as const)[index] ?? 'failed';
      await Import.create({ id, number: index + 1, status, ...file, fileSha256: id, ...ended, ...counts });
      const lines = Array.from({ length: rowsOfImport }, (_, line) => ({ importId: id, line: line + 2 }));
      const outcome = { outcome: 'rejected', reason: 'Email must be a valid email address.' } as const;
      await ImportRow.bulkCreate(lines.map((row) => ({ ...row, ...outcome })));
    }
    return (await ledgers.stored(harness)).slice(0, 2 * rowsOfImport);
  },
  async stored({ context }) {
    const rows = await context.database.models.ImportRow.findAll({ order: ['importId', 'line'], raw: true });
    return rows.map(({ importId, line }) => `${importId} ${line}`);
  },
  keyOf: ({ type, importId, line }) => (type === 'import' ? undefined : `${importId} ${line}`),
  async check({ context }, isEnded) {
    const { Import, ImportRow } = context.database.models;
    const imports = await Import.findAll({ order: ['number'] });
    // Every import that can be undone or resumed has all its rows.
    for (const { id } of imports.filter(({ ledgerClosedAt }) => ledgerClosedAt === null))
      expect(await ImportRow.count({ where: { importId: id } })).to.equal(rowsOfImport);
    const closed = imports.map(({ ledgerClosedAt }) => ledgerClosedAt !== null);
    expect(closed[2]).to.equal(false);
    if (isEnded) expect(closed).to.deep.equal([true, true, false]);
  },
};

for (const [what, old] of Object.entries({ 'audit entries': audit, 'import ledgers': ledgers }))
  describe(`An export of old ${what} that is killed with SIGKILL`, function () {
    this.timeout(scaled(60_000));
    const harness = useHarness();
    const processes = useSubprocesses();
    let folder: ReturnType<typeof temporaryFolder>;
    let due: string[];
    beforeEach(async () => {
      folder = temporaryFolder();
      due = await old.make(harness);
    });
    afterEach(() => folder.remove());

    const start = () => {
      const env = { ...testEnvironment, DATABASE_URL: harness.databaseUrl, DATA_DIR: folder.path, ...old.settings };
      return processes.start([...old.command, '--yes', '--json'], { cwd: folder.path, env });
    };
    const archive = () => path.join(folder.path, 'retention');
    const names = () => (existsSync(archive()) ? readdirSync(archive()) : []);

    /**
     * Returns the complete lines of rows in all files by key. A row in several files must have the same line in all of
     * them.
     */
    function exported(): Map<string, string> {
      const found = new Map<string, string>();
      for (const name of names())
        for (const line of readFileSync(path.join(archive(), name), 'utf8').split('\n').slice(0, -1)) {
          const key = old.keyOf(JSON.parse(line) as Record<string, unknown>);
          if (key === undefined) continue;
          expect(found.get(key) ?? line).to.equal(line);
          found.set(key, line);
        }
      return found;
    }

    /**
     * Kills a run when `reached` returns true, and frees its lease. Checks that every row is in the database or in a file.
     */
    async function killWhen(reached: () => Promise<boolean>): Promise<void> {
      const running = start();
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
      const [stored, inFiles] = [new Set(await old.stored(harness)), exported()];
      expect(due.filter((key) => !stored.has(key) && !inFiles.has(key))).to.deep.equal([]);
      await old.check?.(harness, false);
    }

    const left = async () => {
      const keys = new Set(due);
      return (await old.stored(harness)).filter((key) => keys.has(key)).length;
    };

    it('loses no rows after several kills, and the next run completes the export', async () => {
      const moments = [
        async () => names().length > 0,
        async () => (await left()) < due.length,
        async () => (await left()) <= due.length / 2,
        ...(fullDepth ? [async () => (await left()) === 0] : []),
      ];
      for (const reached of moments) {
        const [before, files] = [await left(), names().length];
        await killWhen(async () => (await reached()) && ((await left()) < before || names().length > files));
      }
      const { exitCode, stderr } = await start().ended;
      expect({ exitCode, stderr }).to.deep.equal({ exitCode: 0, stderr: '' });
      expect([...exported().keys()].sort()).to.deep.equal([...due].sort());
      expect(await left()).to.equal(0);
      await old.check?.(harness, true);
    });
  });
