import { text } from 'node:stream/consumers';
import { AppError } from '../errors.js';
import type { Io } from './output.js';

/**
 * A password from standard input, for scripts: its first line, without the line break. Never from an option:
 * options are seen by every user of the machine.
 * @throws AppError `USAGE` when a person would have to type it in plain sight
 */
export async function readPassword(io: Io): Promise<string> {
  if (io.stdin.isTTY)
    throw new AppError(
      'USAGE',
      'With --password-stdin the password is piped in: printf %s "$PASSWORD" | coursectl ... --password-stdin',
    );
  const [line = ''] = (await text(io.stdin)).split(/\r?\n/);
  return line;
}
