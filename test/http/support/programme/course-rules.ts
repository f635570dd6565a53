import {
  type Answer,
  add,
  admitted,
  type Chosen,
  type Course,
  deny,
  enrollmentIn,
  invalid,
  managed,
  type Person,
  type Programme,
  refuse,
  seatsTaken,
} from './model.js';
import { courseView, pageView } from './views.js';

/** The rules of the contract's table "Courses". */

type Caller = Person | undefined;

/** An active trainer, whom a course can be given to. */
function trainerWith({ people }: Programme, id: string): Person {
  const person = people.get(id);
  if (person?.role !== 'trainer') return refuse(404, 'Trainer not found.');
  return person.isActive ? person : refuse(400, 'Trainer account is inactive.');
}

export interface CourseInput {
  title: string;
  description: string;
  category: string;
  maxStudents: number | null;
}

export function createCourse(
  programme: Programme,
  caller: Caller,
  { trainerId, ...fields }: CourseInput & { trainerId?: string | undefined },
  chosen: Chosen,
): Answer {
  const person = admitted(caller, 'trainer', 'super_admin');
  const ownerId = person.role === 'trainer' ? person.id : (trainerId ?? invalid('trainerId'));
  const trainer = trainerWith(programme, ownerId);
  const course: Course = { id: chosen.id, ...fields, isPublished: false, trainerId: trainer.id };
  add(programme, 'course', course);
  return { status: 201, body: { message: 'Course created successfully.', course: courseView(programme, course) } };
}

export function updateCourse(programme: Programme, caller: Caller, id: string, fields: Partial<CourseInput>): Answer {
  const course = managed(programme, admitted(caller, 'trainer', 'super_admin'), id);
  const { maxStudents } = fields;
  // A limit that those who have a seat already break.
  if (typeof maxStudents === 'number' && seatsTaken(programme, id) > maxStudents) invalid('maxStudents');
  Object.assign(course, fields);
  return { status: 200, body: { message: 'Course updated successfully.', course: courseView(programme, course) } };
}

export function publishCourse(programme: Programme, caller: Caller, id: string, isPublished: boolean): Answer {
  const course = managed(programme, admitted(caller, 'trainer', 'super_admin'), id);
  course.isPublished = isPublished;
  const message = `Course ${isPublished ? 'published' : 'unpublished'} successfully.`;
  return { status: 200, body: { message, course: { id, title: course.title, isPublished } } };
}

export function assignTrainer(programme: Programme, caller: Caller, id: string, trainerId: string): Answer {
  const course = managed(programme, admitted(caller, 'super_admin'), id);
  course.trainerId = trainerWith(programme, trainerId).id;
  return { status: 200, body: { message: 'Trainer assigned successfully.', course: courseView(programme, course) } };
}

export function deleteCourse(programme: Programme, caller: Caller, id: string, force: boolean): Answer {
  const person = admitted(caller, 'trainer', 'super_admin');
  managed(programme, person, id);
  const own = [...programme.enrollments.values()].filter(({ courseId }) => courseId === id);
  const isActive = own.some(({ status }) => status === 'active');
  if (isActive && !(force && person.role === 'super_admin')) refuse(400, 'Course has active enrollments.');
  for (const enrollment of own) programme.enrollments.delete(enrollment.id);
  programme.courses.delete(id);
  return { status: 200, body: { message: 'Course deleted successfully.' } };
}

export function showCourse(programme: Programme, caller: Caller, id: string): Answer {
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

export interface CourseFilter {
  isPublished?: boolean | undefined;
  trainerId?: string | undefined;
}

/** The catalogue, of this run's courses only: the filter by category, which all runs use, is part of the question. */
export function listCourses(programme: Programme, caller: Caller, { isPublished, trainerId }: CourseFilter): Answer {
  const person = caller && admitted(caller);
  const shown = [...programme.courses.values()].filter(
    (course) =>
      isVisibleTo(person, course) &&
      (isPublished === undefined || course.isPublished === isPublished) &&
      (trainerId === undefined || course.trainerId === trainerId),
  );
  const views = shown.map((course) => courseView(programme, course));
  return { status: 200, body: pageView('courses', views) };
}

/** Who may have a trainer's listings: that trainer, and the super admin. */
export function admittedToTrainer(programme: Programme, caller: Caller, trainerId: string): Person {
  const person = admitted(caller, 'trainer', 'super_admin');
  if (person.role === 'trainer' && person.id !== trainerId) deny();
  if (programme.people.get(trainerId)?.role !== 'trainer') refuse(404, 'Trainer not found.');
  return person;
}

export function listTrainerCourses(
  programme: Programme,
  caller: Caller,
  trainerId: string,
  { isPublished }: CourseFilter,
): Answer {
  admittedToTrainer(programme, caller, trainerId);
  const own = [...programme.courses.values()].filter(
    (course) => course.trainerId === trainerId && (isPublished === undefined || course.isPublished === isPublished),
  );
  const views = own.map((course) => courseView(programme, course));
  return { status: 200, body: pageView('courses', views) };
}
