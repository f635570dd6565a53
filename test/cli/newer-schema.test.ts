import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { QueryTypes } from 'sequelize';
import { schemaNeedOf } from '../../src/cli/core/command.js';
import { testEnvironment } from '../support/environment.js';
import { buildCourse, buildEnrollment, buildUser } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { useCommandLine } from '../support/run-cli.js';
import { commands, readingLines, wordsOf, writingLines } from './support/command-lines.js';

describe('A database whose schema is newer than the program', () => {
  const harness = useHarness();
  const cli = useCommandLine(() => ({ ...testEnvironment, DATABASE_URL: harness.databaseUrl }));
  const newer = '99991231235959-of-a-newer-program.cjs';
  const query = (sql: string) => harness.context.database.sequelize.query(sql);
  const contents = async () => {
    const tables = [
      'users',
      'account_words',
      'courses',
      'course_words',
      'enrollments',
      'sessions',
      'audit_entries',
      'imports',
      'files',
      'phone_country',
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
    const hint =
      'A command belongs to `readingLines`, or to `writingLines` with an example that would change something';
    expect([...Object.keys(readingLines), ...Object.keys(writingLines)].sort(), hint).to.deep.equal(
      [...commands.keys()].sort(),
    );
    for (const [words, command] of commands)
      expect(schemaNeedOf(command) === 'any', words).to.equal(words in readingLines);
  });

  it('is refused by commands that write, which change nothing', async () => {
    const file = path.join(cli.folder, 'people.csv');
    writeFileSync(file, 'firstName,lastName,email,phone\nFay,Doe,fay@x.org,5550123\n');
    const before = await contents();
    for (const words of ['setup', 'migrate up', 'seed demo', 'users edit', 'users import', 'courses files add']) {
      const argv = wordsOf(writingLines[words] ?? '', { ID: enrollmentId, FILE: file });
      const { exitCode, said } = await cli.refusal([...words.split(' '), ...argv], { stdin: 'correct horse battery' });
      expect(said, words).to.equal(`The database schema is newer than this program (${newer}). Update coursectl.`);
      expect(exitCode, words).to.equal(1);
    }
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
