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

/** What Excel, LibreOffice, Google Sheets and Numbers take for the beginning of a formula, or pass over before one. */
const formulaStarts = ['=', '+', '-', '@', '\t', '\r', '\n', '\uff1d', '\uff0b', '\uff0d', '\uff20'];

/** Texts that are about the rule more often than chance would have it. */
const cell = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc
    .tuple(fc.nat(4), fc.constantFrom('', ...formulaStarts, 'x', "'"), fc.string())
    .map(([apostrophes, start, rest]) => "'".repeat(apostrophes) + start + rest),
  fc.string({ unit: fc.constantFrom(...formulaStarts, ';', ',', '|', "'", '"', 'x', ' ') }),
);

/** The cells that a program makes of a line which splits by the wrong sign, and so takes quotes for letters within a field. */
function splitBy(line: string, delimiter: string): string[] {
  return line.split(new RegExp(`[${delimiter}\\r\\n]`)).map((part) => part.replace(/^"+/, ''));
}

describe('A cell that a spreadsheet would run', () => {
  it('is written with an apostrophe in front', () => {
    for (const start of formulaStarts) expect(neutralizeCell(`${start}1+1`)).to.equal(`'${start}1+1`);
    for (const cell of ['-', '+', '+ ', '+49-30', '+49(30)', '+1A1', '+1 E5', '+49 30\n', '+1,2'])
      expect(neutralizeCell(cell)).to.equal(`'${cell}`);
    for (const text of ['', 'Ada', "'", "O'Brien", "'t Hooft", '030 1234', ' =1', '1=1', 'a\nb'])
      expect([neutralizeCell(text), restoreCell(text)]).to.deep.equal([text, text]);
  });

  it('is not one with digits and spaces after a plus: letters are printed without an apostrophe', () => {
    for (const cell of ['+49 30 1234', '+493012345678', '+ 1']) expect(neutralizeCell(cell)).to.equal(cell);
    // As people mark text.
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

describe('A cell that a spreadsheet would run once it has split it', () => {
  it('is written with an apostrophe after each delimiter', () => {
    expect(neutralizeCell('Ann;=cmd|A0')).to.equal("Ann;'=cmd|A0");
    expect(neutralizeCell('Ann;"=cmd"')).to.equal(`Ann;'"=cmd"`);
    expect(neutralizeCell('Ann\n=1\t+2|@3,-4')).to.equal("Ann\n'=1\t'+2|'@3,'-4");
    expect(neutralizeCell("Ann;'=1")).to.equal("Ann;''=1");
  });

  it('is a phone number with which a line begins', () => {
    expect(csvLine(['+49 30', 'Ann', '+49 30'])).to.equal("'+49 30,Ann,+49 30\n");
  });

  it('never begins like a formula after any delimiter, in quotes or not, in any column', () => {
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

/** Texts of which spreadsheets make numbers, dates or formulas, behind any number of apostrophes. */
const numeric = fc
  .tuple(fc.nat(3), fc.string({ unit: fc.constantFrom(..."0123456789+-(). /:,'=aE\u00a0"), maxLength: 14 }))
  .map(([apostrophes, rest]) => "'".repeat(apostrophes) + rest);

describe('A cell that is protected from spreadsheets', () => {
  it('has an apostrophe in front of what a spreadsheet would turn into a number, a date or a formula', () => {
    for (const text of ['030 1234', '+49301234', '123456789012', '1/2', '3-4', '1.5', '(030) 1', '12:30', '=1', '50%'])
      expect(protectCell(text)).to.equal(`'${text}`);
    for (const text of ['', 'Ada', '0', '7', '12345678901', "O'Hara", 'a1', '1a', '4.41E+11', "'x"])
      expect(protectCell(text)).to.equal(text);
  });
});

describe('The phone of an export', () => {
  it('is text to a spreadsheet that would drop its zero or its plus', () => {
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
  it('is read back as it was, whichever way it was written, without at most one apostrophe', () => {
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
  it('ends in a line feed and quotes what needs quotes', () => {
    expect(csvLine(['Ada', 'Lovelace, Countess', 'a "b"', 'two\nlines', '\r', ''])).to.equal(
      'Ada,"Lovelace, Countess","a ""b""","two\nlines","\'\r",\n',
    );
  });
});
