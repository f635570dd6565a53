import fc from 'fast-check';
import { type Commands, everybody, get, managers, operation, page, weighted } from './command.js';
import * as courses from './course-rules.js';
import * as given from './references.js';
import { idOf } from './references.js';

/** Commands about courses. */

const limit = fc.constantFrom(null, 1, 2);

export const courseCommands: Commands = [
  weighted(
    2,
    operation(
      'create course',
      managers,
      fc.record({
        maxStudents: limit,
        trainer: fc.option(given.trainer, { freq: 5 }),
        strangers: given.strangers('trainerId'),
      }),
      ({ maxStudents, trainer, strangers }, programme, caller) => {
        const { tag, known } = programme;
        const trainerId = trainer ? idOf(trainer, programme, caller) : undefined;
        const title = `Course ${known.course.length}`;
        const fields = { title, description: 'A new one.', category: tag, maxStudents, trainerId };
        const body = given.withStrangers(fields, strangers, programme);
        return {
          question: { method: 'POST', path: '/api/courses', body },
          rule: (chosen) => courses.createCourse(programme, caller, fields, chosen),
        };
      },
    ),
  ),
  weighted(
    2,
    operation(
      'update course',
      managers,
      fc.record({
        course: given.course,
        fields: fc.record(
          { title: fc.constantFrom('Weaving', 'Knots'), description: fc.constant('Changed.'), maxStudents: limit },
          { requiredKeys: [] },
        ),
        strangers: given.strangers(),
      }),
      ({ course, fields, strangers }, programme, caller) => {
        const id = idOf(course, programme, caller);
        const body = given.withStrangers(fields, strangers, programme);
        return {
          question: { method: 'PUT', path: `/api/courses/${id}`, body },
          rule: () => courses.updateCourse(programme, caller, id, fields),
        };
      },
    ),
  ),
  weighted(
    3,
    operation(
      'publish',
      managers,
      fc.record({ course: given.course, isPublished: fc.boolean(), strangers: given.strangers('isPublished') }),
      ({ course, isPublished, strangers }, programme, caller) => {
        const id = idOf(course, programme, caller);
        const body = given.withStrangers({ isPublished }, strangers, programme);
        return {
          question: { method: 'PUT', path: `/api/courses/${id}/publish`, body },
          rule: () => courses.publishCourse(programme, caller, id, isPublished),
        };
      },
    ),
  ),
  weighted(
    2,
    operation(
      'assign trainer',
      ['superAdmin'],
      fc.record({ course: given.course, trainer: given.trainer, strangers: given.strangers('trainerId') }),
      ({ course, trainer, strangers }, programme, caller) => {
        const [id, trainerId] = [idOf(course, programme, caller), idOf(trainer, programme, caller)];
        const body = given.withStrangers({ trainerId }, strangers, programme);
        return {
          question: { method: 'PUT', path: `/api/courses/${id}/assign-trainer`, body },
          rule: () => courses.assignTrainer(programme, caller, id, trainerId),
        };
      },
    ),
  ),
  weighted(
    2,
    operation(
      'delete course',
      managers,
      fc.record({ course: given.course, force: given.maybe(fc.boolean()) }),
      ({ course, force }, programme, caller) => {
        const id = idOf(course, programme, caller);
        return {
          question: { method: 'DELETE', path: `/api/courses/${id}`, query: { force } },
          rule: () => courses.deleteCourse(programme, caller, id, force === true),
        };
      },
    ),
  ),
  weighted(
    2,
    operation('show course', everybody, given.course, (course, programme, caller) => {
      const id = idOf(course, programme, caller);
      return {
        question: get(`/api/courses/${id}`),
        rule: () => courses.showCourse(programme, caller, id),
      };
    }),
  ),
  weighted(
    2,
    operation(
      'list courses',
      everybody,
      fc.record({ isPublished: given.maybe(fc.boolean()), trainer: fc.option(given.trainer) }),
      ({ isPublished, trainer }, programme, caller) => {
        const filter = { isPublished, trainerId: trainer ? idOf(trainer, programme, caller) : undefined };
        return {
          question: get('/api/courses', { ...page, ...filter, category: programme.tag }),
          rule: () => courses.listCourses(programme, caller, filter),
        };
      },
    ),
  ),
  weighted(
    2,
    operation(
      "list a trainer's courses",
      managers,
      fc.record({ trainer: given.trainer, isPublished: given.maybe(fc.boolean()) }),
      ({ trainer, isPublished }, programme, caller) => {
        const id = idOf(trainer, programme, caller);
        return {
          question: get(`/api/courses/trainer/${id}`, { ...page, isPublished }),
          rule: () => courses.listTrainerCourses(programme, caller, id, { isPublished }),
        };
      },
    ),
  ),
];
