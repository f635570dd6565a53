import type { CourseInputField } from '../../../schemas/course-fields.js';
import type { OptionValues } from '../../core/command/declaration.js';
import { typedNumber } from '../../core/prompts/input.js';
import type { editCourseOptions } from './options.js';

const isBlank = (text: string) => text.trim() === '';

/** An empty option clears the field. */
const orNull = (text: string | undefined) => (text !== undefined && isBlank(text) ? null : text);

function capacity(text: string | undefined): number | string | null | undefined {
  return text !== undefined && (isBlank(text) || text.trim() === 'none') ? null : typedNumber(text);
}

/** Options as the body of a request would have them; what isn't given is absent. */
export function courseInput(options: OptionValues<typeof editCourseOptions>): object {
  const { title, description, tag, featured } = options;
  const fields = {
    title,
    description,
    shortDescription: orNull(options.shortDescription),
    category: orNull(options.category),
    level: orNull(options.level),
    language: orNull(options.language),
    courseType: orNull(options.type),
    // A single empty tag clears them; among others it is a mistake.
    tags: tag?.length === 1 && tag.every(isBlank) ? [] : tag,
    requirements: orNull(options.requirements),
    learningOutcomes: orNull(options.learningOutcomes),
    maxStudents: capacity(options.maxStudents),
    startDate: orNull(options.startDate),
    endDate: orNull(options.endDate),
    location: orNull(options.location),
    isFeatured: featured,
  } satisfies Record<CourseInputField, unknown>;
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
