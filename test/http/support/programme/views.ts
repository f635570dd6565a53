import {
  type Course,
  courseOf,
  type Enrollment,
  type Person,
  type Programme,
  personWith,
  waitingPlace,
} from './model.js';

/** What the API shows of the model's entities: the field lists of the specification and the contract, times of change left out. */

const name = ({ id, firstName, lastName }: Person) => ({ id, firstName, lastName });

export const personView = (person: Person) => ({ ...name(person), email: person.email, avatar: null });

export const accountView = (person: Person) => ({
  ...personView(person),
  phone: person.phone,
  role: person.role,
  isActive: person.isActive,
  requiresPasswordChange: person.requiresPasswordChange,
});

/** As the listing shows it. No command of the model locks an account. */
export const listedAccountView = (person: Person) => ({
  ...accountView(person),
  ...{ lockedUntil: null, invitedAt: null, inviteState: null, inviteError: null, mailFailedAt: null, language: null },
});

const unsetFields = {
  shortDescription: null,
  level: null,
  language: null,
  courseType: null,
  tags: [],
  requirements: null,
  learningOutcomes: null,
  startDate: null,
  location: null,
  thumbnail: null,
  isFeatured: false,
};

export const courseView = (programme: Programme, course: Course) => ({
  ...unsetFields,
  ...course,
  trainer: { ...name(personWith(programme, course.trainerId)), avatar: null },
});

export const enrollmentView = (programme: Programme, enrollment: Enrollment) => {
  const { formerName: _, ...shown } = enrollment;
  return {
    ...shown,
    waitingPlace: waitingPlace(programme, enrollment),
    // Removing revokes it.
    certificate: enrollment.status === 'completed' && programme.enrollments.has(enrollment.id) ? 'a code' : null,
  };
};

const courseHead = ({ id, title, description }: Course) => ({ id, title, description, thumbnail: '' });

/** Of a course that was unpublished after they had given up their place, trainees see the name. */
const courseOfTrainee = (programme: Programme, enrollment: Enrollment): Course => {
  const course = courseOf(programme, enrollment);
  return enrollment.status === 'cancelled' && !course.isPublished ? { ...course, description: '' } : course;
};

/** With its trainee and course, as who asks sees it. */
export const wholeEnrollmentView = (programme: Programme, { role }: Person, enrollment: Enrollment) => ({
  ...enrollmentView(programme, enrollment),
  formerName: role === 'trainee' ? null : (enrollment.formerName ?? null),
  user: personView(personWith(programme, enrollment.userId)),
  course: courseHead((role === 'trainee' ? courseOfTrainee : courseOf)(programme, enrollment)),
});

const courseSummary = (programme: Programme, course: Course) => ({
  ...courseHead(course),
  trainer: name(personWith(programme, course.trainerId)),
});

/** As its trainee sees it. */
export const ownEnrollmentView = (programme: Programme, enrollment: Enrollment) => ({
  ...enrollmentView(programme, enrollment),
  course: {
    ...courseSummary(programme, courseOfTrainee(programme, enrollment)),
    ...{ courseType: null, startDate: null, endDate: courseOf(programme, enrollment).endDate, location: null },
  },
});

/** An entry of the enrollment check (specification, section 4.11). */
export const currentEnrollmentView = (programme: Programme, enrollment: Enrollment) => {
  const { id, status, progress, enrolledAt } = enrollment;
  return { id, status, progress, enrolledAt, course: courseSummary(programme, courseOf(programme, enrollment)) };
};

export const courseTraineeView = (programme: Programme, enrollment: Enrollment) => ({
  ...personView(personWith(programme, enrollment.userId)),
  formerName: enrollment.formerName ?? null,
  enrollment: enrollmentView(programme, enrollment),
});

/** The first page of a listing that holds all there is. */
export const pageView = (plural: string, items: readonly object[]) => ({
  [plural]: items,
  pagination: {
    currentPage: 1,
    totalPages: Math.ceil(items.length / pageLimit),
    totalItems: items.length,
    itemsPerPage: pageLimit,
  },
});

/** What listings are asked for. */
export const pageLimit = 100;
