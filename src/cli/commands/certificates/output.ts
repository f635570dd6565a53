import type { presentCertificate } from '../../../presenters/certificate.js';
import { type Column, listingOptions } from '../../core/listing/columns.js';

export type Certificate = ReturnType<typeof presentCertificate>;

export const personName = ({ firstName, lastName }: Certificate) => `${firstName} ${lastName}`;

export const certificateColumns: readonly Column<Certificate>[] = [
  { name: 'code', value: ({ code }) => code, fit: 'whole', priority: 0 },
  { name: 'person', value: personName, minimum: 15, priority: 1 },
  { name: 'courseTitle', heading: 'COURSE', value: ({ courseTitle }) => courseTitle, minimum: 15, priority: 1 },
  { name: 'completedOn', heading: 'COMPLETED', value: ({ completedOn }) => completedOn, priority: 2 },
  { name: 'valid', value: ({ valid }) => valid, priority: 0 },
  { name: 'issuedAt', heading: 'ISSUED', value: ({ issuedAt }) => issuedAt, priority: 'on request' },
  { name: 'revokedAt', heading: 'REVOKED', value: ({ revokedAt }) => revokedAt, priority: 'on request' },
  { name: 'userId', heading: 'PERSON ID', value: ({ userId }) => userId, fit: 'id', priority: 'on request' },
  { name: 'courseId', value: ({ courseId }) => courseId, fit: 'id', priority: 'on request' },
];

/** Returns the fields that `certificates show` prints. */
export const certificateFields = (certificate: Certificate): [field: string, value: string | null][] => [
  ['code', certificate.code],
  ['valid', certificate.valid ? 'yes' : 'no'],
  ['person', `${personName(certificate)} (${certificate.userId})`],
  ['course', `${certificate.courseTitle} (${certificate.courseId})`],
  ['trainer', certificate.trainerName],
  ['start', certificate.startDate],
  ['end', certificate.endDate],
  ['completed', certificate.completedOn],
  ['issued', certificate.issuedAt.toISOString()],
  ['revoked', certificate.revokedAt?.toISOString() ?? null],
];

export const certificateListOptions = {
  '--course <course>': 'only of this course: title or id',
  '--trainee <user>': 'only of this trainee: email, phone or id',
  '--valid': 'only valid ones',
  '--revoked': 'only revoked ones',
  ...listingOptions('certificates', certificateColumns),
};
