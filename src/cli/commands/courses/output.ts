import type { presentCourse } from '../../../presenters/course.js';
import type { CourseField } from '../../../schemas/course-fields.js';

/** A course as the API shows it. */
export type Course = ReturnType<typeof presentCourse>;

export const trainerName = ({ trainer }: Course) => `${trainer.firstName} ${trainer.lastName}`;

/** Returns the seats of a course. Call only if the seats were counted. */
function seatsText({ seatsTaken = 0, seatsLeft, waitingCount }: Course): string {
  const left = typeof seatsLeft === 'number' ? `${seatsLeft} left` : 'no limit';
  return `${seatsTaken} taken, ${left}${waitingCount ? `, ${waitingCount} waiting` : ''}`;
}

/** Returns the seats of a course for tables: "3 of 20". */
export function seatsCell({ seatsTaken, maxStudents }: Course): string | null {
  if (seatsTaken === undefined) return null;
  return maxStudents === null ? String(seatsTaken) : `${seatsTaken} of ${maxStudents}`;
}

export function stateOn(
  day: string,
  course: Pick<Course, 'endDate' | 'isPublished'>,
): 'ended' | 'published' | 'hidden' {
  if (course.endDate !== null && course.endDate < day) return 'ended';
  return course.isPublished ? 'published' : 'hidden';
}

const waitingListText = (most: number | null) => (most === null ? 'no limit' : most === 0 ? 'none' : `${most} at most`);

type ShownField = CourseField | 'id' | 'trainer' | 'seats' | 'createdAt' | 'updatedAt';

const shownFields: Record<ShownField, [heading: string, value: (course: Course) => string | null]> = {
  id: ['id', ({ id }) => id],
  title: ['title', ({ title }) => title],
  trainer: ['trainer', (course) => `${trainerName(course)} (${course.trainerId})`],
  isPublished: ['published', ({ isPublished }) => (isPublished ? 'yes' : 'no')],
  isFeatured: ['featured', ({ isFeatured }) => (isFeatured ? 'yes' : 'no')],
  category: ['category', ({ category }) => category],
  level: ['level', ({ level }) => level],
  courseType: ['type', ({ courseType }) => courseType],
  language: ['language', ({ language }) => language],
  tags: ['tags', ({ tags }) => tags.join(', ')],
  maxStudents: ['capacity', ({ maxStudents }) => (maxStudents === null ? 'no limit' : String(maxStudents))],
  seats: ['seats', (course) => (course.seatsTaken === undefined ? null : seatsText(course))],
  startDate: ['begins', ({ startDate }) => startDate],
  endDate: ['ends', ({ endDate }) => endDate],
  enrollUntil: ['requests until', ({ enrollUntil }) => enrollUntil],
  autoAccept: ['requests', ({ autoAccept }) => (autoAccept ? 'accepted at once' : 'answered by the trainer')],
  waitingMax: ['waiting list', ({ waitingMax }) => waitingListText(waitingMax)],
  location: ['location', ({ location }) => location],
  shortDescription: ['summary', ({ shortDescription }) => shortDescription],
  description: ['description', ({ description }) => description],
  requirements: ['requirements', ({ requirements }) => requirements],
  learningOutcomes: ['outcomes', ({ learningOutcomes }) => learningOutcomes],
  thumbnail: ['image', ({ thumbnail }) => thumbnail],
  createdAt: ['created', ({ createdAt }) => createdAt.toISOString()],
  updatedAt: ['changed', ({ updatedAt }) => updatedAt.toISOString()],
};

/** Returns the fields that `courses show` prints. */
export const courseFields = (course: Course): [field: string, value: string | null][] =>
  Object.values(shownFields).map(([heading, textOf]) => [heading, textOf(course)]);

/** Returns a course for a sentence: title and id. */
export const courseName = ({ id, title }: Pick<Course, 'id' | 'title'>) => `"${title}" (${id})`;
