import {
  type Course,
  courseOf,
  type Enrollment,
  type Person,
  type Programme,
  personWith,
  waitingPlace,
} from './model.js';

/** Responses for the model's entities, with the fields of the specification and the contract, except times of changes. */

const name = ({ id, firstName, lastName }: Person) => ({ id, firstName, lastName });

export const personView = (person: Person) => ({ ...name(person), email: person.email, avatar: null });

export const accountView = (person: Person) => ({
  ...personView(person),
  phone: person.phone,
  role: person.role,
  isActive: person.isActive,
  requiresPasswordChange: person.requiresPasswordChange,
});

/** Account in a listing. No command of the model locks accounts, and each of them has a password. */
export const listedAccountView = (person: Person) => ({
  ...accountView(person),
  signsIn: ['password'],
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
    // A removal revokes the certificate.
    certificate: enrollment.status === 'completed' && programme.enrollments.has(enrollment.id) ? 'a code' : null,
  };
};

const courseHead = ({ id, title, description }: Course) => ({ id, title, description, thumbnail: '' });

/** Trainees see only the name of an unpublished course after cancelling their enrollment. */
const courseOfTrainee = (programme: Programme, enrollment: Enrollment): Course => {
  const course = courseOf(programme, enrollment);
  return enrollment.status === 'cancelled' && !course.isPublished ? { ...course, description: '' } : course;
};

/** Enrollment with trainee and course, for a caller. */
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

/** Enrollment for its trainee. */
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

/** First page of a listing with all items. */
export const pageView = (plural: string, items: readonly object[]) => ({
  [plural]: items,
  pagination: {
    currentPage: 1,
    totalPages: Math.ceil(items.length / pageLimit),
    totalItems: items.length,
    itemsPerPage: pageLimit,
  },
});

/** Page size in requests of listings. */
export const pageLimit = 100;
