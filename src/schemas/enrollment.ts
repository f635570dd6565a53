import Joi from 'joi';
import type { Paging } from './fields.js';
import * as fields from './fields.js';

export const enrollmentStatuses = ['pending', 'active', 'completed', 'cancelled'] as const;
export type EnrollmentStatus = (typeof enrollmentStatuses)[number];

export interface TrainerEnrollmentListing extends Paging {
  courseId?: string;
  status?: EnrollmentStatus;
  search?: string;
}

/** Query of `GET /api/enrollments/trainer/:trainerId` (specification, section 4.12). */
export const trainerEnrollmentListingSchema = Joi.object<TrainerEnrollmentListing, true>({
  courseId: fields.id('courseId'),
  status: fields.oneOf('status', enrollmentStatuses),
  search: fields.search,
  ...fields.paging(20),
});
