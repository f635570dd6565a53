import path from 'node:path';
import type { StoredFile } from '../../db/models/stored-file.js';
import { notFound } from '../../errors.js';
import type { StoredObject } from '../../storage/storage.js';
import type { Core } from '../core.js';
import { dropUpload, openFile, type Upload } from './files.js';

const imagePrefix = '/api/images/';

/** Where a stored image can be seen, by everybody who has been told. */
export const imageUrl = ({ storageKey }: StoredFile) => imagePrefix + path.posix.basename(storageKey);

/** How a picture is waited for. */
export interface Waiting {
  /** Aborted when nobody waits any more: then the work on the picture stops. */
  signal: AbortSignal;
  /** Does what has a queue of its own: others mustn't be kept waiting meanwhile. */
  waitAside?<T>(wait: () => Promise<T>): Promise<T>;
}

/** The picture in place of what was uploaded; the upload is gone. */
export async function asWebp(
  core: Core,
  upload: Upload,
  size: { width: number; height: number },
  account: string,
  { signal, waitAside = (wait) => wait() }: Waiting,
): Promise<Upload> {
  const target = `${upload.path}.webp`;
  const limits = { maxPixels: core.config.files.imagePixels, ...size };
  try {
    await waitAside(() => core.images.prepare(upload.path, target, limits, { account, signal }));
  } finally {
    await dropUpload(upload);
  }
  return { path: target, name: upload.name };
}

/** Opens a picture by the name in its address. @throws AppError `NOT_FOUND`, `STORAGE_UNAVAILABLE` */
export async function openImage(core: Core, name: string): Promise<StoredObject> {
  // Keys are stored as ASCII, and MariaDB compares that with no other text.
  if (!/^[\w.-]+$/.test(name)) throw notFound('File');
  return (await openFile(core, { storageKey: `image/${name}` })).object;
}
