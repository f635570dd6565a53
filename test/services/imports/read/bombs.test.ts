import { expect } from 'chai';
import { importColumns } from '../../../../src/schemas/import.js';
import { planImport } from '../../../../src/services/imports/plan/plan.js';
import { failureOf } from '../../../db/support/failure.js';
import { scaled } from '../../../support/machine.js';
import { chunks, openPeople } from '../support/csv-text.js';
import { useImporting } from '../support/importing.js';

const header = 'firstName,lastName,email,phone,reply\n';
const ada = 'Ada,King,ada@example.org,1,';

describe('A hostile file', () => {
  const importing = useImporting();
  const { signal } = new AbortController();
  const planOf = (content: string) =>
    planImport(importing.context, { file: importing.write('people.csv', content), options: {}, signal });

  it('is refused if it contains only line breaks or blank rows', async () => {
    for (const [content, message] of [
      ['\r\n'.repeat(1e6), 'The file is empty.'],
      [`${header}${',,,,\n'.repeat(4e5)}`, 'The file people.csv has a header and no rows below it.'],
    ] as const) {
      const failure = await failureOf(() => planOf(content));
      expect(failure.message.replace(`${importing.folder}/`, '')).to.equal(message);
    }
  });

  it('is read if it only looks hostile', async () => {
    for (const content of [
      `${header}${'\n'.repeat(1e6)}${ada}\n`,
      `${header}${ada}"${'""'.repeat(900)}"\n`,
      `${header}${ada}"${'\r\n'.repeat(900)}x"\n`,
      `${header.trimEnd()}${',x'.repeat(251)}\n${ada}${','.repeat(251)}\n`,
    ])
      expect((await planOf(content)).counts).to.include({ rows: 1, created: 1 });
  });
});

/** Texts for which a careless regular expression or normalization takes quadratic time. */
const costly = ['\u0301\u0316', '\uff9e\u0301\u0316', '\ufdfa', ' ', 'a.', 'a ', '1 ', '\u0667', "'"];

describe('Costly texts', () => {
  const filled = (unit: string, bytes: number) => unit.repeat(Math.floor(bytes / Buffer.byteLength(unit)));

  async function rowsOf(content: string, map?: string[]): Promise<number> {
    const file = await openPeople(chunks(Buffer.from(content)), { options: { ...(map && { map }) } });
    let rows = 0;
    for await (const batch of file.batches) rows += batch.length;
    return rows;
  }

  it("don't slow down reading a file, in any cell, heading or mapping", async () => {
    const fields = [...importColumns];
    for (const unit of costly) {
      const cell = filled(unit, 65_528);
      const rows = fields.map((field) => fields.map((other) => (other === field ? cell : 'x')).join());
      expect(await rowsOf(`${fields.join()}\n${rows.join('\n')}\n`), unit).to.equal(fields.length);
      expect(await rowsOf(`name,email,phone\n${cell} x,ada@example.org,1\n`), unit).to.equal(1);
      expect(await rowsOf(`${fields.join()}\n${fields.map(() => `x${cell}x`).join()}\n`), unit).to.equal(1);
      const headings = `${header.trimEnd()},${cell}\n${ada},x\n`;
      expect(await rowsOf(headings), unit).to.equal(1);
      const map = Array.from({ length: 100 }, (_, index) => `${filled(unit, 900)}${index}=phone`);
      expect((await failureOf(() => rowsOf(headings, map))).code, unit).to.equal('USAGE');
    }
  }).timeout(scaled(15_000));

  it("in many short or blank rows don't slow down reading a file", async () => {
    for (const row of [',\n', ' \n', '=" "\n'])
      expect(await rowsOf(`${header}${row.repeat(400_000 / row.length)}`), row).to.equal(0);
  }).timeout(scaled(15_000));
});

describe('Long rows', () => {
  it('are read in smaller batches, because the results of a batch are kept in memory', async () => {
    const long = `${ada}${'x'.repeat(60_000)}\n`;
    const lengths: number[] = [];
    const { batches } = await openPeople(chunks(Buffer.from(header + long.repeat(200))));
    for await (const batch of batches) lengths.push(batch.length);
    expect(lengths).to.deep.equal([70, 70, 60]);
  });
});

describe('The limits of an import file', () => {
  const importing = useImporting({
    IMPORT_FIELD_MAX_BYTES: '256',
    IMPORT_RECORD_MAX_BYTES: '1024',
    IMPORT_MAX_COLUMNS: '6',
  });

  it('equal the settings', async () => {
    for (const [row, message] of [
      [`${ada}${'x'.repeat(257)}`, 'Line 2, column 5 has more than 256 bytes.'],
      [
        `${ada}"${'x\n'.repeat(1024)}`,
        'The row that begins on line 2 has more than 1024 bytes. Most likely a quote in it is never closed.',
      ],
      [`${ada},,x`, 'Line 2 has more than 6 columns.'],
    ] as const) {
      const file = importing.write('people.csv', `${header}${row}\n`);
      const { exitCode, stderr } = await importing.run(file, '--yes');
      expect({ exitCode, stderr }).to.deep.equal({ exitCode: 2, stderr: `error: ${message}\n` });
    }
  });
});
