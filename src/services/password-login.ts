import { AppError } from '../errors.js';
import type { Role } from '../schemas/fields.js';
import type { Core } from './core.js';

/** Whether people of a role sign in with a password. With `PASSWORD_LOGIN=off`, only the super admin does. */
export const usesPassword = ({ config }: Pick<Core, 'config'>, role: Role): boolean =>
  config.auth.passwordLogin || role === 'super_admin';

/** Refuses passwords that nobody could sign in with. @throws AppError `PASSWORD_LOGIN_OFF` */
export function assertUsesPassword(core: Pick<Core, 'config'>, role: Role): void {
  if (!usesPassword(core, role)) throw new AppError('PASSWORD_LOGIN_OFF');
}
