import { Op, type WhereOptions } from 'sequelize';
import type { Certificate } from '../../db/models/certificate.js';
import { refersToRowByIndex } from '../../db/sql/conditions.js';
import type { JoinedAssociation } from '../../db/sql/joins.js';
import type { Order } from '../../db/sql/page.js';
import { notFound } from '../../errors.js';
import { certificateListingSchema, parseCertificateCode } from '../../schemas/certificate.js';
import { validate } from '../../schemas/validate.js';
import type { Core, Identity } from '../core.js';
import { maxCounted, type Page, readPage } from '../paging.js';

/** Returns a join that adds the valid certificate to queries of enrollments. */
export const certificateJoin = ({ database: { models, sequelize } }: Core): JoinedAssociation => ({
  model: models.Certificate,
  as: 'certificate',
  attributes: ['code'],
  on: sequelize.where(sequelize.col('certificate.enrollment_id'), sequelize.col('Enrollment.id')),
});

const isValid = { [Op.ne]: null };

/**
 * Finds the valid certificate with a code that a user entered; null for an unknown code and for a revoked certificate.
 */
export async function findValidCertificate({ database }: Core, entered: string): Promise<Certificate | null> {
  const code = parseCertificateCode(entered);
  if (code === undefined) return null;
  return database.read(() => database.models.Certificate.findOne({ where: { code, enrollmentId: isValid } }));
}

/**
 * Matches the certificates that the actor manages: all for the super admin, and for trainers those of their current
 * courses.
 */
const managedBy = ({ database: { models } }: Core, { role, actorId }: Identity): WhereOptions<Certificate> =>
  role === 'super_admin'
    ? {}
    : { [Op.and]: [refersToRowByIndex('`Certificate`.`course_id`', models.Course, { trainerId: actorId })] };

const newestFirst: Order = [
  ['issuedAt', 'DESC'],
  ['id', 'DESC'],
];

/**
 * Returns one page of the certificates that the actor manages, including revoked ones, newest first.
 * @throws AppError `VALIDATION`
 */
export async function listCertificates(core: Core, actor: Identity, query: unknown): Promise<Page<Certificate>> {
  const listing = validate(certificateListingSchema, query);
  const { courseId, userId, valid } = listing;
  return readPage(core, core.database.models.Certificate, listing, {
    where: {
      ...managedBy(core, actor),
      ...(courseId !== undefined && { courseId }),
      ...(userId !== undefined && { userId }),
      ...(valid !== undefined && { enrollmentId: valid ? isValid : null }),
    },
    order: newestFirst,
    maxCounted,
  });
}

/**
 * Finds a certificate that the actor manages, valid or revoked, by a code that a user entered.
 * @throws AppError `NOT_FOUND`
 */
export async function findCertificate(core: Core, actor: Identity, entered: string): Promise<Certificate> {
  const code = parseCertificateCode(entered);
  const where = { [Op.and]: [{ code: code ?? null }, managedBy(core, actor)] };
  const found =
    code === undefined ? null : await core.database.read(() => core.database.models.Certificate.findOne({ where }));
  if (!found) throw notFound('Certificate');
  return found;
}
