import { AppError } from '../../../errors.js';
import type { FileProblemReason } from '../../../schemas/import.js';

/** The refusal of a whole file, with what programs know it by. */
export class FileProblem extends AppError {
  /** @param line the line that it is about, from 1 */
  constructor(
    readonly reason: FileProblemReason,
    message: string,
    readonly line: number | null = null,
    cause?: unknown,
  ) {
    super('IMPORT_FILE_INVALID', message, cause === undefined ? {} : { cause });
  }
}
