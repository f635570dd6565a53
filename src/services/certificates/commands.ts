import type { Certificate } from '../../db/models/certificate.js';
import { recordAudit } from '../audit/audit.js';
import type { Actor, Core } from '../core.js';
import { findCertificate } from './queries.js';

/**
 * Revokes a certificate; its enrollment stays completed. A second revocation changes nothing.
 * @param code code as a user entered it
 * @throws AppError `NOT_FOUND`, also for a certificate in a course of another trainer
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
