import { admittedToTrainer } from './course-rules.js';
import {
  admitted,
  authenticated,
  type Caller,
  courseOf,
  type Enrollment,
  enrollmentIn,
  knownEnrollment,
  knownEnrollments,
  type ModelResponse,
  managedCourse,
  type Programme,
  refuse,
  type Status,
  statuses,
} from './model.js';
import {
  courseTraineeView,
  currentEnrollmentView,
  ownEnrollmentView,
  pageView,
  personView,
  wholeEnrollmentView,
} from './views.js';

/** Rules of the table "Enrollments" in the contract for reads. */

interface Filter {
  courseId?: string | undefined;
  userId?: string | undefined;
  status?: Status | undefined;
}

const matching = (enrollments: readonly Enrollment[], { courseId, userId, status }: Filter) =>
  enrollments.filter(
    (enrollment) =>
      (courseId === undefined || enrollment.courseId === courseId) &&
      (userId === undefined || enrollment.userId === userId) &&
      (status === undefined || enrollment.status === status),
  );

export function listEnrollments(programme: Programme, caller: Caller, filter: Filter): ModelResponse {
  const person = admitted(caller);
  const shown = matching(knownEnrollments(programme, person), filter);
  const views = shown.map((enrollment) => wholeEnrollmentView(programme, person, enrollment));
  return { status: 200, body: pageView('enrollments', views) };
}

/** Lists the caller's enrollments, and ignores other user ids. */
export function listOwnEnrollments(
  programme: Programme,
  caller: Caller,
  { userId: _, ...filter }: Filter,
): ModelResponse {
  const shown = matching(knownEnrollments(programme, admitted(caller, 'trainee')), filter);
  const views = shown.map((enrollment) => ownEnrollmentView(programme, enrollment));
  return { status: 200, body: pageView('enrollments', views) };
}

export function listTrainerEnrollments(
  programme: Programme,
  caller: Caller,
  { trainerId, ...filter }: Filter & { trainerId: string },
): ModelResponse {
  const person = admittedToTrainer(programme, caller, trainerId);
  const inCourses = [...programme.enrollments.values()].filter(
    (enrollment) => courseOf(programme, enrollment).trainerId === trainerId,
  );
  const views = matching(inCourses, filter).map((enrollment) => wholeEnrollmentView(programme, person, enrollment));
  return { status: 200, body: pageView('enrollments', views) };
}

export function listCourseTrainees(
  programme: Programme,
  caller: Caller,
  filter: Filter & { courseId: string },
): ModelResponse {
  managedCourse(programme, caller, filter.courseId);
  const shown = matching([...programme.enrollments.values()], filter);
  const views = shown.map((enrollment) => courseTraineeView(programme, enrollment));
  return { status: 200, body: pageView('trainees', views) };
}

/** Lists active trainees without an enrollment in the course, or with a cancelled one. */
export function listAvailableTrainees(
  programme: Programme,
  caller: Caller,
  { courseId }: { courseId: string },
): ModelResponse {
  managedCourse(programme, caller, courseId);
  const available = [...programme.people.values()].filter(({ id, role, isActive }) => {
    const { status = 'cancelled' } = enrollmentIn(programme, courseId, id) ?? {};
    return role === 'trainee' && isActive && status === 'cancelled';
  });
  return { status: 200, body: pageView('trainees', available.map(personView)) };
}

export function showEnrollment(programme: Programme, caller: Caller, { id }: { id: string }): ModelResponse {
  const person = admitted(caller);
  const enrollment = knownEnrollment(programme, person, id);
  return { status: 200, body: { enrollment: wholeEnrollmentView(programme, person, enrollment) } };
}

export function enrollmentStatistics(programme: Programme, caller: Caller): ModelResponse {
  const known = knownEnrollments(programme, admitted(caller));
  const stats: Record<string, number> = { total: known.length };
  for (const status of statuses) stats[status] = known.filter((enrollment) => enrollment.status === status).length;
  return { status: 200, body: { stats } };
}

/** Specification, section 4.11: newest first. Also permitted with an initial password. */
export function checkEnrollment(programme: Programme, caller: Caller): ModelResponse {
  const person = authenticated(caller);
  if (person.role !== 'trainee') refuse(403, 'Only trainees can check enrollment.');
  const current = knownEnrollments(programme, person)
    .filter(({ status }) => status === 'active' || status === 'pending')
    .sort((left, right) => (left.enrolledAt < right.enrolledAt ? 1 : -1))
    .map((enrollment) => currentEnrollmentView(programme, enrollment));
  return { status: 200, body: { hasEnrollments: current.length > 0, enrollments: current } };
}
