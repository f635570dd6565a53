/** Why a workbook can't be read. */
export type WorkbookFault = 'DAMAGED' | 'ENCRYPTED' | 'TOO_LARGE' | 'DOCUMENT_TYPE' | 'NOT_A_WORKBOOK';

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
