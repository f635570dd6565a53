import {
  type CourseInput,
  type CourseLevel,
  type CourseType,
  courseInputKeys,
  courseLevels,
  courseTypes,
} from './course-fields.js';
import * as fields from './fields.js';
import Joi from './joi.js';
import type { PagingWithKey, Sorting } from './listing.js';
import * as listing from './listing.js';

const courseSortFields = ['createdAt', 'updatedAt', 'title', 'category', 'startDate'] as const;

/** What a course is shown with on request. */
export interface CourseDetails {
  include?: 'seats'[];
}

const courseDetails = { include: listing.include('seats') };

/** Query of `GET /api/courses/:id`. */
export const courseDetailsSchema = Joi.object<CourseDetails>(courseDetails);

export interface TrainerCourseListing extends CourseDetails, PagingWithKey, Sorting<(typeof courseSortFields)[number]> {
  isPublished?: boolean;
  seatsLeft?: boolean;
  search?: string;
}

const trainerListing = {
  isPublished: listing.queryBoolean('isPublished'),
  seatsLeft: listing
    .queryBoolean('seatsLeft')
    .description('Only courses that have seats left, or only full ones')
    .example(true),
  search: listing.search,
  ...courseDetails,
  ...listing.sorting(courseSortFields),
  ...listing.pagingWithKey(12),
};

/** Query of `GET /api/courses/trainer/:trainerId` (specification, section 4.12). */
export const trainerCourseListingSchema = Joi.object<TrainerCourseListing>(trainerListing);

export interface CourseListing extends TrainerCourseListing {
  category?: string;
  level?: CourseLevel;
  courseType?: CourseType;
  trainerId?: string;
}

/** Query of `GET /api/courses`. */
export const courseListingSchema = Joi.object<CourseListing>({
  category: fields.category,
  level: fields.oneOf('level', courseLevels),
  courseType: fields.oneOf('courseType', courseTypes),
  trainerId: fields.id('trainerId'),
  ...trainerListing,
});

export interface NewCourse extends CourseInput<'create'> {
  /** Whose course it is: named by the super admin; a trainer's is their own. */
  trainerId?: string;
}

const creationKeys = { ...courseInputKeys('create'), trainerId: fields.id('trainerId') };

/** Body of `POST /api/courses`. */
export const courseCreationSchema = Joi.object<NewCourse>(creationKeys);

/** For callers who must name the trainer. */
export const namedCourseCreationSchema = Joi.object<NewCourse & { trainerId: string }>({
  ...creationKeys,
  trainerId: creationKeys.trainerId.required(),
});

/** Body of `PUT /api/courses/:id`: what is absent stays as it is. */
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
