import { AppError } from '../../../errors.js';
import { presentCertificate } from '../../../presenters/certificate.js';
import { certificateListingSchema } from '../../../schemas/certificate.js';
import { findUser } from '../../../services/accounts/queries.js';
import { findCertificate, listCertificates } from '../../../services/certificates/queries.js';
import { operator } from '../../../services/core.js';
import { courseIdOf } from '../../core/command/references.js';
import type { Result, Run } from '../../core/command/run.js';
import { checkListing, listing, presented } from '../../core/listing/listing.js';
import { fieldsText } from '../../core/listing/table.js';
import { certificateColumns, certificateFields, type certificateListOptions } from './output.js';

type ListRun = Run<'', typeof certificateListOptions>;

/** @throws AppError `USAGE`, `VALIDATION` */
export function checkList(run: ListRun): void {
  const { valid, revoked } = run.options;
  if (valid && revoked) throw new AppError('USAGE', '--valid and --revoked cannot be used together.');
  checkListing(run, certificateColumns, certificateListingSchema, {});
}

/** Lists certificates, newest first. @throws AppError `NOT_FOUND` for the trainee, `VALIDATION` */
export async function list(run: ListRun): Promise<Result> {
  const { course, trainee, valid, revoked } = run.options;
  return listing(run, { key: 'certificates', singular: 'certificate', columns: certificateColumns }, async () => {
    const context = await run.context();
    const query = {
      courseId: course === undefined ? undefined : await courseIdOf(context, course),
      userId: trainee === undefined ? undefined : (await findUser(context, trainee)).id,
      valid: valid ?? (revoked ? false : undefined),
    };
    return async (page) =>
      presented(await listCertificates(context, operator, { ...query, ...page }), presentCertificate);
  });
}

/** Shows one certificate. @throws AppError `NOT_FOUND` */
export async function show(run: Run<'<code>'>): Promise<Result> {
  const certificate = presentCertificate(await findCertificate(await run.context(), operator, run.arguments.code));
  return { json: { certificate }, text: fieldsText(certificateFields(certificate), run.display) };
}
