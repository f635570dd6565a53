import { randomBytes } from 'node:crypto';
import type { Transaction, WhereOptions } from 'sequelize';
import type { Certificate } from '../../db/models/certificate.js';
import type { Enrollment } from '../../db/models/enrollment.js';
import { insertRows } from '../../db/sql/insert.js';
import { certificateCode, codeBytes } from '../../schemas/certificate.js';
import type { Core } from '../core.js';
import { today } from '../dates.js';
import { withNewIds } from '../new-ids.js';

/** Enrollment that has just been completed. issueCertificates() sets `certificate`. */
type CompletedEnrollment = Pick<Enrollment, 'id' | 'userId' | 'courseId' | 'trainerId'> &
  Partial<Pick<Enrollment, 'certificate'>>;

/** Issues certificates of completed enrollments, with the current names, titles and dates. */
export async function issueCertificates(
  core: Core,
  enrollments: readonly CompletedEnrollment[],
  transaction: Transaction,
): Promise<void> {
  if (enrollments.length === 0) return;
  const { Certificate, Course, User } = core.database.models;
  const people = await User.findAll({
    attributes: ['id', 'firstName', 'lastName'],
    where: { id: [...new Set(enrollments.flatMap(({ userId, trainerId }) => [userId, trainerId]))] },
    transaction,
  });
  const courses = await Course.findAll({
    attributes: ['id', 'title', 'startDate', 'endDate'],
    where: { id: [...new Set(enrollments.map(({ courseId }) => courseId))] },
    transaction,
  });
  const byId = <Row extends { id: string }>(rows: readonly Row[], id: string): Row => {
    const row = rows.find((one) => one.id === id);
    if (!row) throw new Error(`The certificate needs ${id}, which is gone.`);
    return row;
  };
  const rows = withNewIds(enrollments).map(([id, enrollment]) => {
    const { userId, courseId, trainerId } = enrollment;
    const [{ firstName, lastName }, trainer] = [byId(people, userId), byId(people, trainerId)];
    const { title, startDate, endDate } = byId(courses, courseId);
    const code = certificateCode(randomBytes(codeBytes));
    enrollment.certificate = { code };
    return {
      id,
      code,
      enrollmentId: enrollment.id,
      userId,
      courseId,
      firstName,
      lastName,
      courseTitle: title,
      trainerName: `${trainer.firstName} ${trainer.lastName}`,
      startDate,
      endDate,
      completedOn: today(core),
      issuedAt: core.now(),
      revokedAt: null,
    };
  });
  await insertRows(Certificate, rows, transaction);
}

/**
 * Revokes matching certificates that aren't revoked yet. For a course, call it after deleting the course. Otherwise
 * another certificate could be issued in between.
 */
export async function revokeCertificates(
  { database, now }: Core,
  where: { enrollmentId: string[] } | { courseId: string },
  transaction: Transaction,
): Promise<void> {
  if ('enrollmentId' in where && where.enrollmentId.length === 0) return;
  const matching: WhereOptions<Certificate> = where;
  await database.models.Certificate.update(
    { enrollmentId: null, revokedAt: now() },
    { where: { ...matching, revokedAt: null }, transaction },
  );
}
