import type { Context } from '../../../context.js';
import { AppError, isAppError } from '../../../errors.js';
import { operator } from '../../../services/core.js';
import {
  assignTrainer,
  createCourse,
  deleteCourse,
  publishCourse,
  updateCourse,
} from '../../../services/courses/commands.js';
import { listMaterials } from '../../../services/courses/materials.js';
import { findCourse } from '../../../services/courses/queries.js';
import { listEnrollments } from '../../../services/enrollments/queries.js';
import { assertCanAsk, confirm } from '../../core/confirm.js';
import { asTyped, counted } from '../../core/output.js';
import { courseIdOf, userIdOf } from '../../core/references.js';
import type { Result, Run } from '../../core/run.js';
import { courseInput } from './input.js';
import type { createCourseOptions, deleteCourseOptions, editCourseOptions } from './options.js';
import { type Course, courseJson, courseName, trainerName } from './output.js';

/** The course that the command line names first. */
const named = (run: Run<'<course>'>, context: Context) => courseIdOf(context, run.arguments.course);

const done = (course: Course, text: string): Result => ({ json: { course: courseJson(course) }, text });

/**
 * Makes a course, which nobody sees before it is published.
 * @throws AppError `VALIDATION`, `NOT_FOUND` for the trainer
 */
export async function create(run: Run<'', typeof createCourseOptions>): Promise<Result> {
  const context = await run.context();
  const { trainer } = run.options;
  const trainerId = trainer === undefined ? undefined : await userIdOf(context, trainer);
  const course = await createCourse(context, operator, { ...courseInput(run.options), trainerId });
  return done(
    course,
    `Created ${courseName(course)}. To publish it: ${asTyped(run.io, `courses publish ${course.id}`)}`,
  );
}

/** Changes the fields that options name. @throws AppError `USAGE` when there are none, `VALIDATION`, `NOT_FOUND` */
export async function edit(run: Run<'<course>', typeof editCourseOptions>): Promise<Result> {
  const input = courseInput(run.options);
  if (Object.keys(input).length === 0)
    throw new AppError('USAGE', 'Nothing to change: add --title, --category, ... (--help names them all).');
  const context = await run.context();
  const course = await updateCourse(context, operator, await named(run, context), input);
  return done(course, `Changed ${courseName(course)}.`);
}

/** Publishes a course, or takes it back. @throws AppError `NOT_FOUND` */
export async function publish(run: Run<'<course>'>, isPublished: boolean): Promise<Result> {
  const context = await run.context();
  const course = await publishCourse(context, operator, await named(run, context), { isPublished });
  return done(course, `${courseName(course)} is ${isPublished ? 'published' : 'not published any more'}.`);
}

/** Gives a course to another trainer. @throws AppError `NOT_FOUND`, `ACCOUNT_INACTIVE` */
export async function giveToTrainer(run: Run<'<course> <user>'>): Promise<Result> {
  const context = await run.context();
  const trainerId = await userIdOf(context, run.arguments.user);
  const course = await assignTrainer(context, operator, await named(run, context), { trainerId });
  return done(course, `${courseName(course)} is the course of ${trainerName(course)} now.`);
}

const inUse = (cause?: unknown) =>
  new AppError('COURSE_IN_USE', 'Course has active enrollments. Add --force to delete it all the same.', { cause });

/** @throws AppError `COURSE_IN_USE` before anybody is asked what would be refused */
async function askWhetherToDelete(
  run: Run<'<course>', typeof deleteCourseOptions>,
  context: Context,
  course: Course,
): Promise<void> {
  const count = async (filter: object) =>
    (await listEnrollments(context, operator, { courseId: course.id, limit: 1, ...filter })).pagination.totalItems;
  const active = await count({ status: 'active' });
  if (active > 0 && !run.options.force) throw inUse();
  const files = (await listMaterials(context, operator, course.id, { limit: 1 })).pagination.totalItems;
  const loss = `${counted(await count({}), 'enrollment')} (${active} active) and ${counted(files, 'file')}`;
  await confirm(run, {
    about: `${courseName(course)} goes with ${loss}.`,
    question: 'Delete this course?',
    otherwise: 'Nothing was deleted.',
  });
}

/**
 * Deletes a course with all that hangs on it, having asked.
 * @throws AppError `USAGE`, `NOT_FOUND`, `COURSE_IN_USE`, `INTERRUPTED`
 */
export async function remove(run: Run<'<course>', typeof deleteCourseOptions>): Promise<Result> {
  assertCanAsk(run, 'delete');
  const context = await run.context();
  const { force = false, yes } = run.options;
  const course = await findCourse(context, operator, await named(run, context));
  if (!yes) await askWhetherToDelete(run, context, course);
  try {
    await deleteCourse(context, operator, course.id, { force });
  } catch (error) {
    throw isAppError(error, 'COURSE_IN_USE') ? inUse(error) : error;
  }
  return done(course, `Deleted ${courseName(course)}.`);
}
