import type { Readable } from 'node:stream';
import { AppError } from '../errors.js';

export interface StoredObject {
  /** The caller must destroy the stream or read it to its end. */
  stream: Readable;
  bytes: number;
  /** Size of the whole object, also if the stream is a range. */
  totalBytes: number;
}

/** Range of an object: its first and last byte, counted from 0. */
export interface ByteRange {
  start: number;
  end: number;
}

export interface ObjectInfo {
  key: string;
  bytes: number;
  modifiedAt: Date;
  /** Reason why the object can't be opened; absent if it can. */
  fault?: UnreadableObject;
}

/** Error of a single object that can't be read, although the storage works. */
export class UnreadableObject extends AppError {
  constructor(message: string, cause?: unknown) {
    super('STORAGE_UNAVAILABLE', message, { cause });
  }
}

/** Storage of files. Keys are `<kind>/<name>`: `material/0193...`, `image/0193....webp`. */
export interface FileStorage {
  /** Location for messages, without secrets. */
  readonly location: string;
  /**
   * Moves the file at `path` to `key`. The object is durable when the promise resolves. After a failure both the object and
   * the file are removed.
   * @throws AppError `DISK_FULL`, `STORAGE_UNAVAILABLE`
   */
  put(key: string, path: string): Promise<void>;
  /**
   * Opens an object or a range of it. The caller must destroy the stream or read it to its end.
   * @returns undefined if the object doesn't exist
   * @throws AppError `STORAGE_UNAVAILABLE`, also for a range beyond the end; {@link UnreadableObject} if only this object
   *   can't be read
   */
  open(key: string, range?: ByteRange): Promise<StoredObject | undefined>;
  /** Removes objects; missing ones are ignored. @throws AppError `STORAGE_UNAVAILABLE`, after all objects were tried */
  remove(keys: readonly string[]): Promise<void>;
  /**
   * Yields all objects, or the objects of one kind, unordered. Includes partial files of crashes ({@link temporaryKinds}),
   * but no objects with keys of other programs.
   * @throws AppError `STORAGE_UNAVAILABLE`
   */
  list(kind?: string): AsyncGenerator<ObjectInfo>;
  /**
   * Loads the client without connecting to its server.
   * @throws AppError `STORAGE_UNAVAILABLE` if the client isn't installed
   */
  load(): Promise<void>;
  /** Writes, reads and removes a small object. @throws AppError `DISK_FULL`, `STORAGE_UNAVAILABLE` with the remedy */
  check(): Promise<void>;
  close(): Promise<void>;
}

/** Kinds of temporary objects: copies from another file system, and objects of {@link FileStorage.check}. */
export const temporaryKinds = ['incoming', 'check'] as const;

/** Content that {@link FileStorage.check} writes and reads. */
export const checkText = 'Written by coursectl to see whether files can be stored here.\n';

/**
 * Whether a key has the form of this program's keys. Names don't begin with a dot, so no file is hidden and no name means a
 * folder.
 */
export function isKey(key: string): boolean {
  return /^[a-z]+\/[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}$/.test(key) && !key.includes('..');
}

/** Whether this program generates keys like this one. Objects with other keys belong to other users of the storage. */
export const isOwnKey = (key: string): boolean =>
  /^(material|image|incoming|check)\/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}(\.webp)?$/.test(key);

/** Checks a key. The program generates all keys, so an invalid key is a bug. */
export function assertKey(key: string): void {
  if (!isKey(key)) throw new Error(`Not a key of the file storage: ${JSON.stringify(key)}`);
}
