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

/** Presents a valid certificate to anybody with its code, without ids and addresses. */
export const presentValidCertificate = (certificate: Certificate) => pick(certificate, shown);

/** Presents a certificate to a manager of the course. */
export const presentCertificate = (certificate: Certificate) => ({
  ...pick(certificate, ['id', ...shown, 'userId', 'courseId', 'enrollmentId']),
  valid: certificate.enrollmentId !== null,
  ...pick(certificate, ['issuedAt', 'revokedAt']),
});
