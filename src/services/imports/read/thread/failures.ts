import type { EncodingCandidate } from '../../../../db/models/import-plan.js';
import { AppError, type ErrorCode, type ErrorParams, type ErrorSubject, systemErrorCode } from '../../../../errors.js';
import type { FieldProblem } from '../../../../field-problem.js';
import type { FileProblemReason } from '../../../../schemas/file-format.js';
import type { ImportColumn, ImportField } from '../../../../schemas/import.js';
import { FileProblem } from '../../../../tables/encoding/source-file.js';
import type { Sheet } from '../../../../tables/table/table.js';
import { MissingColumns, RepeatedColumn } from '../columns/header-refusals.js';
import { DoubtfulEncoding } from '../doubtful-encoding.js';
import type { Column } from '../fields/headings.js';

/** A failure as it is sent between threads. Sending the error itself would drop its class and everything but its message. */
export type PackedFailure =
  | { kind: 'doubtful encoding'; candidates: readonly EncodingCandidate[]; line: number }
  | { kind: 'missing columns'; missing: readonly ImportColumn[]; message: string }
  | { kind: 'repeated column'; field: ImportField; repeated: Column }
  | { kind: 'file'; reason: FileProblemReason; message: string; line: number | null; sheets: readonly Sheet[] }
  | {
      kind: 'known';
      code: ErrorCode;
      message: string;
      subject: ErrorSubject | undefined;
      params: ErrorParams | undefined;
      details: readonly FieldProblem[];
    }
  | { kind: 'other'; message: string; stack: string | undefined; code: string | undefined };

export function packFailure(error: unknown): PackedFailure {
  if (error instanceof DoubtfulEncoding)
    return { kind: 'doubtful encoding', candidates: error.candidates, line: error.line };
  if (error instanceof MissingColumns)
    return { kind: 'missing columns', missing: error.missing, message: error.message };
  if (error instanceof RepeatedColumn) return { kind: 'repeated column', field: error.field, repeated: error.repeated };
  if (error instanceof FileProblem) {
    const { reason, message, line, sheets } = error;
    return { kind: 'file', reason, message, line, sheets };
  }
  if (error instanceof AppError) {
    const { code, message, subject, params, details } = error;
    return { kind: 'known', code, message, subject, params, details };
  }
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  return { kind: 'other', message, stack, code: systemErrorCode(error) };
}

export function unpackFailure(failure: PackedFailure): Error {
  switch (failure.kind) {
    case 'doubtful encoding':
      return new DoubtfulEncoding(failure.candidates, failure.line);
    case 'missing columns':
      return new MissingColumns(failure.missing, failure.message);
    case 'repeated column':
      return new RepeatedColumn(failure.field, failure.repeated);
    case 'file': {
      const problem = new FileProblem(failure.reason, failure.message, failure.line);
      problem.sheets = failure.sheets;
      return problem;
    }
    case 'known': {
      const { code, message, subject, params, details } = failure;
      return new AppError(code, message, { details, ...(subject && { subject }), ...(params && { params }) });
    }
    case 'other': {
      const { message, stack, code } = failure;
      return Object.assign(new Error(message), stack !== undefined && { stack }, code !== undefined && { code });
    }
  }
}
