import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import nodeModule from 'node:module';
import path from 'node:path';
import { expect } from 'chai';
import { packageFile } from '../src/package-root.js';
import { type ProcessResult, run } from './support/built-program.js';
import { temporaryFolder } from './support/temporary-folder.js';
import { isOpenToOthers } from './support/without-rights.js';

const root = 0;
const [user, stranger] = [54_321, 54_322];
const isRoot = process.getuid?.() === root;

const modeOf = (folder: string) => statSync(folder).mode & 0o777;

const honest = "console.log('honest');".padEnd(2000);

describe('Compiled code', () => {
  const temporary = temporaryFolder();
  // Other users must be able to run the program.
  chmodSync(temporary.path, 0o755);
  const script = path.join(temporary.path, 'bin/coursectl.js');
  const main = path.join(temporary.path, 'dist/main.js');
  before(() => {
    cpSync(packageFile('bin'), path.dirname(script), { recursive: true });
    mkdirSync(path.dirname(main));
    writeFileSync(path.join(temporary.path, 'package.json'), JSON.stringify({ type: 'module' }));
    writeFileSync(main, honest);
  });
  after(() => temporary.remove());

  /** Starts `bin/coursectl.js` in a package with a small program, with umask 0. */
  function start(home: string, { env = {}, uid }: { env?: object; uid?: number } = {}): Promise<ProcessResult> {
    const argv = ['-c', 'umask 000; exec "$0" "$@"', process.execPath, script];
    return run('/bin/sh', argv, '/', { HOME: home, XDG_CACHE_HOME: '', ...env }, uid === undefined ? {} : { uid });
  }

  const preload = path.join(temporary.path, 'tell-folder.cjs');
  writeFileSync(preload, "require('node:module').enableCompileCache = (folder) => console.error('keeps: ' + folder);");

  let homes = 0;
  /** Creates a home folder with `.cache/coursectl/v24`. */
  function makeHome(owner: number) {
    homes += 1;
    const home = path.join(temporary.path, `home-${homes}`);
    const cache = path.join(home, '.cache/coursectl');
    const folders = [home, path.dirname(cache), cache, path.join(cache, 'v24')];
    for (const folder of folders) {
      mkdirSync(folder, { mode: 0o755 });
      if (isRoot) chownSync(folder, owner, owner);
    }
    return { home, cache, version: path.join(cache, 'v24') };
  }

  /** Runs the program. @returns the cache folder that it passes to Node, if any */
  async function folderOf(home: string, uid: number, env = {}): Promise<string | undefined> {
    const given = { env: { NODE_OPTIONS: `--require=${preload}`, ...env }, ...(isRoot && { uid }) };
    const { stderr, ...others } = await start(home, given);
    expect(others).to.deep.equal({ exitCode: 0, stdout: 'honest\n' });
    return /^keeps: (.*)$/m.exec(stderr)?.[1];
  }

  for (const [name, uid] of [
    ['root', root],
    ['another user', user],
  ] as const) {
    describe(`of ${name}`, () => {
      before(function () {
        if (uid === root ? !isRoot : isRoot && !isOpenToOthers(temporary.path)) this.skip();
      });

      it('is cached in their own folder, also if the home is a symbolic link', async () => {
        const { home, cache } = makeHome(uid);
        expect(await folderOf(home, uid)).to.equal(cache);
        symlinkSync(home, `${home}-link`);
        expect(await folderOf(`${home}-link`, uid)).to.equal(cache);
        expect(await folderOf('/nowhere', uid, { XDG_CACHE_HOME: path.join(home, '.cache') })).to.equal(cache);
      });

      it('is cached in a new folder that only they can access', async () => {
        const { home } = makeHome(uid);
        const env = { XDG_CACHE_HOME: path.join(home, 'new/cache') };
        const made = path.join(home, 'new/cache/coursectl');
        expect(await folderOf(home, uid, env)).to.equal(made);
        expect(modeOf(made)).to.equal(0o700);
        expect(modeOf(path.dirname(made))).to.equal(0o700);
      });

      const spoilt: Record<string, (made: ReturnType<typeof makeHome>) => void> = {
        'everybody can write to the folder': ({ cache }) => chmodSync(cache, 0o757),
        'a group can write to the folder': ({ cache }) => chmodSync(cache, 0o775),
        'the folder is a link': ({ cache, home }) => {
          symlinkSync(cache, path.join(home, 'coursectl'));
        },
        'others can write to a folder in it': ({ version }) => chmodSync(version, 0o777),
        'a link is in it': ({ version }) => symlinkSync(version, `${version}-link`),
        'others can replace the folder': ({ home }) => chmodSync(path.join(home, '.cache'), 0o777),
        'others can replace a folder above it': ({ home }) => chmodSync(home, 0o775),
        'the folder is of another user': ({ cache }) => chownSync(cache, stranger, stranger),
        'a folder in it is of another user': ({ version }) => chownSync(version, stranger, stranger),
        'the home is of another user': ({ home }) => chownSync(home, stranger, stranger),
      };
      for (const [why, spoil] of Object.entries(spoilt))
        it(`is not cached if ${why}`, async function () {
          if (!isRoot && why.includes('another user')) return this.skip();
          const made = makeHome(uid);
          spoil(made);
          const env = why === 'the folder is a link' ? { XDG_CACHE_HOME: made.home } : {};
          expect(await folderOf(made.home, uid, env)).to.equal(undefined);
        });

      it('is not cached in the home of another user, in a shared folder, or at a relative path', async function () {
        if (!isRoot) return this.skip();
        const { home } = makeHome(stranger);
        const forAll = path.join(temporary.path, `shared-${uid}`);
        mkdirSync(forAll);
        for (const [folder, mode] of [
          [home, 0o755],
          [forAll, 0o777],
        ] as const) {
          chmodSync(folder, mode);
          const before = readdirSync(folder);
          expect(await folderOf(folder, uid, { XDG_CACHE_HOME: path.join(folder, 'new') })).to.equal(undefined);
          expect(readdirSync(folder)).to.deep.equal(before);
        }
        expect(await folderOf(home, uid, { XDG_CACHE_HOME: 'tmp' })).to.equal(undefined);
      });
    });
  }

  const homeOf = (name: string) => path.join(temporary.path, name);

  /** Starts the program with a new home folder. @returns the cache folder and its only file */
  async function compiledFor(name: string) {
    const home = homeOf(name);
    mkdirSync(home);
    await start(home);
    const cache = path.join(home, '.cache/coursectl');
    const [version = ''] = readdirSync(cache);
    const [file = ''] = readdirSync(path.join(cache, version));
    return { folder: path.join(cache, version), file: path.join(cache, version, file) };
  }

  it('is loaded only from the own folder of its user if it is forged', async function () {
    if (!('enableCompileCache' in nodeModule)) return this.skip();
    writeFileSync(main, "console.log('forged');".padEnd(honest.length));
    const foreign = await compiledFor('foreign');
    writeFileSync(main, honest);
    const own = await compiledFor('own');
    const forged = readFileSync(foreign.file);
    // Copies the checksum of the source in Node's header. V8 compares only the length.
    readFileSync(own.file).copy(forged, 12, 12, 16);
    writeFileSync(own.file, forged);
    expect(await start(homeOf('own'))).to.include({ stdout: 'forged\n' });
    chmodSync(own.folder, 0o777);
    expect(await start(homeOf('own'))).to.include({ stdout: 'honest\n' });
  });
});
