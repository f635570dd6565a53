import type { Certificate } from '../db/models/certificate.js';
import { pick } from './pick.js';

const shown = [
  'code',
  'firstName',
  'lastName',
  'courseTitle',
  'trainerName',
  'startDate',
  'endDate',
  'completedOn',
] as const;

/** A valid certificate, as everybody sees it who has its code: no ids and no addresses. */
export const presentValidCertificate = (certificate: Certificate) => pick(certificate, shown);

/** A certificate, as who manages the course sees it. */
export const presentCertificate = (certificate: Certificate) => ({
  ...pick(certificate, ['id', ...shown, 'userId', 'courseId', 'enrollmentId']),
  valid: certificate.enrollmentId !== null,
  ...pick(certificate, ['issuedAt', 'revokedAt']),
});
