import type { Command } from 'commander';
import { statusesSetBy } from '../../../schemas/enrollment-statuses.js';
import { define, type Registry } from '../../core/command/command.js';
import { bulkNotes } from '../../core/command/declaration.js';
import { either } from '../../core/output/output.js';
import {
  assignOptions,
  enrollmentExportOptions,
  enrollmentListOptions,
  enrollmentOptions,
  removeOptions,
  statusOptions,
} from './options.js';

export function register(program: Command, registry: Registry): void {
  const enrollments = program.command('enrollments').description('Enroll trainees in courses and manage enrollments');

  define(enrollments, registry, {
    usage: 'list',
    schema: 'any',
    summary: 'List enrollments, newest first',
    examples: [
      'enrollments list --course "Weaving for beginners" --status active',
      'enrollments list --status pending,active --sort enrolledAt',
      'enrollments list --trainee ada@example.org --json',
      'enrollments list --group "Year 9" --status active',
      'enrollments list --trainer grace@example.org --search müller',
    ],
    options: enrollmentListOptions,
    load: () => import('./queries.js').then(({ checkList, list }) => ({ check: checkList, run: list })),
  });

  define(enrollments, registry, {
    usage: 'show [enrollment]',
    schema: 'any',
    summary: 'Show one enrollment with its trainee and course',
    examples: [
      'enrollments show --trainee ada@example.org --course "Weaving for beginners"',
      'enrollments show 5e1f02c6 --json',
    ],
    options: enrollmentOptions,
    load: () => import('./queries.js').then(({ show }) => ({ run: show })),
  });

  define(enrollments, registry, {
    usage: 'assign <course> [user...]',
    schema: 'current',
    summary: 'Enroll trainees in a course',
    examples: [
      'enrollments assign "Weaving for beginners" ada@example.org',
      'enrollments assign 7f6a21c4 ada@example.org "555 0100" --status pending --reply "Paid by cheque" --yes --json',
      'enrollments assign "Weaving for beginners" --from class.csv --dry-run',
      'enrollments assign "Weaving for beginners" --group "Year 9"',
      'enrollments assign "Weaving for beginners" --search "@weavers.example.org" --when-full wait',
    ],
    options: assignOptions,
    notes: `${bulkNotes('trainees')}\nIf the course doesn't have enough seats for all of them, nobody is enrolled, unless you add --when-full wait.`,
    load: () => import('./changes.js').then(({ assign }) => ({ run: assign })),
  });

  registerChanges(enrollments, registry);

  define(enrollments, registry, {
    usage: 'export',
    schema: 'current',
    summary: 'Write enrollments with their trainees as CSV or a workbook',
    examples: [
      'enrollments export --course "Weaving for beginners" --status active --output weaving.xlsx',
      'enrollments export --trainer grace@example.org --fields lastName,firstName,email,course > people.csv',
    ],
    options: enrollmentExportOptions,
    load: () =>
      import('./queries.js').then(({ checkExport, exportEnrollments }) => ({
        check: checkExport,
        run: exportEnrollments,
      })),
  });

  define(enrollments, registry, {
    usage: 'stats',
    schema: 'any',
    summary: 'Count the enrollments, by status',
    examples: ['enrollments stats', 'enrollments stats --json'],
    load: () => import('./queries.js').then(({ stats }) => ({ run: stats })),
  });
}

/** Help text of commands that change enrollments, below the options. */
const changeNotes = `An id, or --trainee with --course, names one enrollment. Other filters select all enrollments that match.\n${bulkNotes('enrollments')}`;

function registerChanges(enrollments: Command, registry: Registry): void {
  define(enrollments, registry, {
    usage: 'status [enrollment...] <status>',
    schema: 'current',
    summary: `Change the status of enrollments: ${either(statusesSetBy('manager'))}`,
    examples: [
      'enrollments status active --trainee ada@example.org --course weaving',
      'enrollments status 5e1f02c6 cancelled --reply "Try again in May"',
      'enrollments status active --course weaving --status pending',
    ],
    options: statusOptions,
    notes: `active accepts a request, cancelled refuses it.\n${changeNotes}`,
    load: () => import('./changes.js').then(({ status }) => ({ run: status })),
  });

  define(enrollments, registry, {
    usage: 'reply [enrollment] <reply>',
    schema: 'current',
    summary: 'Reply to a trainee, without a mail',
    examples: [
      'enrollments reply "See you on Monday." --trainee ada@example.org --course weaving',
      'enrollments reply 5e1f02c6 ""',
    ],
    options: enrollmentOptions,
    notes: 'An empty text clears the reply.',
    load: () => import('./changes.js').then(({ checkReply, reply }) => ({ check: checkReply, run: reply })),
  });

  define(enrollments, registry, {
    usage: 'progress [enrollment] <number>',
    schema: 'current',
    summary: 'Set the progress of a trainee, 0 to 100',
    examples: [
      'enrollments progress 75 --trainee ada@example.org --course weaving',
      'enrollments progress 5e1f02c6 75',
    ],
    options: enrollmentOptions,
    load: () => import('./changes.js').then(({ checkProgress, progress }) => ({ check: checkProgress, run: progress })),
  });

  define(enrollments, registry, {
    usage: 'remove [enrollment...]',
    schema: 'current',
    summary: 'Remove enrollments',
    examples: [
      'enrollments remove --trainee ada@example.org --course weaving',
      'enrollments remove 5e1f02c6 8d0b37c7 --yes --json',
      'enrollments remove --course weaving --status cancelled --dry-run',
    ],
    options: removeOptions,
    notes: changeNotes,
    load: () => import('./changes.js').then(({ remove }) => ({ run: remove })),
  });
}
