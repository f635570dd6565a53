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

/** The valid certificate of an enrollment, for queries of enrollments. */
export const certificateJoin = ({ database: { models, sequelize } }: Core): JoinedAssociation => ({
  model: models.Certificate,
  as: 'certificate',
  attributes: ['code'],
  on: sequelize.where(sequelize.col('certificate.enrollment_id'), sequelize.col('Enrollment.id')),
});

const isValid = { [Op.ne]: null };

/** The valid certificate with a code that somebody typed; null without one, whether it is unknown or revoked. */
export async function findValidCertificate({ database }: Core, typed: string): Promise<Certificate | null> {
  const code = parseCertificateCode(typed);
  if (code === undefined) return null;
  return database.read(() => database.models.Certificate.findOne({ where: { code, enrollmentId: isValid } }));
}

/** Certificates that the actor manages: those of a trainer's courses as they are now, all for the super admin. */
const managedBy = ({ database: { models } }: Core, { role, actorId }: Identity): WhereOptions<Certificate> =>
  role === 'super_admin'
    ? {}
    : { [Op.and]: [refersToRowByIndex('`Certificate`.`course_id`', models.Course, { trainerId: actorId })] };

const newestFirst: Order = [
  ['issuedAt', 'DESC'],
  ['id', 'DESC'],
];

/** One page of the certificates that the actor manages, revoked ones too, newest first. @throws AppError `VALIDATION` */
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

/** A certificate that the actor manages, by a code that somebody typed; revoked ones too. @throws AppError `NOT_FOUND` */
export async function findCertificate(core: Core, actor: Identity, typed: string): Promise<Certificate> {
  const code = parseCertificateCode(typed);
  const where = { [Op.and]: [{ code: code ?? null }, managedBy(core, actor)] };
  const found =
    code === undefined ? null : await core.database.read(() => core.database.models.Certificate.findOne({ where }));
  if (!found) throw notFound('Certificate');
  return found;
}
