import { AppError } from '../errors.js';
import { createPrompts } from './prompts.js';
import type { Run } from './run.js';

/** The option of commands that ask first. */
export interface YesOption {
  yes?: true;
}

/**
 * Known before anything is looked up or done.
 * @param toDo what the command does, such as "delete"
 * @throws AppError `USAGE` when there is a question and nobody to answer it
 */
export function assertCanAsk({ interactive, options }: Run<YesOption>, toDo: string): void {
  if (!options.yes && !interactive)
    throw new AppError('USAGE', `Without a terminal nobody can be asked: add --yes to ${toDo}.`);
}

/**
 * Shows what will be lost and asks whether to go on.
 * @param otherwise what is said after a no, such as "Nothing was deleted."
 * @throws AppError `INTERRUPTED` for a no
 */
export async function confirmLoss(run: Run, loss: string, question: string, otherwise: string): Promise<void> {
  // With --quiet too: nobody can answer a question without knowing what it is about.
  run.io.stderr.write(`${loss}\n`);
  const prompts = await createPrompts(run.io);
  if (!(await prompts.confirm(question, false))) throw new AppError('INTERRUPTED', otherwise);
}
