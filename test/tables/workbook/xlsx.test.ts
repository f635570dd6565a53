import { expect } from 'chai';
import iconv from 'iconv-lite';
import { type Outcome, relationsXml, sheetXml, useWorkbooks, xlsxParts } from './support/workbooks.js';
import { zip } from './support/zip.js';

const people = (cells: Record<string, string[]>): Outcome => ({ People: cells });
const ada = '<row r="1"><c r="A1" t="inlineStr"><is><t>Ada</t></is></c></row>';
const adaRead = people({ 1: ['Ada'] });

/** Rows of a sheet with shared strings and styles, and the parts of these. */
const strings = (items: string) => ({
  'xl/_rels/workbook.xml.rels': relationsXml({
    worksheet: 'worksheets/sheet1.xml',
    sharedStrings: 'sharedStrings.xml',
  }),
  'xl/sharedStrings.xml': `<sst>${items}</sst>`,
});
/** A sheet with the first shared string. */
const first = { 'xl/worksheets/sheet1.xml': sheetXml('<row r="1"><c r="A1" t="s"><v>0</v></c></row>') };
const formats = (codes: readonly string[]) => ({
  'xl/_rels/workbook.xml.rels': relationsXml({ worksheet: 'worksheets/sheet1.xml', styles: 'styles.xml' }),
  'xl/styles.xml': `<styleSheet><numFmts>${codes
    .map((code, at) => `<numFmt numFmtId="${200 + at}" formatCode="${code.replaceAll('"', '&quot;')}"/>`)
    .join('')}</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf/>${codes
    .map((_, at) => `<xf numFmtId="${200 + at}"/>`)
    .join('')}</cellXfs></styleSheet>`,
});
const builtIn = (id: number) => ({
  ...formats([]),
  'xl/styles.xml': `<styleSheet><cellXfs><xf numFmtId="${id}"/></cellXfs></styleSheet>`,
});

describe('A cell of an Excel workbook', () => {
  const workbooks = useWorkbooks();
  const read = async (cells: string, parts = {}) => {
    const outcome = await workbooks.outcomeOf(zip(xlsxParts(`<row r="1">${cells}</row>`, parts)));
    return typeof outcome === 'string' ? outcome : (outcome.People?.[1] ?? []);
  };

  const cells: Record<string, [cells: string, read: string[] | string]> = {
    'without an address follows the previous cell': [
      '<c><v>1</v></c><c r="D1"><v>4</v></c><c><v>5</v></c>',
      ['1', '', '', '4', '5'],
    ],
    'has an address with dollars or small letters': ['<c r="$B$1"><v>1</v></c><c r="c1"><v>2</v></c>', ['', '1', '2']],
    'has the text of its value, not of its formula': ['<c t="str"><f>A1&amp;"x"</f><v>a_x0041_</v></c>', ['aA']],
    'is empty if its formula was never calculated': ['<c><f>1+1</f></c><c><v>2</v></c>', ['', '2']],
    'has a boolean': ['<c t="b"><v>1</v></c><c t="b"><v>0</v></c><c t="b"><v>true</v></c>', ['TRUE', 'FALSE', 'TRUE']],
    'has an error': ['<c t="e"><v>#REF!</v></c><c t="e"><f>1/0</f><v>#DIV/0!</v></c>', ['#REF!', '#DIV/0!']],
    'has a date in ISO 8601': [
      '<c t="d"><v>2023-03-15T00:00:00.000Z</v></c><c t="d"><v>2023-03-15T08:30:00</v></c><c t="d"><v>2023-03-15</v></c>',
      ['2023-03-15', '2023-03-15 08:30:00', '2023-03-15'],
    ],
    'has the joined parts of rich text, without phonetic text': [
      '<c t="inlineStr"><is><r><rPr><b/></rPr><t>東</t></r><r><t xml:space="preserve"> 京</t></r><rPh sb="0" eb="1"><t>とう</t></rPh><phoneticPr fontId="1"/></is></c>',
      ['東 京'],
    ],
    'has escaped characters, and texts that look like escapes': [
      '<c t="inlineStr"><is><t>a_x000D_b_x005F_x000D_c</t></is></c>',
      ['a\rb_x000D_c'],
    ],
    'has CDATA and entities': [
      '<c t="inlineStr"><is><t>a<![CDATA[<b>&]]>&lt;&#233;&#x1F393;</t></is></c>',
      ['a<b>&<é🎓'],
    ],
    'keeps the digits of a number': [
      '<c><v>4.915112345678E+12</v></c><c><v>4915112345678.0</v></c><c><v>123456789012345</v></c><c><v>1E-7</v></c>',
      ['4915112345678', '4915112345678', '123456789012345', '0.0000001'],
    ],
    'keeps the exponent if a number has lost digits': [
      '<c><v>1234567890123450</v></c><c><v>12345678901234567890</v></c><c><v>-1E+300</v></c>',
      ['1.23456789012345E+15', '1.23456789012346E+19', '-1.00000000000000E+300'],
    ],
    'has no digits from binary rounding': ['<c><v>0.30000000000000004</v></c><c><v>-0</v></c>', ['0.3', '0']],
    'keeps values that are no numbers': ['<c><v>abc</v></c><c><v> 7 </v></c><c><v> </v></c>', ['abc', '7']],
    'with a wrong address is refused': ['<c r="1A"><v>1</v></c>', 'DAMAGED: it has a cell with the address 1A'],
    'beyond the last column is refused': ['<c r="XFE1"><v>1</v></c>', 'TOO_LARGE: it has more than 16384 columns'],
    'with a missing shared text is refused': ['<c t="s"><v>7</v></c>', 'DAMAGED: a cell in its row 1 has no text'],
  };
  for (const [title, [given, expected]] of Object.entries(cells))
    it(title, async () => {
      expect(await read(given)).to.deep.equal(expected);
    });

  it('has a shared text, including rich and empty texts', async () => {
    const items = '<si><t>one</t></si><si><r><t>t</t></r><r><t>wo</t></r><rPh><t>x</t></rPh></si><si/>';
    const given = [0, 1, 2, 0].map((at) => `<c t="s"><v>${at}</v></c>`).join('');
    expect(await read(given, strings(items))).to.deep.equal(['one', 'two', '', 'one']);
  });

  it('has a number as its format displays it', async () => {
    for (const [code, value, shown] of [
      ['"+"0', '491511234567', '+491511234567'],
      ['\\+0', '491511234567', '+491511234567'],
      ['+#', '491511234567', '+491511234567'],
      ['[Blue]"+"0;[Red]-0', '491511234567', '+491511234567'],
      ['"+49 "0', '1511234567', '+491511234567'],
      ['(\\+49)\\ 000-0000000', '1511234567', '+491511234567'],
      ['"0"#', '1511234567', '01511234567'],
      ['00000', '1067', '01067'],
      ['0000\\-000000', '151123456', '0151123456'],
      ['#,##0', '1234567', '1234567'],
      ['0.00', '7', '7'],
      ['0.00E+00', '4915112345678', '4915112345678'],
      ['##0.0E+0', '7', '7'],
      ['#,##0.00\\ [$€-407]', '12.5', '12.5'],
      ['_-* #,##0.00_-;\\-* #,##0.00_-', '12', '12'],
      ['0.0%', '0.125', '12.5%'],
      ['0%', '5E-2', '5%'],
      ['@', '151', '151'],
      ['General', '151', '151'],
      ['"TRUE";"TRUE";"FALSE"', '1', 'TRUE'],
      ['"WAHR";"WAHR";"FALSCH"', '0', 'FALSCH'],
      ['[=1]"one";"other"', '1', '1'],
      ['"Nr. "0', '7', '7'],
      ['yyyy\\-mm\\-dd', '45000', '2023-03-15'],
      ['[$-409]d\\-mmm\\-yy;@', '45000', '2023-03-15'],
      ['dd.mm.yyyy "at" hh:mm', '45000.5', '2023-03-15 12:00:00'],
      ['h:mm AM/PM', '0.25', '06:00:00'],
      ['[h]:mm', '0.5', '12:00:00'],
      ['yyyy', '-1', '-1'],
      ['yyyy', '59', '1900-02-28'],
      ['yyyy', '61', '1900-03-01'],
      [';'.repeat(300_000), '7', '7'],
    ] as const)
      expect(await read(`<c s="1"><v>${value}</v></c>`, formats([code])), code.slice(0, 40)).to.deep.equal([shown]);
    for (const [id, shown] of [
      [0, '45000'],
      [1, '45000'],
      [10, '4500000%'],
      [14, '2023-03-15'],
      [22, '2023-03-15'],
      [47, '2023-03-15'],
      [49, '45000'],
    ] as const)
      expect(await read('<c s="0"><v>45000</v></c>', builtIn(id)), String(id)).to.deep.equal([shown]);
  });

  it('is quickly read or refused if it has a long number', async () => {
    for (const number of [`1${'0'.repeat(200_000)}1`, `0.${'0'.repeat(200_000)}1`, `${'9'.repeat(200_000)}e999`])
      expect(await read(`<c><v>${number}</v></c>`)).to.match(/^TOO_LARGE: a cell in its row 1 has more than 32767/);
    const [long = ''] = await read(`<c><v>1${'0'.repeat(30_000)}1</v></c>`);
    expect(long).to.have.length(30_002);
  });
});

describe('The rows of an Excel workbook', () => {
  const workbooks = useWorkbooks();
  const cell = (text: string | number) => `<c t="inlineStr"><is><t>${text}</t></is></c>`;

  const rows: Record<string, [rows: string, outcome: Outcome]> = {
    'may have gaps, no row numbers and no cells': [
      `<row r="3">${cell(3)}</row><row>${cell(4)}</row><row r="5"/><row r="6"><c r="A6" s="1"/></row><row r="7">${cell(' ')}</row><row r="1048576">${cell('end')}</row>`,
      people({ 3: ['3'], 4: ['4'], 1048576: ['end'] }),
    ],
    'may be hidden': [
      `<row hidden="1">${cell(1)}</row><row hidden="false">${cell(2)}</row>`,
      people({ '1 (hidden)': ['1'], 2: ['2'] }),
    ],
    'end with their last filled cell': [`<row>${cell('a')}<c r="Z1"/></row>`, people({ 1: ['a'] })],
    'may reach the last column': [
      `<row>${cell('a')}<c r="XFD1"><v>1</v></c></row>`,
      people({ 1: ['a', ...Array<string>(16_382).fill(''), '1'] }),
    ],
    'are refused if they are out of order': [
      `<row r="2">${cell(1)}</row><row r="1">${cell(1)}</row>`,
      'DAMAGED: its row 1 is out of order',
    ],
    'are refused with a wrong number': [`<row r="two">${cell(1)}</row>`, 'DAMAGED: its row NaN is out of order'],
    'are refused beyond the last row': [
      `<row r="1048577">${cell(1)}</row>`,
      'TOO_LARGE: it has more than 1048576 rows',
    ],
  };
  for (const [title, [given, outcome]] of Object.entries(rows))
    it(title, async () => {
      expect(await workbooks.outcomeOf(zip(xlsxParts(given)))).to.deep.equal(outcome);
    });
});

describe('The parts of an Excel workbook', () => {
  const workbooks = useWorkbooks();
  const outcomeOf = (parts: Parameters<typeof xlsxParts>[1], rows = ada) =>
    workbooks.outcomeOf(zip(xlsxParts(rows, parts)));
  const strict = 'http://purl.oclc.org/ooxml/officeDocument/relationships';
  const book = (sheets: string) => `<workbook xmlns:r="r"><sheets>${sheets}</sheets></workbook>`;
  const prefixed = `<x:worksheet xmlns:x="m"><x:sheetData><x:row x:r="1"><x:c r="A1" t="inlineStr"><x:is><x:t>Ada</x:t></x:is></x:c></x:row></x:sheetData></x:worksheet>`;
  const declared = (encoding: string) =>
    `<?xml version="1.0" encoding="${encoding}"?>${sheetXml(ada.replace('Ada', 'Zoë'))}`;

  const read: Record<string, [Parameters<typeof xlsxParts>[1], Outcome?]> = {
    'may be limited to the required ones': [{ '[Content_Types].xml': null, '_rels/.rels': null }],
    'may have other paths': [
      {
        '_rels/.rels': relationsXml({ officeDocument: '/book/main.xml' }),
        'book/main.xml': book('<sheet name="People" r:id="rId1"/>'),
        'book/_rels/main.xml.rels': relationsXml({ worksheet: '../data/one.xml' }),
        'data/one.xml': sheetXml(ada),
        'xl/workbook.xml': null,
      },
    ],
    'may be referred to by absolute paths': [
      { 'xl/_rels/workbook.xml.rels': relationsXml({ worksheet: '/xl/worksheets/sheet1.xml' }) },
    ],
    'may differ in the case of their names': [
      { 'xl/_rels/workbook.xml.rels': relationsXml({ worksheet: 'Worksheets/Sheet1.XML' }) },
    ],
    'may be in strict Open XML': [
      {
        '_rels/.rels': relationsXml({ officeDocument: 'xl/workbook.xml' }, strict),
        'xl/_rels/workbook.xml.rels': relationsXml({ worksheet: 'worksheets/sheet1.xml' }, strict),
      },
    ],
    'may have prefixes': [{ 'xl/worksheets/sheet1.xml': prefixed }],
    'may be in UTF-16': [
      { 'xl/worksheets/sheet1.xml': iconv.encode(declared('UTF-16'), 'utf-16le', { addBOM: true }) },
      people({ 1: ['Zoë'] }),
    ],
    'may be in big-endian UTF-16': [
      { 'xl/worksheets/sheet1.xml': iconv.encode(declared('UTF-16'), 'utf-16be', { addBOM: true }) },
      people({ 1: ['Zoë'] }),
    ],
    'may have a byte order mark': [{ 'xl/worksheets/sheet1.xml': `\ufeff${sheetXml(ada)}` }],
    'may have sheets of charts between the others': [
      {
        'xl/workbook.xml': book('<sheet name="Chart" r:id="rId1"/><sheet name="People" r:id="rId2"/>'),
        'xl/_rels/workbook.xml.rels': relationsXml({ chartsheet: 'chart.xml', worksheet: 'worksheets/sheet1.xml' }),
      },
    ],
    'may have links to other files, which are ignored': [
      {
        'xl/_rels/workbook.xml.rels': relationsXml({
          worksheet: 'worksheets/sheet1.xml',
          externalLink: 'http://127.0.0.1:1/link.xlsx" TargetMode="External',
        }),
      },
    ],
    'may have comments and extensions of programs': [
      {
        'xl/worksheets/sheet1.xml': `<!-- made by --><?program it?>${sheetXml(ada).replace('</worksheet>', '<extLst><ext><v>1</v><t>x</t></ext></extLst></worksheet>')}`,
      },
    ],
    'are refused in another encoding': [
      { 'xl/worksheets/sheet1.xml': iconv.encode(declared('ISO-8859-1'), 'latin1') },
      'DAMAGED: its text is not UTF-8',
    ],
    'are refused if the sheet is in another file': [
      { 'xl/_rels/workbook.xml.rels': relationsXml({ worksheet: 'sheet1.xml" TargetMode="External' }) },
      'DAMAGED: its sheet People is missing',
    ],
    'are refused if a sheet is missing': [
      { 'xl/worksheets/sheet1.xml': null },
      'DAMAGED: its part xl/worksheets/sheet1.xml is missing',
    ],
    'are refused if the shared texts are missing': [
      { ...strings(''), 'xl/sharedStrings.xml': null, ...first },
      'DAMAGED: its part xl/sharedStrings.xml is missing',
    ],
    'are refused if the shared texts are damaged after the last used one': [
      { ...strings(`<si><t>Ada</t></si>${'<si><t>x</t></si>'.repeat(5000)}<si></sst>`), ...first },
      'DAMAGED: its XML is damaged (unexpected close tag.)',
    ],
    'are refused if the formats are missing': [
      { ...formats([]), 'xl/styles.xml': null },
      'DAMAGED: its part xl/styles.xml is missing',
    ],
    'are refused for a text document': [{ 'xl/workbook.xml': '<w:document/>' }, 'NOT_A_WORKBOOK: it is no workbook'],
    'are refused for other archives': [{ 'xl/workbook.xml': null }, 'NOT_A_WORKBOOK: it is no workbook'],
    'are refused for a binary workbook': [
      { 'xl/workbook.bin': 'x' },
      'WORKBOOK_TYPE: The file is a binary Excel workbook (.xlsb). Open it, save it as .xlsx, and import that.',
    ],
    'are refused for a Numbers spreadsheet': [
      { 'Index/Document.iwa': 'x' },
      'WORKBOOK_TYPE: The file is a Numbers spreadsheet (.numbers). Open it, save it as .xlsx, and import that.',
    ],
  };
  for (const [title, [parts, outcome = adaRead]] of Object.entries(read))
    it(title, async () => {
      expect(await outcomeOf(parts)).to.deep.equal(outcome);
    });
});
