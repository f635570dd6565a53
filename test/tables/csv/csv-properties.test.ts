import { expect } from 'chai';
import fc from 'fast-check';
import iconv from 'iconv-lite';
import { AppError } from '../../../src/errors.js';
import { type Delimiter, type Encoding, importDelimiters, importEncodings } from '../../../src/schemas/file-format.js';
import { type FileRow, isRejected } from '../../../src/services/imports/read/rows/rows.js';
import { inspectFile } from '../../../src/tables/inspect.js';
import { neutralizeCell } from '../../../src/tables/write/cells.js';
import { corpus } from '../../services/imports/support/corpus.js';
import { chunks, openPeople, rowsOf } from '../../services/imports/support/csv-text.js';
import { atDepth } from '../../support/depth.js';

const lineBreaks = ['\n', '\r\n', '\r'] as const;
const countBreaks = (text: string) => text.match(/\r\n|\r|\n/g)?.length ?? 0;

const isUnicode = (encoding: Encoding) => encoding.startsWith('utf-');

/** Characters of a code page with one or two bytes, except NUL. */
function charactersOf(encoding: Encoding): string[] {
  const bytes = Array.from({ length: 255 }, (_, index) => index + 1);
  const codes = [
    ...bytes.map((byte) => Buffer.of(byte)),
    ...bytes.slice(0x7f).flatMap((first) => bytes.slice(0x3f).map((second) => Buffer.of(first, second))),
  ];
  const characters = new Set(codes.map((code) => iconv.decode(code, encoding)));
  return [...characters].filter(
    (text) =>
      [...text].length === 1 && text !== '\ufffd' && iconv.decode(iconv.encode(text, encoding), encoding) === text,
  );
}

const significant = ['\r', '\n', '"', ',', ';', '\t', '|', "'", '=', ' ', 'x', '0'];

/** Cells that an encoding can represent, often with quotes, delimiters and line breaks. */
const cellOf = (encoding: Encoding) =>
  fc.oneof(
    fc.string({ unit: fc.constantFrom(...significant), maxLength: 8 }),
    isUnicode(encoding)
      ? fc.string({ unit: 'binary', maxLength: 8 }).map((text) => text.replaceAll('\0', ''))
      : fc.string({ unit: fc.constantFrom(...charactersOf(encoding)), maxLength: 8 }),
  );

/** Writes a field in one of the ways that programs use. */
function written(cell: string, delimiter: string, always: boolean): string {
  return always || /["\r\n]/.test(cell) || cell.includes(delimiter) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/** Blank lines; each comma represents the delimiter. */
const emptyLines = ['', ' ', '\t', ' \t ', '\u00a0', '""', '" "', '=""', ',', ' , ', '"",=""'];

const encodings = importEncodings.map((encoding) => ({
  encoding,
  cell: cellOf(encoding),
  empty: emptyLines.filter((line) => iconv.decode(iconv.encode(line, encoding), encoding) === line),
}));

interface Table {
  encoding: Encoding;
  delimiter: Delimiter;
  mark: boolean;
  always: boolean;
  /** Lines above the header; each comma represents the delimiter. */
  above: [string, string][];
  rows: [string[], string][];
  sizes: number[];
}

const table: fc.Arbitrary<Table> = fc.constantFrom(...encodings).chain(({ encoding, cell, empty }) =>
  fc.record({
    encoding: fc.constant(encoding),
    delimiter: fc.constantFrom(...importDelimiters),
    mark: isUnicode(encoding) ? fc.boolean() : fc.constant(false),
    always: fc.boolean(),
    above: fc.array(fc.tuple(fc.constantFrom(...empty), fc.constantFrom(...lineBreaks)), { maxLength: 3 }),
    rows: fc.array(fc.tuple(fc.array(cell, { minLength: 1, maxLength: 5 }), fc.constantFrom(...lineBreaks)), {
      maxLength: 8,
    }),
    sizes: fc.array(fc.integer({ min: 1, max: 9 })),
  }),
);

/** The bytes of a table, and the expected rows. */
function bytesOf({ encoding, delimiter, mark, always, above, rows }: Table) {
  let text = above.map(([line, lineBreak]) => line.replaceAll(',', delimiter) + lineBreak).join('');
  const expected = [{ line: 1 + countBreaks(text), cells: ['h1', 'h2'] }];
  text += `h1${delimiter}h2\n`;
  for (const [cells, lineBreak] of rows) {
    const line = 1 + countBreaks(text);
    // A CR and the LF of a blank line below it are one line break.
    const glued = text.endsWith('\r') && cells.length === 1 && cells[0] === '' && !always && lineBreak === '\n';
    text += cells.map((cell) => written(neutralizeCell(cell), delimiter, always || glued)).join(delimiter) + lineBreak;
    if (cells.some((cell) => cell.trim() !== '')) expected.push({ line, cells });
  }
  return { bytes: iconv.encode(mark ? `\ufeff${text}` : text, encoding, { addBOM: false }), expected };
}

describe('A CSV file', () => {
  it('is read unchanged, whatever its encoding, delimiter, line breaks and chunks', async () => {
    await fc.assert(
      fc.asyncProperty(table, async (source) => {
        const { bytes, expected } = bytesOf(source);
        const { encoding, sizes } = source;
        expect(await rowsOf(bytes, sizes, { encoding, delimiter: 'auto' })).to.deep.equal(expected);
        expect(await rowsOf(bytes, sizes, { encoding, delimiter: source.delimiter })).to.deep.equal(expected);
        // Words tell code pages apart, but these characters form no words: see code-pages.test.ts.
        if (source.mark || encoding === 'utf-8')
          expect(await inspectFile(chunks(bytes, sizes))).to.include({ encoding, byteOrderMark: source.mark });
      }),
      { numRuns: atDepth(375, 1500) },
    );
  });
});

/** Returns the rows of a file, or the reason for refusing it. */
async function outcomeOf(bytes: Buffer, sizes: Iterable<number> = []) {
  const read: FileRow[] = [];
  try {
    const { encoding } = await inspectFile(chunks(bytes, sizes));
    const file = await openPeople(chunks(bytes, sizes), { format: { encoding, delimiter: 'auto' } });
    for await (const batch of file.batches) read.push(...batch);
    return { format: file.format, mapping: file.mapping, rows: read };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    expect(error.code).to.equal('IMPORT_FILE_INVALID');
    return { refused: error.message, rows: read };
  }
}

/** Files of people. Some are damaged in a few places. */
const spoilt = fc
  .tuple(
    fc.oneof(
      { weight: 1, arbitrary: fc.constantFrom(...corpus) },
      { weight: 4, arbitrary: fc.constantFrom(...corpus.filter(({ expected }) => 'created' in expected)) },
    ),
    fc.array(
      fc.record({
        at: fc.double({ min: 0, max: 1, noNaN: true }).map(Math.sqrt),
        take: fc.nat(3),
        put: fc.oneof(
          { weight: 1, arbitrary: fc.uint8Array({ maxLength: 3 }) },
          {
            weight: 6,
            arbitrary: fc
              .constantFrom(
                '',
                '"',
                '""',
                ',',
                ';',
                '\r',
                '\n',
                '\r\n',
                '="',
                'é',
                'sep=',
                '🦊',
                "'",
                'x',
                '1',
                '\0',
                '\ufeff',
              )
              .map((text) => new Uint8Array(Buffer.from(text))),
          },
        ),
      }),
      { maxLength: 4 },
    ),
    // Mostly undamaged, and mostly damaged after the header.
    fc.oneof(
      { weight: 3, arbitrary: fc.constant(1) },
      { weight: 1, arbitrary: fc.double({ min: 0, max: 1, noNaN: true }) },
    ),
  )
  .map(([{ bytes }, changes, cut]) => {
    let changed = bytes;
    for (const { at, take, put } of changes) {
      const index = Math.floor(at * changed.length);
      changed = Buffer.concat([changed.subarray(0, index), put, changed.subarray(index + take)]);
    }
    return changed.subarray(0, Math.ceil(cut * changed.length));
  });

const soup = fc.oneof(
  { weight: 3, arbitrary: spoilt },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)) },
  {
    weight: 1,
    arbitrary: fc.uint8Array({ maxLength: 100 }).map((bytes) => Buffer.concat([Buffer.from('firstName,'), bytes])),
  },
);

const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 100 });

describe('A file of any bytes', () => {
  it('gives the same rows or the same refusal for all chunk sizes, and one outcome for each row', async () => {
    await fc.assert(
      fc.asyncProperty(soup, sizes, async (bytes, cuts) => {
        const outcome = await outcomeOf(bytes);
        expect(await outcomeOf(bytes, cuts)).to.deep.equal(outcome);
        if ('refused' in outcome) return;
        const { encoding, delimiter } = outcome.format;
        const read = (await rowsOf(bytes, [], { encoding, delimiter })).slice(1);
        expect(outcome.rows.map(({ line, cells }) => ({ line, cells }))).to.deep.equal(
          read.map(({ line, cells }) => ({ line, cells })),
        );
        for (const [index, row] of outcome.rows.entries()) {
          expect(row.line).to.be.greaterThan(outcome.rows[index - 1]?.line ?? 0);
          expect('person' in row).to.equal(!isRejected(row));
        }
        if (JSON.stringify(outcome).includes('\ufffd'))
          expect(new TextDecoder(encoding, { fatal: true }).decode(bytes)).to.include('\ufffd');
      }),
      { numRuns: atDepth(300, 1000) },
    );
  });
});
