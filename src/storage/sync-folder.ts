import { open } from 'node:fs/promises';

/** Syncs the names in a folder to the disk: without it, a new or renamed file may be gone after a crash. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
