import { expect } from 'chai';
import fc from 'fast-check';
import {
  neutralizeCell,
  protectCell,
  protectPhone,
  readCell,
  readPhone,
  restoreCell,
  restoreProtected,
} from '../../../src/tables/write/cells.js';
import { csvLine } from '../../../src/tables/write/csv.js';

/** Beginnings of formulas in Excel, LibreOffice, Google Sheets and Numbers, and characters that these skip before a formula. */
const formulaStarts = ['=', '+', '-', '@', '\t', '\r', '\n', '\uff1d', '\uff0b', '\uff0d', '\uff20'];

/** Texts that often contain characters of formulas and delimiters. */
const cell = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc
    .tuple(fc.nat(4), fc.constantFrom('', ...formulaStarts, 'x', "'"), fc.string())
    .map(([apostrophes, start, rest]) => "'".repeat(apostrophes) + start + rest),
  fc.string({ unit: fc.constantFrom(...formulaStarts, ';', ',', '|', "'", '"', 'x', ' ') }),
);

/** Splits a line at the wrong delimiter, as some programs do. Quotes within a field are then ordinary characters. */
function splitBy(line: string, delimiter: string): string[] {
  return line.split(new RegExp(`[${delimiter}\\r\\n]`)).map((part) => part.replace(/^"+/, ''));
}

describe('A cell that a spreadsheet would run', () => {
  it('is written with a leading apostrophe', () => {
    for (const start of formulaStarts) expect(neutralizeCell(`${start}1+1`)).to.equal(`'${start}1+1`);
    for (const cell of ['-', '+', '+ ', '+49-30', '+49(30)', '+1A1', '+1 E5', '+49 30\n', '+1,2'])
      expect(neutralizeCell(cell)).to.equal(`'${cell}`);
    for (const text of ['', 'Ada', "'", "O'Brien", "'t Hooft", '030 1234', ' =1', '1=1', 'a\nb'])
      expect([neutralizeCell(text), restoreCell(text)]).to.deep.equal([text, text]);
  });

  it("isn't a cell with digits and spaces after a plus, so that letters print phones without an apostrophe", () => {
    for (const cell of ['+49 30 1234', '+493012345678', '+ 1']) expect(neutralizeCell(cell)).to.equal(cell);
    // People mark text like this.
    expect(restoreCell("'+49 30 1234")).to.equal('+49 30 1234');
  });

  it('never begins like a formula', () => {
    fc.assert(
      fc.property(cell, (text) => {
        const written = neutralizeCell(text);
        if (/^\+[\d ]+$/.test(written)) return;
        expect(formulaStarts.filter((start) => written.startsWith(start))).to.deep.equal([]);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('A cell that a spreadsheet would run after splitting it', () => {
  it('is written with an apostrophe after each delimiter', () => {
    expect(neutralizeCell('Ann;=cmd|A0')).to.equal("Ann;'=cmd|A0");
    expect(neutralizeCell('Ann;"=cmd"')).to.equal(`Ann;'"=cmd"`);
    expect(neutralizeCell('Ann\n=1\t+2|@3,-4')).to.equal("Ann\n'=1\t'+2|'@3,'-4");
    expect(neutralizeCell("Ann;'=1")).to.equal("Ann;''=1");
  });

  it('may be a phone number at the beginning of a line', () => {
    expect(csvLine(['+49 30', 'Ann', '+49 30'])).to.equal("'+49 30,Ann,+49 30\n");
  });

  it('never begins like a formula after any delimiter, quoted or not, in any column', () => {
    const signs = ['=', '+', '-', '@', '\uff1d', '\uff0b', '\uff0d', '\uff20'];
    fc.assert(
      fc.property(fc.array(cell, { minLength: 1, maxLength: 4 }), (cells) => {
        for (const delimiter of [';', '\t', '|'])
          for (const part of splitBy(csvLine(cells), delimiter)) {
            expect(
              signs.filter((sign) => part.startsWith(sign)),
              part,
            ).to.deep.equal([]);
          }
      }),
      { numRuns: 2000 },
    );
  });
});

/** Texts that spreadsheets turn into numbers, dates or formulas, after any number of apostrophes. */
const numeric = fc
  .tuple(fc.nat(3), fc.string({ unit: fc.constantFrom(..."0123456789+-(). /:,'=aE\u00a0"), maxLength: 14 }))
  .map(([apostrophes, rest]) => "'".repeat(apostrophes) + rest);

describe('A cell that is protected from spreadsheets', () => {
  it('has a leading apostrophe if a spreadsheet would turn it into a number, a date or a formula', () => {
    for (const text of ['030 1234', '+49301234', '123456789012', '1/2', '3-4', '1.5', '(030) 1', '12:30', '=1', '50%'])
      expect(protectCell(text)).to.equal(`'${text}`);
    for (const text of ['', 'Ada', '0', '7', '12345678901', "O'Hara", 'a1', '1a', '4.41E+11', "'x"])
      expect(protectCell(text)).to.equal(text);
  });
});

describe('The phone of an export', () => {
  it('is marked as text if a spreadsheet would drop its zero or its plus', () => {
    expect(['0301', '(030) 1', '+49 30', "'0301", "'+49"].map(protectPhone)).to.deep.equal([
      "'0301",
      "'(030) 1",
      "'+49 30",
      "''0301",
      "'''+49",
    ]);
    expect(['301', 'none', 'a@b'].map(protectPhone)).to.deep.equal(['301', 'none', 'a@b']);
  });
});

describe('Any text', () => {
  it('is read back unchanged in every layout, except for at most one apostrophe', () => {
    fc.assert(
      fc.property(fc.oneof(cell, numeric), (text) => {
        expect(restoreCell(neutralizeCell(text))).to.equal(text);
        expect(restoreProtected(restoreCell(protectCell(text)))).to.equal(text);
        expect(readPhone(readCell(protectPhone(text.trim())))).to.equal(text.trim());
      }),
      { numRuns: 5000 },
    );
    expect(restoreCell("''=1")).to.equal("'=1");
    expect(restoreCell("''x")).to.equal("''x");
  });
});

describe('A line of CSV', () => {
  it('ends in a line feed, and quotes only cells that need quotes', () => {
    expect(csvLine(['Ada', 'Lovelace, Countess', 'a "b"', 'two\nlines', '\r', ''])).to.equal(
      'Ada,"Lovelace, Countess","a ""b""","two\nlines","\'\r",\n',
    );
  });
});
