import type { Command } from 'commander';
import { define, type Registry } from '../../core/command.js';
import type { CourseFieldOptions, CreateCourseOptions } from './options.js';

const repeatable = (value: string, previous: readonly string[] = []) => [...previous, value];

function fieldOptions(command: Command): Command {
  return command
    .option('--title <title>', '3 to 200 characters')
    .option('--description <text>', 'what it is about')
    .option('--short-description <text>', 'the same in a sentence')
    .option('--category <category>', '2 to 100 characters')
    .option('--level <level>', 'beginner, intermediate or advanced')
    .option('--language <language>', 'that it is taught in')
    .option('--type <type>', 'online, classroom or hybrid')
    .option('--tag <word>', 'a word to find it by; may be repeated', repeatable)
    .option('--requirements <text>', 'what trainees should bring')
    .option('--learning-outcomes <text>', 'what they will know')
    .option('--max-students <number>', 'how many seats it has, or none for no limit')
    .option('--start-date <date>', 'as YYYY-MM-DD')
    .option('--end-date <date>', 'as YYYY-MM-DD')
    .option('--location <place>', 'where it takes place')
    .option('--featured', 'give it prominence');
}

export function register(courses: Command, registry: Registry): void {
  define<CreateCourseOptions>(courses, registry, {
    usage: 'create',
    schema: 'current',
    summary: 'Create a course, unpublished',
    examples: [
      'courses create --title "Weaving for beginners" --description "Warp and weft." --trainer ada@example.org',
      'courses create --title Dyeing --description "With plants." --trainer ada@example.org --category Crafts --tag wool --tag colour --max-students 12 --start-date 2026-09-01 --json',
    ],
    options: (command) => fieldOptions(command).option('--trainer <user>', 'whose course it is: id, email or phone'),
    stopsItself: true,
    run: async (run) => (await import('./changes.js')).create(run),
  });

  define<CourseFieldOptions>(courses, registry, {
    usage: 'edit <course>',
    schema: 'current',
    summary: 'Change what a course says of itself; an empty value clears',
    examples: [
      'courses edit "Weaving for beginners" --title Weaving --max-students 20',
      'courses edit 019aa0c4-... --location "" --max-students none --tag "" --no-featured',
    ],
    options: (command) =>
      fieldOptions(command)
        .option('--no-featured', 'give it no prominence any more')
        .addHelpText('after', '\n--tag replaces all tags that the course has.'),
    stopsItself: true,
    run: async (run) => (await import('./changes.js')).edit(run),
  });
}
