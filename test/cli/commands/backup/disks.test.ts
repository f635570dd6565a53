import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { folderOnOtherFileSystem } from '../../../support/other-file-system.js';
import { mountSmallDisk } from '../../../support/small-disk.js';
import { elsewhere, pathsIn, useInstallation, withMaterials } from './support/installation.js';

describe('coursectl backup and restore on separate disks', () => {
  const cli = useInstallation();
  const at = (name: string) => path.join(cli.folder, name);

  async function makeBackup() {
    const { files } = await withMaterials(cli, 2);
    expect((await cli.run(['backup', 'copy'])).exitCode).to.equal(0);
    return files.map(({ storageKey }) => storageKey);
  }

  async function assertRestored(keys: readonly string[]) {
    const { exitCode, stdout, stderr } = await cli.run(['restore', 'copy'], { env: elsewhere });
    expect(exitCode, stderr).to.equal(0);
    expect(stdout).to.match(/\n {2}2 files: 36 bytes\nRun: coursectl doctor\n$/);
    for (const [index, key] of keys.entries())
      expect(readFileSync(at(`elsewhere/files/${key}`), 'utf8')).to.equal(`Content of file ${index}.`);
    expect(pathsIn(at('elsewhere')).filter((name) => name.includes('restoring'))).to.deep.equal([]);
  }

  it('restores files into a mounted file system', async function () {
    const keys = await makeBackup();
    const disk = mountSmallDisk(at('elsewhere/files'), '1m');
    if (!disk) return this.skip();
    try {
      // Many file systems have this folder, which only root can read.
      mkdirSync(at('elsewhere/files/lost+found'));
      await assertRestored(keys);
    } finally {
      disk.unmount();
    }
  });

  it('restores files through a symbolic link and keeps the link', async function () {
    const other = folderOnOtherFileSystem(cli.folder);
    if (!other) return this.skip();
    try {
      const keys = await makeBackup();
      mkdirSync(at('elsewhere'));
      symlinkSync(other.path, at('elsewhere/files'));
      await assertRestored(keys);
      expect(lstatSync(at('elsewhere/files')).isSymbolicLink()).to.equal(true);
      expect(pathsIn(other.path)).to.deep.equal([...keys].sort());
    } finally {
      other.remove();
    }
  });

  it('restores the database through a symbolic link and keeps the link', async () => {
    const keys = await makeBackup();
    for (const name of ['elsewhere', 'disk']) mkdirSync(at(name));
    symlinkSync('../disk/link.sqlite', at('elsewhere/coursectl.sqlite'));
    symlinkSync('real.sqlite', at('disk/link.sqlite'));
    await assertRestored(keys);
    expect(lstatSync(at('elsewhere/coursectl.sqlite')).isSymbolicLink()).to.equal(true);
    expect(pathsIn(at('disk'))).to.deep.equal(['link.sqlite', 'real.sqlite']);
    const { users } = await cli.json<{ users: object[] }>(['users', 'list'], { env: elsewhere });
    expect(users).to.have.length(1);
  });

  it('reports a read-only file system, as do the storage and doctor', async function () {
    const { course } = await withMaterials(cli, 1);
    expect((await cli.run(['backup', 'copy'])).exitCode).to.equal(0);
    const fault = (folder: string) =>
      `The folder "${folder}" is on a file system that is read-only: check how it is mounted.`;
    const disk = mountSmallDisk(at('readonly'), '1m,ro');
    if (!disk) return this.skip();
    try {
      const backup = await cli.refusal(['backup', 'readonly/new/copy']);
      expect(backup).to.include({ exitCode: 1, message: fault(at('readonly/new/copy')) });
      const restore = await cli.refusal(['restore', 'copy'], { env: { ...elsewhere, DATA_DIR: 'readonly/new' } });
      expect(restore).to.include({ exitCode: 1, message: fault(at('readonly/new')) });
      renameSync(at('data/files'), at('files'));
      symlinkSync(at('readonly'), at('data/files'));
      writeFileSync(at('bees.txt'), 'Bees.');
      const added = await cli.refusal(['courses', 'files', 'add', course.id, 'bees.txt']);
      expect(added).to.include({ exitCode: 1, message: fault(at('data/files')) });
      const { exitCode, stdout } = await cli.run(['doctor']);
      expect(exitCode).to.equal(1);
      expect(stdout.replaceAll(/\n +/g, ' ')).to.include(`FAILED   file storage: ${fault(at('data/files'))}`);
    } finally {
      disk.unmount();
    }
  });

  it('reports a full disk of the backup or of the files, and leaves nothing on it', async function () {
    await withMaterials(cli, 100);
    expect((await cli.run(['backup', 'copy'])).exitCode).to.equal(0);
    const database = statSync(at('copy/database.sqlite')).size;
    const files = mountSmallDisk(at('elsewhere/files'), '64k');
    if (!files) return this.skip();
    try {
      const message = 'There is no space left on the server. Its operator must free some.';
      expect(await cli.refusal(['restore', 'copy'], { env: elsewhere })).to.deep.equal({ exitCode: 1, message });
      expect(pathsIn(at('elsewhere'))).to.deep.equal([]);
    } finally {
      files.unmount();
    }
    // One disk is too small for the database, the other one for the files.
    for (const [name, bytes] of Object.entries({ tiny: 100_000, small: database + 200_000 })) {
      const disk = mountSmallDisk(at(name), `${Math.ceil(bytes / 1024)}k`);
      if (!disk) return this.skip();
      try {
        const { exitCode, message } = await cli.refusal(['backup', `${name}/copy`]);
        expect(exitCode, name).to.equal(1);
        expect(message).to.equal(
          `The disk of the folder ${at(name)}/copy is full. Free some space, or name a folder on another disk.`,
        );
        expect(existsSync(at(`${name}/copy`))).to.equal(false);
      } finally {
        disk.unmount();
      }
    }
  });
});
