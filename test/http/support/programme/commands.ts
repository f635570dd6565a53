import fc from 'fast-check';
import {
  derived,
  everybody,
  managers,
  operation,
  references,
  requestFor,
  runSteps,
  type Step,
  scenario,
  sweep,
  trainees,
  type WeightedCommand,
} from './command.js';
import * as courses from './course-rules.js';
import * as enrollments from './enrollment-rules.js';
import * as listings from './listing-rules.js';
import { castNames, farAhead, longAgo, type Programme, statuses } from './model.js';
import type { Service } from './service.js';
import * as users from './user-rules.js';

const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const { course, enrollment, trainee, trainer, anybody } = references;
const status = fc.constantFrom(...statuses);
const entryStatus = maybe(fc.constantFrom('pending' as const, 'active' as const));
const words = (text: string) => fc.option(fc.constantFrom(null, text), { nil: undefined, freq: 1 });
const notes = words('Comes late.');
const reply = words('See you.');
const maxStudents = fc.constantFrom(null, 1, 2);
const lastDay = maybe(fc.constantFrom(null, farAhead, longAgo));
/** Fields that few courses have. */
const terms = {
  endDate: lastDay,
  enrollUntil: lastDay,
  autoAccept: maybe(fc.boolean()),
  waitingMax: maybe(fc.constantFrom(null, 0, 1, 2)),
};
const joinWaitingList = maybe(fc.boolean());
const whenFull = maybe(fc.constantFrom('reject' as const, 'wait' as const));
const isPublished = fc.boolean();
const tag = derived(({ tag: own }) => own);

const administration: readonly WeightedCommand[] = [
  operation(2, 'changeActivation', ['superAdmin'], { id: trainee, isActive: fc.boolean() }, users.activate),
  scenario(2, 'deactivate and activate', ['superAdmin'], fc.constantFrom(...castNames), (name, programme, caller) => {
    const { [name]: person } = programme.cast;
    const activate = (isActive: boolean): Step => ({
      question: requestFor('changeActivation', { id: person.id, isActive }),
      rule: () => users.activate(programme, caller, { id: person.id, isActive }),
    });
    // Deactivation ends the session of the person. Its old token must be refused also after an activation.
    const me = { question: requestFor('me', {}), rule: () => users.showSelf(person), by: person };
    return [activate(false), me, activate(true), me];
  }),
  operation(
    3,
    'updateUser',
    ['superAdmin'],
    {
      id: anybody,
      role: maybe(fc.constantFrom('trainer' as const, 'trainee' as const, 'super_admin' as const)),
      firstName: maybe(fc.constant('Renamed')),
    },
    users.updateUser,
  ),
  operation(1, 'deleteUser', ['superAdmin'], { id: anybody }, users.deleteUser),
  operation(1, 'resetPassword', ['superAdmin'], { id: anybody }, users.resetPassword),
];

/** Logins and first password changes. People without a session, or with an initial password, can then continue. */
const ownAccount: readonly WeightedCommand[] = [
  operation(
    2,
    'login',
    everybody,
    {
      identifier: derived((_, caller) => caller?.email ?? 'nobody@example.org'),
      password: derived((_, caller) => caller?.password ?? 'no password'),
    },
    (programme, caller, _, chosen) => users.signIn(programme, caller, chosen),
  ),
  operation(
    2,
    'changeFirstPassword',
    ['newcomer', ...trainees],
    { newPassword: fc.constant('a password of my own') },
    users.changeFirstPassword,
  ),
];

const courseCommands: readonly WeightedCommand[] = [
  operation(
    2,
    'createCourse',
    managers,
    {
      title: derived(({ known }) => `Course ${known.course.length}`),
      description: fc.constant('A new one.'),
      category: tag,
      maxStudents,
      ...terms,
      trainerId: maybe(trainer),
    },
    courses.createCourse,
  ),
  operation(
    2,
    'updateCourse',
    managers,
    {
      id: course,
      title: maybe(fc.constantFrom('Weaving', 'Knots')),
      description: maybe(fc.constant('Changed.')),
      maxStudents: maybe(maxStudents),
      ...terms,
    },
    courses.updateCourse,
  ),
  operation(3, 'publishCourse', managers, { id: course, isPublished }, courses.publishCourse),
  operation(2, 'assignTrainer', ['superAdmin'], { id: course, trainerId: trainer }, courses.assignTrainer),
  operation(2, 'deleteCourse', managers, { id: course, force: maybe(fc.boolean()) }, courses.deleteCourse),
  operation(2, 'showCourse', everybody, { id: course }, courses.showCourse),
  operation(
    2,
    'listCourses',
    everybody,
    { isPublished: maybe(isPublished), trainerId: maybe(trainer), category: tag },
    courses.listCourses,
  ),
  operation(
    2,
    'listTrainerCourses',
    managers,
    { trainerId: trainer, isPublished: maybe(isPublished) },
    courses.listTrainerCourses,
  ),
];

const enrollmentCommands: readonly WeightedCommand[] = [
  operation(
    6,
    'requestEnrollment',
    trainees,
    { courseId: course, notes, joinWaitingList },
    enrollments.requestEnrollment,
  ),
  operation(
    4,
    'assignEnrollment',
    managers,
    { courseId: course, traineeId: trainee, status: entryStatus, whenFull, notes, reply },
    enrollments.assign,
  ),
  operation(
    3,
    'assignMany',
    managers,
    {
      courseId: course,
      traineeIds: fc.array(trainee, { minLength: 1, maxLength: 4 }),
      status: entryStatus,
      whenFull,
      notes,
      reply,
    },
    enrollments.assignMany,
  ),
  operation(
    8,
    'changeStatus',
    [...managers, ...trainees],
    { id: enrollment, status, expectedStatus: maybe(status), notes, reply, joinWaitingList },
    enrollments.changeStatus,
  ),
  operation(
    1,
    'setReply',
    managers,
    { id: enrollment, reply: fc.constantFrom(null, '', 'See you.') },
    enrollments.setReply,
  ),
  operation(
    4,
    'setProgress',
    [...managers, ...trainees],
    { id: enrollment, progress: fc.constantFrom(0, 20, 50, 80, 99, 100, 101, 0.5) },
    enrollments.setProgress,
  ),
  operation(1, 'removeEnrollment', managers, { id: enrollment }, enrollments.removeOne),
  operation(
    1,
    'removeMany',
    managers,
    { enrollmentIds: fc.array(enrollment, { minLength: 1, maxLength: 3 }) },
    enrollments.removeMany,
  ),
];

const everybodyIn = [...managers, ...trainees];

/** Commands that read enrollments. */
const listingCommands: readonly WeightedCommand[] = [
  operation(
    2,
    'listEnrollments',
    everybodyIn,
    { courseId: maybe(course), userId: maybe(trainee), status: maybe(status) },
    listings.listEnrollments,
  ),
  operation(
    2,
    'listOwnEnrollments',
    trainees,
    { courseId: maybe(course), status: maybe(status), userId: derived(({ cast }) => cast.tess.id) },
    listings.listOwnEnrollments,
  ),
  operation(
    2,
    'listTrainerEnrollments',
    managers,
    { trainerId: trainer, courseId: maybe(course), status: maybe(status) },
    listings.listTrainerEnrollments,
  ),
  operation(
    2,
    'listCourseTrainees',
    managers,
    { courseId: course, status: maybe(status) },
    listings.listCourseTrainees,
  ),
  operation(2, 'listAvailableTrainees', managers, { courseId: course, search: tag }, listings.listAvailableTrainees),
  operation(2, 'showEnrollment', everybodyIn, { id: enrollment }, listings.showEnrollment),
  operation(1, 'enrollmentStatistics', everybodyIn, {}, listings.enrollmentStatistics),
  operation(2, 'checkEnrollment', [...trainees, 'newcomer'], {}, listings.checkEnrollment),
];

/** Reads all data of a run as the super admin, and compares them with the model. Reads enrollments by trainer. */
function whole(programme: Programme): Step[] {
  const { cast, tag: own, people } = programme;
  const by = cast.superAdmin;
  const trainers = [...people.values()].filter(({ role }) => role === 'trainer');
  return [
    { question: requestFor('listCourses', { category: own }), rule: () => courses.listCourses(programme, by, {}), by },
    { question: requestFor('listUsers', { search: own }), rule: () => users.listUsers(programme, by), by },
    ...trainers.map(({ id: trainerId }) => ({
      question: requestFor('listTrainerEnrollments', { trainerId }),
      rule: () => listings.listTrainerEnrollments(programme, by, { trainerId }),
      by,
    })),
  ];
}

/** Sequences of a few commands. Most faults need two or three commands on the same course. */
export const commands = fc.commands(
  [
    fc.oneof(
      ...courseCommands,
      ...enrollmentCommands,
      ...listingCommands,
      ...administration,
      ...ownAccount,
      sweep,
      scenario(1, 'look at the whole', ['superAdmin'], fc.constant(null), (_, programme) => whole(programme)),
    ),
  ],
  { maxCommands: 12, size: 'max' },
);

/** Compares everything at the end of a run. First gives the super admin a session again. */
export const compareWhole = (programme: Programme, service: Service): Promise<void> =>
  runSteps(whole(programme), programme, service, 'the whole');
