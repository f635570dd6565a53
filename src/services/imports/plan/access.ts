import { AppError } from '../../../errors.js';
import type { ImportOptions } from '../../../schemas/import.js';
import type { Core } from '../../core.js';
import { assertMailSetUp } from '../../mail/outbox.js';

type AccessOptions = Pick<
  ImportOptions,
  'invite' | 'withPasswords' | 'noPassword' | 'resetPasswords' | 'notify' | 'trainerId'
>;

/**
 * Makes sure that the service can send the mails and give the passwords of an import. Without mail, imports of trainers
 * only enroll existing people.
 * @returns the options; with `PASSWORD_LOGIN=off`, people who are not invited get no password
 * @throws AppError `MAIL_NOT_SET_UP`, `PASSWORD_LOGIN_OFF`
 */
export function withPossibleAccess<Options extends AccessOptions>(core: Core, options: Options): Options {
  const { invite, withPasswords, resetPasswords, notify, trainerId } = options;
  if ((invite || notify) && trainerId === undefined) assertMailSetUp(core);
  if (core.config.auth.passwordLogin) return options;
  if (withPasswords || resetPasswords) throw new AppError('PASSWORD_LOGIN_OFF');
  return { ...options, noPassword: !invite };
}
