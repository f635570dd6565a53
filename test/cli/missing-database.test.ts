import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { missingDatabaseOf } from '../../src/cli/core/command.js';
import { testEnvironment } from '../support/environment.js';
import { useCommandLine } from '../support/run-cli.js';
import { commands, readingLines, wordsOf, writingLines } from './support/command-lines.js';

/** What isn't refused where there is no database, as declared. */
const others: Readonly<Record<string, string>> = {
  setup: 'created',
  'migrate up': 'created',
  restore: 'restored',
  serve: 'created with --migrate',
  doctor: 'reported',
};

describe('In a folder without a database', () => {
  const cli = useCommandLine(() => testEnvironment);
  const lines = { ...readingLines, ...writingLines };

  it('commands create one only if they declare it', () => {
    const declared = [...commands].flatMap(([words, command]) => {
      const what = missingDatabaseOf(command);
      return what === undefined ? [] : [[words, what]];
    });
    expect(Object.fromEntries(declared)).to.deep.equal(others);
  });

  it('they say where they looked and what to do, and create nothing', async () => {
    const file = path.join(cli.folder, 'people.csv');
    writeFileSync(file, 'firstName,lastName,email,phone\nFay,Doe,fay@x.org,5550123\n');
    const looked = path.join(cli.folder, 'data', 'coursectl.sqlite');
    for (const words of ['serve', 'users list', 'users import', 'seed demo', 'migrate status', 'backup']) {
      const line = wordsOf(lines[words] ?? '', { ID: '', FILE: file });
      expect(await cli.refusal([...words.split(' '), ...line]), words).to.deep.equal({
        exitCode: 1,
        said:
          `There is no database at ${looked}. If that is the wrong folder, change to the right one, or set DATABASE_URL or ` +
          'DATA_DIR. To create a database there, run: coursectl setup',
      });
    }
    expect(readdirSync(cli.folder)).to.deep.equal(['people.csv']);
  });

  it('"users register" at a terminal says so before its first question', async () => {
    const { exitCode, terminal } = await cli.atTerminal(['users', 'register'], []);
    expect(terminal.screen()).to.match(/^error: There is no database at /);
    expect(exitCode).to.equal(1);
    expect(readdirSync(cli.folder)).to.deep.equal([]);
  });

  it('the message is part of --json, and names the file of DATABASE_URL', async () => {
    const env = { ...testEnvironment, DATABASE_URL: 'sqlite:mine/here.sqlite' };
    const { error } = await cli.json<{ error: { code: string; message: string } }>(['users', 'list'], { env });
    expect(error.code).to.equal('DATABASE_MISSING');
    expect(error.message).to.include(path.join(cli.folder, 'mine', 'here.sqlite'));
    expect(existsSync(path.join(cli.folder, 'mine'))).to.equal(false);
  });

  it('doctor reports it, and creates nothing', async () => {
    const { exitCode, stdout } = await cli.run(['doctor']);
    expect(exitCode).to.equal(1);
    expect(stdout).to.match(/FAILED {3}connection: no database at .* -> Run: coursectl setup/);
    expect(readdirSync(cli.folder)).to.deep.equal([]);
  });

  it('an empty file counts as a database without tables', async () => {
    mkdirSync(path.join(cli.folder, 'data'));
    writeFileSync(path.join(cli.folder, 'data', 'coursectl.sqlite'), '');
    const { said } = await cli.refusal(['users', 'list']);
    expect(said).to.match(/^The database schema is not up to date: no such table: users\. Run: coursectl migrate up\./);
  });
});
