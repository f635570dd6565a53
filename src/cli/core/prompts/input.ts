import { addAbortSignal } from 'node:stream';
import { AppError } from '../../../errors.js';
import type { Io } from '../output/output.js';

/**
 * Reads a password from the first line of standard input, for scripts. No option takes a password: every user of the
 * machine can see options.
 * @throws AppError `USAGE` at a terminal, which would show the password, and for text that is not UTF-8; `INTERRUPTED`
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
    // Replacement characters would silently change the password.
    throw new AppError('USAGE', 'The password on standard input is not UTF-8. Pipe it in as UTF-8 text.', {
      cause: error,
    });
  }
}

/** @throws AppError `INTERRUPTED` */
export async function pipedBytes({ stdin, signal }: Io): Promise<Buffer> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of addAbortSignal(signal, stdin)) chunks.push(Buffer.from(chunk));
  } catch (error) {
    throw signal.aborted ? new AppError('INTERRUPTED', undefined, { cause: error }) : error;
  }
  return Buffer.concat(chunks);
}

/** Parses an integer of the command line. Returns other text unchanged: the schema refuses it. */
export function typedNumber(text: string | undefined): number | string | undefined {
  return text !== undefined && /^\s*-?\d+\s*$/.test(text) ? Number(text) : text;
}
