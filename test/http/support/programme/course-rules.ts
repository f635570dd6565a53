import {
  add,
  admitted,
  type Caller,
  type Course,
  deny,
  done,
  enrollmentIn,
  invalid,
  type ModelResponse,
  managedCourse,
  managerOf,
  openCourse,
  type Person,
  type Programme,
  promote,
  refuse,
  type ServiceChoices,
  seatsTaken,
} from './model.js';
import { courseView, pageView } from './views.js';

/** Rules of the table "Courses" in the contract. */

/** Returns an active trainer who can get a course. */
function trainerWith({ people }: Programme, id: string): Person {
  const person = people.get(id);
  if (person?.role !== 'trainer') return refuse(404, 'Trainer not found.');
  return person.isActive ? person : refuse(400, 'Trainer account is inactive.');
}

type Input = Pick<Course, 'title' | 'description' | 'category' | 'maxStudents'>;
type Terms = { [K in 'endDate' | 'enrollUntil' | 'autoAccept' | 'waitingMax']?: Course[K] | undefined };

/** Omits absent fields. */
const sent = <T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } =>
  JSON.parse(JSON.stringify(fields));

export function createCourse(
  programme: Programme,
  caller: Caller,
  { trainerId, ...fields }: Input & Terms & { trainerId?: string | undefined },
  chosen: ServiceChoices,
): ModelResponse {
  const person = managerOf(caller);
  const ownerId = person.role === 'trainer' ? person.id : (trainerId ?? invalid('trainerId'));
  const trainer = trainerWith(programme, ownerId);
  const course: Course = { id: chosen.id, ...openCourse, ...sent(fields), isPublished: false, trainerId: trainer.id };
  add(programme, 'course', course);
  return done('Course created successfully.', { course: courseView(programme, course) }, 201);
}

type Changes = Terms & { [K in 'title' | 'description' | 'maxStudents']?: Course[K] | undefined };

export function updateCourse(
  programme: Programme,
  caller: Caller,
  { id, ...fields }: Changes & { id: string },
): ModelResponse {
  const course = managedCourse(programme, caller, id);
  const { maxStudents } = fields;
  // The limit is below the number of taken seats.
  if (typeof maxStudents === 'number' && seatsTaken(programme, id) > maxStudents) invalid('maxStudents');
  const before = { ...course };
  Object.assign(course, sent(fields));
  if (course.maxStudents !== before.maxStudents || course.endDate !== before.endDate) promote(programme, [id]);
  return done('Course updated successfully.', { course: courseView(programme, course) });
}

export function publishCourse(
  programme: Programme,
  caller: Caller,
  { id, isPublished }: Pick<Course, 'id' | 'isPublished'>,
): ModelResponse {
  const course = managedCourse(programme, caller, id);
  if (isPublished !== course.isPublished) {
    course.isPublished = isPublished;
    promote(programme, [id]);
  }
  const message = `Course ${isPublished ? 'published' : 'unpublished'} successfully.`;
  return done(message, { course: { id, title: course.title, isPublished } });
}

export function assignTrainer(
  programme: Programme,
  caller: Caller,
  { id, trainerId }: Pick<Course, 'id' | 'trainerId'>,
): ModelResponse {
  admitted(caller, 'super_admin');
  const course = managedCourse(programme, caller, id);
  course.trainerId = trainerWith(programme, trainerId).id;
  return done('Trainer assigned successfully.', { course: courseView(programme, course) });
}

export function deleteCourse(
  programme: Programme,
  caller: Caller,
  { id, force }: { id: string; force: boolean | undefined },
): ModelResponse {
  managedCourse(programme, caller, id);
  const own = [...programme.enrollments.values()].filter(({ courseId }) => courseId === id);
  const isActive = own.some(({ status }) => status === 'active');
  if (isActive && !(force && caller?.role === 'super_admin')) refuse(400, 'Course has active enrollments.');
  for (const enrollment of own) programme.enrollments.delete(enrollment.id);
  programme.courses.delete(id);
  return done('Course deleted successfully.');
}

export function showCourse(programme: Programme, caller: Caller, { id }: { id: string }): ModelResponse {
  const person = admitted(caller);
  const course = programme.courses.get(id);
  if (!course) return refuse(404, 'Course not found.');
  const takesPart = person.role === 'trainee' && enrollmentIn(programme, id, person.id)?.status === 'active';
  if (!isVisibleTo(person, course) && !takesPart) return refuse(404, 'Course not found.');
  return { status: 200, body: { course: courseView(programme, course) } };
}

const isVisibleTo = (person: Caller, course: Course) =>
  course.isPublished ||
  person?.role === 'super_admin' ||
  (person?.role === 'trainer' && course.trainerId === person.id);

interface Filter {
  isPublished?: boolean | undefined;
  trainerId?: string | undefined;
}

function listed(programme: Programme, { isPublished, trainerId }: Filter, isShown: (course: Course) => boolean) {
  const shown = [...programme.courses.values()].filter(
    (course) =>
      isShown(course) &&
      (isPublished === undefined || course.isPublished === isPublished) &&
      (trainerId === undefined || course.trainerId === trainerId),
  );
  const views = shown.map((course) => courseView(programme, course));
  return { status: 200, body: pageView('courses', views) };
}

/** The catalogue with only this run's courses, because requests always filter by the category of the run. */
export function listCourses(programme: Programme, caller: Caller, filter: Filter): ModelResponse {
  const person = caller && admitted(caller);
  return listed(programme, filter, (course) => isVisibleTo(person, course));
}

/** Checks access to a trainer's listings: only that trainer and the super admin. */
export function admittedToTrainer(programme: Programme, caller: Caller, trainerId: string): Person {
  const person = managerOf(caller);
  if (person.role === 'trainer' && person.id !== trainerId) deny();
  if (programme.people.get(trainerId)?.role !== 'trainer') refuse(404, 'Trainer not found.');
  return person;
}

export function listTrainerCourses(
  programme: Programme,
  caller: Caller,
  filter: Filter & { trainerId: string },
): ModelResponse {
  admittedToTrainer(programme, caller, filter.trainerId);
  return listed(programme, filter, () => true);
}
