import { withoutInvisible } from '../../schemas/text.js';
import { FileProblem } from '../encoding/source-file.js';

export type WorkbookFault = 'DAMAGED' | 'ENCRYPTED' | 'TOO_LARGE' | 'DOCUMENT_TYPE' | 'NOT_A_WORKBOOK';

/** A fault of a workbook. {@link toFileProblem} puts its message into a sentence: "The workbook is too large: ...". */
export class WorkbookProblem extends Error {
  override name = 'WorkbookProblem';
  constructor(
    readonly fault: WorkbookFault,
    message: string,
    cause?: unknown,
  ) {
    super(message, { cause });
  }
}

export const damaged = (message: string, cause?: unknown) => new WorkbookProblem('DAMAGED', message, cause);
export const tooLarge = (message: string) => new WorkbookProblem('TOO_LARGE', message);

/** Returns the refusal of a workbook that is encrypted with a password. */
export const lockedWorkbook = (cause?: unknown) =>
  new FileProblem(
    'WORKBOOK_LOCKED',
    'The workbook is protected by a password. Open it, remove the password, save it, and import it again.',
    null,
    cause,
  );

/** Returns the refusal of an unsupported kind of workbook. @param what name of the kind, with its article */
export const unsupportedWorkbook = (what: string) =>
  new FileProblem('WORKBOOK_TYPE', `The file is ${what}. Open it, save it as .xlsx, and import that.`);

const maxShownLength = 200;

/** Shortens a message to one line, because it may quote the file. */
const shortenMessage = (message: string) =>
  withoutInvisible(message.slice(0, maxShownLength))
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .toWellFormed();

/** Converts a {@link WorkbookProblem} to a {@link FileProblem}; returns other errors unchanged. */
export function toFileProblem(error: unknown): unknown {
  if (!(error instanceof WorkbookProblem)) return error;
  const { fault } = error;
  const message = shortenMessage(error.message);
  switch (fault) {
    case 'ENCRYPTED':
      return lockedWorkbook(error);
    case 'TOO_LARGE':
      return new FileProblem(
        'WORKBOOK_TOO_LARGE',
        `The workbook is too large: ${message}. Save the sheet as "CSV UTF-8" and import that.`,
        null,
        error,
      );
    case 'NOT_A_WORKBOOK':
      return new FileProblem(
        'NOT_CSV',
        'The file is neither a workbook nor CSV. Copy its table into a spreadsheet, or unpack the archive, and import that.',
        null,
        error,
      );
    default:
      return new FileProblem(
        'WORKBOOK_DAMAGED',
        `The workbook can't be read: ${message}. Open it, save it again as .xlsx, and import that.`,
        null,
        error,
      );
  }
}
