import { expect } from 'chai';
import { scaled } from '../../../support/machine.js';
import { useImporting } from '../support/importing.js';

const mib = 1024 * 1024;
const header = 'firstName,lastName,email,phone,notes\n';
const ada = 'Ada,King,ada@example.org,1,';
const tooLong = (line: number, bytes = mib) =>
  `The row that begins on line ${line} has more than ${bytes} bytes. Most likely a quote in it is never closed.`;

describe('A hostile file', () => {
  const importing = useImporting();

  async function planOf(content: string | Buffer) {
    const file = importing.write('people.csv', content);
    const { exitCode, stdout } = await importing.run(file, '--dry-run', '--json');
    const printed = JSON.parse(stdout) as { plan?: { counts: object }; error?: { message: string } };
    return { exitCode, message: printed.error?.message, counts: printed.plan?.counts };
  }

  for (const [what, content, message] of [
    ['a quote that is never closed in the header', `"${'x\n'.repeat(2 * mib)}`, tooLong(1)],
    ['3 MB in one line', 'x '.repeat(1.5e6), tooLong(1)],
    ['12 MB of commas', `${header}${ada}\n${','.repeat(12e6)}`, 'Line 3 has more than 256 columns.'],
    ['12 MB of empty quotes', `${header}${'"",'.repeat(4e6)}`, 'Line 2 has more than 256 columns.'],
    ['5 MB of quotes, one more', `${header}${'"'.repeat(5e6 + 1)}`, tooLong(2)],
    ['2 MB of line breaks', '\r\n'.repeat(1e6), 'The file is empty.'],
    [
      '2 MB of blank rows',
      `${header}${',,,,\n'.repeat(4e5)}`,
      'The file people.csv has a header and no rows below it.',
    ],
    [
      '5 MB of formulas that never end',
      `${header}${'="x,'.repeat(1.25e6)}`,
      'The row that begins on line 2 has a quote in the middle of a field. Double it ("") and put the whole field in quotes.',
    ],
    ['2 MB of byte order marks', '\ufeff'.repeat(7e5), tooLong(1)],
  ] as const)
    it(`is refused: ${what}`, async () => {
      const startedAt = performance.now();
      const ended = await planOf(content);
      expect(ended.message?.replace(`${importing.folder}/`, '')).to.equal(message);
      expect(ended.exitCode).to.equal(2);
      expect(performance.now() - startedAt).to.be.lessThan(scaled(10_000));
    });

  it('is read when it only looks hostile', async () => {
    for (const content of [
      `${header}${'\n'.repeat(1e6)}${ada}\n`,
      `${header}${ada}"${'""'.repeat(900)}"\n`,
      `${header}${ada}"${'\r\n'.repeat(900)}x"\n`,
      `${header.trimEnd()}${',x'.repeat(251)}\n${ada}${','.repeat(251)}\n`,
    ])
      expect(await planOf(content)).to.deep.include({ exitCode: 0 });
  });
});

describe('The limits of an import file', () => {
  const importing = useImporting({
    IMPORT_FIELD_MAX_BYTES: '256',
    IMPORT_RECORD_MAX_BYTES: '1024',
    IMPORT_MAX_COLUMNS: '6',
  });

  it('are what the settings say', async () => {
    for (const [row, message] of [
      [`${ada}${'x'.repeat(257)}`, 'Line 2, column 5 has more than 256 bytes.'],
      [`${ada}"${'x\n'.repeat(1024)}`, tooLong(2, 1024)],
      [`${ada},,x`, 'Line 2 has more than 6 columns.'],
    ] as const) {
      const file = importing.write('people.csv', `${header}${row}\n`);
      const { exitCode, stderr } = await importing.run(file, '--yes');
      expect({ exitCode, stderr }).to.deep.equal({ exitCode: 2, stderr: `error: ${message}\n` });
    }
  });
});
