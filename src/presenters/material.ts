import type { StoredFile } from '../db/models/stored-file.js';
import { pick } from './pick.js';

/** A file of a course. */
export const presentMaterial = (file: StoredFile) => ({
  ...pick(file, ['id', 'name', 'contentType', 'createdAt']),
  // BIGINT comes as text from some drivers.
  bytes: Number(file.bytes),
});
