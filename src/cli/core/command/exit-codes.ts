import type { ErrorCode } from '../../../errors.js';

/** Exit codes, documented in docs/CLI.md. */
export const exitCodes = {
  ok: 0,
  /** Expected failure, or a no to a question. */
  failure: 1,
  /** Unusable command line, option or input file. Nothing was done. */
  usage: 2,
  /**
   * Partial success: rejected rows of an import, accounts kept by an undo, unknown or refused items of a bulk change, or
   * missing or damaged files of a backup.
   */
  partial: 3,
  /** A sync in which too many members would leave. Nothing was changed. */
  held: 4,
  /** A bug in coursectl. */
  bug: 70,
  /** Ctrl-C. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** Exit codes of failures other than {@link exitCodes.failure}. */
const otherExitCodes: Readonly<Partial<Record<ErrorCode, ExitCode>>> = {
  VALIDATION: exitCodes.usage,
  USAGE: exitCodes.usage,
  IMPORT_FILE_INVALID: exitCodes.usage,
  IMPORT_REFUSED: exitCodes.usage,
  SYNC_HELD: exitCodes.held,
  INTERRUPTED: exitCodes.interrupted,
};

export function exitCodeOf(code: ErrorCode): ExitCode {
  return otherExitCodes[code] ?? exitCodes.failure;
}
