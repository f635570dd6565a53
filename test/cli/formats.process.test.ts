import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { parse as parseCsv } from 'csv-parse/sync';
import { parse } from 'yaml';
import { hashedPeople, useImporting } from '../services/imports/support/importing.js';
import {
  buildCertificate,
  buildCourse,
  buildEnrollment,
  buildGroup,
  buildMail,
  buildMaterial,
  buildUser,
  tokenFor,
} from '../support/factories.js';
import { useCommandLine } from '../support/run-cli.js';
import { useSubprocesses } from '../support/subprocess.js';
import { rowsOfWorkbook } from '../support/workbooks.js';
import { commands } from './support/command-lines.js';

/** Arguments of the listings that belong to another record. */
const of: Readonly<Record<string, string>> = {
  'users sessions list': 'ben@x.org',
  'courses files list': 'Bees',
  'imports rows': '1',
};

const listings = [...commands].filter(([, { options }]) => options.some(({ long }) => long === '--page'));

describe('Listings for programs', () => {
  const importing = useImporting();
  const cli = useCommandLine(() => importing.env);
  const processes = useSubprocesses();
  beforeEach(async () => {
    const { context } = importing;
    const ada = await buildUser(context, { email: 'ada@x.org', role: 'trainer', firstName: 'Zoë' });
    const ben = await buildUser(context, { email: 'ben@x.org' });
    await buildUser(context, { email: 'cleo@x.org', role: 'trainer' });
    await tokenFor(context, ben);
    await tokenFor(context, ben);
    const bees = await buildCourse(context, ada, { title: 'Bees', description: 'One line\nand "another": no' });
    for (const course of [bees, await buildCourse(context, ada, { title: 'Ants' })])
      await buildEnrollment(context, ben, course);
    for (const title of ['Wasps', 'Flies'])
      await buildCertificate(context, ben, await buildCourse(context, ada, { title }));
    for (const name of ['a.txt', 'b.txt']) await buildMaterial(context, bees, { name });
    for (const userId of [ada.id, ben.id]) await buildMail(context, { userId });
    for (const members of [[ada.id], []]) await buildGroup(context, members);
    for (const tag of ['a', 'b']) await importing.json(importing.write(`${tag}.csv`, hashedPeople(2, tag)));
  });

  it('have the same shape in JSON and YAML, and no byte order mark in CSV for a pipe', async () => {
    for (const [words] of listings)
      for (const pages of [
        ['--limit', '1'],
        ['--page', '9'],
        ['--limit', 'all'],
      ]) {
        const argv = [...words.split(' '), ...(of[words] === undefined ? [] : [of[words]]), ...pages];
        const written = async (format: string) => {
          const { exitCode, stdout, stderr } = await cli.run([...argv, '--output', format]);
          expect(exitCode, stderr).to.equal(0);
          return stdout;
        };
        const json = JSON.parse(await written('json'));
        expect(json.pagination.totalItems, words).to.be.greaterThan(1);
        expect(parse(await written('yaml'))).to.deep.equal(json);
        expect(await written('csv')).to.match(/^\w/);
      }
  });

  it('have the same columns and rows in workbooks and in CSV', async () => {
    for (const [words] of listings) {
      const argv = [...words.split(' '), ...(of[words] === undefined ? [] : [of[words]]), '--limit', 'all', '--output'];
      const csv = parseCsv((await cli.run([...argv, 'csv'])).stdout);
      const file = `${words.replaceAll(' ', '-')}.xlsx`;
      const { exitCode, stderr } = await cli.run([...argv, file]);
      expect(exitCode, stderr).to.equal(0);
      const rows = await rowsOfWorkbook(path.join(cli.folder, file));
      expect(rows[0], words).to.deep.equal(csv[0]);
      // Workbooks format times and booleans differently, and have no empty cells at the end of a row.
      const texts = (row: readonly string[] = []) =>
        csv[0]?.map((_, at) => row[at] ?? '').filter((cell) => !/^\d{4}-|^(true|false)$/i.test(cell));
      expect(rows.map(texts), words).to.deep.equal(csv.map(texts));
    }
  });

  it('have a byte order mark in a CSV file, for spreadsheets', async () => {
    const file = path.join(cli.folder, 'users.csv');
    const line = `coursectl users list --output csv > ${file}`;
    const env = { ...cli.env, PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '' };
    expect((await processes.startShell(line, { cwd: cli.folder, env }).ended).exitCode).to.equal(0);
    expect(readFileSync(file, 'utf8'))
      .to.match(/^\ufeffname,email/)
      .and.include('Zoë');
  });
});
