import type { Transaction } from 'sequelize';
import { markFreedSeats } from '../../db/freed-seats.js';
import type { Course } from '../../db/models/course.js';
import { insertRows } from '../../db/sql/insert.js';
import { indexedWords } from '../../schemas/search-words.js';
import { revokeCertificates } from '../certificates/issue.js';
import type { Core } from '../core.js';
import { markForDeletion } from '../files/files.js';

export interface CourseEffects {
  removesWords?: boolean;
  /** Stores the search words of the course. */
  addsWords?: boolean;
  revokesCertificates?: boolean;
  removesFiles?: boolean;
  freesSeats?: boolean;
}

/** Fields on which effects depend. */
type CourseState = Pick<Course, 'searchKey' | (typeof seatFields)[number]>;

const seatFields = ['isPublished', 'maxStudents', 'endDate'] as const;

/** Derives the effects of a change. @param before undefined for a new course @param after undefined for a deleted course */
export function courseEffects(before: CourseState | undefined, after: CourseState | undefined): CourseEffects {
  const effects: CourseEffects = {};
  const isRenamed = after !== undefined && after.searchKey !== before?.searchKey;
  if (isRenamed && before) effects.removesWords = true; // effect: remove-course-words
  if (isRenamed) effects.addsWords = true; // effect: add-course-words
  if (!after) effects.revokesCertificates = true; // effect: revoke-certificates-of-course
  if (!after) effects.removesFiles = true; // effect: remove-files-of-course
  const changesSeatFields = before && after && seatFields.some((term) => after[term] !== before[term]);
  if (changesSeatFields && after.isPublished) effects.freesSeats = true; // effect: free-seats-of-course
  return effects;
}

/**
 * Carries out the effects of a change. Call it after the change, in the same transaction: then no more certificates of
 * a deleted course can be issued. The caller removes marked files after the commit.
 */
export async function applyCourseEffects(
  core: Core,
  courseId: string,
  before: CourseState | undefined,
  after: CourseState | undefined,
  transaction: Transaction,
): Promise<void> {
  const { CourseWord } = core.database.models;
  const effects = courseEffects(before, after);
  const words = after && effects.addsWords ? indexedWords(after.searchKey).map((word) => ({ word, courseId })) : [];
  if (effects.freesSeats) markFreedSeats(transaction, [courseId]); // effect: apply-free-seats-of-course
  if (effects.removesWords) await CourseWord.destroy({ where: { courseId }, transaction }); // effect: apply-remove-course-words
  await insertRows(CourseWord, words, transaction); // effect: apply-add-course-words
  if (effects.revokesCertificates) await revokeCertificates(core, { courseId }, transaction); // effect: apply-revoke-certificates-of-course
  if (effects.removesFiles) await markForDeletion(core, { courseId }, transaction); // effect: apply-remove-files-of-course
}
