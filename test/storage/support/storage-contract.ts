import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { expect } from 'chai';
import type { FileStorage, ObjectInfo } from '../../../src/storage/storage.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { until } from '../../support/until.js';

/** Storage of a test suite. */
export interface StorageUnderTest {
  storage: FileStorage;
  /** Adds an item that isn't an object: `name` is a path relative to the location of the keys. */
  addForeign(name: string): Promise<void>;
}

/** Creates a file for put() in the folder of a test. */
export function fileWith(folder: string, content: Uint8Array | string): string {
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, randomBytes(8).toString('hex'));
  writeFileSync(file, content);
  return file;
}

/** Returns the content of an object; undefined without one. */
export async function contentOf(storage: FileStorage, key: string): Promise<Buffer | undefined> {
  const stored = await storage.open(key);
  if (!stored) return undefined;
  const content = await buffer(stored.stream);
  expect([stored.bytes, stored.totalBytes]).to.deep.equal([content.length, content.length]);
  return content;
}

export async function listed(storage: FileStorage, kind?: string): Promise<ObjectInfo[]> {
  const found: ObjectInfo[] = [];
  for await (const info of storage.list(kind)) found.push(info);
  return found;
}

/** Returns the error of a rejected promise. */
export async function faultOf(promise: Promise<unknown>): Promise<Error & { code?: string }> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof Error) return error;
    throw error;
  }
  throw new Error('It should have failed.');
}

const openDescriptors = () => readdirSync('/proc/self/fd').length;

const waitForDescriptors = (most: number) =>
  until(() => openDescriptors() <= most, `at most ${most} files and sockets are open`);

/** Tests that every FileStorage passes. */
export function describeStorage(under: () => StorageUnderTest): void {
  let folder: ReturnType<typeof temporaryFolder>;
  const storage = () => under().storage;

  before(() => {
    folder = temporaryFolder();
  });
  after(() => folder.remove());
  afterEach(async () => storage().remove((await listed(storage())).map(({ key }) => key)));

  async function put(key: string, content: Uint8Array | string): Promise<string> {
    const file = fileWith(folder.path, content);
    await storage().put(key, file);
    return file;
  }

  it('stores a file unchanged, and removes the source', async () => {
    const contents = [
      Buffer.alloc(0),
      Buffer.from([0]),
      Buffer.from(Array.from({ length: 256 }, (_, index) => index)),
      Buffer.from('\r\n\n\r\0\xff\xfe\xc3', 'latin1'),
      randomBytes(12 * 1024 * 1024),
      // Replaces the previous object.
      Buffer.from('the last, which is shorter'),
    ];
    for (const content of contents) {
      const file = await put('material/some', content);
      expect(existsSync(file)).to.equal(false);
      const found = await contentOf(storage(), 'material/some');
      expect(found && Buffer.compare(found, content)).to.equal(0);
    }
  });

  it('opens a range of an object, but none beyond its end', async () => {
    await put('material/some', 'abcdefghij');
    const pieceOf = async (start: number, end: number) => {
      const stored = await storage().open('material/some', { start, end });
      if (!stored) throw new Error('There is no such object.');
      const piece = await buffer(stored.stream);
      expect([stored.bytes, stored.totalBytes]).to.deep.equal([piece.length, 10]);
      return String(piece);
    };
    // Not only the first byte: the S3 test server treats an end of 0 as no end.
    expect(await pieceOf(0, 1)).to.equal('ab');
    expect(await pieceOf(3, 3)).to.equal('d');
    expect(await pieceOf(0, 9)).to.equal('abcdefghij');
    for (const [start, end] of [[9, 10] as const, [10, 11] as const])
      expect(await faultOf(pieceOf(start, end))).to.include({ code: 'STORAGE_UNAVAILABLE' });
    expect(await storage().open('material/nothing', { start: 0, end: 0 })).to.equal(undefined);
  });

  it('removes objects, ignores missing ones, and lists those of one kind', async () => {
    expect(await listed(storage())).to.deep.equal([]);
    await put('material/some', 'some');
    await put('image/other.webp', 'other');
    await storage().remove(['material/some', 'material/some', 'material/nothing', 'nokind/nothing']);
    await storage().remove([]);
    for (const missing of ['material/some', 'nokind/nothing'])
      expect(await storage().open(missing)).to.equal(undefined);
    expect(String(await contentOf(storage(), 'image/other.webp'))).to.equal('other');
    await put('material/some', 'some');
    expect((await listed(storage(), 'image')).map(({ key }) => key)).to.deep.equal(['image/other.webp']);
    for (const none of ['incoming', 'mat']) expect(await listed(storage(), none)).to.deep.equal([]);
  });

  it('lists and removes many', async () => {
    const keys = Array.from({ length: 200 }, (_, index) => `material/number-${index}`);
    await put('material/stays', 'stays');
    for (let start = 0; start < keys.length; start += 20)
      await Promise.all(keys.slice(start, start + 20).map((key) => put(key, 'x')));
    expect((await listed(storage())).map(({ key }) => key).sort()).to.deep.equal([...keys, 'material/stays'].sort());
    // More keys than a request can have.
    await storage().remove([...Array.from({ length: 1400 }, (_, index) => `material/none-${index}`), ...keys]);
    expect((await listed(storage())).map(({ key }) => key)).to.deep.equal(['material/stays']);
  });

  it('lists sizes and times, but no items of other programs', async () => {
    for (const name of ['README.txt', 'UPPER/case', 'material/.hidden', 'material/deeper/file', '.hidden/file'])
      await under().addForeign(name);
    await put('material/some', 'twelve bytes');
    const found = await listed(storage());
    expect(found.map(({ key, bytes }) => [key, bytes])).to.deep.equal([['material/some', 12]]);
    expect(Math.abs(Date.now() - Number(found[0]?.modifiedAt))).to.be.lessThan(60_000);
  });

  it('passes its check, which leaves no object', async () => {
    await storage().check();
    expect(await listed(storage())).to.deep.equal([]);
  });

  it('leaks no file descriptor when a reader or a list stops early', async () => {
    await put('material/some', randomBytes(2 * 1024 * 1024));
    await put('material/two', '2');
    await contentOf(storage(), 'material/some');
    const before = openDescriptors();
    for (let round = 0; round < 20; round += 1) {
      for await (const _ of storage().list()) break;
      const stored = await storage().open('material/some');
      if (round % 2 === 0) for await (const _ of stored?.stream ?? []) break;
      stored?.stream.destroy();
    }
    await waitForDescriptors(before);
  });

  it('stores and opens many objects concurrently', async () => {
    const content = randomBytes(300_000);
    await put('material/some', content);
    const found = await Promise.all(Array.from({ length: 60 }, () => contentOf(storage(), 'material/some')));
    expect(found.every((one) => one?.equals(content))).to.equal(true);
  });

  it('fails for a missing file and stores nothing', async () => {
    const before = openDescriptors();
    const error = await faultOf(storage().put('material/some', path.join(folder.path, 'vanished')));
    expect(error.code).to.equal('ENOENT');
    expect(await listed(storage())).to.deep.equal([]);
    await waitForDescriptors(before + 1);
  });

  it('refuses keys that the program does not generate', async () => {
    const wrong = ['', 'material', 'material/', '/etc/passwd', 'material/../x', 'material/..', 'material/.', '../x/y'];
    wrong.push('material/a..b', 'material/.x', 'a/b/c', 'Material/x', 'material/x y', 'material/x\n', 'material/\0');
    wrong.push(`material/${'x'.repeat(201)}`, 'material\\x', 'material/ä');
    for (const key of wrong) {
      const file = fileWith(folder.path, 'x');
      const attempts = [
        () => storage().put(key, file),
        () => storage().open(key),
        () => storage().remove(['a/b', key]),
      ];
      for (const attempt of attempts)
        expect((await faultOf(attempt())).message, key).to.match(/^Not a key of the file storage/);
    }
  });
}
