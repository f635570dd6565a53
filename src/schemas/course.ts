import Joi from 'joi';
import type { Paging, Sorting } from './fields.js';
import * as fields from './fields.js';

export const courseLevels = ['beginner', 'intermediate', 'advanced'] as const;
export type CourseLevel = (typeof courseLevels)[number];

export const courseTypes = ['online', 'classroom', 'hybrid'] as const;
export type CourseType = (typeof courseTypes)[number];

const courseSortFields = ['createdAt', 'updatedAt', 'title', 'category', 'startDate'] as const;

export interface TrainerCourseListing extends Paging, Sorting<(typeof courseSortFields)[number]> {
  isPublished?: boolean;
  search?: string;
}

/** Query of `GET /api/courses/trainer/:trainerId` (specification, section 4.12). */
export const trainerCourseListingSchema = Joi.object<TrainerCourseListing, true>({
  isPublished: fields.queryBoolean('isPublished'),
  search: fields.search,
  ...fields.sorting(courseSortFields),
  ...fields.paging(12),
});
