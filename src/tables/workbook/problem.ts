import { withoutInvisible } from '../../schemas/text.js';
import { FileProblem } from '../encoding/source-file.js';

/** Why a workbook can't be read. */
export type WorkbookFault = 'DAMAGED' | 'ENCRYPTED' | 'TOO_LARGE' | 'DOCUMENT_TYPE' | 'NOT_A_WORKBOOK';

/** A fault of a workbook, as a part of a sentence. */
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

/** The refusal of a workbook that only the programs that know its password can open. */
export const lockedWorkbook = (cause?: unknown) =>
  new FileProblem(
    'WORKBOOK_LOCKED',
    'The workbook is protected by a password. Open it, remove the password, save it, and import it again.',
    null,
    cause,
  );

/** The refusal of a kind of workbook that isn't read. @param what with its article */
export const unsupportedWorkbook = (what: string) =>
  new FileProblem('WORKBOOK_TYPE', `The file is ${what}. Open it, save it as .xlsx, and import that.`);

const maxShownLength = 200;

/** A message that may quote the file: in one line, and shortened. */
const shortenMessage = (message: string) =>
  withoutInvisible(message.slice(0, maxShownLength))
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .toWellFormed();

/** What {@link WorkbookProblem}s are told as; other errors unchanged. */
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
