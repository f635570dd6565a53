import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { expect } from 'chai';
import { displayWidth, wrapHanging } from '../../../../src/cli/core/fit.js';
import { createMigratedDatabase, type TestDatabase } from '../../../support/database.js';
import { testEnvironment } from '../../../support/environment.js';
import { buildUser } from '../../../support/factories.js';
import { useCommandLine } from '../../../support/run-cli.js';

describe('A line with a hanging indent', () => {
  const line = '    2 rows PHONE: the phone looks rounded (lines 71, 86)';

  it('stays as it is where it fits, and without a terminal', () => {
    for (const width of [undefined, line.length, 200]) expect(wrapHanging(line, width)).to.deep.equal([line]);
  });

  it('is broken between words, its further lines indented by 4 more', () => {
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

  it('loses nothing', () => {
    for (let width = 10; width < 60; width += 1)
      expect(
        wrapHanging(line, width)
          .map((part) => part.trim())
          .join(' '),
      ).to.equal(line.trim());
  });
});

describe('The reasons why rows are rejected', () => {
  let database: TestDatabase;
  const cli = useCommandLine(() => ({ ...testEnvironment, PATH: process.env.PATH ?? '', DATABASE_URL: database.url }));
  before(async () => {
    database = await createMigratedDatabase();
  });
  after(() => database.drop());

  /** The lines below "rows to reject:", or those below the closing line's figures. */
  function reasonsIn(output: string): string[] {
    const lines = stripVTControlCharacters(output).replaceAll('\r', '').split('\n');
    const from = lines.findIndex((line) => / to reject:$| rejected:$/.test(line)) + 1;
    const length = lines.slice(from).findIndex((line) => !line.startsWith('    '));
    return lines.slice(from, from + length);
  }
  const unwrapped = (lines: readonly string[]) =>
    lines
      .join('\n')
      .replaceAll(/\n {8}/g, ' ')
      .split('\n');
  let whole: string[];

  beforeEach(async () => {
    const context = await cli.context();
    const { User } = context.database.models;
    if ((await User.count()) === 0)
      await buildUser(context, {
        firstName: 'Maximiliana 花子',
        lastName: 'von und zu Beispielhausen',
        email: 'maximiliana.von.beispielhausen@example.org',
        phone: '+49 30 555 0100',
      });
    const rows = Array.from({ length: 8 }, (_, row) => `Ann,Lee,ann${row}@example.org,1.23457E+1${row}`);
    const taken = 'Ben,Doe,ben@example.org,+49 30 555 0100';
    writeFileSync(path.join(cli.folder, 'people.csv'), ['firstName,lastName,email,phone', ...rows, taken].join('\n'));
    const { stdout } = await cli.run(['users', 'import', 'people.csv', '--dry-run']);
    whole = reasonsIn(stdout);
  });

  it('are a line each in a pipe, however long', () => {
    expect(whole).to.have.lengthOf(2);
    for (const line of whole) expect(line).to.match(/^ {4}\d rows? [A-Z_]+: .* \(lines? [\d, .]+\)$/);
    expect(Math.max(...whole.map((line) => displayWidth(line)))).to.be.greaterThan(80);
  });

  it('are wrapped with a hanging indent, in the plan on both outputs', async () => {
    const columns = 60;
    const screen = { columns, rows: 40 };
    const { stdout } = await cli.run(['users', 'import', 'people.csv', '--dry-run'], { screen });
    const asked = await cli.atTerminal(['users', 'import', 'people.csv'], [['Import these rows?', 'n\r']], {
      columns,
    });
    for (const output of [stdout, asked.stderr]) {
      const lines = reasonsIn(output);
      for (const line of lines) expect(displayWidth(line), line).to.be.at.most(columns);
      expect(lines.length).to.be.greaterThan(2);
      expect(unwrapped(lines)).to.deep.equal(whole);
    }
  });
});
