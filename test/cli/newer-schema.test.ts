import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import type { Command } from 'commander';
import { QueryTypes } from 'sequelize';
import { schemaNeedOf } from '../../src/cli/core/command.js';
import { createProgram } from '../../src/cli/program.js';
import { buildCourse, buildEnrollment, buildUser } from '../support/factories.js';
import { testEnvironment, useHarness } from '../support/harness.js';
import { useCommandLine } from '../support/run-cli.js';

/** The commands that do something, by the words that lead to them. */
function leavesOf(command: Command, words: readonly string[] = []): Map<string, Command> {
  if (command.commands.length === 0) return new Map([[words.join(' '), command]]);
  return new Map(command.commands.flatMap((child) => [...leavesOf(child, [...words, child.name()])]));
}

const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
const io = { stdin, stdout, stderr, env: {}, cwd: process.cwd(), signal: new AbortController().signal };
const commands = leavesOf(createProgram(io, { exitCode: 0 }));

/** All that may work on whatever schema there is: they only read, or, as `serve`, look at it themselves. */
const reading = [
  'serve',
  'doctor',
  'config',
  'completion',
  'migrate status',
  'audit list',
  'users list',
  'users show',
  'users sessions list',
  'overview',
  'courses list',
  'courses show',
  'courses categories',
  'courses trainers',
  'courses stats',
  'courses files list',
  'courses files get',
  'enrollments list',
  'enrollments show',
  'enrollments stats',
];

const person = '--first-name Eve --last-name Moe --email eve@x.org --phone 5550199 --password-stdin';

/** A command line of each of the others; all would do something. `ID` stands for an enrollment's, `FILE` for a file. */
const lines: Readonly<Record<string, string>> = {
  setup: `${person} --yes`,
  'migrate up': '',
  'migrate down': '--all --yes',
  'seed demo': '',
  'users register': `${person} --role trainee`,
  'users activate': 'ben@x.org',
  'users deactivate': 'ben@x.org',
  'users unlock': 'ben@x.org',
  'users reset-password': 'ben@x.org',
  'users export': '',
  'users sessions end': 'ben@x.org x',
  'users sessions end-all': 'ben@x.org',
  'users edit': 'ben@x.org --last-name Old',
  'users delete': 'ben@x.org --yes',
  'users import': 'FILE --yes',
  'courses create': '--title Knots --description Ropes --trainer ada@x.org',
  'courses edit': 'Bees --title Ants',
  'courses delete': 'Bees --force --yes',
  'courses publish': 'Bees',
  'courses unpublish': 'Bees',
  'courses assign-trainer': 'Bees ada@x.org',
  'courses files add': 'Bees FILE',
  'courses files remove': 'Bees x --yes',
  'courses thumbnail': 'Bees FILE',
  'files sweep': '--remove-unknown',
  'courses remove-thumbnail': 'Bees --yes',
  'enrollments assign': 'Bees eve@x.org',
  'enrollments status': 'ID active',
  'enrollments progress': 'ID 50',
  'enrollments remove': 'ID --yes',
  'imports list': '',
  'imports show': 'x',
  'imports export': 'x',
  'imports rejects': 'x',
  'imports resume': 'x --yes',
  'imports cancel': 'x',
  'imports undo': 'x --yes',
  'imports rows': 'x',
};

describe('A database whose schema is newer than the program', () => {
  const harness = useHarness();
  const cli = useCommandLine(() => ({ ...testEnvironment, DATABASE_URL: harness.databaseUrl }));
  const newer = '99991231235959-of-a-newer-program.cjs';
  const query = (sql: string) => harness.context.database.sequelize.query(sql);
  const contents = async () => {
    const tables = [
      'users',
      'courses',
      'enrollments',
      'sessions',
      'audit_entries',
      'audit_texts',
      'imports',
      'files',
      'SequelizeMeta',
    ];
    const all = tables.map((table) =>
      harness.context.database.sequelize.query(`SELECT * FROM \`${table}\``, { type: QueryTypes.SELECT }),
    );
    return JSON.stringify(await Promise.all(all));
  };
  let enrollmentId: string;

  beforeEach(async () => {
    const trainer = await buildUser(harness.context, { email: 'ada@x.org', role: 'trainer' });
    const ben = await buildUser(harness.context, { email: 'ben@x.org' });
    await buildUser(harness.context, { email: 'eve@x.org' });
    const course = await buildCourse(harness.context, trainer, { title: 'Bees' });
    enrollmentId = (await buildEnrollment(harness.context, ben, course, { status: 'pending' })).id;
    await query(`INSERT INTO \`SequelizeMeta\` (name) VALUES ('${newer}')`);
  });
  afterEach(() => query(`DELETE FROM \`SequelizeMeta\` WHERE name = '${newer}'`));

  it('is refused or not by every command, as declared', () => {
    const hint = 'A command belongs to `reading`, or to `lines` with an example that would change something';
    expect([...reading, ...Object.keys(lines)].sort(), hint).to.deep.equal([...commands.keys()].sort());
    for (const [words, command] of commands)
      expect(schemaNeedOf(command) === 'any', words).to.equal(reading.includes(words));
  });

  for (const [words, line] of Object.entries(lines))
    it(`is refused by "${words}", which changes nothing`, async () => {
      const file = path.join(cli.folder, 'people.csv');
      writeFileSync(file, 'firstName,lastName,email,phone\nFay,Doe,fay@x.org,5550123\n');
      const more = line.split(' ').filter((word) => word !== '');
      const argv = more.map((word) => (word === 'ID' ? enrollmentId : word === 'FILE' ? file : word));
      const before = await contents();
      const { exitCode, said } = await cli.refusal([...words.split(' '), ...argv], { stdin: 'correct horse battery' });
      expect(said).to.equal(`The database schema is newer than this program (${newer}). Update coursectl.`);
      expect(exitCode).to.equal(1);
      expect(await contents()).to.equal(before);
    });

  it('is refused by "serve", with --migrate too', async () => {
    for (const more of [[], ['--migrate']]) {
      const { exitCode, stderr } = await cli.run(['serve', '--port', '0', ...more]);
      expect(exitCode).to.equal(1);
      expect(stderr).to.include('The database schema is newer than this program');
    }
  });
});
