import { expect } from 'chai';
import { type Delimiter, importDelimiters } from '../../../src/schemas/file-format.js';
import { headerRules } from '../../../src/services/imports/read/columns/header-rules.js';
import { openCsv } from '../../../src/tables/csv/csv-source.js';
import { failureOf } from '../../db/support/failure.js';
import { chunks, rowsOf, usualLimits } from '../../services/imports/support/csv-text.js';

async function open(text: string, sizes: Iterable<number> = [], delimiter: Delimiter | 'auto' = 'auto') {
  const bytes = chunks(Buffer.from(text), sizes);
  const { format, header, headerLine, close } = await openCsv(
    bytes,
    { encoding: 'utf-8', delimiter },
    usualLimits,
    headerRules(),
  );
  await close();
  return { ...format, header, headerLine };
}

describe('The detected delimiter of a file', () => {
  it('occurs as often in the rows as in the header', async () => {
    expect((await open('Name, first;Name, last;Email, Phone, Role\nA;B;C\n')).delimiter).to.equal(';');
    expect((await open('a|b|c|d,e\n1,2\n3,4\n')).delimiter).to.equal(',');
  });

  it('is the delimiter of the first line that is not empty', async () => {
    for (const delimiter of importDelimiters) {
      const table = [['firstName', 'lastName', 'email'].join(delimiter), ['Ann', 'Bee', 'a@x.org'].join(delimiter)];
      for (const empty of ['', ' ', ' \t\t ', '\u00a0', '" "', `=""${delimiter}`]) {
        const text = [empty, empty, ...table].join('\r\n');
        const header = ['firstName', 'lastName', 'email'];
        const found = await open(text, new Array(text.length).fill(1));
        expect(found, JSON.stringify(text)).to.deep.include({ delimiter, header, headerLine: 3 });
      }
    }
    // More lines than the sample counts.
    for (const empty of [' ', '\t', ';;']) {
      const text = `${`${empty}\n`.repeat(60)}a;b, c;d\n1;2;3\n`;
      expect(await open(text), empty).to.deep.include({ delimiter: ';', header: ['a', 'b, c', 'd'], headerLine: 61 });
    }
    // A line that is empty with one delimiter has text with another.
    expect(await open(',,\nName; first,Name; last,Email; home\n1,2,3\n')).to.include({ delimiter: ',', headerLine: 2 });
  });

  it('is a comma if there is none', async () => {
    for (const text of ['a', '"a;b"\n']) expect((await open(text)).delimiter).to.equal(',');
  });

  it('can be set by an option', async () => {
    expect(await open('a;b,c\n', [], ',')).to.deep.include({ delimiter: ',', header: ['a;b', 'c'] });
    expect(await open('sep=;\na;b,c\n', [], ',')).to.deep.include({ delimiter: ',', header: ['a;b', 'c'] });
  });
});

describe('A line sep=', () => {
  it('sets the delimiter, and counts as a line', async () => {
    for (const [line, delimiter] of [
      ['sep=;', ';'],
      ['SEP=,', ','],
      ['Sep=|', '|'],
      ['sep=\t', '\t'],
      ['sep=\\t', '\t'],
      ['"sep=;"', ';'],
      ['"sep=,"', ','],
      ['sep=;;;;', ';'],
      ['"sep=;",,,', ';'],
      ['\ufeffsep=;', ';'],
    ] as const)
      for (const lineBreak of ['\n', '\r\n', '\r']) {
        const text = `${line}${lineBreak}a${delimiter}b${lineBreak}`;
        expect(await open(text, new Array(text.length).fill(1)), text).to.deep.include({
          delimiter,
          sepLine: true,
          byteOrderMark: line.startsWith('\ufeff'),
          header: ['a', 'b'],
          headerLine: 2,
        });
      }
    expect(await rowsOf('sep=;\r\na;b\r\n\r\n1;2', [], { delimiter: 'auto' })).to.deep.equal([
      { line: 2, cells: ['a', 'b'] },
      { line: 4, cells: ['1', '2'] },
    ]);
  });

  it('is refused if it names an unknown delimiter', async () => {
    for (const line of ['sep=', 'sep=:', 'sep=^', '"sep="', 'sep=a']) {
      const failure = await failureOf(() => open(`${line}\na;b\n`));
      expect(failure.message).to.match(/^Line 1 names a delimiter that is not known: .* --delimiter\.$/);
      expect(await open(`${line}\na;b\n`, [], ';')).to.deep.include({ sepLine: true, header: ['a', 'b'] });
    }
  });

  it('is recognized only on the first line, and without other text', async () => {
    for (const text of ['sep=;x\n1', ' sep=;\na', 'a,b\nsep=;\n', 'xsep=;\n'])
      expect(await open(text)).to.include({ sepLine: false, headerLine: 1 });
  });
});

describe('Cells such as ="0123"', () => {
  const cellsOf = async (text: string, sizes: Iterable<number> = [], delimiter: Delimiter = ',') =>
    (await rowsOf(text, sizes, { delimiter })).map(({ cells }) => cells);

  it('are read as the text in them, whether the cell is quoted or not', async () => {
    for (const [text, cells] of [
      ['="0123"', ['0123']],
      ['a,="0123",="",b', ['a', '0123', '', 'b']],
      ['"=""0123""",x', ['0123', 'x']],
      ['="a, b",="c"', ['a, b', 'c']],
      ['="say ""hi""",1', ['say "hi"', '1']],
      ['="é",🦊,="🦊"', ['é', '🦊', '🦊']],
      ['"x","=""1""",="2"', ['x', '1', '2']],
      ['"a,=""b""",="2"', ['a,="b"', '2']],
    ] as const)
      for (const size of [1, 2, 3, 1000])
        expect(await cellsOf(`h\n${text}\r\n`, new Array(100).fill(size)), text).to.deep.equal([['h'], cells]);
  });

  it('end at the delimiter of the file', async () => {
    expect(await cellsOf('="1";="2"\n', [], ';')).to.deep.equal([['1', '2']]);
  });

  it('are ordinary cells if text follows', async () => {
    expect(await cellsOf(`h\n=1+1,"'=""1""","=""1""&A1",x=1`)).to.deep.equal([
      ['h'],
      ['=1+1', '="1"', '="1"&A1', 'x=1'],
    ]);
    for (const text of ['="1"x', '="1', 'x="1"', '= "1"', '="1"" ,2', '="a\nb"']) {
      const failure = await failureOf(() => rowsOf(`h,i,j\n${text}\n`));
      expect(failure.message, text).to.match(/^The row that begins on line 2 has a quote in the middle of a field/);
    }
  });
});
