import { chmodSync, existsSync, mkdirSync, readdirSync, rmdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { loadConfig } from '../../src/config/config.js';
import { openDatabase } from '../../src/db/connection.js';
import { migrateUp, migrationStatus } from '../../src/db/migrations/migrator.js';
import { translateError } from '../../src/db/translate-error.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { canLoseRights, withoutRights } from '../support/without-rights.js';
import { expectFailures, failureOf } from './support/failure.js';

describe('a SQLite file is reported as unusable', () => {
  const folder = temporaryFolder();
  after(() => {
    chmodSync(folder.path, 0o700);
    folder.remove();
  });
  const at = (...names: string[]) => path.join(folder.path, ...names);
  const url = (...names: string[]) => ({ DATABASE_URL: `sqlite:${at(...names)}` });
  const cannotBeOpened =
    /^The database file \/.* can't be opened\. Check that its folder exists and is writable, and DATABASE_URL or DATA_DIR\.$/;
  const cannotBeWritten =
    /^The database file \/.* can't be written\. Make the file and its folder writable for this user\.$/;

  it('if it is a folder, or its folder is a file or cannot be created', async () => {
    mkdirSync(at('folder'));
    writeFileSync(at('file'), '');
    const names = [['folder'], ['file', 'db.sqlite'], ['file', 'below', 'db.sqlite'], ['x'.repeat(300), 'db.sqlite']];
    for (const name of names) await expectFailures(url(...name), 'DATABASE_UNREACHABLE', cannotBeOpened);
    const settings = loadConfig({ env: url('db.sqlite'), cwd: '/' }).database;
    for (const code of ['EPERM', 'EROFS']) {
      const translated = translateError(Object.assign(new Error(code), { code, syscall: 'mkdir' }), settings);
      expect(translated).to.include({ code: 'DATABASE_NOT_WRITABLE' });
    }
  });

  it('if it is no database', async () => {
    writeFileSync(at('letter.txt'), 'Dear Sir or Madam, '.repeat(500));
    const unusable =
      /^The file \/.*letter\.txt is not a usable SQLite database\. Restore it from a backup, or name another file\.$/;
    await expectFailures(url('letter.txt'), 'DATABASE_UNUSABLE', unusable);
  });

  it('until the fault is fixed', async () => {
    mkdirSync(at('not-yet'));
    const database = openDatabase(loadConfig({ env: url('not-yet', 'db.sqlite'), cwd: '/' }).database);
    mkdirSync(at('not-yet', 'db.sqlite'));
    expect((await failureOf(() => migrationStatus(database))).code).to.equal('DATABASE_UNREACHABLE');
    rmdirSync(at('not-yet', 'db.sqlite'));
    expect(await migrateUp(database)).not.to.deep.equal([]);
    await database.close();
  });

  async function migratedFile(name: string): Promise<void> {
    const database = openDatabase(loadConfig({ env: url(name, 'db.sqlite'), cwd: '/' }).database);
    await migrateUp(database);
    await database.close();
    expect(readdirSync(at(name)), 'the last connection removes the log').to.deep.equal(['db.sqlite']);
    chmodSync(folder.path, 0o755);
  }

  it('if it is read-only', async function () {
    if (!canLoseRights) return this.skip();
    await migratedFile('read-only');
    chmodSync(at('read-only', 'db.sqlite'), 0o444);
    chmodSync(at('read-only'), 0o777);
    await withoutRights(() =>
      expectFailures(url('read-only', 'db.sqlite'), 'DATABASE_NOT_WRITABLE', cannotBeWritten, 'writes'),
    );
  });

  it('if its folder is read-only', async function () {
    if (!canLoseRights) return this.skip();
    await migratedFile('closed');
    chmodSync(at('closed', 'db.sqlite'), 0o666);
    chmodSync(at('closed'), 0o555);
    await withoutRights(() => expectFailures(url('closed', 'db.sqlite'), 'DATABASE_NOT_WRITABLE', cannotBeWritten));
    await withoutRights(() =>
      expectFailures(url('closed', 'below', 'db.sqlite'), 'DATABASE_NOT_WRITABLE', cannotBeWritten),
    );
    expect(existsSync(at('closed', 'below'))).to.equal(false);
  });

  it('if it cannot be read', async function () {
    if (!canLoseRights) return this.skip();
    await migratedFile('secret');
    chmodSync(at('secret', 'db.sqlite'), 0o000);
    chmodSync(at('secret'), 0o777);
    const ofOther =
      /^The database file \/.* can't be opened by this user\. Run this as the user of the service, .* change the owner with chown\.$/;
    await withoutRights(() => expectFailures(url('secret', 'db.sqlite'), 'DATABASE_UNREACHABLE', ofOther));
    chmodSync(at('secret', 'db.sqlite'), 0o666);
    // The log of a killed command of another user.
    writeFileSync(at('secret', 'db.sqlite-wal'), '', { mode: 0o600 });
    await withoutRights(() => expectFailures(url('secret', 'db.sqlite'), 'DATABASE_UNREACHABLE', ofOther));
  });

  it('if the migrations have not run', async () => {
    const database = openDatabase(loadConfig({ env: url('empty.sqlite'), cwd: '/' }).database);
    const { code, message } = await failureOf(() => database.read(() => database.models.User.count()));
    expect([code, message]).to.deep.equal([
      'SCHEMA_OUTDATED',
      'The database schema is not up to date: no such table: users. Run: coursectl migrate up. If nothing is pending, ' +
        'the schema was changed by hand: change it back, or restore a backup.',
    ]);
    await database.close();
  });
});

describe('errors of other files', () => {
  it('pass through unchanged', async () => {
    const folder = temporaryFolder();
    const settings = ['sqlite:db.sqlite', 'mysql://app@127.0.0.1:1/x'].map(
      (url) => loadConfig({ env: { DATABASE_URL: url }, cwd: folder.path }).database,
    );
    for (const database of settings.map((setting) => openDatabase(setting))) {
      for (const code of ['ENOENT', 'EACCES', 'ENOSPC', 'ENOTDIR']) {
        const failure = Object.assign(new Error(`${code}: open '/x'`), { code, syscall: 'open' });
        expect(await database.read(() => Promise.reject(failure)).catch((error: unknown) => error)).to.equal(failure);
      }
      await database.close();
    }
    folder.remove();
  });
});
