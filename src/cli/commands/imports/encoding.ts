import { AppError } from '../../../errors.js';
import type { Encoding } from '../../../schemas/import.js';
import { DoubtfulEncoding } from '../../../services/imports/read/doubtful-encoding.js';
import { encodingNames } from '../../../services/imports/read/encodings.js';
import { printable, printableLine } from '../../core/printable.js';
import { createPrompts } from '../../core/prompts.js';
import { canAsk, type ImportRun } from './mapping.js';

const none = 'none';

/**
 * Asks a person at the terminal in which encoding the names of a file are right.
 * @param refusal thrown where nobody can be asked, or its cause is another
 * @throws AppError `IMPORT_FILE_INVALID` where none is right, `INTERRUPTED`
 */
export async function encodingAfter(refusal: unknown, run: ImportRun): Promise<Encoding> {
  if (!(refusal instanceof DoubtfulEncoding) || !canAsk(run)) throw refusal;
  run.io.stderr.write(printable('The file is not UTF-8, and its encoding is not certain.\n'));
  const prompts = await createPrompts(run.io);
  const answer = await prompts.choose<Encoding | typeof none>('Which of these names are right?', [
    ...refusal.candidates.map(({ encoding, names }) => ({
      value: encoding,
      name: printableLine(`${names.join(', ')}: ${encodingNames[encoding]}`),
      short: encodingNames[encoding],
    })),
    { value: none, name: 'none of them' },
  ]);
  if (answer === none)
    throw new AppError(
      'IMPORT_FILE_INVALID',
      'Save the file as "CSV UTF-8" and import that, or name its encoding with --encoding.',
      { cause: refusal },
    );
  return answer;
}
