import { AppError } from '../../../errors.js';
import { presentCourse } from '../../../presenters/course.js';
import { presentPerson } from '../../../presenters/user.js';
import {
  courseDetailsSchema,
  courseExportSchema,
  courseListingSchema,
  trainerListingSchema,
} from '../../../schemas/course.js';
import { validate } from '../../../schemas/validate.js';
import type { Context } from '../../../services/context.js';
import { operator } from '../../../services/core.js';
import { courseCalendar } from '../../../services/courses/calendar.js';
import { coursesTable } from '../../../services/courses/export.js';
import { findCourse, listAvailableTrainers, listCategories, listCourses } from '../../../services/courses/queries.js';
import { courseStatistics } from '../../../services/courses/statistics.js';
import { today } from '../../../services/dates.js';
import type { OptionValues, outputOption } from '../../core/command/declaration.js';
import { accountIdOf, courseIdOf } from '../../core/command/references.js';
import type { Result, Run } from '../../core/command/run.js';
import { sortingOf } from '../../core/listing/columns.js';
import { assertDestination, assertTableDestination, writeData, writeExport } from '../../core/listing/file-output.js';
import { checkListing, listing, presented } from '../../core/listing/listing.js';
import { fieldsText, rowsText } from '../../core/listing/table.js';
import { counted } from '../../core/output/output.js';
import { courseColumns, courseColumnsOn, trainerColumns } from './columns.js';
import type {
  courseDetailOptions,
  courseExportOptions,
  courseFilterOptions,
  courseListOptions,
  trainerListOptions,
} from './options.js';
import { courseFields } from './output.js';

type ListOptions = OptionValues<typeof courseListOptions> & { json?: boolean };

/** Whether to count the seats. JSON and YAML have seats only with `--include`, like the API. */
function showsSeats({ output, json, columns }: ListOptions): boolean {
  if (json || output === 'json' || output === 'yaml') return false;
  return columns === undefined || columns.split(',').some((name) => /^(seats|waiting)$/i.test(name.trim()));
}

/** Returns the filter of the API, except for the trainer. @throws AppError `USAGE` for conflicting options */
function filterOf(options: OptionValues<typeof courseFilterOptions>) {
  const { category, level, type, published, unpublished, seatsLeft, full, ended, startsWithin, search } = options;
  if (published && unpublished) throw new AppError('USAGE', '--published and --unpublished cannot be used together.');
  if (seatsLeft && full) throw new AppError('USAGE', '--seats-left and --full cannot be used together.');
  return {
    category,
    level,
    courseType: type,
    ended,
    startsWithin,
    search,
    isPublished: published ?? (unpublished ? false : undefined),
    seatsLeft: seatsLeft ?? (full ? false : undefined),
  };
}

/** Returns the query of the API, except for the trainer. @throws the errors of {@link filterOf} */
const queryOf = (options: ListOptions) => ({
  ...filterOf(options),
  ...sortingOf(options),
  include: options.include ?? (showsSeats(options) ? 'seats' : undefined),
});

const trainerIdOf = async (context: Context, trainer: string | undefined) =>
  trainer === undefined ? undefined : accountIdOf(context, trainer, 'trainer');

/** @throws AppError `USAGE`, `VALIDATION` */
export function checkList(run: Run<'', typeof courseListOptions>): void {
  checkListing(run, courseColumns, courseListingSchema, queryOf(run.options));
}

/** Lists courses. @throws AppError `USAGE`, `VALIDATION`, `NOT_FOUND` for the trainer */
export async function list(run: Run<'', typeof courseListOptions>): Promise<Result> {
  const day = today({ config: await run.config(), now: () => run.display.now });
  const listed = { key: 'courses', singular: 'course', columns: courseColumnsOn(day), pageSize: 12 };
  return listing(run, listed, async () => {
    const context = await run.context();
    const query = { ...queryOf(run.options), trainerId: await trainerIdOf(context, run.options.trainer) };
    return async (page) => presented(await listCourses(context, operator, { ...query, ...page }), presentCourse);
  });
}

/** @throws AppError `USAGE`, `VALIDATION` */
export function checkExport(run: Run<'', typeof courseExportOptions>): void {
  assertTableDestination(run);
  validate(courseExportSchema, { ...filterOf(run.options), fields: run.options.fields });
}

/** Exports courses. @throws AppError `NOT_FOUND` for the trainer, and the errors of `writeData` */
export async function exportCourses(run: Run<'', typeof courseExportOptions>): Promise<Result> {
  const { fields, trainer } = run.options;
  const context = await run.context();
  const query = { ...filterOf(run.options), fields, trainerId: await trainerIdOf(context, trainer) };
  return writeExport(run, 'course', (onExported) => coursesTable(context, operator, query, onExported));
}

/** @throws AppError `VALIDATION` */
export function checkShow({ options }: Run<'<course>', typeof courseDetailOptions>): void {
  validate(courseDetailsSchema, { include: options.include });
}

/** Shows all fields of one course. @throws AppError `NOT_FOUND` */
export async function show(run: Run<'<course>', typeof courseDetailOptions>): Promise<Result> {
  const context = await run.context();
  const { include } = run.options;
  const found = await findCourse(context, operator, await courseIdOf(context, run.arguments.course), { include });
  const course = presentCourse(found);
  return { json: { course }, text: fieldsText(courseFields(course), run.display) };
}

/** @throws AppError `USAGE` */
export function checkCalendar(run: Run<'<course>', typeof outputOption>): void {
  assertDestination(run, run.options.output, 'The calendar');
}

/**
 * Writes the dates of a course to `--output`, or to standard output.
 * @throws AppError `NOT_FOUND`, also for a course without dates, `FILE_UNUSABLE`
 */
export async function calendar(run: Run<'<course>', typeof outputOption>): Promise<Result> {
  const context = await run.context();
  const text = await courseCalendar(context, operator, await courseIdOf(context, run.arguments.course));
  async function* pieces() {
    yield text;
  }
  const { output } = run.options;
  await writeData(run.io, output, pieces());
  return output === undefined ? {} : { json: { output }, text: `The calendar was written to ${output}.` };
}

export async function categories(run: Run): Promise<Result> {
  const names = await listCategories(await run.context(), operator);
  if (names.length === 0) run.say('No categories.');
  return { json: { categories: names }, text: names.join('\n') };
}

/** @throws AppError `USAGE`, `VALIDATION` */
export function checkTrainers(run: Run<'', typeof trainerListOptions>): void {
  checkListing(run, trainerColumns, trainerListingSchema, { search: run.options.search });
}

/** Lists trainers who can be assigned to a course. @throws AppError `VALIDATION` */
export async function trainers(run: Run<'', typeof trainerListOptions>): Promise<Result> {
  const { search } = run.options;
  return listing(run, { key: 'trainers', singular: 'trainer', columns: trainerColumns }, async () => {
    const context = await run.context();
    return async (page) => presented(await listAvailableTrainers(context, { search, ...page }), presentPerson);
  });
}

/** Counts courses by state and category. */
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
