import {
  presentCourseTrainee,
  presentEnrollment,
  presentEnrollmentTo,
  presentOwnEnrollment,
  presentTrainerEnrollment,
} from '../../presenters/enrollment.js';
import { presentPerson } from '../../presenters/user.js';
import { enrollmentExportSchema } from '../../schemas/enrollment.js';
import { validate } from '../../schemas/validate.js';
import { actorOf } from '../../services/core.js';
import { setProgress, setReply } from '../../services/enrollments/change-enrollment.js';
import { changeStatus } from '../../services/enrollments/change-status.js';
import { changeManyStatuses } from '../../services/enrollments/change-statuses.js';
import { assignEnrollment, requestEnrollment } from '../../services/enrollments/enroll.js';
import { assignMany } from '../../services/enrollments/enroll-many.js';
import { enrollmentsTable } from '../../services/enrollments/export.js';
import {
  findAvailableTrainees,
  findEnrollment,
  listAvailableTrainees,
  listCourseTrainees,
  listEnrollments,
  listOwnEnrollments,
  listTrainerEnrollments,
} from '../../services/enrollments/queries.js';
import { removeEnrollments, removeMany } from '../../services/enrollments/remove.js';
import { enrollmentStatistics } from '../../services/enrollments/statistics.js';
import { publicCodeOf, publicMessage } from '../api/failures.js';
import { tableResponse } from '../body/streams.js';
import type { Handlers } from '../routing/handler.js';

export const enrollmentHandlers = {
  async listEnrollments({ context, caller, query }) {
    const { items, pagination } = await listEnrollments(context, actorOf(caller), query);
    return { enrollments: items.map((item) => presentEnrollmentTo(caller.user, item)), pagination };
  },

  async requestEnrollment({ context, caller, body }) {
    const enrollment = await requestEnrollment(context, caller, body);
    return { message: 'Enrollment requested successfully.', enrollment: presentEnrollment(enrollment) };
  },

  async listOwnEnrollments({ context, caller, query }) {
    const { items, pagination } = await listOwnEnrollments(context, caller, query);
    return { enrollments: items.map(presentOwnEnrollment), pagination };
  },

  async assignEnrollment({ context, caller, body }) {
    const enrollment = await assignEnrollment(context, actorOf(caller), body);
    return { message: 'Trainee enrolled successfully.', enrollment: presentEnrollment(enrollment) };
  },

  async assignMany({ context, caller, body }) {
    const { enrollments, skipped, outcomes } = await assignMany(context, actorOf(caller), body);
    return {
      message: outcomes ? 'Nothing was changed.' : 'Trainees enrolled successfully.',
      enrollments: enrollments.map(presentEnrollment),
      skipped: skipped.map(({ traineeId, refusal: { code, message, params } }) => ({
        traineeId,
        reason: message,
        code: publicCodeOf(code),
        ...(params && { params }),
      })),
      ...(outcomes && {
        outcomes: outcomes.map(({ traineeId, name, outcome }) => {
          const refusal = typeof outcome === 'string' ? undefined : outcome;
          return {
            traineeId,
            name,
            outcome: refusal ? 'refused' : outcome,
            code: refusal ? publicCodeOf(refusal.code) : null,
            message: refusal ? publicMessage(refusal) : null,
          };
        }),
      }),
    };
  },

  async removeMany({ context, caller, body }) {
    const removed = await removeMany(context, actorOf(caller), body);
    return {
      message: 'Enrollments removed successfully.',
      removedCount: removed.length,
      removedEnrollments: removed.map(presentEnrollment),
    };
  },

  async changeManyStatuses({ context, caller, body, signal }) {
    const { status, outcomes } = await changeManyStatuses(context, actorOf(caller), body, { signal });
    const countOf = (name: string) => outcomes.filter(({ outcome }) => outcome === name).length;
    return {
      status,
      counts: { changed: countOf('changed'), unchanged: countOf('unchanged'), refused: countOf('refused') },
      outcomes: outcomes.map(({ id, name, outcome, refusal }) => ({
        id,
        name,
        outcome,
        code: refusal ? publicCodeOf(refusal.code) : null,
        message: refusal ? publicMessage(refusal) : null,
        ...(refusal?.params && { params: refusal.params }),
      })),
    };
  },

  async listAvailableTrainees({ context, caller, query }) {
    const { items, pagination } = await listAvailableTrainees(context, actorOf(caller), query);
    return { trainees: items.map(presentPerson), pagination };
  },

  async findAvailableTrainees({ context, caller, body }) {
    const { trainees, unavailable } = await findAvailableTrainees(context, actorOf(caller), body);
    return { trainees: trainees.map(presentPerson), unavailable };
  },

  enrollmentStatistics: async ({ context, caller }) => ({
    stats: await enrollmentStatistics(context, actorOf(caller)),
  }),

  async listTrainerEnrollments({ context, caller, params, query }) {
    const { items, pagination } = await listTrainerEnrollments(context, actorOf(caller), params.trainerId, query);
    return { enrollments: items.map(presentTrainerEnrollment), pagination };
  },

  async listCourseTrainees({ context, caller, params, query }) {
    const { items, pagination } = await listCourseTrainees(context, actorOf(caller), params.courseId, query);
    return { trainees: items.map(presentCourseTrainee), pagination };
  },

  async exportEnrollments({ context, caller, query }) {
    const { format } = validate(enrollmentExportSchema, query);
    return tableResponse(enrollmentsTable(context, actorOf(caller), query), 'enrollments', format);
  },

  async showEnrollment({ context, caller, params }) {
    const enrollment = await findEnrollment(context, actorOf(caller), params.id);
    return { enrollment: presentEnrollmentTo(caller.user, enrollment) };
  },

  async removeEnrollment({ context, caller, params }) {
    const removed = await removeEnrollments(context, actorOf(caller), [params.id]);
    return { message: 'Enrollment removed successfully.', removedEnrollments: removed.map(presentEnrollment) };
  },

  async changeStatus({ context, caller, params, body }) {
    const enrollment = await changeStatus(context, actorOf(caller), params.id, body);
    return { message: 'Enrollment status updated successfully.', enrollment: presentEnrollment(enrollment) };
  },

  async setReply({ context, caller, params, body }) {
    const enrollment = await setReply(context, actorOf(caller), params.id, body);
    return { message: 'Reply updated successfully.', enrollment: presentEnrollment(enrollment) };
  },

  async setProgress({ context, caller, params, body }) {
    const enrollment = await setProgress(context, actorOf(caller), params.id, body);
    return { message: 'Progress updated successfully.', enrollment: presentEnrollment(enrollment) };
  },
} satisfies Partial<Handlers>;
