import { AppError } from '../../errors.js';
import { presentMaterial } from '../../presenters/material.js';
import { removeAvatar, setAvatar } from '../../services/accounts/avatars.js';
import { actorOf } from '../../services/core.js';
import {
  addMaterial,
  assertMayUpload,
  listMaterials,
  materialLimit,
  openMaterial,
  removeMaterial,
} from '../../services/courses/materials.js';
import { removeThumbnail, setThumbnail } from '../../services/courses/thumbnails.js';
import { readChunks, type StoredObject } from '../../services/files/files.js';
import { openImage } from '../../services/files/images.js';
import type { StreamedResponse } from '../body/streams.js';
import type { Handlers } from '../routing/handler.js';

function streamed(object: StoredObject): StreamedResponse {
  const { stream, bytes } = object;
  return {
    bytes,
    pieces: () => readChunks(object),
    // Closes a stream that was not read completely.
    onEnd: async () => void stream.destroy(),
  };
}

/** Turns errors after a disconnect into `BODY_INCOMPLETE`, because they are no failures of the service. @throws AppError */
async function translateDisconnect<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!signal.aborted) throw error;
    throw new AppError('BODY_INCOMPLETE', 'The client left before its image was prepared.', { cause: error });
  }
}

export const fileHandlers = {
  async setThumbnail({ context, caller, params, receive, signal, withoutSlot }) {
    const courseId = params.id;
    await assertMayUpload(context, actorOf(caller), courseId);
    const { file } = await receive();
    const work = setThumbnail(context, actorOf(caller), courseId, file, { signal, withoutSlot });
    const imageUrl = await translateDisconnect(signal, work);
    return { message: 'Thumbnail uploaded successfully.', imageUrl };
  },

  async removeThumbnail({ context, caller, params }) {
    await removeThumbnail(context, actorOf(caller), params.id);
    return { message: 'Thumbnail removed successfully.' };
  },

  async setAvatar({ context, caller, receive, signal, withoutSlot }) {
    const { file } = await receive();
    const imageUrl = await translateDisconnect(signal, setAvatar(context, caller, file, { signal, withoutSlot }));
    return { message: 'Avatar updated successfully.', imageUrl };
  },

  async removeAvatar({ context, caller }) {
    await removeAvatar(context, caller);
    return { message: 'Avatar removed successfully.' };
  },

  async addMaterial({ context, caller, params, receive, withoutSlot }) {
    const courseId = params.id;
    const limit = await materialLimit(context, actorOf(caller), courseId);
    // The upload counts until the request ends. Otherwise received files could fill the disk while the bucket is slow.
    const { file } = await receive({ limit, countsUntilEnd: true });
    const added = await addMaterial(context, actorOf(caller), courseId, file, withoutSlot);
    return { message: 'File uploaded successfully.', file: presentMaterial(added) };
  },

  async listMaterials({ context, caller, params, query }) {
    const { items, pagination } = await listMaterials(context, actorOf(caller), params.id, query);
    return { files: items.map(presentMaterial), pagination };
  },

  async openMaterial({ context, caller, params, rangeOf, withoutSlot }) {
    const { id, fileId } = params;
    // A stored file never changes.
    const etag = `"${fileId}"`;
    let contentRange: StreamedResponse['range'];
    const { file, object } = await openMaterial(context, actorOf(caller), id, fileId, {
      rangeOf({ bytes }) {
        const range = rangeOf(Number(bytes), etag);
        contentRange = range && { ...range, of: Number(bytes) };
        return range;
      },
      withoutSlot,
    });
    const { name: filename, contentType } = file;
    return { ...streamed(object), filename, contentType, etag, ...(contentRange && { range: contentRange }) };
  },

  async removeMaterial({ context, caller, params }) {
    await removeMaterial(context, actorOf(caller), params.id, params.fileId);
    return { message: 'File deleted successfully.' };
  },

  async showImage({ context, params, setHeader, withoutSlot }) {
    const object = await openImage(context, params.name, withoutSlot);
    // An image never changes, because a new image gets a new URL.
    setHeader('Cache-Control', 'public, max-age=31536000, immutable');
    // Web clients of other origins may show images.
    setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
    return streamed(object);
  },
} satisfies Partial<Handlers>;
