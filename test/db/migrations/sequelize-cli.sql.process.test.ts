import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { assertSchemaCurrent, migrateDown, migrateUp, migrationStatus } from '../../../src/db/migrations/migrator.js';
import { AppError } from '../../../src/errors.js';
import { type ProcessResult, run, useOwnProgram } from '../../support/built-program.js';
import { onMysql } from '../../support/database.js';
import { scaled } from '../../support/machine.js';
import { tablesOf, useDatabases } from '../support/databases.js';
import { somebody } from '../support/somebody.js';

describe('sequelize-cli', function () {
  this.timeout(scaled(60_000));
  const built = useOwnProgram();
  const databases = useDatabases({ migrated: false });
  let files: string[];
  before(() => {
    files = readdirSync(path.join(built.path, 'migrations')).filter((name) => name.endsWith('.cjs'));
  });

  function start(command: string, env = {}): Promise<ProcessResult> {
    // The program that npx would start, without the time that npm takes.
    const program = path.join('node_modules', '.bin', 'sequelize-cli');
    return run(program, [command], built.path, { DATABASE_URL: databases.url, ...env });
  }

  /**
   * Runs a command that must succeed.
   * @returns its standard output
   */
  async function cli(command: string): Promise<string> {
    const { exitCode, stdout, stderr } = await start(command);
    expect(exitCode, `${command}\n${stdout}${stderr}`).to.equal(0);
    return stdout;
  }
  const statusLines = (output: string) => output.split('\n').filter((line) => /^(up|down) /.test(line));

  it('applies and reverts migrations, and agrees with coursectl about their status', async () => {
    const database = databases.open();
    expect(statusLines(await cli('db:migrate:status'))).to.deep.equal(files.map((file) => `down ${file}`));

    await cli('db:migrate');
    await assertSchemaCurrent(database);
    expect(await migrateUp(database)).to.deep.equal([]);

    await migrateDown(database, 1);
    const expected = files.map((file, place) => `${place < files.length - 1 ? 'up' : 'down'} ${file}`);
    expect(statusLines(await cli('db:migrate:status'))).to.deep.equal(expected);

    await cli('db:migrate:undo:all');
    expect(await migrationStatus(database)).to.deep.equal({ executed: [], pending: files, unknown: [] });
    expect(await tablesOf(database)).to.deep.equal(['SequelizeMeta', 'leases']);
  });

  it('prints one line about invalid settings', async () => {
    const { exitCode, stdout, stderr } = await start('db:migrate', { NODE_ENV: 'production', JWT_SECRET: '' });
    expect(exitCode).to.equal(1);
    expect(stderr).to.match(/^ERROR: The configuration is not valid: JWT_SECRET must be set in production; [^\n]+\n$/);
    expect(stdout).not.to.include('--migrations-path');
  });

  it('seeds the demo only the first time, and removes it', async () => {
    const database = databases.open();
    await migrateUp(database);
    await cli('db:seed:all');
    expect(await database.models.User.count()).to.equal(204);
    await cli('db:seed:all');
    expect(await database.models.User.count()).to.equal(204);
    await cli('db:seed:undo:all');
    const { User, Course, Enrollment } = database.models;
    expect(await Promise.all([User.count(), Course.count(), Enrollment.count()])).to.deep.equal([0, 0, 0]);
  });

  it('creates a database file that only this user can access', async function () {
    if (onMysql || process.platform === 'win32') return this.skip();
    const { exitCode, stderr } = await start('db:migrate', { DATABASE_URL: '', DATA_DIR: 'own data' });
    expect(exitCode, stderr).to.equal(0);
    const folder = path.join(built.path, 'own data');
    const modes = [folder, path.join(folder, 'coursectl.sqlite')].map((file) => statSync(file).mode & 0o777);
    expect(modes).to.deep.equal([0o700, 0o600]);
  });

  it('refuses to load the demo in production or into a database with other accounts', async () => {
    const database = databases.open();
    const { User } = database.models;
    await migrateUp(database);
    const secret = { JWT_SECRET: 'a secret for tests only, longer than 32 bytes' };
    const fromEnvironment = await start('db:seed:all', { NODE_ENV: 'production', ...secret });
    const settingsFile = path.join(built.path, '.env');
    writeFileSync(settingsFile, 'NODE_ENV=production\n');
    const fromFile = await start('db:seed:all', { NODE_ENV: '', ...secret });
    rmSync(settingsFile);
    for (const { exitCode, stderr } of [fromEnvironment, fromFile]) {
      expect(stderr).to.include(new AppError('SEED_REFUSED').message);
      expect(exitCode).to.equal(1);
    }
    expect(await User.count()).to.equal(0);

    await User.create(somebody({ role: 'trainee' }));
    const amongOthers = await start('db:seed:all');
    expect(amongOthers.stderr).to.include(new AppError('DATABASE_NOT_EMPTY').message);
    expect(amongOthers.exitCode).to.equal(1);
    expect(await User.count()).to.equal(1);
  });
});
