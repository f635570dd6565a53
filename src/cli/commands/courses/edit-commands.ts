import type { Command } from 'commander';
import { define, type Registry } from '../../core/command.js';
import { createCourseOptions, editCourseOptions } from './options.js';

export function register(courses: Command, registry: Registry): void {
  define(courses, registry, {
    usage: 'create',
    schema: 'current',
    summary: 'Create a course, unpublished',
    examples: [
      'courses create --title "Weaving for beginners" --description "Warp and weft." --trainer ada@example.org',
      'courses create --title Dyeing --description "With plants." --trainer ada@example.org --category Crafts --tag wool --tag colour --max-students 12 --start-date 2026-09-01 --json',
    ],
    options: createCourseOptions,
    check: async (run) => (await import('./changes.js')).checkCreate(run),
    run: async (run) => (await import('./changes.js')).create(run),
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
    check: async (run) => (await import('./changes.js')).checkEdit(run),
    notes: '--tag replaces all tags that the course has.',
    run: async (run) => (await import('./changes.js')).edit(run),
  });
}
