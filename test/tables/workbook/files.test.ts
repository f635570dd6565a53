import { expect } from 'chai';
import { type Cells, fixture, type Outcome, outcomeOfFile } from './support/workbooks.js';

/** Returns the rows of the files called `edge`, with differences. */
const edge = (joined: readonly [string, string], others: Cells = {}): Cells => ({
  1: ['firstName', 'lastName', 'email', 'phone', 'joined', 'formula', 'share'],
  2: ['Ann', 'Lee', 'ann@example.org', '4915112345678', joined[0], '2', '50%'],
  3: [' Bob ', "O'Neil & Söhne", 'bob@example.org', '4915112345678', joined[1], "BobO'Neil", 'TRUE'],
  '4 (hidden)': ['Hid', 'Den', 'hid@example.org', '030 1234', '', '#N/A'],
  5: ['Merged', 'Cell', 'm@example.org', '+491511234567'],
  // A text below a merged cell, which only a program can have written.
  6: ['NoRef', 'RichText', 'n@example.org', '0151 99'],
  9: ['Gap', '', 'gap@example.org', '0.1', '2023-03-15'],
  10: ['X\rY', 'line\ntwo', 'c@example.org', '1.23456789012346E+19'],
  ...others,
});

/** Returns rows in which line 4 is visible, because an earlier program lost its hidden state. */
function shown({ '4 (hidden)': hidden = [], ...rows }: Cells, line4 = hidden): Cells {
  return { ...rows, 4: line4 };
}

const other = { 1: ['secret'] };
const dates = (more: Cells): Cells => ({ 1: ['kind', 'cell'], ...more });
const covered = ['', 'RichText', 'n@example.org', '0151 99'];

describe('Workbooks that failed in other systems', () => {
  const days = ['2023-03-15', '2023-03-15 12:00:00'] as const;
  const outcomes: Record<string, Outcome> = {
    'edge.xlsx': { People: edge(days), 'Other (hidden)': other },
    'hiddenfirst.xlsx': { 'Other (hidden)': other, People: edge(days) },
    'edge1904.xlsx': { People: edge(['2027-03-16', '2027-03-16 12:00:00']) },
    'entities.xlsx': 'DOCUMENT_TYPE: it declares a document type, which no spreadsheet program writes',
    'edge.xls': 'DAMAGED: it is damaged or incomplete',
    'edge.ods': {
      People: shown(
        edge(['2023-03-15', '45000.5'], {
          6: covered,
          9: ['Gap', '', 'gap@example.org', '0.1', '45000'],
          10: ['X_x000d_Y', 'line\ntwo', 'c@example.org', '1.23456789012346E+19'],
        }),
        ['Hid', 'Den', 'hid@example.org', '030 1234'],
      ),
      Other: other,
    },
  };
  for (const [name, outcome] of Object.entries(outcomes))
    it(`${name} is ${typeof outcome === 'string' ? 'refused' : 'read cell by cell'}`, async () => {
      expect(await outcomeOfFile(fixture(name))).to.deep.equal(outcome);
    });
});

describe('The workbooks of LibreOffice', () => {
  const wide = [...Array<string>(300).fill(''), 'wide'];
  /** Expected results of `.xlsx` and `.ods`; for `.ods` only if different. */
  const outcomes: Record<string, [Record<string, Cells>, Cells?]> = {
    numbers: [
      {
        People: {
          1: ['kind', 'cell'],
          2: ['whole', '4915112345678'],
          3: ['plus', '+4915112345678'],
          4: ['prefix', '+4915112345678'],
          5: ['zeros', '001511'],
          6: ['scientific', '4915112345678'],
          7: ['thousands', '1234567.5'],
          8: ['percent', '12.5%'],
          9: ['currency', '1234.5'],
          10: ['negative', '-7'],
          11: ['fraction', '0.1'],
          12: ['sum', '0.3'],
          13: ['true', 'TRUE'],
          14: ['false', 'FALSE'],
          15: ['text number', '0151 234'],
          16: ['long', '1.23456789012346E+19'],
          17: ['sixteen', '1.23456789012345E+15'],
          18: ['number as boolean', 'TRUE'],
        },
      },
    ],
    dates1900: [
      {
        Dates: dates({
          2: ['date', '2023-03-15'],
          3: ['moment', '2023-03-15 12:30:00'],
          4: ['time', '08:05:00'],
          5: ['old', '1954-12-31'],
          6: ['number as date', '2023-03-15'],
        }),
      },
    ],
    dates1904: [
      {
        Dates: dates({
          2: ['date', '2023-03-15'],
          3: ['moment', '2023-03-15 12:30:00'],
          4: ['time', '08:05:00'],
          5: ['old', '1954-12-31'],
          6: ['number as date', '2027-03-16'],
        }),
      },
    ],
    formulas: [
      {
        Formulas: {
          1: ['kind', 'cell'],
          2: ['number', '2'],
          3: ['text', "O'Neil & Söhne"],
          4: ['boolean', 'TRUE'],
          5: ['plain boolean', 'TRUE'],
          6: ['date', '2023-03-15'],
          7: ['empty text', '', 'x'],
          8: ['percent', '12.5%'],
          9: ['joined phone', '+49151'],
        },
      },
    ],
    errors: [
      {
        Errors: {
          1: ['kind', 'cell'],
          2: ['na', '#N/A'],
          3: ['div', '#DIV/0!'],
          4: ['value', '#VALUE!'],
          5: ['name', '#NAME?'],
          6: ['ref', '#REF!'],
          7: ['num', '#VALUE!'],
          8: ['null', '#REF!'],
          9: ['syntax', '#N/A'],
          10: ['circular', '#VALUE!'],
          11: ['missing', '#NAME?'],
        },
      },
      { 7: ['num', 'Err:502'], 9: ['syntax', 'Err:520'], 10: ['circular', 'Err:522'] },
    ],
    shared: [
      {
        Texts: {
          1: ['a', 'b'],
          2: ['same text', 'same text'],
          3: ['same text', 'same text'],
          4: ['same text', 'same text'],
          5: ['Rich bold end', 'two     spacestab\nsecond line'],
          6: [' padded ', '_x000D_ stays'],
          7: ['Zoë 🎓 "Q" <b>&amp;', '=1+1'],
        },
      },
    ],
    layout: [
      {
        Layout: {
          3: ['', '', 'firstName', 'lastName'],
          4: ['', '', 'Ada', 'King'],
          '5 (hidden)': ['', '', 'Hidden', 'Row'],
          '6 (hidden)': ['', '', 'Filtered', 'Row'],
          7: ['', '', 'Merged', '', 'after'],
          8: ['', '', 'Down', 'one'],
          9: ['', '', '', 'two'],
          30: ['', '', 'x', 'x', 'x'],
          31: ['', '', 'x', 'x', 'x'],
          32: ['', '', 'x', 'x', 'x'],
          33: wide,
        },
      },
    ],
    sheets: [
      {
        Empty: {},
        'People & Co': {
          1: ['firstName', 'lastName', 'email', 'phone'],
          2: ['Ada', 'King', 'ada@example.org', '4915112345678'],
        },
        'Hidden (hidden)': other,
      },
    ],
    // The program that wrote it knew no formats.
    'old-excel': [
      {
        People: shown(
          edge(['45000', '45000.5'], {
            2: ['Ann', 'Lee', 'ann@example.org', '4915112345678', '45000', '2', '0.5'],
            5: ['Merged', 'Cell', 'm@example.org', '491511234567'],
            9: ['Gap', '', 'gap@example.org', '0.1', '45000'],
            10: ['X\nY', 'line\ntwo', 'c@example.org', '1.23456789012346E+19'],
          }),
        ),
        'Other (hidden)': other,
      },
      { 3: [' Bob ', "O'Neil & Söhne", 'bob@example.org', '4915112345678', '45000.5', "BobO'Neil", '1'], 6: covered },
    ],
  };
  for (const [name, [xlsx, ods = {}]] of Object.entries(outcomes))
    it(`with ${name} are read cell by cell`, async () => {
      expect(await outcomeOfFile(fixture(`${name}.xlsx`))).to.deep.equal(xlsx);
      const [[first = '', rows] = [], ...others] = Object.entries(xlsx);
      const inOds = { [first]: { ...rows, ...ods }, ...Object.fromEntries(others) };
      expect(await outcomeOfFile(fixture(`${name}.ods`))).to.deep.equal(inOds);
    });

  it('with booleans as numbers are read as they are shown', async () => {
    expect(await outcomeOfFile(fixture('edge-saved-again.ods'))).to.deep.equal({
      People: edge(['2023-03-15', '2023-03-15 12:00:00'], {
        3: [
          ...[' Bob ', "O'Neil & Söhne", 'bob@example.org', '4915112345678', '2023-03-15 12:00:00'],
          ...[" Bob O'Neil & Söhne", 'TRUE'],
        ],
        6: covered,
        9: ['Gap', '', 'gap@example.org', '0.1', '45000'],
        10: ['X Y', 'line\ntwo', 'c@example.org', '1.23456789012346E+19'],
      }),
      'Other (hidden)': other,
    });
  });
});
