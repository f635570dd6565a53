import { randomUUID } from 'node:crypto';
import { lstat, open, opendir, rm, unlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { AppError, systemErrorCode, undefinedIfMissing } from '../errors.js';
import { diskFault, makeFolder, moveFile, pathBelow, readFlags, syncToDisk } from './disk.js';
import {
  assertKey,
  type ByteRange,
  checkText,
  type FileStorage,
  isKey,
  type ObjectInfo,
  type StoredObject,
  UnreadableObject,
} from './storage.js';

const isMissing = (error: unknown) => systemErrorCode(error) === 'ENOENT';

/** Continuations of "The file ...", by the code of a system error of this file. */
const fileFaults: Readonly<Record<string, string>> = {
  EACCES: "can't be read: check that it belongs to the user that runs the service.",
  EPERM: "can't be read: check that it belongs to the user that runs the service.",
  ELOOP: 'is a symbolic link in place of a file: check who created it.',
  EIO: "can't be read: check the disk.",
};

/** Stores files as `<folder>/<kind>/<name>`. */
class LocalStorage implements FileStorage {
  readonly location: string;

  constructor(folder: string) {
    this.location = path.resolve(folder);
  }

  async put(key: string, file: string): Promise<void> {
    assertKey(key);
    const target = this.#pathOf(key);
    try {
      await this.#makeFolderOf(key);
      await moveFile(file, target, () => this.#pathOfCopy());
      await syncToDisk(path.dirname(target));
    } catch (error) {
      // The first error matters more than a failure to remove these files.
      await Promise.allSettled([rm(target, { force: true }), rm(file, { force: true })]);
      throw diskFault(this.location, error);
    }
  }

  async open(key: string, range?: ByteRange): Promise<StoredObject | undefined> {
    assertKey(key);
    try {
      await this.#assertOwnFolder(path.dirname(key));
      const handle = await open(this.#pathOf(key), readFlags);
      try {
        const stats = await handle.stat();
        if (!stats.isFile()) throw new UnreadableObject(this.#notAFile(key));
        if (range && range.end >= stats.size) throw new AppError('STORAGE_UNAVAILABLE', this.#tooShort(key));
        const bytes = range ? range.end - range.start + 1 : stats.size;
        return { stream: handle.createReadStream(range), bytes, totalBytes: stats.size };
      } catch (error) {
        await handle.close();
        throw error;
      }
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw (await this.#faultOf(key, error)) ?? diskFault(this.location, error);
    }
  }

  /** Returns the fault of a single file in a usable folder; undefined for other errors. */
  async #faultOf(key: string, error: unknown): Promise<UnreadableObject | undefined> {
    const code = systemErrorCode(error) ?? '';
    const why = Object.hasOwn(fileFaults, code) ? fileFaults[code] : undefined;
    const file = this.#pathOf(key);
    // If the folder can't be entered, the file isn't the cause.
    if (why === undefined || !(await lstat(file).catch(() => undefined))) return undefined;
    return new UnreadableObject(`The file "${file}" ${why}`, error);
  }

  async remove(keys: readonly string[]): Promise<void> {
    keys.forEach(assertKey);
    const faults: unknown[] = [];
    for (const key of keys) {
      const removal = this.#assertOwnFolder(path.dirname(key)).then(() => unlink(this.#pathOf(key)));
      await removal.catch((error: unknown) => {
        if (!isMissing(error)) faults.push(error);
      });
    }
    if (faults.length > 0) throw diskFault(this.location, faults[0]);
  }

  async *list(only?: string): AsyncGenerator<ObjectInfo> {
    try {
      if (only !== undefined) yield* this.#objectsOf(only);
      else for await (const kind of this.#namesIn('')) yield* this.#objectsOf(kind);
    } catch (error) {
      throw diskFault(this.location, error);
    }
  }

  async load(): Promise<void> {}

  async check(): Promise<void> {
    const [source, key] = [`incoming/${randomUUID()}`, `check/${randomUUID()}`];
    try {
      await this.#makeFolderOf(source);
      await writeFile(this.#pathOf(source), checkText, { mode: 0o600 });
    } catch (error) {
      // The first error matters more. The cleanup removes a remaining file.
      await rm(this.#pathOf(source), { force: true }).catch(() => undefined);
      throw diskFault(this.location, error);
    }
    await this.put(key, this.#pathOf(source));
    const stored = await this.open(key);
    const found = stored && (await text(stored.stream));
    await this.remove([key]);
    if (found === checkText) return;
    throw new AppError(
      'STORAGE_UNAVAILABLE',
      `The folder "${this.location}" doesn't give back what was written to it: check the disk.`,
    );
  }

  async close(): Promise<void> {}

  /**
   * Checks that the folder of a kind isn't a symbolic link. The folder of the storage may be a link, but a linked
   * folder in it contains files of other programs.
   * @throws UnreadableObject, and the error of the file system for a missing folder
   */
  async #assertOwnFolder(kind: string): Promise<void> {
    if ((await pathBelow(this.location, kind)) !== kind)
      throw new UnreadableObject(
        `The folder "${path.join(this.location, kind)}" is a symbolic link: put a folder in its place, in which another disk may be mounted.`,
      );
  }

  #pathOf(key: string): string {
    return path.join(this.location, key);
  }

  #notAFile(key: string): string {
    return `"${this.#pathOf(key)}" isn't a regular file: check what was put there.`;
  }

  #tooShort(key: string): string {
    return `"${this.#pathOf(key)}" is shorter than it was: check the disk.`;
  }

  async #makeFolderOf(key: string): Promise<void> {
    const made = await makeFolder(path.dirname(this.#pathOf(key)));
    await this.#assertOwnFolder(path.dirname(key));
    if (made === undefined) return;
    // The entry of a new folder must be durable too. Otherwise a crash loses its files.
    await syncToDisk(path.dirname(made));
    await syncToDisk(this.location);
  }

  /** Returns the path for a copy of a file from another disk. After a crash, the cleanup recognises its key. */
  async #pathOfCopy(): Promise<string> {
    const key = `incoming/${randomUUID()}`;
    await this.#makeFolderOf(key);
    return this.#pathOf(key);
  }

  async *#objectsOf(kind: string): AsyncGenerator<ObjectInfo> {
    if (!/^[a-z]+$/.test(kind)) return;
    await this.#assertOwnFolder(kind).catch((error: unknown) => {
      if (!isMissing(error)) throw error;
    });
    for await (const name of this.#namesIn(kind)) {
      const key = `${kind}/${name}`;
      if (!isKey(key)) continue;
      // Another process may have removed the file since the folder was read.
      const stats = await undefinedIfMissing(lstat(this.#pathOf(key)));
      if (!stats?.isFile()) continue;
      const fault = await this.#tryOpen(key);
      yield { key, bytes: stats.size, modifiedAt: stats.mtime, ...(fault && { fault }) };
    }
  }

  /** @returns the reason why a file in a usable folder can't be read; undefined if it can */
  async #tryOpen(key: string): Promise<UnreadableObject | undefined> {
    try {
      await (await open(this.#pathOf(key), readFlags)).close();
      return undefined;
    } catch (error) {
      return this.#faultOf(key, error);
    }
  }

  /** Yields the names in a folder of the storage; no names if the folder doesn't exist. */
  async *#namesIn(kind: string): AsyncGenerator<string> {
    const folder = await opendir(this.#pathOf(kind)).catch((error: unknown) => {
      // A file next to the folders belongs to another program.
      if (isMissing(error) || (kind !== '' && systemErrorCode(error) === 'ENOTDIR')) return undefined;
      throw error;
    });
    if (folder) for await (const entry of folder) yield entry.name;
  }
}

/** Creates a storage in a folder of a local or network file system. The folder is created on first use. */
export function createLocalStorage(folder: string): FileStorage {
  return new LocalStorage(folder);
}
