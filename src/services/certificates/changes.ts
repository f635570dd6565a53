import { randomBytes } from 'node:crypto';
import type { Transaction, WhereOptions } from 'sequelize';
import type { Certificate } from '../../db/models/certificate.js';
import type { Enrollment } from '../../db/models/enrollment.js';
import { certificateCode, codeBytes } from '../../schemas/certificate.js';
import type { EnrollmentStatus } from '../../schemas/enrollment-statuses.js';
import { recordAudit } from '../audit/audit.js';
import type { Actor, Core } from '../core.js';
import { today } from '../dates.js';
import { newIds } from '../new-ids.js';
import { findCertificate } from './queries.js';

/** Issues the certificate of an enrollment that was completed just now, with what it shows as it is at this moment. */
async function issue(core: Core, enrollment: Enrollment, transaction: Transaction): Promise<void> {
  const { Certificate, Course, User } = core.database.models;
  const { id: enrollmentId, userId, courseId } = enrollment;
  const names = { attributes: ['id', 'firstName', 'lastName'], transaction, rejectOnEmpty: true as const };
  const { firstName, lastName } = await User.findByPk(userId, names);
  const { title, startDate, endDate } = await Course.findByPk(courseId, {
    attributes: ['id', 'title', 'startDate', 'endDate'],
    transaction,
    rejectOnEmpty: true,
  });
  const trainer = await User.findByPk(enrollment.trainerId, names);
  const [id = ''] = newIds(1);
  enrollment.certificate = await Certificate.create(
    {
      id,
      code: certificateCode(randomBytes(codeBytes)),
      enrollmentId,
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
    },
    { transaction },
  );
}

/**
 * Revokes the certificates that match and aren't revoked yet, in the transaction of what takes the completion back, or removes the
 * enrollments: those of a course after it is deleted, so that none is issued meanwhile.
 */
export async function revokeCertificates(
  { database, now }: Core,
  where: { enrollmentId: readonly string[] } | { courseId: string },
  transaction: Transaction,
): Promise<void> {
  const matching: WhereOptions<Certificate> = 'courseId' in where ? where : { enrollmentId: [...where.enrollmentId] };
  await database.models.Certificate.update(
    { enrollmentId: null, revokedAt: now() },
    { where: { ...matching, revokedAt: null }, transaction },
  );
}

/**
 * Issues or revokes the certificate of an enrollment whose status has changed: those who are completed have one. For a transaction
 * that has locked the enrollment.
 */
export async function settleCertificate(
  core: Core,
  enrollment: Enrollment,
  from: EnrollmentStatus,
  transaction: Transaction,
): Promise<void> {
  const { id, status } = enrollment;
  if (status === from) return;
  if (status === 'completed') await issue(core, enrollment, transaction);
  else if (from === 'completed') await revokeCertificates(core, { enrollmentId: [id] }, transaction);
}

/**
 * Revokes a certificate; its enrollment stays completed. Revoking it again changes nothing.
 * @param code as somebody typed it
 * @throws AppError `NOT_FOUND` when there is none, or it is of a course of another trainer
 */
export async function revokeCertificate(core: Core, actor: Actor, code: string): Promise<Certificate> {
  const { id } = await findCertificate(core, actor, code);
  const { Certificate } = core.database.models;
  return core.database.inTransaction(async (transaction) => {
    const certificate = await Certificate.findByPk(id, { transaction, lock: transaction.LOCK.UPDATE });
    if (!certificate) return findCertificate(core, actor, code);
    const { enrollmentId, userId, courseId } = certificate;
    if (enrollmentId === null) return certificate;
    await certificate.update({ enrollmentId: null, revokedAt: core.now() }, { transaction });
    const before = { userId, courseId, certificate: certificate.code };
    await recordAudit(
      core,
      actor,
      { action: 'enrollment.revoke-certificate', targetType: 'enrollment', targetId: enrollmentId, before },
      transaction,
    );
    return certificate;
  });
}
