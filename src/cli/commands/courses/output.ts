import type { presentCourse } from '../../../presenters/course.js';

/** A course as the API shows it. */
export type Course = ReturnType<typeof presentCourse>;

/** The name of a course's trainer. */
export const trainerName = ({ trainer }: Course) => `${trainer.firstName} ${trainer.lastName}`;

/** The seats of a course that they were counted of. */
export function seatsText({ seatsTaken = 0, seatsLeft }: Course): string {
  return `${seatsTaken} taken, ${typeof seatsLeft === 'number' ? `${seatsLeft} left` : 'no limit'}`;
}

/** What people are shown of a course. */
export const courseFields = (course: Course): [field: string, value: string | null][] => [
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
  ['capacity', course.maxStudents === null ? 'no limit' : String(course.maxStudents)],
  ['seats', course.seatsTaken === undefined ? null : seatsText(course)],
  ['begins', course.startDate],
  ['ends', course.endDate],
  ['location', course.location],
  ['summary', course.shortDescription],
  ['description', course.description],
  ['requirements', course.requirements],
  ['outcomes', course.learningOutcomes],
  ['image', course.thumbnail],
  ['created', course.createdAt.toISOString()],
  ['changed', course.updatedAt.toISOString()],
];

/** A course in a sentence. */
export const courseName = ({ id, title }: Pick<Course, 'id' | 'title'>) => `"${title}" (${id})`;
