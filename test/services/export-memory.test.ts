import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import { usersTable } from '../../src/services/accounts/export.js';
import { operator } from '../../src/services/core.js';
import { ledgerTable } from '../../src/services/imports/output/ledger-export.js';
import { tablePieces } from '../../src/tables/write/table.js';
import { hashedPeople, useImporting } from './imports/support/importing.js';
import { importFile } from './imports/support/running.js';

/**
 * Number of concurrent exports that nobody reads, and the maximum memory of each, in bytes: for the text of a batch,
 * and for workbooks also for values and compression.
 */
const exports = 20;
const maxKept = { csv: 1_000_000, xlsx: 1_500_000 };

describe('An export that the client does not read', () => {
  const importing = useImporting({ IMPORT_BATCH_ROWS: '1000' });
  let collectGarbage: () => void;
  before(() => {
    setFlagsFromString('--expose-gc');
    // The flag defines gc() in contexts that are created afterwards.
    collectGarbage = runInNewContext('gc') as () => void;
  });

  async function expectSmall(make: () => AsyncGenerator<string | Uint8Array>, maxKept: number): Promise<void> {
    const memory = () => {
      collectGarbage();
      return process.memoryUsage().heapUsed + process.memoryUsage().arrayBuffers;
    };
    // The first use fills caches, which don't belong to an export.
    await make().next();
    const before = memory();
    const begun: AsyncGenerator<string | Uint8Array>[] = [];
    for (let count = 0; count < exports; count += 1) {
      const made = make();
      begun.push(made);
      for (let length = 0; length < 1000; ) length += String((await made.next()).value).length;
    }
    const kept = (memory() - before) / exports;
    for (const made of begun) await made.return(undefined);
    expect(kept).to.be.below(maxKept);
  }

  it('keeps only the text of one batch in memory', async () => {
    const { context } = importing;
    const { id } = await importFile(context, importing.write('people.csv', hashedPeople(1000)));
    const record = await context.database.models.Import.findByPk(id, { rejectOnEmpty: true });
    await expectSmall(() => tablePieces(usersTable(context, {}), 'csv'), maxKept.csv);
    await expectSmall(() => tablePieces(ledgerTable(context, operator, record), 'csv'), maxKept.csv);
    await expectSmall(() => tablePieces(usersTable(context, {}), 'xlsx'), maxKept.xlsx);
  });
});
