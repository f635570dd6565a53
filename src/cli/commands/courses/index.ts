import type { Command } from 'commander';
import { define, type Registry } from '../../core/command/command.js';
import { outputOption, yesOption } from '../../core/command/declaration.js';
import {
  courseDetailOptions,
  courseExportOptions,
  courseListOptions,
  createCourseOptions,
  deleteCourseOptions,
  editCourseOptions,
  fileListOptions,
  importCourseOptions,
  trainerListOptions,
  undoCourseImportOptions,
} from './options.js';

export function register(program: Command, registry: Registry): void {
  const courses = program.command('courses').description('Create, find and manage courses and their files');
  define(courses, registry, {
    usage: 'list',
    schema: 'any',
    summary: 'List courses, newest first',
    examples: [
      'courses list',
      'courses list --category Crafts --level beginner --published',
      'courses list --trainer ada@example.org --sort title',
      'courses list --search weaving --json',
      'courses list --seats-left --include seats',
      'courses list --ended false --sort soonest',
    ],
    options: courseListOptions,
    load: () => import('./queries.js').then(({ checkList, list }) => ({ check: checkList, run: list })),
  });

  define(courses, registry, {
    usage: 'show <course>',
    schema: 'any',
    summary: 'Show one course',
    examples: ['courses show "Weaving for beginners"', 'courses show 7f6a21c4 --include seats --json'],
    options: courseDetailOptions,
    load: () => import('./queries.js').then(({ checkShow, show }) => ({ check: checkShow, run: show })),
  });

  define(courses, registry, {
    usage: 'calendar <course>',
    schema: 'any',
    summary: 'Write the dates of a course for calendar programs, as an iCalendar file',
    examples: [
      'courses calendar "Weaving for beginners" --output weaving.ics',
      'courses calendar 7f6a21c4 > weaving.ics',
    ],
    options: outputOption,
    load: () => import('./queries.js').then(({ checkCalendar, calendar }) => ({ check: checkCalendar, run: calendar })),
  });

  define(courses, registry, {
    usage: 'create',
    schema: 'current',
    summary: 'Create a course, unpublished',
    examples: [
      'courses create --title "Weaving for beginners" --description "Warp and weft." --trainer ada@example.org',
      'courses create --title Dyeing --description "With plants." --trainer ada@example.org --category Crafts --tag wool --tag colour --max-students 12 --start-date 2026-09-01 --json',
    ],
    options: createCourseOptions,
    load: () => import('./changes.js').then(({ checkCreate, create }) => ({ check: checkCreate, run: create })),
  });

  define(courses, registry, {
    usage: 'edit <course>',
    schema: 'current',
    summary: 'Change the fields of a course; an empty value clears a field',
    examples: [
      'courses edit "Weaving for beginners" --title Weaving --max-students 20',
      'courses edit 7f6a21c4 --location "" --max-students none --tag "" --no-featured',
    ],
    options: editCourseOptions,
    notes: '--tag replaces all tags that the course has.',
    load: () => import('./changes.js').then(({ checkEdit, edit }) => ({ check: checkEdit, run: edit })),
  });

  for (const name of ['publish', 'unpublish'] as const) {
    define(courses, registry, {
      usage: `${name} <course>`,
      schema: 'current',
      summary: name === 'publish' ? 'Show a course in the catalogue' : 'Remove a course from the catalogue',
      examples: [`courses ${name} "Weaving for beginners"`],
      load: async () => {
        const { publish } = await import('./changes.js');
        return { run: (run) => publish(run, name === 'publish') };
      },
    });
  }

  define(courses, registry, {
    usage: 'assign-trainer <course> <user>',
    schema: 'current',
    summary: 'Give a course to another trainer, with its enrollments',
    examples: ['courses assign-trainer "Weaving for beginners" ada@example.org'],
    load: () => import('./changes.js').then(({ giveToTrainer }) => ({ run: giveToTrainer })),
  });

  define(courses, registry, {
    usage: 'delete <course>',
    schema: 'current',
    summary: 'Delete a course with its enrollments and files',
    examples: ['courses delete "Weaving for beginners"', 'courses delete 7f6a21c4 --force --yes --json'],
    options: deleteCourseOptions,
    load: () => import('./changes.js').then(({ remove }) => ({ run: remove })),
  });

  define(courses, registry, {
    usage: 'categories',
    schema: 'any',
    summary: 'List the categories that courses have',
    examples: ['courses categories', 'courses categories --json'],
    load: () => import('./queries.js').then(({ categories }) => ({ run: categories })),
  });

  define(courses, registry, {
    usage: 'trainers',
    schema: 'any',
    summary: 'List the trainers who can be given a course, by name',
    examples: ['courses trainers', 'courses trainers --search hopper --json'],
    options: trainerListOptions,
    load: () => import('./queries.js').then(({ checkTrainers, trainers }) => ({ check: checkTrainers, run: trainers })),
  });

  define(courses, registry, {
    usage: 'stats',
    schema: 'any',
    summary: 'Count the courses, by state and category',
    examples: ['courses stats', 'courses stats --json'],
    load: () => import('./queries.js').then(({ stats }) => ({ run: stats })),
  });

  define(courses, registry, {
    usage: 'export',
    schema: 'current',
    summary: 'Write courses as CSV or a workbook',
    examples: [
      'courses export > courses.csv',
      'courses export --published --output courses.xlsx',
      'courses export --trainer ada@example.org --fields title,startDate,seatsTaken,maxStudents',
    ],
    options: courseExportOptions,
    load: () =>
      import('./queries.js').then(({ checkExport, exportCourses }) => ({ check: checkExport, run: exportCourses })),
  });

  define(courses, registry, {
    usage: 'import <file>',
    schema: 'current',
    summary: 'Create the courses of a CSV file or a workbook, unpublished: shows a plan, then asks',
    examples: ['courses import courses.xlsx', 'courses import courses.csv --trainer ada@example.org --yes'],
    options: importCourseOptions,
    notes:
      'Columns are those of "courses export". A row needs title, description and a trainer: an id, email, phone or name. A row whose title and first day match an existing course changes nothing.',
    load: () => import('./import.js').then(({ importFile }) => ({ run: importFile })),
  });

  define(courses, registry, {
    usage: 'undo-import',
    schema: 'current',
    summary: 'Delete the courses of the latest import that are unchanged and without enrollments',
    examples: ['courses undo-import --dry-run', 'courses undo-import --yes'],
    options: undoCourseImportOptions,
    load: () => import('./import.js').then(({ undoImport }) => ({ run: undoImport })),
  });

  const files = courses.command('files').description('List, add, download and remove the files of a course');

  define(files, registry, {
    usage: 'list <course>',
    schema: 'any',
    summary: 'List the files of a course, newest first',
    examples: ['courses files list "Weaving for beginners"', 'courses files list 7f6a21c4 --json'],
    options: fileListOptions,
    load: () => import('./files.js').then(({ checkList, list }) => ({ check: checkList, run: list })),
  });

  define(files, registry, {
    usage: 'add <course> <file>',
    schema: 'current',
    summary: 'Add a copy of a file to a course',
    examples: ['courses files add "Weaving for beginners" patterns.pdf'],
    load: () => import('./files.js').then(({ add }) => ({ run: add })),
  });

  define(files, registry, {
    usage: 'get <course> <file-id>',
    schema: 'any',
    summary: 'Write a file of a course to a file or to standard output',
    examples: [
      'courses files get "Weaving for beginners" b20c94c5 --output patterns.pdf',
      'courses files get 7f6a21c4 b20c94c5 > patterns.pdf',
    ],
    options: outputOption,
    stopsItself: true,
    load: () => import('./files.js').then(({ checkGet, get }) => ({ check: checkGet, run: get })),
  });

  define(files, registry, {
    usage: 'remove <course> <file-id>',
    schema: 'current',
    summary: 'Remove a file from a course',
    examples: ['courses files remove "Weaving for beginners" b20c94c5', 'courses files remove 7f6a21c4 b20c94c5 --yes'],
    options: yesOption,
    load: () => import('./files.js').then(({ remove }) => ({ run: remove })),
  });

  define(courses, registry, {
    usage: 'thumbnail <course> <file>',
    schema: 'current',
    summary: 'Set the image of a course: a copy of a JPEG, PNG or WebP file',
    examples: ['courses thumbnail "Weaving for beginners" loom.jpg'],
    load: () => import('./files.js').then(({ thumbnail }) => ({ run: thumbnail })),
  });

  define(courses, registry, {
    usage: 'remove-thumbnail <course>',
    schema: 'current',
    summary: 'Remove the image of a course',
    examples: ['courses remove-thumbnail "Weaving for beginners"', 'courses remove-thumbnail 7f6a21c4 --yes'],
    options: yesOption,
    load: () => import('./files.js').then(({ removeImage }) => ({ run: removeImage })),
  });
}
