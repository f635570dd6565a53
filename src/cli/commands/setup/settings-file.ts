import { appendFile, chmod, mkdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { AppError, systemErrorCode, undefinedIfMissing } from '../../../errors.js';
import type { Change } from './undo.js';

/** A value that needs no escaping: all that setup writes is percent-encoded, base64url or a word. */
const line = ([name, value]: [string, string]) => `${name}=${/^[\w-]+$/.test(value) ? value : `"${value}"`}\n`;

const lineFeed = 0x0a;

/** A file as it is: in bytes, because it may not be UTF-8. */
interface Existing {
  content: Buffer;
  mode: number;
}

async function existing(file: string): Promise<Existing | undefined> {
  const read = async () => ({ content: await readFile(file), mode: (await stat(file)).mode & 0o777 });
  return undefinedIfMissing(read());
}

/**
 * Adds settings to an `.env` file, which keeps what it has. A new file, and one that all users could read, is for this user
 * only then.
 * @param settings names that have no value in the file
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
      // Before the secret is in it. The group of a file that is closed to others was chosen.
      if ((before.mode & 0o007) !== 0) await chmod(file, 0o600);
      await appendFile(file, added);
    }
    return { what: whatOf(file, settings, before), undo: () => restore(file, before, added) };
  } catch (error) {
    const names = Object.keys(settings).join(' and ');
    throw new AppError(
      'FILE_UNUSABLE',
      `The file ${file} can't be written (${systemErrorCode(error) ?? 'unknown'}). Set ${names} in the environment instead.`,
      { cause: error },
    );
  }
}

function whatOf(file: string, settings: object, before: Existing | undefined): string {
  return before === undefined ? `the file ${file}` : `${Object.keys(settings).join(' and ')} in ${file}`;
}

/** @returns whether the file is as before; one that was changed by others stays as it is */
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
