import path from 'node:path';
import type { StoredFile } from '../../db/models/stored-file.js';
import { notFound } from '../../errors.js';
import { isKey, type StoredObject } from '../../storage/storage.js';
import type { Core } from '../core.js';
import { openFile, removeUpload, type Upload, type WithoutSlot } from './files.js';

const imagePrefix = '/api/images/';

/** Returns the URL path of a stored image, which is readable without signing in. */
export const imageUrl = ({ storageKey }: StoredFile) => imagePrefix + path.posix.basename(storageKey);

/** Returns the key of the image with a URL path of {@link imageUrl}; undefined for any other text. */
export function imageKeyOf(url: string): string | undefined {
  const key = `image/${url.slice(imagePrefix.length)}`;
  return url.startsWith(imagePrefix) && isKey(key) ? key : undefined;
}

export interface WaitOptions {
  /** Aborted when the client disconnects; stops the conversion. */
  signal: AbortSignal;
  /** Images have a separate queue, so a request that waits in it needs no slot. */
  withoutSlot?: WithoutSlot;
}

/** Converts an upload to a WebP image and removes the upload. */
export async function convertToWebp(
  core: Core,
  upload: Upload,
  size: { width: number; height: number },
  account: string,
  { signal, withoutSlot = (wait) => wait() }: WaitOptions,
): Promise<Upload> {
  const target = `${upload.path}.webp`;
  const limits = { maxPixels: core.config.files.imagePixels, ...size };
  try {
    await withoutSlot(() => core.images.prepare(upload.path, target, limits, { account, signal }));
  } finally {
    await removeUpload(upload);
  }
  return { path: target, name: upload.name };
}

/** Opens an image by the name in its URL. @throws AppError `NOT_FOUND`, `STORAGE_UNAVAILABLE` */
export async function openImage(core: Core, name: string, withoutSlot: WithoutSlot): Promise<StoredObject> {
  // Keys are stored as ASCII; MariaDB refuses to compare them with other text.
  if (!/^[\w.-]+$/.test(name)) throw notFound('File');
  return (await openFile(core, { storageKey: `image/${name}` }, { withoutSlot })).object;
}
