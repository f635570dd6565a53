import { realpath } from 'node:fs/promises';
import path from 'node:path';

/**
 * Where a file really is below a folder. Names from a database or a backup may be absolute, have "..", or lead through symbolic
 * links; the folder itself may be a link.
 * @param file a path, relative to the folder or absolute
 * @returns its real path, relative to the folder; nothing for one that isn't below it
 * @throws the error of the file system, also where there is no such file
 */
export async function pathBelow(folder: string, file: string): Promise<string | undefined> {
  // No file system has such a name, and Node throws another error for it.
  if (file.includes('\0')) return undefined;
  const [root, real] = await Promise.all([realpath(folder), realpath(path.resolve(folder, file))]);
  const relative = path.relative(root, real);
  const isBelow = relative !== '' && !path.isAbsolute(relative) && relative.split(path.sep)[0] !== '..';
  return isBelow ? relative : undefined;
}
