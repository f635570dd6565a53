import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { QueryTypes } from 'sequelize';
import { databaseNeeds } from '../../src/cli/core/command/command.js';
import { testEnvironment } from '../support/environment.js';
import { buildCourse, buildEnrollment, buildUser } from '../support/factories.js';
import { useHarnessAndCli } from '../support/harness-cli.js';
import { useCommandLine } from '../support/run-cli.js';
import { commands, readingLines, wordsOf, writingLines } from './support/command-lines.js';

describe('A database whose schema is newer than the program', () => {
  const { harness, cli } = useHarnessAndCli();
  const newer = '99991231235959-of-a-newer-program.cjs';
  const query = (sql: string) => harness.context.database.sequelize.query(sql);
  const contents = async () => {
    const tables = ['users', 'courses', 'enrollments', 'audit_entries', 'imports', 'files', 'SequelizeMeta'];
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

  it('is refused by commands as declared', () => {
    const hint =
      'A command belongs to `readingLines`, or to `writingLines` with an example that would change something';
    expect([...Object.keys(readingLines), ...Object.keys(writingLines)].sort(), hint).to.deep.equal(
      [...commands.keys()].sort(),
    );
    for (const [words, command] of commands)
      expect(databaseNeeds.get(command)?.schema === 'any', words).to.equal(words in readingLines);
  });

  it('is refused and not changed by commands that write', async () => {
    const file = path.join(cli.folder, 'people.csv');
    writeFileSync(file, 'firstName,lastName,email,phone\nFay,Doe,fay@x.org,5550123\n');
    const before = await contents();
    for (const words of ['setup', 'migrate up', 'seed demo', 'users edit', 'users import', 'courses files add']) {
      const argv = wordsOf(writingLines[words] ?? '', { ID: enrollmentId, FILE: file });
      const { exitCode, message } = await cli.refusal([...words.split(' '), ...argv], {
        stdin: 'correct horse battery',
      });
      expect(message, words).to.equal(`The database schema is newer than this program (${newer}). Update coursectl.`);
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

/** Commands that work without a database, as declared. */
const others: Readonly<Record<string, string>> = {
  setup: 'created',
  'migrate up': 'created',
  restore: 'restored',
  serve: 'created with --migrate',
  doctor: 'reported',
  'mail test': 'reported',
};

describe('In a folder without a database', () => {
  const cli = useCommandLine(() => testEnvironment);
  const lines = { ...readingLines, ...writingLines };

  it('commands create one only if they declare it', () => {
    const declared = [...commands].flatMap(([words, command]) => {
      const what = databaseNeeds.get(command)?.missingDatabase;
      return what === undefined ? [] : [[words, what]];
    });
    expect(Object.fromEntries(declared)).to.deep.equal(others);
  });

  it('commands name the missing file and the next step, and create nothing', async () => {
    const file = path.join(cli.folder, 'people.csv');
    writeFileSync(file, 'firstName,lastName,email,phone\nFay,Doe,fay@x.org,5550123\n');
    const looked = path.join(cli.folder, 'data', 'coursectl.sqlite');
    for (const words of ['serve', 'users list', 'users import', 'seed demo', 'migrate status', 'backup']) {
      const line = wordsOf(lines[words] ?? '', { ID: '', FILE: file });
      expect(await cli.refusal([...words.split(' '), ...line]), words).to.deep.equal({
        exitCode: 1,
        message:
          `There is no database at ${looked}. If that is the wrong folder, change to the correct folder, or set DATABASE_URL or ` +
          'DATA_DIR. To create a database there, run: coursectl setup',
      });
    }
    expect(readdirSync(cli.folder)).to.deep.equal(['people.csv']);
  });

  it('"users register" reports it at a terminal before the first question', async () => {
    const { exitCode, terminal } = await cli.atTerminal(['users', 'register'], []);
    expect(terminal.screen()).to.match(/^error: There is no database at /);
    expect(exitCode).to.equal(1);
    expect(readdirSync(cli.folder)).to.deep.equal([]);
  });

  it('the error is part of --json, and names the file of DATABASE_URL', async () => {
    const env = { ...testEnvironment, DATABASE_URL: 'sqlite:mine/here.sqlite' };
    const { error } = await cli.json<{ error: { code: string; message: string } }>(['users', 'list'], { env });
    expect(error.code).to.equal('DATABASE_MISSING');
    expect(error.message).to.include(path.join(cli.folder, 'mine', 'here.sqlite'));
    expect(existsSync(path.join(cli.folder, 'mine'))).to.equal(false);
  });

  it('an empty file counts as a database without tables', async () => {
    mkdirSync(path.join(cli.folder, 'data'));
    writeFileSync(path.join(cli.folder, 'data', 'coursectl.sqlite'), '');
    const { message } = await cli.refusal(['users', 'list']);
    expect(message).to.match(
      /^The database schema is not up to date: no such table: users\. Run: coursectl migrate up\./,
    );
  });
});
