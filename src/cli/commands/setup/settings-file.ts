import { appendFile, chmod, mkdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { AppError, systemErrorCode, undefinedIfMissing } from '../../../errors.js';
import type { Change } from './undo.js';

/** Returns a line of an `.env` file. Quotes are enough: setup writes only percent-encoded URLs, base64url and plain words. */
const line = ([name, value]: [string, string]) => `${name}=${/^[\w-]+$/.test(value) ? value : `"${value}"`}\n`;

const lineFeed = 0x0a;

/** Existing file, as bytes, because it may not be UTF-8. */
interface Existing {
  content: Buffer;
  mode: number;
}

async function existing(file: string): Promise<Existing | undefined> {
  const read = async () => ({ content: await readFile(file), mode: (await stat(file)).mode & 0o777 });
  return undefinedIfMissing(read());
}

/**
 * Adds settings to an `.env` file, and keeps its content. A new file becomes readable by this user only; so does a
 * file on which all users have rights.
 * @param settings must have no value in the file
 * @throws AppError `FILE_UNUSABLE`
 */
export async function addSettings(file: string, settings: Readonly<Record<string, string>>): Promise<Change> {
  try {
    const before = await existing(file);
    const separator = (before?.content.at(-1) ?? lineFeed) === lineFeed ? '' : '\n';
    const added = separator + Object.entries(settings).map(line).join('');
    if (before === undefined) {
      await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
      await writeFile(file, added, { flag: 'wx', mode: 0o600 });
    } else {
      // Takes the rights of all other users before the secret is written. Without such rights, the mode stays: somebody may
      // have chosen the rights of the group.
      if ((before.mode & 0o007) !== 0) await chmod(file, 0o600);
      await appendFile(file, added);
    }
    return { description: describeChange(file, settings, before), undo: () => restore(file, before, added) };
  } catch (error) {
    const names = Object.keys(settings).join(' and ');
    throw new AppError(
      'FILE_UNUSABLE',
      `The file ${file} can't be written (${systemErrorCode(error) ?? 'unknown'}). Set ${names} in the environment instead.`,
      { cause: error },
    );
  }
}

function describeChange(file: string, settings: object, before: Existing | undefined): string {
  return before === undefined ? `the file ${file}` : `${Object.keys(settings).join(' and ')} in ${file}`;
}

/** @returns whether the file is restored; a file that others changed is not restored */
async function restore(file: string, before: Existing | undefined, added: string): Promise<boolean> {
  const now = await existing(file);
  const written = Buffer.concat([before?.content ?? Buffer.alloc(0), Buffer.from(added)]);
  if (!now?.content.equals(written)) return false;
  if (before === undefined) await rm(file);
  else {
    await truncate(file, before.content.length);
    await chmod(file, before.mode);
  }
  return true;
}
