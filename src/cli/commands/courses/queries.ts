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
import { sortingOf } from '../../core/columns.js';
import type { OptionValues } from '../../core/declaration.js';
import { listing, presented } from '../../core/listing.js';
import { counted } from '../../core/output.js';
import { courseIdOf } from '../../core/references.js';
import type { Result, Run } from '../../core/run.js';
import { fieldsText, rowsText } from '../../core/table.js';
import { courseColumns, trainerColumns } from './columns.js';
import type { courseDetailOptions, courseListOptions, trainerListOptions } from './options.js';
import { courseFields } from './output.js';

/** Whether the seats are asked for: as the API is, or by their column. */
const showsSeats = ({ include, columns = '' }: OptionValues<typeof courseListOptions>) =>
  include !== undefined || columns.split(',').some((name) => name.trim().toLowerCase() === 'seats');

/** Courses. @throws AppError `USAGE`, `VALIDATION`, `NOT_FOUND` for the trainer */
export async function list(run: Run<'', typeof courseListOptions>): Promise<Result> {
  const { category, level, type, trainer, published, unpublished, seatsLeft, full, search } = run.options;
  if (published && unpublished) throw new AppError('USAGE', '--published and --unpublished cannot be used together.');
  if (seatsLeft && full) throw new AppError('USAGE', '--seats-left and --full cannot be used together.');
  const withSeats = showsSeats(run.options);
  const columns = withSeats ? courseColumns : courseColumns.filter(({ name }) => name !== 'seats');
  return listing(run, { key: 'courses', one: 'course', columns }, async () => {
    const context = await run.context();
    const query = {
      ...sortingOf(run.options),
      category,
      level,
      courseType: type,
      search,
      include: run.options.include ?? (withSeats ? 'seats' : undefined),
      trainerId: trainer === undefined ? undefined : (await findUser(context, trainer)).id,
      isPublished: published ?? (unpublished ? false : undefined),
      seatsLeft: seatsLeft ?? (full ? false : undefined),
    };
    return async (page) => presented(await listCourses(context, operator, { ...query, ...page }), presentCourse);
  });
}

/** One course, all of it. @throws AppError `NOT_FOUND` */
export async function show(run: Run<'<course>', typeof courseDetailOptions>): Promise<Result> {
  const context = await run.context();
  const { include } = run.options;
  const found = await findCourse(context, operator, await courseIdOf(context, run.arguments.course), { include });
  const course = presentCourse(found);
  return { json: { course }, text: fieldsText(courseFields(course), run.display) };
}

/** The categories that courses have. */
export async function categories(run: Run): Promise<Result> {
  const names = await listCategories(await run.context(), operator);
  if (names.length === 0) run.say('No categories.');
  return { json: { categories: names }, text: names.join('\n') };
}

/** A page of the trainers who can be given a course. @throws AppError `VALIDATION` */
export async function trainers(run: Run<'', typeof trainerListOptions>): Promise<Result> {
  const { search } = run.options;
  return listing(run, { key: 'trainers', one: 'trainer', columns: trainerColumns }, async () => {
    const context = await run.context();
    return async (page) => presented(await listAvailableTrainers(context, { search, ...page }), presentPerson);
  });
}

/** How many courses there are, and of which kinds. */
export async function stats(run: Run): Promise<Result> {
  const figures = await courseStatistics(await run.context(), operator);
  const { total, published, unpublished, featured, byCategory } = figures;
  const rows = byCategory.map(({ category, count }): [string, number] => [category ?? '(none)', count]);
  return {
    json: { stats: figures },
    text: [
      `${counted(total, 'course')}: ${published} published, ${unpublished} not published, ${featured} featured`,
      ...(rows.length === 0 ? [] : [rowsText(['CATEGORY', 'COURSES'], rows, run.display, 0)]),
    ].join('\n'),
  };
}
