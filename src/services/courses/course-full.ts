import { AppError } from '../../errors.js';

/**
 * The refusal of more enrollments than a course has seats left, with the ways out. It says how many of both, where some could be
 * enrolled.
 * @param wait what puts the others on the waiting list
 */
export function courseFull(seatsLeft: number, wanted: number, wait = 'whenFull: wait'): AppError {
  if (seatsLeft <= 0)
    return new AppError(
      'COURSE_FULL',
      `Course is at maximum capacity. Raise its maximum, or use its waiting list (${wait}).`,
    );
  const seats = seatsLeft === 1 ? '1 seat' : `${seatsLeft} seats`;
  return new AppError(
    'COURSE_FULL',
    `The course has ${seats} left, and ${wanted} trainees would be enrolled: none was. Choose fewer, raise its maximum, or use its waiting list for the others (${wait}).`,
    { params: { seatsLeft, wanted } },
  );
}
