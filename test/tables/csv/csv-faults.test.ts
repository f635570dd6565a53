import { expect } from 'chai';
import { headerRules } from '../../../src/services/imports/read/columns/header-rules.js';
import { openCsv } from '../../../src/tables/csv/csv-source.js';
import { failureOf } from '../../db/support/failure.js';
import { chunks, rowsOf, usualFormat, usualLimits } from '../../services/imports/support/csv-text.js';

const problemOf = async (source: string | Buffer, sizes: Iterable<number> = []) => {
  const failure = await failureOf(() => rowsOf(source, sizes));
  expect(failure.code).to.equal('IMPORT_FILE_INVALID');
  return failure.message;
};
const kib = 1024;
const mib = kib * kib;

describe('Bytes that are not UTF-8', () => {
  const notUtf8 = (line: number, byte: number) =>
    `The file is not UTF-8: line ${line}, byte ${byte} can't be decoded. Save it as "CSV UTF-8" and import it again.`;
  const bytes = (...parts: (string | number[])[]) => Buffer.concat(parts.map((part) => Buffer.from(part as string)));

  it('are reported by line and byte, wherever they are and however the file is split into chunks', async () => {
    for (const [place, source, line, byte] of [
      ['at the start', bytes([0xff], 'a\n'), 1, 1],
      ['after a byte order mark', bytes([0xef, 0xbb, 0xbf, 0xff]), 1, 4],
      ['in the middle', bytes('a\nb\nçd', [0xe9], 'e\nf\n'), 3, 8],
      ['after every kind of line break', bytes('a\rb\r\nc\n\r', [0x80], '\n'), 5, 9],
      ['in quotes', bytes('a,"b\r\n', [0xe4], '"\n'), 2, 7],
      ['a character that is cut short', bytes('é\n', [0xf0, 0x9f, 0x98], 'x'), 2, 4],
      ['one that is cut short by another', bytes('a', [0xe2, 0x82], '€'), 1, 2],
      ['truncated at the end', bytes('a\né', [0xf0, 0x9f, 0x98]), 2, 5],
      ['a first byte at the end', bytes('a\n', [0xc3]), 2, 3],
      ['a second byte alone', bytes('a', [0xa9], 'b'), 1, 2],
      ['an overlong form', bytes('a', [0xc0, 0x80], 'b'), 1, 2],
      ['half of a surrogate pair', bytes('a', [0xed, 0xa0, 0x80], 'b'), 1, 2],
      ['beyond the last character', bytes('a', [0xf4, 0x90, 0x80, 0x80], 'b'), 1, 2],
    ] as const) {
      expect(await problemOf(source), place).to.equal(notUtf8(line, byte));
      for (const size of [1, 2, 3])
        expect(await problemOf(source, new Array(20).fill(size)), `${place}, chunks of ${size}`).to.equal(
          notUtf8(line, byte),
        );
    }
  });

  it('are found far inside a file', async () => {
    const rows = Buffer.from('Ādā,Lovelace\r\n'.repeat(20_000));
    const source = Buffer.concat([rows, Buffer.of(0x41, 0xe9), rows]);
    const sizes = new Array(100).fill(64 * kib);
    expect(await problemOf(source, sizes)).to.equal(notUtf8(20_001, rows.length + 2));
  });
});

describe('Invalid quotes', () => {
  const begins = (line: number, fault: string) => `The row that begins on line ${line} ${fault}`;
  const opened = 'has a quote in the middle of a field. Double it ("") and put the whole field in quotes.';
  const continued = 'has text after a closing quote. Double the quotes inside the field ("").';
  const unclosed = 'has a quote that is never closed.';

  /** Returns the lines of the rows, with the faults of their quotes. */
  const faultsOf = async (source: string, sizes: Iterable<number> = []) =>
    (await rowsOf(source, sizes)).map(({ line, quoteFault }) =>
      quoteFault === undefined ? String(line) : begins(line, `${quoteFault}.`),
    );

  it('are faults of a single row if this row and the next line have as many cells as the header', async () => {
    for (const size of [1, 2, 3, 1000]) {
      const sizes = new Array(100).fill(size);
      expect(await faultsOf('a,b\nc,d "e" f\ng,h\n', sizes)).to.deep.equal(['1', begins(2, opened), '3']);
      expect(await faultsOf('a,b\nc,"d" e\n\ng,"h"\n', sizes)).to.deep.equal(['1', begins(2, continued), '4']);
      expect(await faultsOf('a,b\n\n"c,d\ne,f\n', sizes)).to.deep.equal(['1', begins(3, unclosed), '4']);
      expect(await faultsOf('a,b\n"c,d\ne"x,f\ng,h', sizes)).to.deep.equal([
        '1',
        begins(2, continued),
        begins(3, opened),
        '4',
      ]);
    }
    const [, row] = await rowsOf('a,b\nc,d "e" f\ng,h\n');
    expect(row?.cells).to.deep.equal(['c', 'd "e" f']);
  });

  it('are found after blank and quoted lines', async () => {
    for (const lineBreak of ['\n', '\r\n', '\r']) {
      const text = ['h', `"a${lineBreak}${lineBreak}b"`, '', ' ', '"c"'].join(lineBreak) + lineBreak.repeat(2);
      expect(await faultsOf(`${text}x"y`), text).to.deep.equal(['1', '2', '7', begins(9, opened)]);
      expect(await faultsOf(`${text}"x${lineBreak}y`), text).to.deep.equal(['1', '2', '7', begins(9, unclosed), '10']);
    }
  });

  it('cause a refusal of the file if the numbers of cells differ, or too many rows have invalid quotes', async () => {
    expect(await problemOf('a,b\nc,d "e" f,g\nh,i\n')).to.equal(begins(2, opened));
    expect(await problemOf('a,b\nc,"d\ne" f\n')).to.equal(begins(2, continued));
    expect(await problemOf('a"b,c\nd,e\n')).to.equal(begins(1, opened));
    expect(await faultsOf(`a,b\n${'c,"d"e\n'.repeat(100)}`)).to.have.length(101);
    expect(await problemOf(`a,b\n${'c,"d"e\n'.repeat(101)}`)).to.equal(begins(102, continued));
  });

  it('are reported without contents of the file, even in the cause', async () => {
    for (const text of ['a\nsecret"b,', 'a\n"b"secret,', 'a\n"secret,', `a\n"secret,${'x'.repeat(2 * mib)}`]) {
      const failure = await failureOf(() => rowsOf(text));
      let shown = '';
      for (let error: unknown = failure; error instanceof Error; error = error.cause) shown += `${error.stack}\n`;
      expect(shown).to.match(/begins on line 2/);
      expect(shown).not.to.match(/secret|got "s"/);
      expect(JSON.stringify(failure)).not.to.include('secret');
    }
  });
});

describe('The rows before a fault', () => {
  it('are returned before the error, whatever the fault and the chunks', async () => {
    const rows = Array.from({ length: 4000 }, (_, index) => `${index},b`);
    for (const count of [3, 4000])
      for (const [fault, bytes] of [
        ['a quote', Buffer.from('x"y,z,\n')],
        ['a field', Buffer.from(`${'x'.repeat(70 * kib)}\n`)],
        ['a byte', Buffer.from('xxxxxx\xe9xxxxxx', 'latin1')],
        ['a NUL', Buffer.from('xxxxxx\0xxxxxx', 'latin1')],
      ] as const)
        for (const size of [11, 64 * kib]) {
          const source = Buffer.concat([Buffer.from(`a,b\n${rows.slice(0, count).join('\n')}\nlast,row\n`), bytes]);
          const sizes = new Array(Math.ceil(source.length / size)).fill(size);
          const file = await openCsv(chunks(source, sizes), usualFormat, usualLimits, headerRules());
          let read = 0;
          const failure = await failureOf(async () => {
            for await (const some of file.rows) read += some.length;
          });
          expect(failure.code).to.equal('IMPORT_FILE_INVALID');
          expect(read, `${fault} after ${count} rows in chunks of ${size}`).to.equal(count + 1);
        }
  });
});

describe('The limits of a file', () => {
  it('are 64 KiB for a field', async () => {
    for (const [sign, size] of [
      ['x', 1],
      ['€', 3],
    ] as const) {
      const most = sign.repeat(Math.floor((64 * kib) / size));
      expect(await rowsOf(`a\n1,${most}\n`)).to.have.length(2);
      expect(await problemOf(`a\n1,${most}${sign}\n`)).to.equal('Line 2, column 2 has more than 65536 bytes.');
    }
  });

  it('are 256 columns', async () => {
    expect((await rowsOf(new Array(256).fill('x').join()))[0]?.cells).to.have.length(256);
    expect(await problemOf(`a\n${new Array(257).fill('x').join()}`)).to.equal('Line 2 has more than 256 columns.');
    for (const hostile of [','.repeat(5 * mib), '"",'.repeat(mib)])
      expect(await problemOf(`a\n${hostile}`)).to.equal('Line 2 has more than 256 columns.');
    // Spreadsheets save blank columns at the end of a row, which don't count.
    const blank = ','.repeat(16_000);
    expect(await rowsOf(`a,b${blank}\n1,2${blank}\n`)).to.deep.equal([
      { line: 1, cells: ['a', 'b'] },
      { line: 2, cells: ['1', '2'] },
    ]);
  });

  it('are 1 MiB for a record, so that an unclosed quote is found early', async () => {
    const field = 'x'.repeat(60 * kib);
    expect(await rowsOf(`a\n${new Array(17).fill(field).join()}\n`)).to.have.length(2);
    const tooLong =
      'The row that begins on line 3 has more than 1048576 bytes. Most likely a quote in it is never closed.';
    expect(await problemOf(`a\nb\n${new Array(18).fill(field).join()}\n`)).to.equal(tooLong);
    for (const [hostile, line] of [
      [`"${'x\n'.repeat(mib)}`, 1],
      ['x '.repeat(mib), 1],
      ['\ufeff'.repeat(mib / 2), 1],
      [`a\n${'"'.repeat(3 * mib + 1)}`, 2],
    ] as const)
      expect(await problemOf(hostile)).to.equal(tooLong.replace('line 3', `line ${line}`));
    expect(await problemOf(`a\n${'="x,'.repeat(mib)}`)).to.match(/^The row that begins on line 2 has a quote in the/);
    let read = 0;
    function* sizes() {
      for (;;) {
        read += 64 * kib;
        yield 64 * kib;
      }
    }
    expect(await problemOf(`a\nb\n",${'c,d\r\n'.repeat(2 * mib)}`, sizes())).to.equal(tooLong);
    expect(read).to.be.lessThan(3 * mib);
  });
});
