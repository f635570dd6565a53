import { AppError } from '../../../errors.js';
import { presentCourse } from '../../../presenters/course.js';
import { presentPerson } from '../../../presenters/user.js';
import { findUser } from '../../../services/accounts/queries.js';
import { operator } from '../../../services/core.js';
import {
  courseStatistics,
  findCourse,
  listAvailableTrainers,
  listCategories,
  listCourses,
} from '../../../services/courses/queries.js';
import { counted, pageText, table } from '../../core/output.js';
import { courseIdOf } from '../../core/references.js';
import type { Result, Run } from '../../core/run.js';
import type { courseDetailOptions, courseListOptions, trainerListOptions } from './options.js';
import { courseText, seatsText, trainerName } from './output.js';

/** A page of courses. @throws AppError `USAGE`, `VALIDATION`, `NOT_FOUND` for the trainer */
export async function list(run: Run<'', typeof courseListOptions>): Promise<Result> {
  const { category, level, type, trainer, published, unpublished, seatsLeft, full, ...others } = run.options;
  const { search, include, sortBy, sortOrder, page, limit } = others;
  if (published && unpublished) throw new AppError('USAGE', '--published and --unpublished exclude each other.');
  if (seatsLeft && full) throw new AppError('USAGE', '--seats-left and --full exclude each other.');
  const context = await run.context();
  const { items, pagination } = await listCourses(context, operator, {
    category,
    level,
    courseType: type,
    search,
    include,
    sortBy,
    sortOrder,
    page,
    limit,
    trainerId: trainer === undefined ? undefined : (await findUser(context, trainer)).id,
    isPublished: published ?? (unpublished ? false : undefined),
    seatsLeft: seatsLeft ?? (full ? false : undefined),
  });
  const courses = items.map(presentCourse);
  const rows = courses.map((course) => [
    course.id,
    course.title,
    course.category ?? '',
    course.level ?? '',
    course.courseType ?? '',
    trainerName(course),
    course.isPublished ? 'yes' : 'no',
    ...(course.seatsTaken === undefined ? [] : [seatsText(course)]),
  ]);
  const headings = ['ID', 'TITLE', 'CATEGORY', 'LEVEL', 'TYPE', 'TRAINER', 'PUBLISHED'];
  if (courses.some(({ seatsTaken }) => seatsTaken !== undefined)) headings.push('SEATS');
  return {
    json: { courses, pagination },
    text: pageText(headings, rows, pagination, 'course'),
  };
}

/** One course, all of it. @throws AppError `NOT_FOUND` */
export async function show(run: Run<'<course>', typeof courseDetailOptions>): Promise<Result> {
  const context = await run.context();
  const { include } = run.options;
  const found = await findCourse(context, operator, await courseIdOf(context, run.arguments.course), { include });
  const course = presentCourse(found);
  return { json: { course }, text: courseText(course) };
}

/** The categories that courses have. */
export async function categories(run: Run): Promise<Result> {
  const names = await listCategories(await run.context(), operator);
  return { json: { categories: names }, text: names.length === 0 ? 'No categories.' : names.join('\n') };
}

/** A page of the trainers who can be given a course. @throws AppError `VALIDATION` */
export async function trainers(run: Run<'', typeof trainerListOptions>): Promise<Result> {
  const { search, page, limit } = run.options;
  const { items, pagination } = await listAvailableTrainers(await run.context(), { search, page, limit });
  const people = items.map(presentPerson);
  const rows = people.map(({ id, firstName, lastName, email }) => [id, `${firstName} ${lastName}`, email]);
  return {
    json: { trainers: people, pagination },
    text: pageText(['ID', 'NAME', 'EMAIL'], rows, pagination, 'trainer'),
  };
}

/** How many courses there are, and of which kinds. */
export async function stats(run: Run): Promise<Result> {
  const figures = await courseStatistics(await run.context(), operator);
  const { total, published, unpublished, featured, byCategory } = figures;
  const rows = byCategory.map(({ category, count }) => [category ?? '(none)', String(count)]);
  return {
    json: { stats: figures },
    text: [
      `${counted(total, 'course')}: ${published} published, ${unpublished} not published, ${featured} featured`,
      ...(rows.length === 0 ? [] : [table(['CATEGORY', 'COURSES'], rows)]),
    ].join('\n'),
  };
}
