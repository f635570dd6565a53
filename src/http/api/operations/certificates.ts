import Joi from 'joi';
import { certificateListingSchema } from '../../../schemas/certificate.js';
import { component } from '../json-schema.js';
import { anybody, ok, operations, streamed } from '../operation.js';
import * as shapes from '../response-schemas.js';

const operation = operations('Certificates');

const { date, id, nullableDate, nullableText, nullableTimestamp, text, timestamp } = shapes;

const code = text.description('Code of the certificate').example('7K2M-9QWX-0D4T-ZB6N-H3VE-8RSA-1CPJ');

const keys = {
  code,
  firstName: text.description('First name of the trainee on the day of completion'),
  lastName: text.description('Last name of the trainee on the day of completion'),
  courseTitle: text.description('Title of the course on the day of completion').example('Compilers'),
  trainerName: text.description('Name of the trainer of the course on that day').example('Grace Hopper'),
  startDate: nullableDate,
  endDate: nullableDate,
  completedOn: date.description("Day of completion in the programme's time zone").example('2026-01-31'),
  url: nullableText
    .description('Public URL of the certificate; null if `PUBLIC_URL` is not set')
    .example('https://courses.example.org/certificates/7K2M-9QWX-0D4T-ZB6N-H3VE-8RSA-1CPJ'),
};

const verified = component(
  'VerifiedCertificate',
  'A valid certificate, for everybody with its code',
  Joi.object({
    ...keys,
    programme: text.description('Name of the programme').example('Evening School'),
    logo: nullableText.description("URL of the programme's logo; null without one").example('/api/logo'),
  }),
);

const certificate = component(
  'Certificate',
  'A certificate, as managers of its course see it',
  Joi.object({
    id,
    ...keys,
    userId: id,
    courseId: id.description('Id of the course, which may have been deleted'),
    enrollmentId: nullableText
      .description('Id of the enrollment; null once the certificate is revoked')
      .example('0198c1f2-7a3b-7c4d-8e5f-6a7b8c9d0e1f'),
    valid: shapes.boolean.description('Whether it is valid: not revoked').example(true),
    issuedAt: timestamp.description('Time at which it was issued').example('2026-01-31T08:00:00.000Z'),
    revokedAt: nullableTimestamp.description('Time at which it was revoked; null until then').example(null),
  }),
);

export const certificateOperations = {
  listCertificates: operation.get('/api/certificates', {
    summary: 'Certificates, newest first; trainers get only certificates of their own courses',
    access: { kind: 'scoped', roles: ['trainer', 'super_admin'] },
    query: certificateListingSchema,
    success: ok('One page of certificates', shapes.pageOf('certificates', certificate)),
  }),
  verifyCertificate: operation.get('/api/certificates/:code', {
    summary: 'Check a certificate by its code',
    description: 'The response is the same for unknown and revoked codes. Case and hyphens of a code do not count.',
    access: anybody,
    secretPath: true,
    params: Joi.object({ code }),
    success: ok('Whether the certificate is valid, and its content if so', {
      valid: shapes.boolean.description('Whether a valid certificate has this code').example(true),
      certificate: verified.optional(),
    }),
    failures: ['NOT_FOUND'],
  }),
  revokeCertificate: operation.delete('/api/certificates/:code', {
    summary: 'Revoke a certificate; the enrollment stays completed',
    access: { kind: 'owner', of: 'certificate', roles: ['trainer', 'super_admin'] },
    secretPath: true,
    params: Joi.object({ code }),
    success: ok('The certificate is revoked', {
      message: shapes.message('Certificate revoked successfully.'),
      certificate: certificate.required(),
    }),
    failures: ['NOT_FOUND'],
  }),
  showLogo: operation.get('/api/logo', {
    summary: "The programme's logo from the setting `PROGRAMME_LOGO`",
    access: anybody,
    acceptsRanges: true,
    success: streamed('The image', '*/*'),
    failures: ['NOT_FOUND', 'RANGE_NOT_SATISFIABLE'],
  }),
};
