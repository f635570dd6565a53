import { expect } from 'chai';
import fc from 'fast-check';
import { readXlsx } from 'hucre';
import { xlsxBytes } from '../../../src/tables/write/xlsx.js';
import { atDepth } from '../../support/depth.js';
import { scaled } from '../../support/machine.js';
import { type Cells, useWorkbooks } from './support/workbooks.js';

/** Texts that a cell can contain, including texts that look like an escaped character, a formula or a number. */
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.string({ unit: fc.constantFrom(...' \t\r\n_x0dDF5"\'<>&=+@\0\x1b\u00a0\ufffe'), maxLength: 40 }),
  fc.constantFrom(
    '',
    '',
    '_x000D_',
    '_x005F_x000D_',
    '\r\n',
    ' a ',
    '=1+1',
    '0151',
    '+49',
    'TRUE',
    '1E5',
    '#N/A',
    ']]>',
  ),
);
const table = fc
  .integer({ min: 1, max: 12 })
  .chain((width) => fc.array(fc.array(text, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 12 }));

async function workbookOf([headings = [], ...rows]: string[][]): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  const columns = headings.map((heading, index) => ({ heading, isText: index % 2 === 0 }));
  for await (const piece of xlsxBytes({ sheet: 'People', columns, rows })) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** Returns a row up to its last cell that isn't blank. */
const filled = (row: readonly string[]) => row.slice(0, row.findLastIndex((cell) => cell.trim() !== '') + 1);

const noCharacters = /[\0\ufffe\uffff]/g;

/** Expected rows of a reader: without invisible rows and invalid characters. */
const shown = (rows: readonly string[][]): Cells =>
  Object.fromEntries(
    rows
      .map((row) => row.map((cell) => cell.replace(noCharacters, '\ufffd')))
      .flatMap((row, index) => (row.some((cell) => cell.trim() !== '') ? [[index + 1, filled(row)]] : [])),
  );

describe('Any table of texts', () => {
  const workbooks = useWorkbooks();

  it('is read unchanged', async () => {
    await fc.assert(
      fc.asyncProperty(table, async (rows) => {
        expect(await workbooks.outcomeOf(await workbookOf(rows))).to.deep.equal({ People: shown(rows) });
      }),
      { numRuns: atDepth(100, 3000) },
    );
  }).timeout(scaled(60_000));

  it('is read unchanged by a library', async () => {
    await fc.assert(
      fc.asyncProperty(table, async (rows) => {
        const { sheets } = await readXlsx(await workbookOf(rows));
        const read = (sheets[0]?.rows ?? []).map((row) => row.map((cell) => cell ?? ''));
        expect(shown(read as string[][])).to.deep.equal(shown(rows));
      }),
      { numRuns: atDepth(30, 1000) },
    );
  }).timeout(scaled(60_000));

  it('is read unchanged with cells of maximum length', async () => {
    const longest = ['\x01', '_x000D_', '&', '🎓', ' ', 'a\r\n'].map(
      (unit) => `${unit.repeat(32_767).slice(0, 32_766)}.`,
    );
    const rows = [longest.map((_, index) => `heading ${index}`), longest];
    expect(await workbooks.outcomeOf(await workbookOf(rows))).to.deep.equal({ People: shown(rows) });
  });
});
