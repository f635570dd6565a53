import { presentCertificate } from '../../../presenters/certificate.js';
import { revokeCertificate } from '../../../services/certificates/commands.js';
import { findCertificate } from '../../../services/certificates/queries.js';
import { operator } from '../../../services/core.js';
import { assertCanAsk, confirm } from '../../core/bulk/confirm.js';
import type { yesOption } from '../../core/command/declaration.js';
import type { Result, Run } from '../../core/command/run.js';
import { personName } from './output.js';

/** Revokes a certificate after a confirmation. @throws AppError `USAGE`, `NOT_FOUND`, `DECLINED`, `INTERRUPTED` */
export async function revoke(run: Run<'<code>', typeof yesOption>): Promise<Result> {
  const context = await run.context();
  const { code } = run.arguments;
  const found = presentCertificate(await findCertificate(context, operator, code));
  const name = `The certificate of ${personName(found)} for "${found.courseTitle}"`;
  if (!found.valid) return { json: { certificate: found }, text: `${name} was revoked already.` };
  if (!run.options.yes) {
    assertCanAsk(run, 'revoke');
    await confirm(run, {
      about: `${name} will no longer be valid.`,
      question: 'Revoke this certificate?',
      otherwise: 'Nothing was revoked.',
    });
  }
  const certificate = presentCertificate(await revokeCertificate(context, operator, code));
  return { json: { certificate }, text: `${name} is revoked.` };
}
