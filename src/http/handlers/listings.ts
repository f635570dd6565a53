import { listTrainerCourses } from '../../services/courses.js';
import { listTrainerEnrollments } from '../../services/enrollments.js';
import type { Handlers } from '../bind.js';
import * as present from '../present.js';

export const listingHandlers = {
  async listTrainerCourses({ context, params, query }) {
    const { items, pagination } = await listTrainerCourses(context, params.trainerId ?? '', query);
    return { courses: items.map(present.course), pagination };
  },

  async listTrainerEnrollments({ context, params, query }) {
    const { items, pagination } = await listTrainerEnrollments(context, params.trainerId ?? '', query);
    return { enrollments: items.map(present.trainerEnrollment), pagination };
  },
} satisfies Partial<Handlers>;
