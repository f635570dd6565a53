import type { Command } from 'commander';
import { AppError, isAppError, validationError } from '../../errors.js';

/** Fields of the API that have another name on the command line. */
const otherNames: Readonly<Record<string, string>> = {
  ...{ courseType: 'type', trainerId: 'trainer', tags: 'tag', targetId: 'target', actorId: 'actor' },
  ...{ traineeId: 'user', traineeIds: 'user', enrollmentIds: 'id' },
};

/** By which options and arguments things are named, and the command that shows what there is. */
const things: Readonly<Record<string, { names: readonly string[]; shownBy: string }>> = {
  User: { names: ['user', 'trainer', 'actor'], shownBy: 'users list' },
  Trainer: { names: ['user', 'trainer'], shownBy: 'courses trainers' },
  Trainee: { names: ['user'], shownBy: 'users list --role trainee' },
  Course: { names: ['course'], shownBy: 'courses list' },
  Enrollment: { names: ['id'], shownBy: 'enrollments list' },
  Import: { names: ['id'], shownBy: 'imports list' },
  File: { names: ['file-id'], shownBy: 'courses files list <course>' },
};

/** The option or argument of a command that gives a field, where that has another name. */
function spelt(command: Command, field: string): string | undefined {
  const name = otherNames[field] ?? field;
  const option = command.options.find((one) => one.attributeName() === name);
  if (option) return option.long ?? option.flags;
  const isArgument = command.registeredArguments.some((argument) => argument.name() === name);
  return isArgument && name !== field ? `<${name}>` : undefined;
}

/** A sentence about a field. What has no name for people is called by that of the API: first, or as a word in camel case. */
function aboutOption(command: Command, sentence: string): string {
  return sentence.replace(/^[a-z]\w*|\b[a-z]+[A-Z]\w*/g, (word) => spelt(command, word) ?? word);
}

/** What the command line gives under one of several names. */
function given(command: Command, names: readonly string[]): string[] {
  const options: Record<string, unknown> = command.opts();
  return names.flatMap((name) => {
    const index = command.registeredArguments.findIndex((argument) => argument.name() === name);
    const value = index < 0 ? options[name] : command.processedArgs[index];
    // A variadic argument has several.
    return [value].flat().filter((one) => typeof one === 'string' && one !== '') as string[];
  });
}

function notFoundHere(command: Command, failure: AppError): AppError {
  const [, name = ''] = /^(\w+) not found\.$/.exec(failure.message) ?? [];
  const thing = things[name];
  if (!thing) return failure;
  const references = given(command, thing.names);
  const which = references.length === 0 ? '' : `: ${references.length > 1 ? 'one of ' : ''}${references.join(', ')}`;
  const message = `${name} not found${which}. To see what there is: coursectl ${thing.shownBy}`;
  return new AppError('NOT_FOUND', message, { cause: failure });
}

/** A failure as the terminal says it: fields are called by the options that give them, and what isn't found by its name. */
export function atTerminal(command: Command, failure: unknown): unknown {
  if (isAppError(failure, 'NOT_FOUND')) return notFoundHere(command, failure);
  if (!isAppError(failure, 'VALIDATION') || failure.details.length === 0) return failure;
  const details = failure.details.map(({ path, message }) => ({ path, message: aboutOption(command, message) }));
  return validationError(details, failure);
}
