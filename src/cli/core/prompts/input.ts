import { addAbortSignal } from 'node:stream';
import { AppError } from '../../../errors.js';
import type { Io } from '../output/output.js';

/**
 * A password from standard input, for scripts: its first line, without the line break. Never from an option:
 * options are seen by every user of the machine.
 * @throws AppError `USAGE` when it would be typed visibly, or isn't text; `INTERRUPTED`
 */
export async function readPassword(io: Io): Promise<string> {
  if (io.stdin.isTTY)
    throw new AppError(
      'USAGE',
      'With --password-stdin the password is piped in: printf %s "$PASSWORD" | coursectl ... --password-stdin',
    );
  const bytes = await pipedBytes(io);
  try {
    const [line = ''] = new TextDecoder('utf-8', { fatal: true }).decode(bytes).split(/\r?\n/);
    return line;
  } catch (error) {
    // Replacement characters would make an unknown password.
    throw new AppError('USAGE', 'The password on standard input is not UTF-8. Pipe it in as UTF-8 text.', {
      cause: error,
    });
  }
}

/** All of standard input. @throws AppError `INTERRUPTED` */
export async function pipedBytes({ stdin, signal }: Io): Promise<Buffer> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of addAbortSignal(signal, stdin)) chunks.push(Buffer.from(chunk));
  } catch (error) {
    throw signal.aborted ? new AppError('INTERRUPTED', undefined, { cause: error }) : error;
  }
  return Buffer.concat(chunks);
}

/** A number that was typed as text. Other text is returned as it is: the schema refuses it. */
export function typedNumber(text: string | undefined): number | string | undefined {
  return text !== undefined && /^\s*-?\d+\s*$/.test(text) ? Number(text) : text;
}
