import { AppError, isAppError } from '../../../errors.js';
import type { yesOption } from '../command/declaration.js';
import type { Result, Run } from '../command/run.js';
import { printable } from '../output/printable.js';
import { createPrompts } from '../prompts/prompts.js';

/**
 * Call before any change, and after the checks of options, files and names.
 * @param toDo completes "add --yes to", such as "delete"
 * @param hasDryRun adds `--dry-run` to the message
 * @throws AppError `USAGE` if nobody can answer a question
 */
export function assertCanAsk(
  { interactive, options }: Run<'', typeof yesOption>,
  toDo: string,
  { hasDryRun = false } = {},
): void {
  if (options.yes || interactive) return;
  const alternative = hasDryRun ? ', or --dry-run to look first' : '';
  throw new AppError('USAGE', `Confirmation needs a terminal: add --yes to ${toDo}${alternative}.`);
}

interface Question extends Pick<Result, 'painted'> {
  /** Consequences of a yes, if the question alone doesn't say them. */
  about?: string;
  question: string;
  /** Message after a no or an interruption, such as "Nothing was deleted." */
  otherwise: string;
  /** Answer for Enter alone. True only if a yes destroys nothing. */
  initial?: boolean;
}

/** Shows the consequences and asks for confirmation. @throws AppError `DECLINED` for a no, `INTERRUPTED` without an answer */
export async function confirm(
  run: Run,
  { about, painted, question, otherwise, initial = false }: Question,
): Promise<void> {
  // Printed with --quiet, too: users need the text to answer.
  if (about !== undefined) run.io.stderr.write(`${painted ? about : printable(about)}\n`);
  const prompts = await createPrompts(run.io);
  const answer = await prompts.confirm(question, initial).catch((error: unknown) => {
    throw isAppError(error, 'INTERRUPTED') ? new AppError('INTERRUPTED', otherwise, { cause: error }) : error;
  });
  if (!answer) throw new AppError('DECLINED', otherwise);
}
