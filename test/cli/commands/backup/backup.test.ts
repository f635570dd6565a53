import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import type { InferCreationAttributes } from 'sequelize';
import { v7 as uuidv7 } from 'uuid';
import { openDatabase } from '../../../../src/db/connection.js';
import type { Import } from '../../../../src/db/models/import.js';
import { buildUser, tokenFor } from '../../../support/factories.js';
import { elsewhere, pathsIn, useInstallation, withMaterials } from './support/installation.js';

describe('coursectl backup and restore', () => {
  const cli = useInstallation();
  const modeOf = (name: string) => statSync(path.join(cli.folder, name)).mode & 0o777;

  it('restores accounts, courses and files elsewhere', async () => {
    const { files } = await withMaterials(cli, 2);
    const backedUp = await cli.run(['backup', 'copy']);
    expect(backedUp.exitCode, backedUp.stderr).to.equal(0);
    expect(backedUp.stdout).to.match(/^Backup in .*copy:\n {2}database: \d+ bytes\n {2}2 files: 36 bytes\n$/);
    const restored = await cli.run(['restore', 'copy'], { env: elsewhere });
    expect(restored.exitCode, restored.stderr).to.equal(0);
    expect(restored.stdout).to.match(/all sessions are ended\n {2}2 files: 36 bytes\nRun: coursectl doctor\n$/);
    const { users } = await cli.json<{ users: { email: string }[] }>(['users', 'list'], { env: elsewhere });
    expect(users.map(({ email }) => email)).to.deep.equal(['ada@x.org']);
    for (const [index, { storageKey }] of files.entries())
      expect(readFileSync(path.join(cli.folder, 'elsewhere/files', storageKey), 'utf8')).to.equal(
        `Content of file ${index}.`,
      );
    const { sweep } = await cli.json<{ sweep: object }>(['files', 'sweep'], { env: elsewhere });
    expect(sweep).to.deep.include({ removed: 0, unknown: [], missing: [] });
    expect(pathsIn(path.join(cli.folder, 'elsewhere')).filter((name) => name.includes('restoring'))).to.deep.equal([]);
  });

  it('only this user can read a backup and what was restored', async () => {
    const { files } = await withMaterials(cli, 1);
    await cli.run(['backup', 'copy']);
    await cli.run(['restore', 'copy'], { env: elsewhere });
    const key = files[0]?.storageKey ?? '';
    expect([modeOf('copy'), modeOf('copy/files'), modeOf('elsewhere/files')]).to.deep.equal([0o700, 0o700, 0o700]);
    const written = ['copy/manifest.json', 'copy/database.sqlite', `copy/files/${key}`, `elsewhere/files/${key}`];
    for (const name of [...written, 'elsewhere/coursectl.sqlite']) expect(modeOf(name), name).to.equal(0o600);
  });

  it('closes an empty folder that others could read', async () => {
    const folder = path.join(cli.folder, 'copy');
    mkdirSync(folder);
    // Not the mode of mkdir(), from which the umask takes.
    chmodSync(folder, 0o755);
    expect((await cli.run(['backup', 'copy'])).exitCode).to.equal(0);
    expect(modeOf('copy')).to.equal(0o700);
  });

  it('has figures for --json, and a manifest with hashes', async () => {
    const { files } = await withMaterials(cli, 1);
    const { backup } = await cli.json<{ backup: object }>(['backup', 'copy']);
    expect(backup).to.include({ dialect: 'sqlite', files: 1, fileBytes: 18, bucket: null, dumpCommand: null });
    const sha256 = createHash('sha256').update('Content of file 0.').digest('hex');
    expect(JSON.parse(readFileSync(path.join(cli.folder, 'copy/manifest.json'), 'utf8'))).to.deep.include({
      version: 1,
      missing: [],
      files: [{ key: files[0]?.storageKey, bytes: 18, sha256 }],
    });
    const { restore } = await cli.json<{ restore: object }>(['restore', 'copy'], { env: elsewhere });
    expect(restore).to.deep.include({ files: 1, pending: [], stoppedImports: 0 });
  });

  it('lists files that are missing in the storage, and exits with 3', async () => {
    const { files } = await withMaterials(cli, 2);
    const key = files[0]?.storageKey ?? '';
    rmSync(path.join(cli.folder, 'data/files', key));
    const { exitCode, stdout } = await cli.run(['backup', 'copy']);
    expect(exitCode).to.equal(3);
    expect(stdout).to.include(`1 file missing or unreadable in the storage\n  ${key}\n`);
    expect((await cli.run(['restore', 'copy'], { env: elsewhere })).exitCode).to.equal(0);
  });

  it('names and lists files that can not be read in the storage, backs up the others, and exits with 3', async () => {
    const { files } = await withMaterials(cli, 2);
    const key = files[0]?.storageKey ?? '';
    const file = path.join(cli.folder, 'data/files', key);
    rmSync(file);
    symlinkSync('/etc/hostname', file);
    const { exitCode, stdout, stderr } = await cli.run(['backup', 'copy']);
    expect(exitCode).to.equal(3);
    expect(stdout).to.include(`  1 file: 18 bytes\n1 file missing or unreadable in the storage\n  ${key}\n`);
    expect(stderr).to.include(
      `warning: Not in the backup: The file "${file}" is a symbolic link in place of a file: check who created it.\n`,
    );
    expect((await cli.run(['restore', 'copy'], { env: elsewhere })).exitCode).to.equal(0);
  });

  it('copies and lists files whose size differs from the database, and exits with 3', async () => {
    const { files } = await withMaterials(cli, 2);
    const key = files[0]?.storageKey ?? '';
    writeFileSync(path.join(cli.folder, 'data/files', key), 'Content');
    const { exitCode, stdout } = await cli.run(['backup', 'copy']);
    expect(exitCode).to.equal(3);
    expect(stdout)
      .to.match(/\n {2}2 files: 25 bytes\n1 file damaged in the storage, .*\n {2}/)
      .and.to.include(key);
    const { restore } = await cli.json<{ restore: object }>(['restore', 'copy'], { env: elsewhere });
    expect(restore).to.deep.include({ files: 2, missing: [], damaged: [key] });
    expect(readFileSync(path.join(cli.folder, 'elsewhere/files', key), 'utf8')).to.equal('Content');
  });

  it('has restored, and warns, when the cleanup afterwards fails', async () => {
    await withMaterials(cli, 1);
    await cli.run(['backup', 'copy']);
    mkdirSync(path.join(cli.folder, 'elsewhere'));
    writeFileSync(path.join(cli.folder, 'elsewhere/uploads'), 'in the way');
    const { exitCode, stdout, stderr } = await cli.run(['restore', 'copy'], { env: elsewhere });
    expect(exitCode, stderr).to.equal(0);
    expect(stdout).to.match(/\n {2}1 file: 18 bytes\nRun: coursectl doctor\n$/);
    expect(stderr).to.match(
      /^warning: The backup is restored, but not all orphaned files were removed: The folder ".+uploads" isn't a folder: check the path\. Run: coursectl files sweep$/m,
    );
  });

  it('ends the sessions of the backup', async () => {
    const { context, trainer } = await withMaterials(cli, 0);
    await tokenFor(context, trainer);
    await cli.run(['backup', 'copy']);
    await cli.run(['restore', 'copy'], { env: elsewhere });
    const { sessions } = await cli.json<{ sessions: object[] }>(['users', 'sessions', 'list', 'ada@x.org'], {
      env: elsewhere,
    });
    expect(sessions).to.deep.equal([]);
  });

  /** An import over HTTP, in the folder that it has in `data`. */
  async function buildImport(fields: Partial<InferCreationAttributes<Import>>): Promise<Import> {
    const context = await cli.context();
    const id = uuidv7();
    return context.database.models.Import.create({
      id,
      number: 1,
      status: 'queued',
      origin: 'http',
      fileName: 'people.csv',
      filePath: path.join(cli.folder, 'data/imports', id, 'upload.csv'),
      fileSha256: '0'.repeat(64),
      optionsJson: '{}',
      createdAt: new Date(),
      ...fields,
    });
  }

  /** An import that waits for its upload, which no backup has. @returns its id */
  const buildWaitingImport = async () => (await buildImport({})).id;

  it('stops imports that wait for an upload, which is not in the backup', async () => {
    const id = await buildWaitingImport();
    await cli.run(['backup', 'copy']);
    const { stdout } = await cli.run(['restore', 'copy'], { env: elsewhere });
    expect(stdout).to.include('1 import stopped: upload the files again\n');
    const { stdout: shown } = await cli.run(['imports', 'show', id], { env: elsewhere });
    expect(shown).to.include('failed').and.to.include('Upload it again.');
  });

  it('leaves the files of imports to the installation that was backed up', async () => {
    const filesIn = (id: string) => {
      const folder = path.join(cli.folder, 'data/imports', id);
      const [filePath, credentialsFile] = [path.join(folder, 'upload.csv'), path.join(folder, 'passwords.csv')];
      mkdirSync(folder, { recursive: true });
      for (const file of [filePath, credentialsFile]) writeFileSync(file, 'Of the other one.');
      return { id, filePath, credentialsFile, credentialsBytes: 17 };
    };
    const running = await buildImport({ ...filesIn(uuidv7()), status: 'interrupted' });
    const id = uuidv7();
    const rejectsFile = path.join(cli.folder, 'data/imports', id, 'rejected.csv');
    const ended = await buildImport({ ...filesIn(id), number: 2, status: 'completed', rejectsFile });
    // Its operator has named the files.
    const atTerminal = await buildImport({ ...filesIn(uuidv7()), number: 3, status: 'interrupted', origin: 'cli' });
    await cli.run(['backup', 'copy']);
    const { restore } = await cli.json<{ restore: object }>(['restore', 'copy'], { env: elsewhere });
    expect(restore).to.deep.include({ stoppedImports: 1 });
    const restored = openDatabase({ dialect: 'sqlite', file: path.join(cli.folder, 'elsewhere/coursectl.sqlite') });
    const records = await restored.models.Import.findAll({ order: ['number'] }).finally(() => restored.close());
    const here = (id: string, name: string) => path.join(cli.folder, 'elsewhere/imports', id, name);
    const pathsOf = ({ filePath, credentialsFile, rejectsFile }: Import) => [
      filePath,
      credentialsFile,
      rejectsFile ?? null,
    ];
    expect(records.map(({ status }) => status)).to.deep.equal(['failed', 'completed', 'interrupted']);
    expect(records.map(pathsOf)).to.deep.equal([
      [here(running.id, 'upload.csv'), null, null],
      [here(ended.id, 'upload.csv'), null, here(ended.id, 'rejected.csv')],
      pathsOf(atTerminal),
    ]);
  });

  it('refuses a folder that is not empty, and changes nothing in it', async () => {
    mkdirSync(path.join(cli.folder, 'copy'));
    writeFileSync(path.join(cli.folder, 'copy/mine.txt'), 'mine');
    const { exitCode, said } = await cli.refusal(['backup', 'copy']);
    expect(exitCode).to.equal(2);
    expect(said).to.match(/^The folder .*copy isn't empty\. Name another one, or remove it\.$/);
    expect(pathsIn(path.join(cli.folder, 'copy'))).to.deep.equal(['mine.txt']);
  });

  it('leaves no folder after Ctrl-C', async () => {
    await withMaterials(cli, 3);
    const stop = new AbortController();
    stop.abort();
    const { exitCode } = await cli.run(['backup', 'copy'], { signal: stop.signal });
    expect(exitCode).to.equal(130);
    expect(existsSync(path.join(cli.folder, 'copy'))).to.equal(false);
    // Nothing is held any more.
    expect((await cli.run(['backup', 'copy'])).exitCode).to.equal(0);
  });

  it('refuses a second backup at the same time', async () => {
    await withMaterials(cli, 50);
    const both = await Promise.all([cli.run(['backup', 'one']), cli.run(['backup', 'two'])]);
    expect(both.map(({ exitCode }) => exitCode).sort()).to.deep.equal([0, 1]);
    expect(both.map(({ stderr }) => stderr).join('')).to.include('Another backup is running');
  });

  it('has no dump command for SQLite', async () => {
    const { exitCode, said } = await cli.refusal(['backup', 'copy', '--print-dump']);
    expect({ exitCode, said }).to.deep.equal({
      exitCode: 2,
      said: 'An SQLite database needs no dump: the backup has it. Leave --print-dump out.',
    });
  });

  it('says that an older database needs "migrate up"', async () => {
    expect((await cli.run(['migrate', 'down', '--yes'])).exitCode).to.equal(0);
    expect((await cli.run(['backup', 'copy'])).exitCode).to.equal(0);
    const { exitCode, stdout } = await cli.run(['restore', 'copy'], { env: elsewhere });
    expect(exitCode).to.equal(0);
    expect(stdout).to.match(/\(1 migration pending\)\. Run: coursectl migrate up\n$/);
    expect((await cli.run(['migrate', 'up'], { env: elsewhere })).exitCode).to.equal(0);
    expect((await cli.run(['users', 'list'], { env: elsewhere })).exitCode).to.equal(0);
  });

  it('stops such imports in a database of any older schema, too', async () => {
    const id = await buildWaitingImport();
    const { executed } = await (await cli.context()).schema.status();
    // The oldest schema that can be backed up: it has the stored files.
    const steps = executed.length - 1 - executed.findIndex((name) => name.includes('create-files'));
    expect((await cli.run(['migrate', 'down', '--steps', `${steps}`, '--yes'])).exitCode).to.equal(0);
    expect((await cli.run(['backup', 'copy'])).exitCode).to.equal(0);
    const { restore } = await cli.json<{ restore: { pending: string[] } }>(['restore', 'copy'], { env: elsewhere });
    expect(restore).to.deep.include({ stoppedImports: 1 });
    expect(restore.pending).to.have.length(steps);
    expect((await cli.run(['migrate', 'up'], { env: elsewhere })).exitCode).to.equal(0);
    const { stdout: shown } = await cli.run(['imports', 'show', id], { env: elsewhere });
    expect(shown).to.include('failed').and.to.include('Upload it again.');
  });

  it('restores only where there is no database', async () => {
    const context = await cli.context();
    await buildUser(context);
    await cli.run(['backup', 'copy']);
    const { exitCode, said } = await cli.refusal(['restore', 'copy']);
    expect(exitCode).to.equal(1);
    expect(said).to.match(/coursectl\.sqlite exists: a backup is restored only where there is no database\./);
  });

  it('restores only where there are no files', async () => {
    await withMaterials(cli, 1);
    await cli.run(['backup', 'copy']);
    mkdirSync(path.join(cli.folder, 'elsewhere/files/material'), { recursive: true });
    writeFileSync(path.join(cli.folder, 'elsewhere/files/material/other'), 'other');
    const { exitCode, said } = await cli.refusal(['restore', 'copy'], { env: elsewhere });
    expect(exitCode).to.equal(1);
    expect(said).to.match(/elsewhere\/files has files that the backup hasn't, such as material\/other: /);
    expect(pathsIn(path.join(cli.folder, 'elsewhere'))).to.deep.equal(['files/material/other']);
  });
});
