import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import fsPromises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import path from 'node:path';
import { expect } from 'chai';
import { pathBelow } from '../../src/storage/disk.js';
import { createLocalStorage } from '../../src/storage/local.js';
import { type FileStorage, UnreadableObject } from '../../src/storage/storage.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { contentOf, describeStorage, faultOf, fileWith, listed } from './support/storage-contract.js';

const modeOf = (file: string) => statSync(file).mode & 0o777;

/** Makes a function of the file system fail `times` times while `work` runs. */
async function withFault(
  name: 'rename' | 'copyFile' | 'mkdir' | 'open' | 'lstat',
  code: string,
  work: () => Promise<void>,
  times = 1,
) {
  const original = fsPromises[name];
  let left = times;
  const failing = async (...parameters: never[]) => {
    left -= 1;
    if (left >= 0) throw Object.assign(new Error(`${code}: made up`), { code });
    // Passes the parameters of any of these functions through.
    return (original as (...all: never[]) => Promise<unknown>)(...parameters);
  };
  Object.assign(fsPromises, { [name]: failing });
  syncBuiltinESMExports();
  try {
    await work();
  } finally {
    Object.assign(fsPromises, { [name]: original });
    syncBuiltinESMExports();
  }
}

describe('A path', () => {
  it('is below a folder only if its real path is', async () => {
    const folder = temporaryFolder();
    const inside = path.join(folder.path, 'inside');
    mkdirSync(inside);
    writeFileSync(path.join(folder.path, 'outside'), '');
    writeFileSync(path.join(inside, '..file'), '');
    symlinkSync('../outside', path.join(inside, 'link'));
    for (const outside of ['../outside', path.join(folder.path, 'outside'), 'link', '.', '..', 'a\0b'])
      expect(await pathBelow(inside, outside), outside).to.equal(undefined);
    expect(await pathBelow(inside, '../inside/..file')).to.equal('..file');
    folder.remove();
  });
});

describe('The storage in a folder', () => {
  let folder: ReturnType<typeof temporaryFolder>;
  let storage: FileStorage;
  const below = (name: string) => path.join(folder.path, 'files', name);

  beforeEach(() => {
    folder = temporaryFolder();
    storage = createLocalStorage(path.join(folder.path, 'files'));
  });
  afterEach(() => folder.remove());

  describe('like every storage', () => {
    let shared: ReturnType<typeof temporaryFolder>;
    let files: string;
    before(() => {
      shared = temporaryFolder();
      files = path.join(shared.path, 'files');
    });
    after(() => shared.remove());

    describeStorage(() => ({
      storage: createLocalStorage(files),
      addForeign: async (name) => {
        mkdirSync(path.dirname(path.join(files, name)), { recursive: true });
        writeFileSync(path.join(files, name), 'foreign');
      },
    }));
  });

  it('creates folders and files only for this user', async () => {
    const file = fileWith(folder.path, 'x');
    await fsPromises.chmod(file, 0o666);
    await storage.put('material/some', file);
    await storage.check();
    expect([below(''), below('material'), below('check')].map(modeOf)).to.deep.equal([0o700, 0o700, 0o700]);
    expect(modeOf(below('material/some'))).to.equal(0o600);
  });

  it('does not read, write, list or remove through a link in place of a folder', async () => {
    const theirs = path.join(folder.path, 'theirs');
    mkdirSync(theirs);
    mkdirSync(below(''));
    const message = `The folder "${below('material')}" is a symbolic link: put a folder in its place, in which another disk may be mounted.`;
    for (const target of [theirs, below('image')]) {
      mkdirSync(target, { recursive: true });
      writeFileSync(path.join(target, 'some'), 'theirs');
      symlinkSync(target, below('material'));
      for (const use of [
        () => storage.open('material/some'),
        () => storage.remove(['material/some']),
        () => storage.put('material/other', fileWith(folder.path, 'x')),
        () => listed(storage),
      ]) {
        const fault = await faultOf(use());
        expect(fault).to.be.an.instanceOf(UnreadableObject);
        expect(fault.message).to.equal(message);
      }
      expect(readdirSync(target)).to.deep.equal(['some']);
      await fsPromises.rm(below('material'));
    }
    await fsPromises.rename(below(''), path.join(folder.path, 'moved'));
    symlinkSync(path.join(folder.path, 'moved'), below(''));
    await storage.put('material/some', fileWith(folder.path, 'The storage itself may be a link.'));
    expect(String(await contentOf(storage, 'material/some'))).to.equal('The storage itself may be a link.');
  });

  it('creates nothing before first use', async () => {
    expect(await storage.open('material/some')).to.equal(undefined);
    await storage.remove(['material/some']);
    expect(await listed(storage)).to.deep.equal([]);
    expect(existsSync(below(''))).to.equal(false);
  });

  it('names an unreadable file, also in lists, unless its folder is unreadable too', async () => {
    await storage.put('material/some', fileWith(folder.path, 'x'));
    const message = `The file "${below('material/some')}" can't be read: check that it belongs to the user that runs the service.`;
    await withFault('open', 'EACCES', async () => {
      expect(await faultOf(storage.open('material/some')))
        .to.be.instanceOf(UnreadableObject)
        .and.include({ message });
    });
    await withFault('open', 'EACCES', async () => {
      expect((await listed(storage))[0]?.fault).to.include({ code: 'STORAGE_UNAVAILABLE', message });
    });
    expect((await listed(storage))[0]).to.have.keys('key', 'bytes', 'modifiedAt');
    await withFault('open', 'EACCES', async () => {
      await withFault('lstat', 'EACCES', async () => {
        const error = await faultOf(storage.open('material/some'));
        expect(error).to.not.be.instanceOf(UnreadableObject);
        expect(error.message).to.match(/^The folder /);
      });
    });
  });

  it('does not follow or store a symbolic link, and replaces a link instead of writing through it', async () => {
    const secret = fileWith(folder.path, 'secret');
    const link = path.join(folder.path, 'link');
    symlinkSync(secret, link);
    expect(await faultOf(storage.put('material/some', link))).to.include({ code: 'STORAGE_UNAVAILABLE' });
    expect([existsSync(secret), existsSync(link)]).to.deep.equal([true, false]);
    mkdirSync(below('material'), { recursive: true });
    symlinkSync(secret, below('material/some'));
    const error = await faultOf(storage.open('material/some'));
    expect(error).to.include({ code: 'STORAGE_UNAVAILABLE' });
    expect(error.message).to.match(/symbolic link/);
    expect(await listed(storage)).to.deep.equal([]);
    await storage.put('material/some', fileWith(folder.path, 'new'));
    expect(await fsPromises.readFile(secret, 'utf8')).to.equal('secret');
    expect(String(await contentOf(storage, 'material/some'))).to.equal('new');
  });

  it('opens no folder and no pipe', async () => {
    mkdirSync(below('material/folder'), { recursive: true });
    execFileSync('mkfifo', [below('material/pipe')]);
    for (const key of ['material/folder', 'material/pipe'])
      expect(await faultOf(storage.open(key))).to.include({ code: 'STORAGE_UNAVAILABLE' });
    expect(await listed(storage)).to.deep.equal([]);
  });

  it('copies files from another disk', async () => {
    const file = fileWith(folder.path, 'from far away');
    await withFault('rename', 'EXDEV', () => storage.put('material/some', file));
    expect(String(await contentOf(storage, 'material/some'))).to.equal('from far away');
    expect(modeOf(below('material/some'))).to.equal(0o600);
    expect(existsSync(file)).to.equal(false);
    expect((await listed(storage)).map(({ key }) => key)).to.deep.equal(['material/some']);
  });

  it('reports that the disk is full, and leaves no file', async () => {
    for (const code of ['ENOSPC', 'EDQUOT', 'EFBIG']) {
      const file = fileWith(folder.path, 'x');
      await withFault('rename', 'EXDEV', () =>
        withFault('copyFile', code, async () => {
          expect(await faultOf(storage.put('material/some', file))).to.include({ code: 'DISK_FULL' });
        }),
      );
      expect(await listed(storage)).to.deep.equal([]);
      expect(readdirSync(below('incoming'))).to.deep.equal([]);
      expect(existsSync(file)).to.equal(false);
    }
  });

  it('reports the remedy for other faults', async () => {
    for (const [code, hint] of [
      ['EACCES', /belongs to the user/],
      ['EROFS', /mounted/],
      ['EIO', /disk/],
    ] as const) {
      const file = fileWith(folder.path, 'x');
      await withFault('mkdir', code, async () => {
        const error = await faultOf(storage.put('material/some', file));
        expect(error).to.include({ code: 'STORAGE_UNAVAILABLE' });
        expect(error.message).to.match(hint).and.include(storage.location);
      });
      expect(existsSync(file)).to.equal(false);
      await withFault('mkdir', code, async () => {
        expect(await faultOf(storage.check())).to.include({ code: 'STORAGE_UNAVAILABLE' });
      });
    }
  });

  it('reports a folder that is a file', async () => {
    writeFileSync(path.join(folder.path, 'files'), '');
    const file = fileWith(folder.path, 'x');
    const attempts: (() => Promise<unknown>)[] = [
      () => storage.put('material/a', file),
      () => storage.open('material/a'),
      () => storage.check(),
      () => storage.remove(['material/a']),
      () => listed(storage),
    ];
    for (const attempt of attempts) {
      const error = await faultOf(attempt());
      expect(error).to.include({ code: 'STORAGE_UNAVAILABLE' });
      expect(error.message).to.match(/isn't a folder/);
    }
  });
});
