import type { Command } from 'commander';
import { AppError, type ErrorSubject, isAppError, validationError } from '../../../errors.js';
import type { FieldProblem } from '../../../field-problem.js';
import type { Context } from '../../../services/context.js';
import { courseFull } from '../../../services/courses/course-full.js';
import { either } from '../output/output.js';
import { camelCase, parsedInput } from './declaration.js';
import { problemText } from './problem-text.js';
import { suggestValue } from './suggestions.js';

/** Names of API fields at the command line, if they differ. */
const commandLineNames: Readonly<Record<string, string>> = {
  courseType: 'type',
  trainerId: 'trainer',
  tags: 'tag',
  noPassword: 'password',
  targetId: 'target',
  actorId: 'actor',
  courseId: 'course',
  userId: 'trainee',
  traineeId: 'user',
  traineeIds: 'user',
  enrollmentIds: 'enrollment',
  sortBy: 'sort',
  sortOrder: 'sort',
  format: 'output',
};

/** Options and arguments that name a subject, and the command that lists such subjects. */
const references: Readonly<Partial<Record<ErrorSubject, { names: readonly string[]; listedBy: string }>>> = {
  User: { names: ['user', 'trainee', 'trainer', 'actor', 'target'], listedBy: 'users list --search <text>' },
  Trainer: { names: ['user', 'trainer'], listedBy: 'courses trainers --search <text>' },
  Trainee: { names: ['user'], listedBy: 'users list --role trainee --search <text>' },
  Course: { names: ['course', 'target'], listedBy: 'courses list --search <text>' },
  Group: { names: ['group', 'target'], listedBy: 'groups list --search <text>' },
  Enrollment: { names: ['enrollment'], listedBy: 'enrollments list' },
  Import: { names: ['import'], listedBy: 'imports list' },
  Session: { names: ['session-id'], listedBy: 'users sessions list <user>' },
  Identity: { names: ['identity'], listedBy: 'users identities <user>' },
  File: { names: ['file-id'], listedBy: 'courses files list <course>' },
};

/**
 * Returns the option or argument that sets a field of the API; the field itself if there is none.
 * @public used by a test of all options
 */
export function commandLineName(command: Command, field: string): string {
  const name = commandLineNames[field] ?? field;
  const isArgument = command.registeredArguments.some((argument) => argument.name() === name);
  // Prefers the argument: an option of the same name is a filter, whose errors already name the option.
  if (isArgument) return name !== field ? `<${name}>` : field;
  const option = command.options.find((one) => one.attributeName() === name);
  return option ? (option.long ?? option.flags) : field;
}

/** Rewords a problem with the name of the option. A problem with a readable label keeps its message. */
function rewordProblem(command: Command, problem: FieldProblem): FieldProblem {
  const [field = ''] = problem.path.split('.');
  const name = commandLineName(command, field);
  const message =
    problem.label !== undefined || name === field
      ? problem.message
      : problemText(problem, name, (other) => commandLineName(command, other));
  return { ...problem, message: message + remedyFor(command, field, problem) };
}

/** Returns a sentence with a remedy for a wrong value, or an empty text. */
function remedyFor(command: Command, field: string, { code, params = {} }: FieldProblem): string {
  if (code === 'TOO_LARGE' && field === 'limit' && commandLineName(command, field) === '--limit')
    return ' "all" lists all pages.';
  if (code !== 'NOT_ONE_OF') return '';
  const typed = typedValues(command, [commandLineNames[field] ?? field]).flatMap((value) => value.split(','));
  const allowed = params.values?.map(String) ?? [];
  const suggestions = typed.flatMap((value) => (allowed.includes(value) ? [] : (suggestValue(value, allowed) ?? [])));
  return suggestions.length === 0 ? '' : ` Did you mean ${suggestions.join(',')}?`;
}

/** Returns the values of the options and arguments with these names. */
function typedValues(command: Command, names: readonly string[]): string[] {
  const options: Record<string, unknown> = command.opts();
  const values: Record<string, unknown> = parsedInput(command).arguments;
  return names
    .flatMap((name) => {
      const isArgument = command.registeredArguments.some((argument) => argument.name() === name);
      // A variadic argument has several values.
      return [isArgument ? values[camelCase(name)] : options[name]].flat();
    })
    .filter((value): value is string => typeof value === 'string' && value !== '');
}

async function rewordNotFound(command: Command, failure: AppError, context?: Context): Promise<AppError> {
  const { subject } = failure;
  const reference = subject && references[subject];
  if (!reference) return failure;
  const values = typedValues(command, reference.names);
  const which = values.length === 0 ? '' : `: ${values.length > 1 ? 'one of ' : ''}${values.join(', ')}`;
  const [typed] = values.length === 1 ? values : [];
  // Loaded on use: an import at the top would delay the start of every command.
  const { similarNames } = await import('./similar-names.js');
  const similar = typed !== undefined && context ? await similarNames(context, subject, typed) : [];
  const remedy =
    similar.length > 0
      ? `Did you mean ${either(similar)}?`
      : `To ${reference.listedBy.includes('--search') ? 'search for' : 'list'} them: coursectl ${reference.listedBy}`;
  const message = `${subject} not found${which}. ${remedy}`;
  return new AppError('NOT_FOUND', message, { subject, cause: failure });
}

/** Names the option of the waiting list in the refusal of a full course, if the command has that option. */
function rewordCourseFull(command: Command, failure: AppError): AppError {
  const { seatsLeft = 0, wanted = 1 } = failure.params ?? {};
  const option = commandLineName(command, 'whenFull');
  return option === 'whenFull' ? failure : courseFull(seatsLeft, wanted, `${option} wait`);
}

/**
 * Rewords a failure for the terminal. Names options instead of fields. For a missing record, adds the entered name and
 * similar names.
 * @param context used to look up similar names
 */
export async function rewordForTerminal(command: Command, failure: unknown, context?: Context): Promise<unknown> {
  if (isAppError(failure, 'COURSE_FULL')) return rewordCourseFull(command, failure);
  if (isAppError(failure, 'NOT_FOUND')) return rewordNotFound(command, failure, context);
  if (!isAppError(failure, 'VALIDATION') || failure.details.length === 0) return failure;
  return validationError(
    failure.details.map((problem) => rewordProblem(command, problem)),
    failure,
  );
}

/** Failure with a partial result. The command prints both, and exits with the code of the failure. */
export class PartialFailure extends Error {
  /**
   * @param failure the original error
   * @param partialResult a sentence about the partial result, and its fields for `--json`
   */
  constructor(
    readonly failure: unknown,
    readonly partialResult: { text: string; json: object },
  ) {
    super(partialResult.text, { cause: failure });
  }
}
