import { expect } from 'chai';
import type { Import } from '../../../src/db/models/import.js';
import { newIds } from '../../../src/services/ids.js';
import { itAtFullDepth } from '../../support/depth.js';
import { useHarness } from '../../support/harness.js';
import { scaled } from '../../support/machine.js';
import { useKilledRetention } from './support/killed-retention.js';

/** Rows of each import: several transactions delete them. */
const count = 1200;
const longAgo = new Date('2020-01-01T00:00:00.000Z');

type Line = { type: 'import'; id: string } | { type: 'importRow'; importId: string; line: number };

describe('An export of import ledgers that is killed with SIGKILL', function () {
  this.timeout(scaled(60_000));
  const harness = useHarness();
  const retention = useKilledRetention(harness, ['imports', 'prune'], { IMPORT_RETENTION_DAYS: '30' });
  const { names, killWhen } = retention;
  let ids: string[];
  let all: string[];
  const models = () => harness.context.database.models;
  beforeEach(async () => {
    ids = newIds(3).sort();
    const file = { fileName: 'people.csv', filePath: '/people.csv', optionsJson: '{}' };
    const counts = { rowsDone: count, rejectedCount: count };
    const ended = { origin: 'cli', createdAt: longAgo, finishedAt: longAgo } as const;
    // The third one is being undone: it must keep its rows.
    const status = ['completed', 'cancelled', 'undoing'] as const;
    await models().Import.bulkCreate(
      status.map((one, index) => {
        const id = ids[index] ?? '';
        return { id, number: index + 1, status: one, ...file, fileSha256: id, ...ended, ...counts };
      }),
    );
    for (const importId of ids) {
      const rows = Array.from({ length: count }, (_, index) => ({ importId, line: index + 2 }));
      const outcome = { outcome: 'rejected', reason: 'Email must be a valid email address.' } as const;
      await models().ImportRow.bulkCreate(rows.map((row) => ({ ...row, ...outcome })));
    }
    all = keysOf(await rowsOf(ids.slice(0, 2)));
  });

  const rowsOf = (importIds: string[]) =>
    models().ImportRow.findAll({ where: { importId: importIds }, order: ['importId', 'line'], raw: true });
  const keysOf = (rows: { importId: string; line: number }[]) =>
    rows.map(({ importId, line }) => `${importId} ${line}`);
  const left = (...importIds: string[]) => models().ImportRow.count({ where: { importId: importIds } });
  const [first, second] = [() => ids[0] ?? '', () => ids[1] ?? ''];
  const due = () => left(first(), second());
  /** The rows in files as they are written there, by their keys. */
  function exported(): Map<string, Set<string>> {
    const found = new Map<string, Set<string>>();
    for (const name of names()) {
      const [head, ...rows] = retention.linesOf(name).map((text) => ({ text, line: JSON.parse(text) as Line }));
      if (head) expect(head.line.type).to.equal('import');
      for (const { text, line } of rows) {
        if (line.type !== 'importRow') throw new Error(`${name} has a second import.`);
        const [key = ''] = keysOf([line]);
        found.set(key, (found.get(key) ?? new Set()).add(text));
      }
    }
    return found;
  }

  /** A row that isn't in the database is in a file; one that is in several files is the same in all. */
  async function expectNothingLost(): Promise<void> {
    const inDatabase = new Set(keysOf(await rowsOf(ids)));
    const inFiles = exported();
    expect(all.filter((key) => !inDatabase.has(key) && !inFiles.has(key))).to.deep.equal([]);
    expect([...inFiles].filter(([, texts]) => texts.size > 1)).to.deep.equal([]);
    // No import has lost rows and could still be undone or resumed.
    const records = await models().Import.findAll({ where: { ledgerClosedAt: null } });
    for (const { id } of records) expect(await left(id)).to.equal(count);
    expect(await left(ids[2] ?? '')).to.equal(count);
  }

  async function expectToEndWell(): Promise<void> {
    const { exitCode, stderr } = await retention.run();
    expect({ exitCode, stderr }).to.deep.equal({ exitCode: 0, stderr: '' });
    await expectNothingLost();
    expect([...exported().keys()].sort()).to.deep.equal([...all].sort());
    expect(await due()).to.equal(0);
    const records = await models().Import.findAll({ order: ['number'] });
    expect(records.map(isClosed)).to.deep.equal([true, true, false]);
  }

  const isClosed = ({ ledgerClosedAt }: Import) => ledgerClosedAt !== null;

  const moments: Record<string, () => Promise<boolean>> = {
    'when the first ledger is closed': async () =>
      isClosed(await models().Import.findByPk(first(), { rejectOnEmpty: true })),
    'when it writes the first file': async () => names().length > 0,
    'when some rows are deleted': async () => (await left(first())) < count,
    'when the rows of the first import are deleted': async () => (await left(first())) === 0,
  };
  for (const [moment, reached] of Object.entries(moments))
    itAtFullDepth(`${moment} loses nothing, and the next run ends it`, async () => {
      await killWhen(reached);
      await expectNothingLost();
      await expectToEndWell();
    });

  it('several times loses nothing', async () => {
    for (const reached of Object.values(moments).slice(-3)) {
      const before = await due();
      const files = names().length;
      const fresh = async () => (await reached()) && ((await due()) < before || names().length > files);
      await killWhen(fresh);
      await expectNothingLost();
    }
    await expectToEndWell();
  });
});
