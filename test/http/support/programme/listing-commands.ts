import fc from 'fast-check';
import { type Commands, get, managers, operation, page, trainees, weighted } from './command.js';
import * as listings from './listing-rules.js';
import * as given from './references.js';
import { idOf } from './references.js';

/** Commands that ask about enrollments. */

const filters = fc.record({
  course: fc.option(given.course),
  user: fc.option(given.trainee),
  status: given.maybe(given.status),
});

export const listingCommands: Commands = [
  weighted(
    2,
    operation(
      'list enrollments',
      [...managers, ...trainees],
      filters,
      ({ course, user, status }, programme, caller) => {
        const courseId = course ? idOf(course, programme, caller) : undefined;
        const userId = user ? idOf(user, programme, caller) : undefined;
        // Without either the super admin would see those of earlier runs too.
        const narrow = {
          courseId:
            courseId ?? (userId === undefined ? idOf({ kind: 'course', index: 0 }, programme, caller) : courseId),
        };
        const filter = { ...narrow, userId, status };
        return {
          question: get('/api/enrollments', { ...page, ...filter }),
          rule: () => listings.listEnrollments(programme, caller, filter),
        };
      },
    ),
  ),
  weighted(
    2,
    operation('list own enrollments', trainees, filters, ({ course, status }, programme, caller) => {
      const filter = { courseId: course ? idOf(course, programme, caller) : undefined, status };
      return {
        question: get('/api/enrollments/my', { ...page, ...filter, userId: programme.cast.tess.id }),
        rule: () => listings.listOwnEnrollments(programme, caller, filter),
      };
    }),
  ),
  weighted(
    2,
    operation(
      "list a trainer's enrollments",
      managers,
      fc.record({ trainer: given.trainer, course: fc.option(given.course), status: given.maybe(given.status) }),
      ({ trainer, course, status }, programme, caller) => {
        const id = idOf(trainer, programme, caller);
        const filter = { courseId: course ? idOf(course, programme, caller) : undefined, status };
        return {
          question: get(`/api/enrollments/trainer/${id}`, { ...page, ...filter }),
          rule: () => listings.listTrainerEnrollments(programme, caller, id, filter),
        };
      },
    ),
  ),
  weighted(
    2,
    operation(
      "list a course's trainees",
      managers,
      fc.record({ course: given.course, status: given.maybe(given.status) }),
      ({ course, status }, programme, caller) => {
        const id = idOf(course, programme, caller);
        return {
          question: get(`/api/enrollments/course/${id}/trainees`, { ...page, status }),
          rule: () => listings.listCourseTrainees(programme, caller, id, { status }),
        };
      },
    ),
  ),
  weighted(
    2,
    operation('list available trainees', managers, given.course, (course, programme, caller) => {
      const courseId = idOf(course, programme, caller);
      return {
        // Of this run's people.
        question: get('/api/enrollments/available-trainees', { ...page, courseId, search: programme.tag }),
        rule: () => listings.listAvailableTrainees(programme, caller, courseId),
      };
    }),
  ),
  weighted(
    2,
    operation('show enrollment', [...managers, ...trainees], given.enrollment, (enrollment, programme, caller) => {
      const id = idOf(enrollment, programme, caller);
      return {
        question: get(`/api/enrollments/${id}`),
        rule: () => listings.showEnrollment(programme, caller, id),
      };
    }),
  ),
  weighted(
    1,
    operation('enrollment statistics', [...managers, ...trainees], fc.constant(null), (_, programme, caller) => ({
      question: get('/api/enrollments/stats/overview'),
      rule: () => listings.enrollmentStatistics(programme, caller),
    })),
  ),
  weighted(
    2,
    operation('check enrollment', [...trainees, 'newcomer'], fc.constant(null), (_, programme, caller) => ({
      question: { method: 'POST', path: '/api/auth/check-enrollment' },
      rule: () => listings.checkEnrollment(programme, caller),
    })),
  ),
];
