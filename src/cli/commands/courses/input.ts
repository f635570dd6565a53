import { courseFields, courseInputFields } from '../../../schemas/course-fields.js';
import type { OptionValues } from '../../core/command/declaration.js';
import { typedNumber } from '../../core/prompts/input.js';
import type { editCourseOptions } from './options.js';

const isBlank = (text: string) => text.trim() === '';

/** Converts options to the body of an API request. Missing options are absent; an empty option clears the field. */
export function courseInput(options: OptionValues<typeof editCourseOptions>): object {
  const { type, tag, maxStudents, waitingMax, featured } = options;
  const numberOrNone = (text: string | undefined) => (text?.trim() === 'none' ? '' : typedNumber(text));
  const given = {
    ...options,
    courseType: type,
    // A single empty tag clears the tags. An empty tag among others is an error.
    tags: tag?.length === 1 && tag.every(isBlank) ? [] : tag,
    maxStudents: numberOrNone(maxStudents),
    waitingMax: numberOrNone(waitingMax),
    isFeatured: featured,
  };
  return Object.fromEntries(
    courseInputFields('update').flatMap((name) => {
      const value = given[name];
      if (value === undefined) return [];
      const isCleared = typeof value === 'string' && isBlank(value) && 'nullable' in courseFields[name].column;
      return [[name, isCleared ? null : value]];
    }),
  );
}
