import type { listMaterials } from '../../../services/courses/materials.js';
import type { findCourse } from '../../../services/courses/queries.js';
import { fieldsText } from '../../core/output.js';

/** A course as the services give it, with its trainer. */
export type Course = Awaited<ReturnType<typeof findCourse>>;
/** A file of a course as the services give it. */
export type Material = Awaited<ReturnType<typeof listMaterials>>['items'][number];

/** The name of a course's trainer. */
export function trainerName({ trainer }: Course): string {
  return trainer ? `${trainer.firstName} ${trainer.lastName}` : '';
}

/** A course for `--json`, with the fields of the API. */
export function courseJson(course: Course): object {
  const { id, title, description, shortDescription, category, level, language, courseType, tags } = course;
  const { requirements, learningOutcomes, maxStudents, startDate, endDate, location, thumbnail } = course;
  const { isPublished, isFeatured, trainerId, createdAt, updatedAt, trainer } = course;
  return {
    ...{ id, title, description, shortDescription, category, level, language, courseType, tags },
    ...{ requirements, learningOutcomes, maxStudents, startDate, endDate, location, thumbnail },
    ...{ isPublished, isFeatured, trainerId, createdAt, updatedAt },
    ...(trainer && {
      trainer: {
        id: trainer.id,
        firstName: trainer.firstName,
        lastName: trainer.lastName,
        avatar: trainer.avatar,
      },
    }),
  };
}

/** A course for people, a line a field. */
export function courseText(course: Course): string {
  return fieldsText([
    ['id', course.id],
    ['title', course.title],
    ['trainer', `${trainerName(course)} (${course.trainerId})`],
    ['published', course.isPublished ? 'yes' : 'no'],
    ['featured', course.isFeatured ? 'yes' : 'no'],
    ['category', course.category],
    ['level', course.level],
    ['type', course.courseType],
    ['language', course.language],
    ['tags', course.tags.join(', ')],
    ['seats', course.maxStudents === null ? 'no limit' : String(course.maxStudents)],
    ['begins', course.startDate],
    ['ends', course.endDate],
    ['location', course.location],
    ['summary', course.shortDescription],
    ['description', course.description],
    ['requirements', course.requirements],
    ['outcomes', course.learningOutcomes],
    ['picture', course.thumbnail],
    ['created', course.createdAt.toISOString()],
    ['changed', course.updatedAt.toISOString()],
  ]);
}

/** A course in a sentence. */
export const courseName = ({ id, title }: Course) => `"${title}" (${id})`;

/** A file of a course for `--json`, with the fields of the API. */
export function materialJson({ id, name, contentType, createdAt, bytes }: Material): object {
  return { id, name, contentType, createdAt, bytes: Number(bytes) };
}
