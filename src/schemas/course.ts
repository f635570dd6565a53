import * as fields from './fields.js';
import { orNothing } from './fields.js';
import Joi from './joi.js';
import type { PagingWithKey, Sorting } from './listing.js';
import * as listing from './listing.js';

export const courseLevels = ['beginner', 'intermediate', 'advanced'] as const;
export type CourseLevel = (typeof courseLevels)[number];

export const courseTypes = ['online', 'classroom', 'hybrid'] as const;
export type CourseType = (typeof courseTypes)[number];

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

/** What a course says of itself; null where there is nothing to say. */
export interface CourseFields {
  title: string;
  description: string;
  shortDescription: string | null;
  category: string | null;
  level: CourseLevel | null;
  language: string | null;
  courseType: CourseType | null;
  tags: string[];
  requirements: string | null;
  learningOutcomes: string | null;
  maxStudents: number | null;
  startDate: string | null;
  endDate: string | null;
  location: string | null;
  isFeatured: boolean;
}

/** The most trainees that a course can be limited to. */
const maxSeats = 1_000_000;
const maxTags = 30;

const tags = Joi.array()
  .items(fields.tag)
  .max(maxTags)
  .unique()
  .messages({
    'array.base': 'Tags must be a list of words.',
    'array.max': `There may be at most ${maxTags} tags.`,
    'array.unique': 'Each tag may be given once.',
    'array.sparse': 'Tags must be a list of words.',
  });

const courseFields = {
  title: fields.courseTitle,
  description: fields.multiLine('Description', 20_000),
  shortDescription: orNothing(fields.multiLine('Short description', 500)),
  category: orNothing(fields.category),
  level: orNothing(fields.oneOf('level', courseLevels)),
  language: orNothing(fields.singleLine('Language', 1, 50)),
  courseType: orNothing(fields.oneOf('courseType', courseTypes)),
  tags,
  requirements: orNothing(fields.multiLine('Requirements', 5000)),
  learningOutcomes: orNothing(fields.multiLine('Learning outcomes', 5000)),
  maxStudents: fields.strictWholeNumber('maxStudents', 1, maxSeats).allow(null),
  startDate: orNothing(fields.date('startDate')),
  endDate: orNothing(fields.date('endDate')),
  location: orNothing(fields.singleLine('Location', 1, 255)),
  isFeatured: fields.strictBoolean('isFeatured'),
};

export interface NewCourse extends Partial<Omit<CourseFields, 'title' | 'description'>> {
  title: string;
  description: string;
  /** Whose course it is: named by the super admin; a trainer's is their own. */
  trainerId?: string;
}

const creationFields = {
  ...courseFields,
  title: courseFields.title.required(),
  description: courseFields.description.required(),
  trainerId: fields.id('trainerId'),
};

/** Body of `POST /api/courses`. */
export const courseCreationSchema = Joi.object<NewCourse>(creationFields);

/** For callers who must name the trainer. */
export const namedCourseCreationSchema = Joi.object<NewCourse & { trainerId: string }>({
  ...creationFields,
  trainerId: creationFields.trainerId.required(),
});

/** Body of `PUT /api/courses/:id`: what is absent stays as it is. */
export const courseUpdateSchema = Joi.object<Partial<CourseFields>>(courseFields);

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
