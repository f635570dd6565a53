import { presentCourse, presentPublishedCourse } from '../../presenters/course.js';
import { presentPerson } from '../../presenters/user.js';
import { courseExportSchema } from '../../schemas/course.js';
import { validate } from '../../schemas/validate.js';
import { actorOf, type Caller } from '../../services/core.js';
import { courseCalendar } from '../../services/courses/calendar.js';
import {
  assignTrainer,
  createCourse,
  deleteCourse,
  publishCourse,
  updateCourse,
} from '../../services/courses/commands.js';
import { coursesTable } from '../../services/courses/export.js';
import {
  findCourse,
  listAvailableTrainers,
  listCategories,
  listCourses,
  listTrainerCourses,
} from '../../services/courses/queries.js';
import { courseStatistics } from '../../services/courses/statistics.js';
import { tableResponse, textResponse } from '../body/streams.js';
import type { Handlers } from '../routing/handler.js';

const viewer = (caller: Caller | undefined) => caller && actorOf(caller);

export const courseHandlers = {
  async listCourses({ context, caller, query }) {
    const { items, pagination } = await listCourses(context, viewer(caller), query);
    return { courses: items.map(presentCourse), pagination };
  },

  async createCourse({ context, caller, body }) {
    const course = await createCourse(context, actorOf(caller), body);
    return { message: 'Course created successfully.', course: presentCourse(course) };
  },

  listCategories: async ({ context, caller }) => ({ categories: await listCategories(context, viewer(caller)) }),

  async listAvailableTrainers({ context, query }) {
    const { items, pagination } = await listAvailableTrainers(context, query);
    return { trainers: items.map(presentPerson), pagination };
  },

  courseStatistics: async ({ context, caller }) => ({ stats: await courseStatistics(context, actorOf(caller)) }),

  async listTrainerCourses({ context, caller, params, query }) {
    const { items, pagination } = await listTrainerCourses(context, actorOf(caller), params.trainerId, query);
    return { courses: items.map(presentCourse), pagination };
  },

  async exportCourses({ context, caller, query }) {
    const { format } = validate(courseExportSchema, query);
    return tableResponse(coursesTable(context, actorOf(caller), query), 'courses', format);
  },

  async showCourse({ context, caller, params, query }) {
    return { course: presentCourse(await findCourse(context, actorOf(caller), params.id, query)) };
  },

  courseCalendar: async ({ context, caller, params }) =>
    textResponse(await courseCalendar(context, viewer(caller), params.id)),

  async updateCourse({ context, caller, params, body }) {
    const course = await updateCourse(context, actorOf(caller), params.id, body);
    return { message: 'Course updated successfully.', course: presentCourse(course) };
  },

  async deleteCourse({ context, caller, params, query }) {
    await deleteCourse(context, actorOf(caller), params.id, query);
    return { message: 'Course deleted successfully.' };
  },

  async publishCourse({ context, caller, params, body }) {
    const course = await publishCourse(context, actorOf(caller), params.id, body);
    const message = `Course ${course.isPublished ? 'published' : 'unpublished'} successfully.`;
    return { message, course: presentPublishedCourse(course) };
  },

  async assignTrainer({ context, caller, params, body }) {
    const course = await assignTrainer(context, actorOf(caller), params.id, body);
    return { message: 'Trainer assigned successfully.', course: presentCourse(course) };
  },
} satisfies Partial<Handlers>;
