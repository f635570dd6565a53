import type { Course } from '../db/models/course.js';
import type { Enrollment } from '../db/models/enrollment.js';
import type { Import } from '../db/models/import.js';
import { presentCurrentWithDates } from './enrollment.js';
import { presentImportSummary } from './import.js';
import { pick } from './pick.js';

/** Parts of an overview that are still entities. */
interface Entities {
  imports?: readonly Import[];
  current?: readonly Enrollment[];
  nextCourse?: NextCourse | null;
}

/** A course with its number of requests. Its seats are counted. */
interface NextCourse {
  course: Course;
  requests: number;
}

/** Fields of a trainer's next course. */
export const nextCourseView = [
  ...(['title', 'startDate', 'endDate', 'courseType', 'location', 'maxStudents', 'isPublished'] as const),
];

const presentNextCourse = ({ course, requests }: NextCourse) => ({
  ...pick(course, ['id', ...nextCourseView]),
  // Requests take seats, too. They were counted by another query.
  participants: Math.max(0, (course.seatsTaken ?? 0) - requests),
  waiting: course.waitingCount ?? 0,
  requests,
});

interface Presented {
  imports?: ReturnType<typeof presentImportSummary>[];
  current?: ReturnType<typeof presentCurrentWithDates>[];
  nextCourse?: ReturnType<typeof presentNextCourse> | null;
}

/** Presents an overview: converts its entities and keeps its figures. */
export function presentOverview<T extends object>(overview: T & Entities): Omit<T, keyof Entities> & Presented {
  const { imports, current, nextCourse, ...figures } = overview;
  return {
    ...figures,
    ...(imports && { imports: imports.map(presentImportSummary) }),
    ...(nextCourse !== undefined && { nextCourse: nextCourse && presentNextCourse(nextCourse) }),
    ...(current && { current: current.map(presentCurrentWithDates) }),
  };
}
