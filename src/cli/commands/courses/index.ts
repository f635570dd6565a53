import type { Command } from 'commander';
import { define, type Registry } from '../../core/command.js';
import { register as registerEdit } from './edit-commands.js';
import { register as registerFiles } from './file-commands.js';
import { courseDetailOptions, courseListOptions, deleteCourseOptions, trainerListOptions } from './options.js';

export function register(program: Command, registry: Registry): void {
  const courses = program.command('courses').description('Create, find and manage courses and their files');
  registerList(courses, registry);

  define(courses, registry, {
    usage: 'show <course>',
    schema: 'any',
    summary: 'Show one course',
    examples: ['courses show "Weaving for beginners"', 'courses show 7f6a21c4 --include seats --json'],
    options: courseDetailOptions,
    check: async (run) => (await import('./queries.js')).checkShow(run),
    run: async (run) => (await import('./queries.js')).show(run),
  });

  registerEdit(courses, registry);
  registerChanges(courses, registry);

  define(courses, registry, {
    usage: 'delete <course>',
    schema: 'current',
    summary: 'Delete a course with its enrollments and files',
    examples: ['courses delete "Weaving for beginners"', 'courses delete 7f6a21c4 --force --yes --json'],
    options: deleteCourseOptions,
    run: async (run) => (await import('./changes.js')).remove(run),
  });

  registerOverviews(courses, registry);
  registerFiles(courses, registry);
}

function registerList(courses: Command, registry: Registry): void {
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
    ],
    options: courseListOptions,
    check: async (run) => (await import('./queries.js')).checkList(run),
    run: async (run) => (await import('./queries.js')).list(run),
  });
}

function registerChanges(courses: Command, registry: Registry): void {
  for (const name of ['publish', 'unpublish'] as const) {
    define(courses, registry, {
      usage: `${name} <course>`,
      schema: 'current',
      summary: name === 'publish' ? 'Show a course in the catalogue' : 'Remove a course from the catalogue',
      examples: [`courses ${name} "Weaving for beginners"`],
      run: async (run) => (await import('./changes.js')).publish(run, name === 'publish'),
    });
  }

  define(courses, registry, {
    usage: 'assign-trainer <course> <user>',
    schema: 'current',
    summary: 'Give a course to another trainer, with its enrollments',
    examples: ['courses assign-trainer "Weaving for beginners" ada@example.org'],
    run: async (run) => (await import('./changes.js')).giveToTrainer(run),
  });
}

function registerOverviews(courses: Command, registry: Registry): void {
  define(courses, registry, {
    usage: 'categories',
    schema: 'any',
    summary: 'List the categories that courses have',
    examples: ['courses categories', 'courses categories --json'],
    run: async (run) => (await import('./queries.js')).categories(run),
  });

  define(courses, registry, {
    usage: 'trainers',
    schema: 'any',
    summary: 'List the trainers who can be given a course, by name',
    examples: ['courses trainers', 'courses trainers --search hopper --json'],
    options: trainerListOptions,
    check: async (run) => (await import('./queries.js')).checkTrainers(run),
    run: async (run) => (await import('./queries.js')).trainers(run),
  });

  define(courses, registry, {
    usage: 'stats',
    schema: 'any',
    summary: 'Count the courses, by state and category',
    examples: ['courses stats', 'courses stats --json'],
    run: async (run) => (await import('./queries.js')).stats(run),
  });
}
