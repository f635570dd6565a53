import type { ErrorCode } from '../../../errors.js';

/** What the process answers the shell; documented in docs/CLI.md. */
export const exitCodes = {
  ok: 0,
  /** An expected failure: one line says what and what to do. Or a question was answered with no. */
  failure: 1,
  /** The command line, an input file or an option can't be used; nothing was done. */
  usage: 2,
  /**
   * Done in part: some rows of an import were rejected, undoing one kept accounts, some of several accounts or enrollments were
   * not found or refused, or files of a backup are missing or damaged.
   */
  partial: 3,
  /** A bug in coursectl. */
  bug: 70,
  /** Ctrl-C. */
  interrupted: 130,
} as const;

/** One of {@link exitCodes}. */
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** The failures that don't end with {@link exitCodes.failure}. */
const otherExitCodes: Readonly<Partial<Record<ErrorCode, ExitCode>>> = {
  VALIDATION: exitCodes.usage,
  USAGE: exitCodes.usage,
  IMPORT_FILE_INVALID: exitCodes.usage,
  IMPORT_REFUSED: exitCodes.usage,
  INTERRUPTED: exitCodes.interrupted,
};

/** The exit code of an expected failure. */
export function exitCodeOf(code: ErrorCode): ExitCode {
  return otherExitCodes[code] ?? exitCodes.failure;
}
