import { AppError } from '../../errors.js';

/**
 * Returns the error for more enrollments than seats left, with the remedies. If some seats are left, the message has both
 * numbers.
 * @param wait option that puts the other trainees on the waiting list
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
