import type { Readable } from 'node:stream';

/** An object that was opened. */
export interface StoredObject {
  /** To be destroyed, or read to its end. */
  stream: Readable;
  bytes: number;
}

/** A piece of an object: its first and its last byte, counted from 0. */
export interface ByteRange {
  start: number;
  end: number;
}

export interface ObjectInfo {
  key: string;
  bytes: number;
  modifiedAt: Date;
}

/** Where files are kept. Keys are `<kind>/<name>`: `material/0193...`, `image/0193....webp`. */
export interface FileStorage {
  /** Where it is, for people; without secrets. */
  readonly location: string;
  /**
   * Stores the file at `path` under `key` and leaves nothing at `path`; it is durable when this resolves. After a failure
   * nothing is left under the key, and the file at `path` is gone too.
   * @throws AppError `DISK_FULL`, `STORAGE_UNAVAILABLE`
   */
  put(key: string, path: string): Promise<void>;
  /**
   * Opens an object, or a piece of it, whose length `bytes` is then; its stream must be destroyed or read to its end.
   * @returns nothing when there is no such object
   * @throws AppError `STORAGE_UNAVAILABLE`, also for a piece that the object doesn't have
   */
  open(key: string, range?: ByteRange): Promise<StoredObject | undefined>;
  /**
   * Removes objects; those that are gone already are fine.
   * @throws AppError `STORAGE_UNAVAILABLE` after it tried all of them
   */
  remove(keys: readonly string[]): Promise<void>;
  /**
   * All objects, page by page, in no order. What crashes left half done is among them (kinds `incoming` and `check`);
   * files of others aren't.
   * @throws AppError `STORAGE_UNAVAILABLE`
   */
  list(): AsyncGenerator<ObjectInfo>;
  /**
   * Writes, reads and removes a small object.
   * @throws AppError `DISK_FULL`, `STORAGE_UNAVAILABLE` saying what to check
   */
  check(): Promise<void>;
  /** Ends what is under way. */
  close(): Promise<void>;
}

/** What {@link FileStorage.check} writes and expects to read. */
export const checkText = 'Written by coursectl to see whether files can be stored here.\n';

/** Whether a key is one of ours. Names don't begin with a dot, so that none is a folder or hidden. */
export function isKey(key: string): boolean {
  return /^[a-z]+\/[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}$/.test(key) && !key.includes('..');
}

/** Keys are made by the program, never by people: another one is a bug. */
export function assertKey(key: string): void {
  if (!isKey(key)) throw new Error(`Not a key of the file storage: ${JSON.stringify(key)}`);
}
