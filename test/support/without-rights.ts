import { statSync } from 'node:fs';
import path from 'node:path';
import { packageFolder } from '../../src/package-root.js';

const superuser = process.getuid?.() === 0;

/** Whether other users can enter a folder and its parents. */
export function isOpenToOthers(folder: string): boolean {
  const above = path.dirname(folder);
  return (statSync(folder).mode & 0o001) !== 0 && (above === folder || isOpenToOthers(above));
}

/** Whether work can run without rights. In a private folder of root, such as /root, another user can't load the program. */
export const canLoseRights = !superuser || isOpenToOthers(packageFolder);

/** Runs work as another user if the tests run as root, who may read and write anything. */
export async function withoutRights<T>(work: () => Promise<T>): Promise<T> {
  if (superuser) process.seteuid?.(65534);
  try {
    return await work();
  } finally {
    if (superuser) process.seteuid?.(0);
  }
}
