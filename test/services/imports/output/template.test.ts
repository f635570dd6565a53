import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { parse } from 'csv-parse/sync';
import { importColumns } from '../../../../src/schemas/import.js';
import { signIn } from '../../../support/factories.js';
import { useHarnessAndCli } from '../../../support/harness-cli.js';
import { rowsInBytes, rowsOfWorkbook, sheetXmlOf } from '../../../support/workbooks.js';

describe('The template of imports', () => {
  const { harness, cli } = useHarnessAndCli();
  const template = (...argv: string[]) => cli.run(['users', 'import', '--template', ...argv]);
  const file = (name: string) => path.join(cli.folder, name);

  it('has the same cells on standard output, in a CSV file, in a workbook and over HTTP', async () => {
    const { stdout } = await template();
    const rows = parse(stdout);
    expect(await template('people.xlsx')).to.deep.equal({
      exitCode: 0,
      stdout: 'Fill in people.xlsx, then import it.\n',
      stderr: '',
    });
    await template('people.csv');
    expect(readFileSync(file('people.csv'), 'utf8')).to.equal(stdout);
    // Trailing empty cells of a row are not stored.
    const filled = (row: string[]) => importColumns.map((_, index) => row[index] ?? '');
    expect((await rowsOfWorkbook(file('people.xlsx'))).map(filled)).to.deep.equal(rows);
    const { token } = await signIn(harness.context, { role: 'super_admin' });
    const sent = await harness.api('get', '/api/imports/template.csv?format=xlsx', token).responseType('blob');
    expect(sent.headers['content-disposition']).to.equal('attachment; filename=people.xlsx');
    expect((await rowsInBytes(sent.body as Buffer)).map(filled)).to.deep.equal(rows);
  });

  it('formats all cells of a workbook as text, and offers lists of roles, states and languages', async () => {
    await template('people.xlsx');
    const xml = sheetXmlOf(file('people.xlsx'));
    expect(xml.match(/<col [^>]*style="4"/g)).to.have.length(importColumns.length);
    const lists = [...xml.matchAll(/sqref="([A-Z])2:[^>]*><formula1>"([^"]*)"/g)];
    expect(
      Object.fromEntries(lists.map(([, letter = '', words]) => [importColumns[letter.charCodeAt(0) - 65], words])),
    ).to.deep.equal({
      role: 'trainee,trainer',
      isActive: 'true,false',
      language: 'en,de',
      enrollmentStatus: 'pending,active',
    });
  });

  it('can be imported as it is', async () => {
    await template('people.xlsx');
    const { plan } = await cli.json<{ plan: object }>(['users', 'import', 'people.xlsx', '--dry-run']);
    expect(plan).to.deep.include({
      counts: {
        rows: 2,
        created: 2,
        updated: 0,
        skipped: 0,
        rejected: 0,
        enrolled: 0,
        waiting: 0,
        leftOut: 0,
        left: 0,
      },
    });
    expect(plan).to.have.property('warnings').that.deep.equals([]);
  });

  it('never overwrites a file, and is never written to a terminal as a workbook', async () => {
    await template('people.xlsx');
    const refusal = (...argv: string[]) =>
      cli.refusal(['users', 'import', '--template', ...argv], { screen: { columns: 80, rows: 24 } });
    expect((await refusal('people.xlsx')).message).to.include('exists already and is never overwritten');
    expect((await refusal('xlsx')).message).to.include("can't be shown at a terminal");
  });
});
