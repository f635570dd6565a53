import { AppError, isAppError } from '../../../errors.js';
import type { yesOption } from '../command/declaration.js';
import type { Result, Run } from '../command/run.js';
import { printable } from '../output/printable.js';
import { createPrompts } from '../prompts/prompts.js';

/**
 * Refuses before anything is done; options, files and names have been checked by then.
 * @param toDo what the command does, such as "delete"
 * @throws AppError `USAGE` when a question can't be answered
 */
export function assertCanAsk({ interactive, options }: Run<'', typeof yesOption>, toDo: string): void {
  if (!options.yes && !interactive) throw new AppError('USAGE', `Confirmation needs a terminal: add --yes to ${toDo}.`);
}

interface Question extends Pick<Result, 'painted'> {
  /** What is about to be done or lost, where the question itself doesn't say it. */
  about?: string;
  question: string;
  /** The message when the answer is no, or there is none, such as "Nothing was deleted." */
  otherwise: string;
  /** What Enter alone answers: yes only where nothing is lost. */
  initial?: boolean;
}

/** Shows what is about to be done and asks for confirmation. @throws AppError `DECLINED` for a no, `INTERRUPTED` for no answer */
export async function confirm(
  run: Run,
  { about, painted, question, otherwise, initial = false }: Question,
): Promise<void> {
  // With --quiet too: the question can't be answered without it.
  if (about !== undefined) run.io.stderr.write(`${painted ? about : printable(about)}\n`);
  const prompts = await createPrompts(run.io);
  const answer = await prompts.confirm(question, initial).catch((error: unknown) => {
    throw isAppError(error, 'INTERRUPTED') ? new AppError('INTERRUPTED', otherwise, { cause: error }) : error;
  });
  if (!answer) throw new AppError('DECLINED', otherwise);
}
