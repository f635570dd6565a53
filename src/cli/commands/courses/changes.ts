import { AppError, isAppError } from '../../../errors.js';
import { presentCourse } from '../../../presenters/course.js';
import { courseUpdateSchema, namedCourseCreationSchema } from '../../../schemas/course.js';
import { participantStatuses } from '../../../schemas/enrollment-statuses.js';
import { validate } from '../../../schemas/validate.js';
import type { Context } from '../../../services/context.js';
import { operator } from '../../../services/core.js';
import {
  assignTrainer,
  createCourse,
  deleteCourse,
  publishCourse,
  updateCourse,
} from '../../../services/courses/commands.js';
import { findCoursesByTitle } from '../../../services/courses/find-course.js';
import { listMaterials } from '../../../services/courses/materials.js';
import { findCourse } from '../../../services/courses/queries.js';
import { listEnrollments } from '../../../services/enrollments/queries.js';
import { assertCanAsk, confirm } from '../../core/bulk/confirm.js';
import { courseIdOf, userIdOf } from '../../core/command/references.js';
import type { Result, Run } from '../../core/command/run.js';
import { asTyped, counted } from '../../core/output/output.js';
import { courseInput } from './input.js';
import type { createCourseOptions, deleteCourseOptions, editCourseOptions } from './options.js';
import { type Course, courseName, trainerName } from './output.js';

const courseIdIn = (run: Run<'<course>'>, context: Context) => courseIdOf(context, run.arguments.course);

/** Returns the result for a changed course. @param textOf returns the message */
function changed(model: Parameters<typeof presentCourse>[0], textOf: (course: Course) => string): Result {
  const course = presentCourse(model);
  return { json: { course }, text: textOf(course) };
}

/** @throws AppError `VALIDATION`; the lookup of the trainer follows later */
export function checkCreate({ options }: Run<'', typeof createCourseOptions>): void {
  validate(namedCourseCreationSchema, { ...courseInput(options), trainerId: options.trainer });
}

/**
 * Creates an unpublished course.
 * @throws AppError `VALIDATION`, `NOT_FOUND` for the trainer
 */
export async function create(run: Run<'', typeof createCourseOptions>): Promise<Result> {
  const context = await run.context();
  const { trainer } = run.options;
  const trainerId = trainer === undefined ? undefined : await userIdOf(context, trainer, 'trainer');
  const created = await createCourse(context, operator, { ...courseInput(run.options), trainerId });
  const alike = (await findCoursesByTitle(context, created.title)).filter(({ id }) => id !== created.id);
  const course = presentCourse(created);
  return {
    json: { course, ...(alike.length > 0 && { sameTitle: alike.map(({ id }) => id) }) },
    text: [
      `Created ${courseName(course)}.`,
      ...(alike.length > 0 ? [`Other courses with this title: ${alike.map(({ id }) => id).join(', ')}`] : []),
      `To publish it: ${asTyped(run.io, `courses publish ${course.id}`)}`,
    ].join('\n'),
  };
}

/** @throws AppError `USAGE` without changes, `VALIDATION` */
export function checkEdit({ options }: Run<'<course>', typeof editCourseOptions>): void {
  const input = courseInput(options);
  if (Object.keys(input).length === 0)
    throw new AppError('USAGE', 'Nothing to change: add --title, --category, ... (--help names them all).');
  validate(courseUpdateSchema, input);
}

/** Changes the fields that options name. @throws AppError `VALIDATION`, `NOT_FOUND` */
export async function edit(run: Run<'<course>', typeof editCourseOptions>): Promise<Result> {
  const input = courseInput(run.options);
  const context = await run.context();
  const updated = await updateCourse(context, operator, await courseIdIn(run, context), input);
  return changed(updated, (course) => `Changed ${courseName(course)}.`);
}

/** Publishes or unpublishes a course. @throws AppError `NOT_FOUND` */
export async function publish(run: Run<'<course>'>, isPublished: boolean): Promise<Result> {
  const context = await run.context();
  const published = await publishCourse(context, operator, await courseIdIn(run, context), { isPublished });
  return changed(
    published,
    (course) => `${courseName(course)} is ${isPublished ? 'published' : 'no longer published'}.`,
  );
}

/** Assigns a course to another trainer. @throws AppError `NOT_FOUND`, `ACCOUNT_INACTIVE` */
export async function giveToTrainer(run: Run<'<course> <user>'>): Promise<Result> {
  const context = await run.context();
  const trainerId = await userIdOf(context, run.arguments.user, 'trainer');
  const assigned = await assignTrainer(context, operator, await courseIdIn(run, context), { trainerId });
  return changed(assigned, (course) => `${courseName(course)} is now a course of ${trainerName(course)}.`);
}

const inUse = (cause?: unknown) =>
  new AppError('COURSE_IN_USE', 'Course has active enrollments. Add --force to delete it anyway.', { cause });

/** @throws AppError `COURSE_IN_USE` if the course has participants, without `--force`; `DECLINED`, `INTERRUPTED` */
async function askWhetherToDelete(
  run: Run<'<course>', typeof deleteCourseOptions>,
  context: Context,
  course: Pick<Course, 'id' | 'title'>,
): Promise<void> {
  const count = async (filter: object) =>
    (await listEnrollments(context, operator, { courseId: course.id, limit: 1, ...filter })).pagination.totalItems;
  const active = await count({ status: participantStatuses.join(',') });
  if (active > 0 && !run.options.force) throw inUse();
  const files = (await listMaterials(context, operator, course.id, { limit: 1 })).pagination.totalItems;
  const loss = `${counted(await count({}), 'enrollment')} (${active} active) and ${counted(files, 'file')}`;
  await confirm(run, {
    about: `${courseName(course)} will be deleted with ${loss}.`,
    question: 'Delete this course?',
    otherwise: 'Nothing was deleted.',
  });
}

/**
 * Deletes a course with its enrollments and files, after a confirmation.
 * @throws AppError `USAGE`, `NOT_FOUND`, `COURSE_IN_USE`, `DECLINED`, `INTERRUPTED`
 */
export async function remove(run: Run<'<course>', typeof deleteCourseOptions>): Promise<Result> {
  const context = await run.context();
  const { force = false, yes } = run.options;
  const found = await findCourse(context, operator, await courseIdIn(run, context));
  assertCanAsk(run, 'delete');
  if (!yes) await askWhetherToDelete(run, context, found);
  try {
    await deleteCourse(context, operator, found.id, { force });
  } catch (error) {
    throw isAppError(error, 'COURSE_IN_USE') ? inUse(error) : error;
  }
  return changed(found, (course) => `Deleted ${courseName(course)}.`);
}
