import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { restoreCell } from '../../../../src/csv/cells.js';
import { csvLine } from '../../../../src/csv/format.js';
import { AppError } from '../../../../src/errors.js';
import { openCsv } from '../../../../src/services/imports/read/csv-source.js';
import { fileBytes } from '../../../../src/services/imports/read/source-file.js';
import { failureOf } from '../../../db/support/failure.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';
import { rowsOf, usualFormat, usualLimits } from '../support/csv-text.js';

const linesOf = async (text: string) => (await rowsOf(text)).map(({ line }) => line);
const cellsOf = async (text: string) => (await rowsOf(text)).map(({ cells }) => cells);
const lineBreaks = ['\n', '\r\n', '\r'];

describe('Reading CSV', () => {
  it('gives the cells of each row, and the line on which it begins', async () => {
    expect(await rowsOf('a,b\n1,"2, ""3"""\n,4\n')).to.deep.equal([
      { line: 1, cells: ['a', 'b'] },
      { line: 2, cells: ['1', '2, "3"'] },
      { line: 3, cells: ['', '4'] },
    ]);
    expect(await rowsOf('')).to.deep.equal([]);
  });

  for (const lineBreak of lineBreaks) {
    describe(`with lines that end in ${JSON.stringify(lineBreak)}`, () => {
      it('counts them', async () => {
        expect(await rowsOf(['a', 'b', 'c'].join(lineBreak))).to.deep.equal([
          { line: 1, cells: ['a'] },
          { line: 2, cells: ['b'] },
          { line: 3, cells: ['c'] },
        ]);
      });

      it('counts blank lines and rows of blank cells, and leaves them out', async () => {
        const text = ['', 'a,b', '', '', ',', ' , \t', '" ",""', '1,2', ''].join(lineBreak);
        expect(await linesOf(text)).to.deep.equal([2, 8]);
      });

      for (const quoted of lineBreaks) {
        it(`counts ${JSON.stringify(quoted)} in quotes as one line each`, async () => {
          const text = [`"a${quoted}${quoted}b",c`, `"${quoted}"`, 'd', `e,"f${quoted}"`, 'g'].join(lineBreak);
          expect(await rowsOf(text)).to.deep.equal([
            { line: 1, cells: [`a${quoted}${quoted}b`, 'c'] },
            { line: 6, cells: ['d'] },
            { line: 7, cells: ['e', `f${quoted}`] },
            { line: 9, cells: ['g'] },
          ]);
        });
      }
    });
  }

  it('reads mixed line breaks', async () => {
    expect(await rowsOf('a,b\nc,d\r\ne,f\rg,h\r\r\n\r\ni,j')).to.deep.equal([
      { line: 1, cells: ['a', 'b'] },
      { line: 2, cells: ['c', 'd'] },
      { line: 3, cells: ['e', 'f'] },
      { line: 4, cells: ['g', 'h'] },
      { line: 7, cells: ['i', 'j'] },
    ]);
  });

  it('ignores a byte order mark at the beginning and in the header only', async () => {
    expect(await cellsOf('\ufeffa,\ufeffb\n\ufeffc')).to.deep.equal([['a', 'b'], ['\ufeffc']]);
    expect(await cellsOf('\ufeff"a",b')).to.deep.equal([['a', 'b']]);
    expect(await rowsOf('\ufeff')).to.deep.equal([]);
    expect(await rowsOf('\ufeffa\nb', [1, 1, 1, 1])).to.deep.equal(await rowsOf('a\nb'));
  });

  it('restores neutralised formulas', async () => {
    expect(await cellsOf(`'+49 30,'=1,'t,"''@"`)).to.deep.equal([['+49 30', '=1', "'t", "'@"]]);
  });

  it('reads characters and line breaks that are cut at any place', async () => {
    const text = '\ufeffé,"€""𝒜\r\n","🦊"\r\n\r\nß,ñ\r\nx,👩‍🚀';
    const expected = await rowsOf(text);
    expect(expected.map(({ line }) => line)).to.deep.equal([1, 4, 5]);
    const { length } = Buffer.from(text);
    for (let cut = 1; cut < length; cut += 1)
      expect(await rowsOf(text, [cut]), `cut at ${cut}`).to.deep.equal(expected);
    for (const size of [1, 2, 3, 5])
      expect(await rowsOf(text, new Array(length).fill(size)), `chunks of ${size}`).to.deep.equal(expected);
  });

  it('gives what was written, with the lines on which it was written', async () => {
    const cell = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 8 }).map((text) => text.replaceAll('\0', '')),
      fc.string({ unit: fc.constantFrom('\r', '\n', '"', ',', 'x', "'", '=', '🦊'), maxLength: 8 }),
    );
    const written = fc.array(fc.tuple(fc.array(cell, { minLength: 1 }), fc.constantFrom(...lineBreaks)));
    await fc.assert(
      fc.asyncProperty(written, fc.array(fc.integer({ min: 1, max: 9 })), async (rows, sizes) => {
        let text = 'header\n';
        const expected = [{ line: 1, cells: ['header'] }];
        for (const [cells, lineBreak] of rows) {
          const line = 1 + (text.match(/\r\n|\r|\n/g)?.length ?? 0);
          text += csvLine(cells).replace(/\n$/, lineBreak);
          if (cells.some((one) => one.trim() !== '')) expected.push({ line, cells });
        }
        expect(await rowsOf(text, sizes)).to.deep.equal(expected);
      }),
      { numRuns: 500 },
    );
  });

  it('returns rows or a reason for any bytes', async () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc
        .array(fc.constantFrom('"', ',', '\r', '\n', 'a', 'é', '\ufeff', '🦊', '\xff').map((text) => Buffer.from(text)))
        .chain((parts) => fc.shuffledSubarray([...parts, Buffer.of(0xf0, 0x9f), Buffer.of(0xff)]))
        .map((parts) => Buffer.concat(parts)),
    );
    await fc.assert(
      fc.asyncProperty(bytes, fc.array(fc.integer({ min: 1, max: 20 })), async (source, sizes) => {
        try {
          const rows = await rowsOf(Buffer.from(source), sizes);
          for (const { line, cells } of rows)
            if (line < 1 || cells.length === 0) expect.fail(`a row of nothing: ${line}`);
        } catch (error) {
          expect(error).to.be.instanceOf(AppError);
          expect((error as AppError).code).to.equal('IMPORT_FILE_INVALID');
          expect((error as AppError).message).to.match(
            /^(The file is not UTF-8: line|The file is binary, not CSV: line|The row that begins on line|The file begins with the byte order mark) /,
          );
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('reads no further than requested, and closes the source', async () => {
    let [given, released] = [0, false];
    async function* endless() {
      try {
        for (;;) {
          given += 1;
          yield Buffer.from('a,b\n'.repeat(1000));
        }
      } finally {
        released = true;
      }
    }
    const { rows, close } = await openCsv(endless(), usualFormat, usualLimits);
    for (let count = 0; count < 5; count += 1) await rows.next();
    await close();
    expect(released).to.equal(true);
    expect(given).to.be.lessThan(50);
  });
});

describe('A file to read', () => {
  const folder = temporaryFolder();
  after(() => folder.remove());
  const read = async (file: string) => {
    for await (const _ of fileBytes(path.join(folder.path, file)));
  };

  it('must exist, and be a file', async () => {
    writeFileSync(path.join(folder.path, 'file'), '');
    const problems: Record<string, string> = {};
    for (const file of ['missing.csv', '.', 'file/below.csv']) {
      const { code, message } = await failureOf(() => read(file));
      problems[file] = `${code} ${message.replaceAll(folder.path, '')}`;
    }
    expect(problems).to.deep.equal({
      'missing.csv': 'IMPORT_FILE_INVALID The file /missing.csv does not exist.',
      '.': 'IMPORT_FILE_INVALID The file  is a folder.',
      'file/below.csv': "IMPORT_FILE_INVALID The file /file/below.csv can't be read (ENOTDIR).",
    });
  });
});

describe('A cell that was neutralised', () => {
  it('is restored once, in every row', async () => {
    const cells = ["'=1", "''=1", "'x"];
    expect(await cellsOf(`${cells.join()}\n${cells.join()}`)).to.deep.equal(
      [cells, cells].map((row) => row.map(restoreCell)),
    );
  });
});
