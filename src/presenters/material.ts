import type { StoredFile } from '../db/models/stored-file.js';
import { pick } from './pick.js';

export const presentMaterial = (file: StoredFile) => ({
  ...pick(file, ['id', 'name', 'contentType', 'createdAt']),
  // Some drivers return BIGINT as text.
  bytes: Number(file.bytes),
});
