import path from 'node:path';
import { AppError } from '../../../errors.js';
import { operator } from '../../../services/core.js';
import {
  type CourseRow,
  type ImportedColumn,
  importCourses,
  importedColumns,
  latestCourseImport,
  type PlannedCourse,
  planCourses,
  undoCourseImport,
} from '../../../services/courses/import.js';
import { fileBytes } from '../../../tables/encoding/source-file.js';
import { inspectFile } from '../../../tables/inspect.js';
import { openTable } from '../../../tables/open-table.js';
import type { HeaderRules } from '../../../tables/table/table.js';
import { readCell } from '../../../tables/write/cells.js';
import { assertCanAsk, confirm } from '../../core/bulk/confirm.js';
import { exitCodes } from '../../core/command/exit-codes.js';
import { accountIdOf } from '../../core/command/references.js';
import type { Result, Run } from '../../core/command/run.js';
import { cut, wrapHanging } from '../../core/output/fit.js';
import { asTyped, counted, widthOf } from '../../core/output/output.js';
import { printableLine } from '../../core/output/printable.js';
import type { importCourseOptions, undoCourseImportOptions } from './options.js';
import { courseName } from './output.js';

type ImportRun = Run<'<file>', typeof importCourseOptions>;

/** Width of lines with examples in a pipe. */
const widestLine = 120;

/** Limited, because an import is a single transaction. */
const maxRows = 1000;

const limits = { fieldBytes: 256 * 1024, recordBytes: 1024 * 1024, columns: 256 };

const plain = (heading: string) => heading.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
const columnsByHeading = new Map(importedColumns.map((column) => [plain(column), column]));
const columnOf = (heading: string): ImportedColumn | undefined => columnsByHeading.get(plain(heading));

const knownIn = (cells: readonly string[]) => new Set(cells.flatMap((cell) => columnOf(cell) ?? []));

const headerRules: HeaderRules = {
  countKnown: (cells) => knownIn(cells).size,
  score: (cells) => (knownIn(cells).has('title') ? Number.POSITIVE_INFINITY : knownIn(cells).size),
  countAdded: () => 0,
  maxAddedColumns: 0,
};

/**
 * Returns the columns that a file could have, but doesn't use. Omits `trainerId`, because people write names of trainers.
 */
const unusedColumns = (used: readonly (ImportedColumn | undefined)[]) =>
  importedColumns.filter((column) => column !== 'trainerId' && !used.includes(column));

/** Courses of a file, with the used and ignored columns. */
interface CourseFile {
  rows: CourseRow[];
  used: { heading: string; column: ImportedColumn }[];
  ignored: string[];
}

/** @throws AppError `IMPORT_FILE_INVALID`, `USAGE` */
async function readCourses({ io }: ImportRun, name: string): Promise<CourseFile> {
  const file = path.resolve(io.cwd, name);
  const { isWorkbook, encoding } = await inspectFile(fileBytes(file));
  const table = await openTable(file, { isWorkbook, encoding, delimiter: 'auto' }, {}, limits, headerRules, io.signal);
  try {
    const columns = table.header.map(columnOf);
    if (!columns.includes('title'))
      throw new AppError(
        'USAGE',
        `The file ${name} has no column title. Its columns: ${table.header.join(', ')}. Rename its headings to those of an export, such as: ${unusedColumns([]).join(', ')}.`,
      );
    const rows: CourseRow[] = [];
    for await (const list of table.rows)
      for (const { line, cells } of list) {
        const named = columns.flatMap((column, index) => {
          const cell = readCell(cells[index] ?? '').trim();
          return column === undefined || cell === '' ? [] : [[column, cell] as const];
        });
        rows.push({ line, cells: Object.fromEntries(named) });
        if (rows.length > maxRows)
          throw new AppError('USAGE', `The file ${name} has more than ${maxRows} courses. Split it.`);
      }
    const used = table.header.flatMap((heading, index) => {
      const column = columns[index];
      return column === undefined ? [] : [{ heading, column }];
    });
    const ignored = table.header.filter((heading, index) => heading !== '' && columns[index] === undefined);
    return { rows, used, ignored };
  } finally {
    await table.close();
  }
}

/** Returns a line about a row that creates no course or repeats a known title; no line for other rows. */
function lineOf(planned: PlannedCourse): string[] {
  const row = `Line ${planned.line}, "${printableLine(planned.title)}":`;
  if (planned.outcome === 'exists') return [`${row} exists already, unchanged`];
  if (planned.outcome === 'rejected') return [`${row} rejected: ${planned.reason}`];
  return planned.isTitleKnown ? [`${row} created, although a course with another first day has this title`] : [];
}

/**
 * Returns a line for each used column, with field, number of courses and first value, and a line with the ignored
 * columns.
 */
function columnLines({ rows, used, ignored }: CourseFile, width: number | undefined): string[] {
  const lines = used.map(({ heading, column }) => {
    const values = rows.flatMap(({ cells }) => cells[column] ?? []);
    const example = values[0] === undefined ? '' : `: ${values[0]}`;
    const line = printableLine(`  ${heading} = ${column}; ${counted(values.length, 'course')}${example}`);
    return cut(line, width ?? widestLine);
  });
  const others = unusedColumns(used.map(({ column }) => column));
  const hint = others.length > 0 ? ` (to import one, rename its heading: ${others.join(', ')})` : '';
  return [
    'Columns:',
    ...lines,
    ...(ignored.length > 0 ? [printableLine(`Ignored: ${ignored.join(', ')}${hint}`)] : []),
  ];
}

/** Returns the plan of an import, with the counts last, next to the question. */
function planText(planned: readonly PlannedCourse[], file: CourseFile, width: number | undefined): string {
  const count = (outcome: PlannedCourse['outcome']) => planned.filter((one) => one.outcome === outcome).length;
  const remedy = count('rejected') > 0 ? ': correct their rows and import the file again' : '';
  const lines = [
    ...columnLines(file, width),
    ...planned.flatMap(lineOf),
    `${counted(count('create'), 'course')} to create, ${count('exists')} existing, ${count('rejected')} rejected${remedy}`,
  ];
  return lines.flatMap((line) => wrapHanging(line, width)).join('\n');
}

/**
 * Creates the courses of a file, after a plan and a confirmation.
 * @throws AppError `IMPORT_FILE_INVALID`, `USAGE`, `NOT_FOUND` for `--trainer`, `DECLINED`, `INTERRUPTED`
 */
export async function importFile(run: ImportRun): Promise<Result> {
  const { trainer, dryRun, yes } = run.options;
  const file = await readCourses(run, run.arguments.file);
  const context = await run.context();
  const trainerId = trainer === undefined ? undefined : await accountIdOf(context, trainer, 'trainer');
  const planned = await planCourses(context, file.rows, trainerId);
  const courses = planned.flatMap((one) => (one.outcome === 'create' ? [one.course] : []));
  const rejected = planned.filter(({ outcome }) => outcome === 'rejected').length;
  const rows = planned.map(({ line, title, outcome, ...more }) => ({
    line,
    title,
    outcome,
    ...('reason' in more && { reason: more.reason }),
  }));
  const json = { columns: file.used.map(({ heading }) => heading), ignored: file.ignored, rows };
  const exitCode = rejected === 0 ? exitCodes.ok : courses.length > 0 ? exitCodes.partial : exitCodes.failure;
  const plan = planText(planned, file, widthOf(run.io.stderr));
  if (dryRun || courses.length === 0) return { json: { ...json, created: [] }, text: plan, exitCode };
  assertCanAsk(run, 'import');
  if (yes) run.say(plan);
  else
    await confirm(run, {
      about: plan,
      question: `Create ${counted(courses.length, 'course')}?`,
      otherwise: 'Nothing was created.',
    });
  const created = await importCourses(context, operator, courses);
  return {
    json: { ...json, created: created.map(({ id, title }) => ({ id, title })) },
    text: [
      `${counted(created.length, 'course')} created, hidden until published.`,
      `To undo this: ${asTyped(run.io, 'courses undo-import')}`,
    ].join('\n'),
    exitCode,
  };
}

/**
 * Deletes the untouched courses of the latest import, after a confirmation.
 * @throws AppError `NOT_FOUND`, `USAGE`, `DECLINED`, `INTERRUPTED`
 */
export async function undoImport(run: Run<'', typeof undoCourseImportOptions>): Promise<Result> {
  const context = await run.context();
  const latest = await latestCourseImport(context);
  if (latest === undefined) throw new AppError('NOT_FOUND', 'There is no import of courses to undo.');
  const { at, untouched, kept } = latest;
  const keptJson = kept.map(({ id, title }) => ({ id, title }));
  const plan = [
    `Import of ${at.toISOString()}: ${counted(untouched.length, 'course')} to delete`,
    ...kept.map((course) => `  kept, because it was changed or has enrollments: ${printableLine(courseName(course))}`),
  ].join('\n');
  if (run.options.dryRun || untouched.length === 0) return { json: { deleted: [], kept: keptJson }, text: plan };
  assertCanAsk(run, 'delete');
  if (run.options.yes) run.say(plan);
  else
    await confirm(run, {
      about: plan,
      question: `Delete ${counted(untouched.length, 'course')}?`,
      otherwise: 'Nothing was deleted.',
    });
  const ids = untouched.map(({ id }) => id);
  const deleted = await undoCourseImport(context, operator, ids);
  return {
    json: { deleted: deleted.map(({ id, title }) => ({ id, title })), kept: keptJson },
    text: `${counted(deleted.length, 'course')} deleted.`,
  };
}
