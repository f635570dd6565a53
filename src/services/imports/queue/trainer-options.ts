import { validationError } from '../../../errors.js';
import type { FieldProblem } from '../../../field-problem.js';
import { fieldsReadBy, type ImportOptions, importFields, importOptionsSchema } from '../../../schemas/import.js';
import type { Core } from '../../core.js';
import { findCoursesByName } from '../../courses/find-course.js';
import { headingKey } from '../read/fields/headings.js';

/** Options of all imports by trainers. */
const fixed = {
  role: 'trainee',
  onExisting: 'skip',
  match: 'email',
  missingPhone: 'allow',
  invite: true,
} as const satisfies Partial<ImportOptions>;

/** Options that trainers choose. */
const chosen: readonly string[] = ['course', 'encoding', 'delimiter', 'sheet', 'map'] satisfies (keyof ImportOptions)[];

const known = Object.keys(importOptionsSchema.describe().keys as object);

const isFixed = (name: string): name is keyof typeof fixed => name in fixed;

function optionProblem(name: string, options: ImportOptions): FieldProblem | undefined {
  if (!known.includes(name) || chosen.includes(name)) return undefined;
  if (!isFixed(name)) return { path: name, code: 'UNKNOWN', message: `Trainers can't set ${name}. Leave it out.` };
  if (options[name] === fixed[name]) return undefined;
  const values = [String(fixed[name])];
  const message = `${name} is always ${values[0]} in imports by trainers. Leave it out.`;
  return { path: name, code: 'NOT_ONE_OF', params: { values }, message };
}

function mapProblem(entry: string, trainerId: string): FieldProblem | undefined {
  const name = headingKey(entry.slice(entry.lastIndexOf('=') + 1));
  const allowed = fieldsReadBy({ trainerId });
  const field = importFields.find((one) => headingKey(one) === name);
  if (field === undefined || allowed.includes(field)) return undefined;
  const message = `Trainers can't import the field ${field}. Map the column to another field, or leave it out.`;
  return { path: 'map', code: 'NOT_ONE_OF', params: { values: allowed }, message };
}

async function findOwnCourse(core: Core, trainerId: string, name: string): Promise<string | FieldProblem> {
  const [course, ...others] = (await findCoursesByName(core, [name], { trainerId })).get(name) ?? [];
  if (!course) return { path: 'course', code: 'UNKNOWN', message: 'Course: you have none with this id or title.' };
  if (others.length === 0) return course.id;
  const ids = [course, ...others].map(({ id }) => id).join(', ');
  return {
    path: 'course',
    code: 'AMBIGUOUS',
    message: `Course: you have several with this title. Name it by its id: ${ids}.`,
  };
}

/**
 * Returns the options of a trainer's import. Trainers choose the course, and how the file is read.
 * @param given raw options as the client sent them
 * @param options the same options with their default values
 * @throws AppError `VALIDATION` for other options, and unless exactly one course of the trainer has the name
 */
export async function optionsForTrainer(
  core: Core,
  trainerId: string,
  given: object,
  options: ImportOptions,
): Promise<ImportOptions> {
  const names = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  const problems = [
    ...names.map((name) => optionProblem(name, options)),
    ...(options.map ?? []).map((entry) => mapProblem(entry, trainerId)),
  ].filter((problem) => problem !== undefined);
  if (options.course === undefined)
    problems.push({ path: 'course', code: 'REQUIRED', message: 'Course is required in imports by trainers.' });
  if (problems.length > 0 || options.course === undefined) throw validationError(problems);
  const course = await findOwnCourse(core, trainerId, options.course);
  if (typeof course !== 'string') throw validationError([course]);
  return { ...options, ...fixed, course, trainerId };
}
