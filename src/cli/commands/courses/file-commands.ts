import type { Command } from 'commander';
import { define, type Registry } from '../../core/command.js';
import { outputOption, yesOption } from '../../core/declaration.js';
import { fileListOptions } from './options.js';

export function register(courses: Command, registry: Registry): void {
  const files = courses.command('files').description('List, add, download and remove the files of a course');

  define(files, registry, {
    usage: 'list <course>',
    schema: 'any',
    summary: 'List the files of a course, newest first',
    examples: ['courses files list "Weaving for beginners"', 'courses files list 7f6a21c4 --json'],
    options: fileListOptions,
    check: async (run) => (await import('./files.js')).checkList(run),
    run: async (run) => (await import('./files.js')).list(run),
  });

  define(files, registry, {
    usage: 'add <course> <file>',
    schema: 'current',
    summary: 'Add a copy of a file to a course',
    examples: ['courses files add "Weaving for beginners" patterns.pdf'],
    run: async (run) => (await import('./files.js')).add(run),
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
    check: async (run) => (await import('./files.js')).checkGet(run),
    stopsItself: true,
    run: async (run) => (await import('./files.js')).get(run),
  });

  define(files, registry, {
    usage: 'remove <course> <file-id>',
    schema: 'current',
    summary: 'Remove a file from a course',
    examples: ['courses files remove "Weaving for beginners" b20c94c5', 'courses files remove 7f6a21c4 b20c94c5 --yes'],
    options: yesOption,
    run: async (run) => (await import('./files.js')).remove(run),
  });

  define(courses, registry, {
    usage: 'thumbnail <course> <file>',
    schema: 'current',
    summary: 'Set the picture of a course: a copy of a JPEG, PNG or WebP file',
    examples: ['courses thumbnail "Weaving for beginners" loom.jpg'],
    run: async (run) => (await import('./files.js')).thumbnail(run),
  });

  define(courses, registry, {
    usage: 'remove-thumbnail <course>',
    schema: 'current',
    summary: 'Remove the picture of a course',
    examples: ['courses remove-thumbnail "Weaving for beginners"', 'courses remove-thumbnail 7f6a21c4 --yes'],
    options: yesOption,
    run: async (run) => (await import('./files.js')).removePicture(run),
  });
}
