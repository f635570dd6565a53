import { stripVTControlCharacters } from 'node:util';
import { expect } from 'chai';
import { displayWidth, wrapHanging } from '../../../../src/cli/core/output/fit.js';
import { useImporting } from '../../../services/imports/support/importing.js';
import { buildUser } from '../../../support/factories.js';
import { useCommandLine } from '../../../support/run-cli.js';

describe('A line with a hanging indent', () => {
  const line = '    2 rows PHONE: the phone looks rounded (lines 71, 86)';

  it('is not broken if it fits, or without a terminal', () => {
    for (const width of [undefined, line.length, 200]) expect(wrapHanging(line, width)).to.deep.equal([line]);
  });

  it('is broken between words; further lines are indented by 4 more', () => {
    expect(wrapHanging(line, 30)).to.deep.equal([
      '    2 rows PHONE: the phone',
      '        looks rounded (lines',
      '        71, 86)',
    ]);
  });

  it('counts wide characters as two, and keeps long words whole', () => {
    expect(wrapHanging('  花子花子 花子花子 ab', 12)).to.deep.equal(['  花子花子', '      花子花子', '      ab']);
    const url = 'x'.repeat(40);
    expect(wrapHanging(`  see ${url} there`, 20)).to.deep.equal(['  see', `      ${url}`, '      there']);
    expect(wrapHanging(`  ${url}`, 20)).to.deep.equal([`  ${url}`]);
  });
});

describe('The reasons why rows are rejected', () => {
  const importing = useImporting();
  const commandLine = useCommandLine(() => importing.env);

  /** Returns the lines below "rows to reject:". */
  function reasonsIn(output: string): string[] {
    const lines = stripVTControlCharacters(output).replaceAll('\r', '').split('\n');
    const from = lines.findIndex((line) => / to reject:$/.test(line)) + 1;
    const length = lines.slice(from).findIndex((line) => !line.startsWith('    '));
    return lines.slice(from, from + length);
  }

  it('take a line each in a pipe, and are wrapped with a hanging indent at a terminal', async () => {
    const name = { firstName: 'Maximiliana 花子', lastName: 'von und zu Beispielhausen' };
    await buildUser(importing.context, { ...name, phone: '+49 30 555 0100' });
    const rows = Array.from({ length: 8 }, (_, row) => `Ann,Lee,ann${row}@example.org,1.23457E+1${row}`);
    const taken = 'Ben,Doe,ben@example.org,+49 30 555 0100';
    const good = 'Cyd,Roe,cyd@example.org,+49 30 555 0101';
    const file = importing.write('people.csv', ['firstName,lastName,email,phone', ...rows, taken, good].join('\n'));
    const whole = reasonsIn((await importing.run(file, '--dry-run')).stdout);
    expect(whole).to.have.lengthOf(2);
    for (const line of whole) expect(line).to.match(/^ {4}\d rows? [A-Z_]+: .* \(lines? [\d, .]+\)$/);

    const columns = 60;
    const words = ['users', 'import', file];
    const { stdout } = await commandLine.run([...words, '--dry-run'], { screen: { columns, rows: 40 } });
    const asked = await commandLine.atTerminal(words, [['Import these rows?', 'n\r']], { columns });
    for (const output of [stdout, asked.stderr]) {
      const lines = reasonsIn(output);
      for (const line of lines) expect(displayWidth(line), line).to.be.at.most(columns);
      expect(
        lines
          .join('\n')
          .replaceAll(/\n {8}/g, ' ')
          .split('\n'),
      ).to.deep.equal(whole);
    }
  });
});
