import { AppError, isAppError } from '../../errors.js';
import type { yesOption } from './declaration.js';
import { printable } from './printable.js';
import { createPrompts } from './prompts.js';
import type { Run } from './run.js';

/**
 * Known before anything is looked up or done.
 * @param toDo what the command does, such as "delete"
 * @throws AppError `USAGE` when there is a question and nobody to answer it
 */
export function assertCanAsk({ interactive, options }: Run<'', typeof yesOption>, toDo: string): void {
  if (!options.yes && !interactive)
    throw new AppError('USAGE', `Without a terminal nobody can be asked: add --yes to ${toDo}.`);
}

interface Question {
  /** What is about to be done or lost, where the question itself doesn't say it. */
  about?: string;
  question: string;
  /** What is said when the answer is no, or none is given, such as "Nothing was deleted." */
  otherwise: string;
  /** What Enter alone answers: yes only where nothing is lost. */
  initial?: boolean;
}

/** Shows what is about to be done and asks whether to go on. @throws AppError `INTERRUPTED` for a no, and for no answer */
export async function confirm(run: Run, { about, question, otherwise, initial = false }: Question): Promise<void> {
  // With --quiet too: nobody can answer a question without knowing what it is about.
  if (about !== undefined) run.io.stderr.write(`${printable(about)}\n`);
  const prompts = await createPrompts(run.io);
  const answer = await prompts.confirm(question, initial).catch((error: unknown) => {
    if (!isAppError(error, 'INTERRUPTED')) throw error;
    return false;
  });
  if (!answer) throw new AppError('INTERRUPTED', otherwise);
}
