import { createHash } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import type { InferCreationAttributes } from 'sequelize';
import { v7 as uuidv7 } from 'uuid';
import { openDatabase } from '../../../../src/db/connection.js';
import type { Import } from '../../../../src/db/models/import.js';
import { buildMail, calendarKeyOf, linkFor, tokenFor } from '../../../support/factories.js';
import { elsewhere, pathsIn, useInstallation, withMaterials } from './support/installation.js';

describe('coursectl backup and restore', () => {
  const cli = useInstallation();
  const modeOf = (name: string) => statSync(path.join(cli.folder, name)).mode & 0o777;

  it('restores accounts, courses and files in another folder', async () => {
    const { context, trainer, files } = await withMaterials(cli, 2);
    await tokenFor(context, trainer);
    const backedUp = await cli.run(['backup', 'copy']);
    expect(backedUp.exitCode, backedUp.stderr).to.equal(0);
    expect(backedUp.stdout).to.match(/^Backup in .*copy:\n {2}database: \d+ bytes\n {2}2 files: 36 bytes\n$/);
    const restored = await cli.run(['restore', 'copy'], { env: elsewhere });
    expect(restored.exitCode, restored.stderr).to.equal(0);
    expect(restored.stdout).to.match(/all sessions are ended\n {2}2 files: 36 bytes\nRun: coursectl doctor\n$/);
    const { users } = await cli.json<{ users: { email: string }[] }>(['users', 'list'], { env: elsewhere });
    expect(users.map(({ email }) => email)).to.deep.equal(['ada@x.org']);
    const sessions = ['users', 'sessions', 'list', 'ada@x.org'];
    expect(await cli.json(sessions, { env: elsewhere })).to.deep.include({ sessions: [] });
    for (const [index, { storageKey }] of files.entries())
      expect(readFileSync(path.join(cli.folder, 'elsewhere/files', storageKey), 'utf8')).to.equal(
        `Content of file ${index}.`,
      );
    const { sweep } = await cli.json<{ sweep: object }>(['files', 'sweep'], { env: elsewhere });
    expect(sweep).to.deep.include({ removed: 0, unknown: [], missing: [] });
    expect(pathsIn(path.join(cli.folder, 'elsewhere')).filter((name) => name.includes('restoring'))).to.deep.equal([]);
  });

  it('withdraws mails and invalidates links and calendar addresses on restore', async () => {
    const { context, trainer } = await withMaterials(cli, 1);
    const user = await trainer.update({ inviteState: 'queued' });
    const token = await linkFor(context, user);
    await calendarKeyOf(context, user);
    for (const state of ['queued', 'sending', 'deferred', 'sent'] as const)
      await buildMail(context, { userId: user.id, state });
    await buildMail(context, { kind: 'reset', identifier: 'ada@x.org' });
    await cli.run(['backup', 'copy']);
    const restored = await cli.run(['restore', 'copy'], { env: elsewhere });
    expect(restored.stdout)
      .to.include('3 mails withdrawn')
      .and.include('1 link ended')
      .and.include('1 calendar address ended');
    expect(readFileSync(path.join(cli.folder, 'copy/database.sqlite'), 'latin1')).not.to.include(token);
    const database = openDatabase({ dialect: 'sqlite', file: path.join(cli.folder, 'elsewhere/coursectl.sqlite') });
    const { models } = database;
    const mails = await models.Mail.findAll({ order: ['id'] });
    expect(mails.map(({ state }) => state)).to.deep.equal(['withdrawn', 'withdrawn', 'withdrawn', 'sent']);
    expect(await models.Link.count()).to.equal(0);
    expect(await models.Calendar.count()).to.equal(0);
    expect((await models.User.findByPk(user.id))?.inviteState).to.equal(null);
    await database.close();
  });

  it('makes backups and restored files readable by the current user only', async () => {
    const { files } = await withMaterials(cli, 1);
    mkdirSync(path.join(cli.folder, 'copy'));
    // Sets the mode explicitly, because mkdir() applies the umask.
    chmodSync(path.join(cli.folder, 'copy'), 0o755);
    await cli.run(['backup', 'copy']);
    await cli.run(['restore', 'copy'], { env: elsewhere });
    const key = files[0]?.storageKey ?? '';
    expect([modeOf('copy'), modeOf('copy/files'), modeOf('elsewhere/files')]).to.deep.equal([0o700, 0o700, 0o700]);
    const written = ['copy/manifest.json', 'copy/database.sqlite', `copy/files/${key}`, `elsewhere/files/${key}`];
    for (const name of [...written, 'elsewhere/coursectl.sqlite']) expect(modeOf(name), name).to.equal(0o600);
  });

  it('prints counts with --json, and writes a manifest with hashes', async () => {
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

  it('lists files that are missing, unreadable or of another size, backs up the others, and exits with 3', async () => {
    const { files } = await withMaterials(cli, 4);
    const [missing = '', link = '', changed = ''] = files.map(({ storageKey }) => storageKey);
    const at = (key: string) => path.join(cli.folder, 'data/files', key);
    for (const key of [missing, link]) rmSync(at(key));
    symlinkSync('/etc/hostname', at(link));
    writeFileSync(at(changed), 'Content');
    const { exitCode, stdout, stderr } = await cli.run(['backup', 'copy']);
    expect(exitCode).to.equal(3);
    expect(stdout).to.include('\n  2 files: 25 bytes\n2 files missing or unreadable in the storage\n');
    expect(stdout).to.match(/\n1 file damaged in the storage, /);
    for (const key of [missing, link, changed]) expect(stdout).to.include(`\n  ${key}`);
    expect(stderr).to.include(
      `warning: Not in the backup: The file "${at(link)}" is a symbolic link in place of a file: check who created it.\n`,
    );
    const { restore } = await cli.json<{ restore: { missing: string[] } }>(['restore', 'copy'], { env: elsewhere });
    expect(restore).to.deep.include({ files: 2, damaged: [changed] });
    expect(restore.missing).to.have.members([missing, link]);
    expect(readFileSync(path.join(cli.folder, 'elsewhere/files', changed), 'utf8')).to.equal('Content');
  });

  it('restores, and warns if the cleanup afterwards fails', async () => {
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

  /** Creates an import over HTTP, with its folder in `data`. */
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

  it('does not restore files of imports, which belong to the original installation', async () => {
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
    // An operator chose the files of this import at a terminal.
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

  it('refuses a folder of another user', async function () {
    if (process.getuid?.() !== 0) return this.skip();
    const folder = path.join(cli.folder, 'theirs');
    mkdirSync(folder, { mode: 0o777 });
    chownSync(folder, 65_534, 65_534);
    const { exitCode, message } = await cli.refusal(['backup', 'theirs']);
    expect(exitCode).to.equal(2);
    expect(message).to.match(/^The folder .*theirs belongs to another user, who could read it\. Name a new one\.$/);
    expect(pathsIn(folder)).to.deep.equal([]);
  });

  it('refuses a folder that is not empty, and leaves no folder after Ctrl-C', async () => {
    mkdirSync(path.join(cli.folder, 'mine'));
    writeFileSync(path.join(cli.folder, 'mine/mine.txt'), 'mine');
    const { exitCode, message } = await cli.refusal(['backup', 'mine']);
    expect(exitCode).to.equal(2);
    expect(message).to.match(/^The folder .*mine isn't empty\. Name another one, or remove it\.$/);
    expect(pathsIn(path.join(cli.folder, 'mine'))).to.deep.equal(['mine.txt']);

    await withMaterials(cli, 3);
    const interrupted = await cli.run(['backup', 'copy'], { signal: AbortSignal.abort() });
    expect(interrupted.exitCode).to.equal(130);
    expect(existsSync(path.join(cli.folder, 'copy'))).to.equal(false);
    // No lock remains.
    expect((await cli.run(['backup', 'copy'])).exitCode).to.equal(0);
  });

  it('refuses a second backup at the same time', async () => {
    await withMaterials(cli, 50);
    const both = await Promise.all([cli.run(['backup', 'one']), cli.run(['backup', 'two'])]);
    expect(both.map(({ exitCode }) => exitCode).sort()).to.deep.equal([0, 1]);
    expect(both.map(({ stderr }) => stderr).join('')).to.include('Another backup is running');
  });

  it('prints no dump command for SQLite', async () => {
    const { exitCode, message } = await cli.refusal(['backup', 'copy', '--print-dump']);
    expect({ exitCode, message }).to.deep.equal({
      exitCode: 2,
      message: 'An SQLite database needs no dump: the backup has it. Leave --print-dump out.',
    });
  });

  it('stops imports without their uploads, also in an older schema, and says that the schema is older', async () => {
    // The uploaded file is not part of a backup.
    const { id } = await buildImport({});
    const { executed } = await (await cli.context()).schema.status();
    // Reverts to the oldest schema that can be backed up: the one that created the table of files.
    const steps = executed.length - 1 - executed.findIndex((name) => name.includes('create-files'));
    expect((await cli.run(['migrate', 'down', '--steps', `${steps}`, '--yes'])).exitCode).to.equal(0);
    expect((await cli.run(['backup', 'copy'])).exitCode).to.equal(0);
    const { restore } = await cli.json<{ restore: { pending: string[] } }>(['restore', 'copy'], { env: elsewhere });
    expect(restore).to.deep.include({ stoppedImports: 1 });
    expect(restore.pending).to.have.length(steps);
    const again = await cli.run(['restore', 'copy'], { env: { ...elsewhere, DATA_DIR: 'again' } });
    expect(again.stdout).to.include('1 import stopped: upload the files again\n');
    expect(again.stdout).to.match(/\(\d+ migrations pending\)\. Run: coursectl migrate up\n$/);
    expect((await cli.run(['migrate', 'up'], { env: elsewhere })).exitCode).to.equal(0);
    const { stdout: shown } = await cli.run(['imports', 'show', id], { env: elsewhere });
    expect(shown).to.include('failed').and.to.include('Upload it again.');
  });

  it('restores only into an installation without database and files', async () => {
    await withMaterials(cli, 1);
    await cli.run(['backup', 'copy']);
    expect((await cli.refusal(['restore', 'copy'])).message).to.match(
      /coursectl\.sqlite exists\. A restore needs an installation without a database:/,
    );
    mkdirSync(path.join(cli.folder, 'elsewhere/files/material'), { recursive: true });
    writeFileSync(path.join(cli.folder, 'elsewhere/files/material/other'), 'other');
    const { exitCode, message } = await cli.refusal(['restore', 'copy'], { env: elsewhere });
    expect(exitCode).to.equal(1);
    expect(message).to.match(/elsewhere\/files has files that the backup doesn't have, such as material\/other\. /);
    expect(pathsIn(path.join(cli.folder, 'elsewhere'))).to.deep.equal(['files/material/other']);
  });
});
