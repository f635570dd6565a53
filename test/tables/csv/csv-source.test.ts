import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { headerRules } from '../../../src/services/imports/read/columns/header-rules.js';
import { openCsv } from '../../../src/tables/csv/csv-source.js';
import { fileBytes } from '../../../src/tables/encoding/source-file.js';
import { failureOf } from '../../db/support/failure.js';
import { rowsOf, usualFormat, usualLimits } from '../../services/imports/support/csv-text.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const cellsOf = async (text: string) => (await rowsOf(text)).map(({ cells }) => cells);

describe('Reading CSV', () => {
  it('returns the cells of each row, and the line on which the row begins', async () => {
    expect(await rowsOf('a,b\n1,"2, ""3"""\n,4\n')).to.deep.equal([
      { line: 1, cells: ['a', 'b'] },
      { line: 2, cells: ['1', '2, "3"'] },
      { line: 3, cells: ['', '4'] },
    ]);
    expect(await rowsOf('')).to.deep.equal([]);
  });

  it("counts blank lines and rows of blank cells, but doesn't return them", async () => {
    for (const lineBreak of ['\n', '\r\n', '\r']) {
      const text = ['', 'a,b', '', '', ',', ' , \t', '" ",""', '1,2', `"${lineBreak}"`, 'c'].join(lineBreak);
      expect((await rowsOf(text)).map(({ line }) => line)).to.deep.equal([2, 8, 11]);
    }
  });

  it('removes byte order marks only at the beginning and in the header', async () => {
    expect(await cellsOf('\ufeffa,\ufeffb\n\ufeffc')).to.deep.equal([['a', 'b'], ['\ufeffc']]);
    expect(await cellsOf('\ufeff"a",b')).to.deep.equal([['a', 'b']]);
    expect(await rowsOf('\ufeff')).to.deep.equal([]);
    expect(await rowsOf('\ufeffa\nb', [1, 1, 1, 1])).to.deep.equal(await rowsOf('a\nb'));
  });

  it('removes one apostrophe before formulas in every row', async () => {
    const written = `'+49 30,'=1,'t,"''@"`;
    const read = ['+49 30', '=1', "'t", "'@"];
    expect(await cellsOf(`${written}\n${written}`)).to.deep.equal([read, read]);
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
    const { rows, close } = await openCsv(endless(), usualFormat, usualLimits, headerRules());
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
