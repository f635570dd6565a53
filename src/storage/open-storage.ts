import type { LocalStorageConfig, S3Config } from '../config/config.js';
import { createLocalStorage } from './local.js';
import { createS3Storage, s3Location } from './s3.js';
import type { FileStorage } from './storage.js';

/** Opens the configured storage. The S3 client is loaded and connected on first use. */
export function openStorage(settings: LocalStorageConfig | S3Config): FileStorage {
  if (settings.kind === 'local') return createLocalStorage(settings.folder);
  let opened: Promise<FileStorage> | undefined;
  const storage = () => {
    opened ??= createS3Storage(settings);
    return opened;
  };
  return {
    location: s3Location(settings),
    put: async (key, path) => (await storage()).put(key, path),
    open: async (key, range) => (await storage()).open(key, range),
    remove: async (keys) => (await storage()).remove(keys),
    async *list(kind) {
      yield* (await storage()).list(kind);
    },
    load: async () => void (await storage()),
    check: async () => (await storage()).check(),
    close: async () => (await opened)?.close(),
  };
}
