import { expect } from 'chai';
import iconv from 'iconv-lite';
import type { Encoding } from '../../../src/schemas/file-format.js';
import { inspectPeopleFile } from '../../../src/services/imports/read/doubtful-encoding.js';
import type { Inspection } from '../../../src/tables/inspect.js';
import { failureOf } from '../../db/support/failure.js';
import { chunks, rowsOf } from '../../services/imports/support/csv-text.js';

const encode = (text: string, encoding: Encoding, mark = false) =>
  iconv.encode(mark ? `\ufeff${text}` : text, encoding, { addBOM: false });
const inspect = (bytes: Buffer, sizes: Iterable<number> = [], encoding?: Encoding): Promise<Inspection> =>
  inspectPeopleFile(chunks(bytes, sizes), encoding);
const bytesOf = (...parts: (string | number[])[]) => Buffer.concat(parts.map((part) => Buffer.from(part as string)));

const western = 'firstName,lastName,email,phone\r\nJosé,Müller,jose@example.org,1\r\n';
const arabic = 'الاسم الأول,البريد\r\nليلى,layla@example.org\r\nأحمد,ahmad@example.org\r\n';

async function problemOf(bytes: Buffer, sizes: Iterable<number> = []): Promise<string> {
  const failure = await failureOf(() => inspect(bytes, sizes));
  expect(failure.code).to.equal('IMPORT_FILE_INVALID');
  return failure.message;
}

describe('The encoding of a file', () => {
  for (const [text, encodings] of [
    [western, ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252']],
    [arabic, ['utf-8', 'utf-16le', 'utf-16be']],
    ['a,b\n1,2\n', ['utf-8', 'utf-16le', 'utf-16be']],
    ['Āna,ȀȀ,ana@example.org\nĀĀ,Ȁ,aa@example.org\n', ['utf-8', 'utf-16le', 'utf-16be']],
    ['', ['utf-8']],
  ] as const) {
    for (const encoding of encodings)
      for (const mark of encoding === 'windows-1252' ? [false] : [false, true])
        it(`is detected: ${encoding}${mark ? ' with its mark' : ''}, ${JSON.stringify(text.slice(0, 8))}`, async () => {
          const bytes = encode(text, encoding, mark);
          for (const size of [1, 2, 3, 7, 1000]) {
            const inspection = await inspect(bytes, new Array(bytes.length).fill(size));
            expect(inspection).to.include({ encoding, byteOrderMark: mark, bytes: bytes.length });
            expect(inspection.sha256).to.equal((await inspect(bytes)).sha256);
          }
        });
  }

  it('is detected from the whole file, not only from its beginning', async () => {
    const ascii = Buffer.from('Ada,King,ada@example.org,1\n'.repeat(20_000));
    const sizes = new Array(100).fill(64 * 1024);
    for (const [last, encoding] of [
      [Buffer.of(0xe9, 0x0a), 'windows-1252'],
      [Buffer.from('é'), 'utf-8'],
    ] as const)
      expect(await inspect(Buffer.concat([ascii, last]), sizes)).to.include({ encoding });
  });

  it("is not guessed for mixed encodings: the first byte that isn't UTF-8 is named", async () => {
    for (const [source, line, byte] of [
      [bytesOf('a,é\r\nb,', [0xe9], '\r\n'), 2, 9],
      [bytesOf('a,', [0xe9], '\r\nb,é\r\n'), 1, 3],
      [bytesOf('a\rb\r', [0xe9], '\rb,é\r'), 3, 5],
      [bytesOf('é\n', [0xc3]), 2, 4],
      [bytesOf('é,', [0xe9, 0xc3, 0xa9, 0xa6], ',', [0xe9, 0xe9], '\n'), 1, 4],
    ] as const)
      for (const size of [1, 2, 3, 1000])
        expect(await problemOf(source, new Array(30).fill(size))).to.equal(
          `The file is not UTF-8: line ${line}, byte ${byte} can't be decoded, and its encoding can't be detected. ` +
            'Save it as "CSV UTF-8", or name its encoding with --encoding.',
        );
  });
});

describe('A file that is not text', () => {
  it('is recognized by its NUL bytes', async () => {
    for (const [source, line, byte] of [
      [bytesOf('a,b\n\0,d\n', 'Ada,King\n'.repeat(3)), 2, 5],
      [bytesOf([0], 'a,b\n'.repeat(10), 'c'), 1, 1],
      [Buffer.from(Array.from({ length: 5000 }, (_, index) => (index * 7) % 256)), 1, 1],
      [bytesOf('a\0b\0'.repeat(3), 'x'), 1, 2],
    ] as const)
      expect(await problemOf(source)).to.equal(
        `The file is binary, not CSV: line ${line}, byte ${byte} is a NUL. Save the spreadsheet as "CSV UTF-8" and import that.`,
      );
  });

  it('is refused with the name of its type', async () => {
    const save = 'Open it in a spreadsheet program, save it as .xlsx, and import that.';
    for (const [source, name] of [
      [
        bytesOf([0xd0, 0xcf, 0x11, 0xe0, 0xa1]),
        'an old Excel workbook (.xls). Open it, save it as .xlsx, and import that.',
      ],
      [bytesOf('%PDF-1.7\n%âãÏÓ'), 'a PDF document. Export the table as "CSV UTF-8" and import that.'],
      [bytesOf([0x1f, 0x8b, 8, 0]), 'compressed with gzip. Unpack it and import the file in it.'],
      [bytesOf('\n<!DOCTYPE html>\n<table>'), `a web page (HTML). ${save}`],
      [bytesOf('\ufeff<html xmlns:x="urn:schemas-microsoft-com:office:excel">'), `a web page (HTML). ${save}`],
      [bytesOf('<table border="1"><tr><td>Email</td></tr></table>'), `a web page (HTML). ${save}`],
      [bytesOf('<?xml version="1.0"?>\n<Workbook/>'), `an XML document. ${save}`],
    ] as const) {
      expect(await problemOf(source)).to.equal(`The file is ${name}`);
      expect(await problemOf(source, new Array(200).fill(1))).to.equal(`The file is ${name}`);
      const failure = await failureOf(() => inspect(source, [], 'windows-1252'));
      expect(failure.message).to.equal(`The file is ${name}`);
    }
  });
});

describe('Reading', () => {
  it("never replaces bytes that it can't decode", async () => {
    const le = (text: string) => encode(text, 'utf-16le');
    const be = (text: string) => encode(text, 'utf-16be');
    for (const [encoding, source, line, byte] of [
      ['utf-16le', Buffer.concat([le('a\nb'), Buffer.of(0x61)]), 2, 7],
      ['utf-16le', Buffer.concat([le('a\r\n'), Buffer.of(0x3e, 0xd8), le('b')]), 2, 7],
      ['utf-16le', Buffer.concat([le('a\r'), Buffer.of(0x8a, 0xdd), le('b')]), 2, 5],
      ['utf-16le', Buffer.concat([le('a\n'), Buffer.of(0x3e, 0xd8)]), 2, 5],
      ['utf-16be', Buffer.concat([be('a\n'), Buffer.of(0xd8, 0x3e), be('b')]), 2, 5],
      ['utf-16be', Buffer.concat([be('a\nb'), Buffer.of(0xd8)]), 2, 7],
      ['windows-1252', bytesOf('a\r\nb', [0xe9, 0x81], 'c'), 2, 6],
      ['windows-1252', bytesOf([0x9d]), 1, 1],
      ['windows-1253', bytesOf('é\n', [0xd2]), 2, 4],
      ['windows-874', bytesOf('a\n', [0xa1, 0xfc]), 2, 4],
      ['shift_jis', bytesOf('a\r\n', [0x83, 0x7c, 0x81, 0xad], 'c'), 2, 6],
      ['shift_jis', bytesOf('a\n', [0x83]), 2, 3],
      ['gb18030', bytesOf('a\n', [0x95, 0x32, 0xb7, 0x36, 0x81, 0x30, 0x81, 0x2c]), 2, 7],
      ['big5', bytesOf('a\n', [0xa5, 0x5c, 0xff], '\n'), 2, 5],
      ['euc-kr', bytesOf('a\n', [0xb1, 0xe8, 0xb1], ',b'), 2, 5],
    ] as const)
      for (const size of [1, 2, 3, 1000]) {
        const failure = await failureOf(() => rowsOf(source, new Array(30).fill(size), { encoding }));
        expect(failure.message, `${encoding} in chunks of ${size}`).to.match(
          new RegExp(`^The file is not [^:]+: line ${line}, byte ${byte} can't be decoded\\. Save`),
        );
      }
  });

  it('refuses an encoding that contradicts the byte order mark', async () => {
    const failure = await failureOf(() => rowsOf('\ufeffa,b\n', [], { encoding: 'windows-1252' }));
    expect(failure.message).to.equal(
      "The file begins with the byte order mark of UTF-8: it can't be read as Windows-1252 (Western). Leave the encoding out and import it again.",
    );
  });
});
