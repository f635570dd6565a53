import {
  type CourseInput,
  type CourseLevel,
  type CourseType,
  courseFieldNames,
  courseInputKeys,
  courseLevels,
  courseTypes,
} from './course-fields.js';
import * as fields from './fields.js';
import Joi from './joi.js';
import type { EndedFilter, PagingWithKey, Sorting } from './listing.js';
import * as listing from './listing.js';
import { type ExportQuery, exportQuery } from './table-format.js';

const courseSortFields = ['createdAt', 'updatedAt', 'title', 'category', 'startDate', 'soonest'] as const;

export interface CourseDetails {
  include?: 'seats'[];
}

const courseDetails = { include: listing.include('seats') };

/** Query of `GET /api/courses/:id`. */
export const courseDetailsSchema = Joi.object<CourseDetails>(courseDetails);

interface TrainerCourseFilter {
  isPublished?: boolean;
  seatsLeft?: boolean;
  ended: EndedFilter;
  /** Days until the first day, at most. */
  startsWithin?: number;
  search?: string;
}

const trainerFilter = {
  isPublished: listing.queryBoolean('isPublished'),
  seatsLeft: listing
    .queryBoolean('seatsLeft')
    .description('Only courses that have seats left, or only full ones')
    .example(true),
  ended: listing.ended,
  startsWithin: listing.startsWithin,
  search: listing.search,
};

interface CoursePage extends CourseDetails, PagingWithKey, Sorting<(typeof courseSortFields)[number]> {}

const coursePage = { ...courseDetails, ...listing.sorting(courseSortFields), ...listing.pagingWithKey(12) };

export interface TrainerCourseListing extends TrainerCourseFilter, CoursePage {}

/** Query of `GET /api/courses/trainer/:trainerId` (specification, section 4.12). */
export const trainerCourseListingSchema = Joi.object<TrainerCourseListing>({ ...trainerFilter, ...coursePage });

export interface CourseFilter extends TrainerCourseFilter {
  category?: string;
  level?: CourseLevel;
  courseType?: CourseType;
  trainerId?: string;
}

const courseFilter = {
  category: fields.category,
  level: fields.oneOf('level', courseLevels),
  courseType: fields.oneOf('courseType', courseTypes),
  trainerId: fields.id('trainerId'),
  ...trainerFilter,
};

export interface CourseListing extends CourseFilter, CoursePage {}

/** Query of `GET /api/courses`. */
export const courseListingSchema = Joi.object<CourseListing>({ ...courseFilter, ...coursePage });

export const courseExportFields = [
  ...courseFieldNames.filter((field) => field !== 'thumbnail'),
  ...(['seatsTaken', 'trainer', 'createdAt', 'updatedAt', 'id', 'trainerId'] as const),
];
export type CourseExportField = (typeof courseExportFields)[number];

/** Query of `GET /api/courses/export.csv`. */
export const courseExportSchema = Joi.object<CourseFilter & ExportQuery<CourseExportField>>({
  ...courseFilter,
  ...exportQuery(courseExportFields),
});

export interface NewCourse extends CourseInput<'create'> {
  /** Trainer of the course. The super admin must name one. Trainers can only create their own courses. */
  trainerId?: string;
}

const creationKeys = { ...courseInputKeys('create'), trainerId: fields.id('trainerId') };

/** Body of `POST /api/courses`. */
export const courseCreationSchema = Joi.object<NewCourse>(creationKeys);

/** Body for the super admin, who must name the trainer. */
export const namedCourseCreationSchema = Joi.object<NewCourse & { trainerId: string }>({
  ...creationKeys,
  trainerId: creationKeys.trainerId.required(),
});

/** Body of `PUT /api/courses/:id`. Absent fields stay unchanged. */
export const courseUpdateSchema = Joi.object<CourseInput<'update'>>(courseInputKeys('update'));

/** Body of `PUT /api/courses/:id/publish`. */
export const publicationSchema = Joi.object<{ isPublished: boolean }, true>({
  isPublished: fields.strictBoolean('isPublished').required(),
});

/** Body of `PUT /api/courses/:id/assign-trainer`. */
export const trainerAssignmentSchema = Joi.object<{ trainerId: string }, true>({
  trainerId: fields.id('trainerId').required(),
});

/** Query of `DELETE /api/courses/:id`. */
export const courseDeletionSchema = Joi.object<{ force: boolean }, true>({
  force: listing.queryBoolean('force').default(false),
});

export interface TrainerListing extends PagingWithKey {
  search?: string;
}

/** Query of `GET /api/courses/trainers/available`. */
export const trainerListingSchema = Joi.object<TrainerListing, true>({
  search: listing.search,
  ...listing.pagingWithKey(20),
});
