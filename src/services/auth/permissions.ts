import { AppError } from '../../errors.js';
import type { Role } from '../../schemas/fields.js';
import type { Caller } from '../core.js';

/** Permission to call an operation, as data for routing, documentation and tests. */
export type Access =
  /** All clients, signed in or not. */
  | { kind: 'public' }
  /** All clients; signed-in ones see more. */
  | { kind: 'optional' }
  /** Every active account, about itself. */
  | { kind: 'signed-in' }
  /** Accounts with one of the roles; `refusal` if the specification fixes the message. */
  | { kind: 'roles'; roles: readonly Role[]; refusal?: string }
  /** The super admin, and the trainer whose id is the path's `parameter`. */
  | { kind: 'own-trainer'; parameter: string }
  /** Accounts with one of the roles; the query is limited to their own rows. */
  | { kind: 'scoped'; roles: readonly Role[] }
  /**
   * The super admin, and accounts with one of the other roles that own the course, enrollment, certificate or import. The service checks
   * the owner: trainers own their courses and imports, trainees the courses they take part in. With `open`, everyone with one of the roles
   * has access to published courses.
   */
  | { kind: 'owner'; of: 'course' | 'enrollment' | 'certificate' | 'import'; roles: readonly Role[]; open?: true };

/** Returns the error code for callers without one of the roles. */
export function roleRefusal(roles: readonly Role[]) {
  if (roles.includes('trainee')) return 'TRAINEE_REQUIRED';
  return roles.includes('trainer') ? 'TRAINER_REQUIRED' : 'SUPER_ADMIN_REQUIRED';
}

/**
 * Checks whether a caller has the permission.
 * @throws AppError `SUPER_ADMIN_REQUIRED`, `TRAINER_REQUIRED`, `TRAINEE_REQUIRED`, `OTHER_TRAINER`
 */
export function authorize(
  access: Exclude<Access, { kind: 'public' | 'optional' }>,
  { user }: Caller,
  parameters: Readonly<Record<string, unknown>>,
): void {
  switch (access.kind) {
    case 'signed-in':
      return;
    case 'roles':
    case 'scoped':
    case 'owner':
      if (access.roles.includes(user.role)) return;
      throw new AppError(roleRefusal(access.roles), access.kind === 'roles' ? access.refusal : undefined);
    case 'own-trainer':
      if (user.role === 'super_admin') return;
      if (user.role !== 'trainer') throw new AppError('TRAINER_REQUIRED');
      if (parameters[access.parameter] !== user.id)
        throw new AppError('OTHER_TRAINER', "Access denied. Another trainer's data can't be read.");
  }
}

/**
 * Whether a caller must change their initial password first. The organisation's sign-in needs no password, so it asks for
 * none.
 */
export const mustChangePassword = ({ user, method }: Pick<Caller, 'user' | 'method'>): boolean =>
  user.requiresPasswordChange && method === 'password';

/** Refuses callers who must change their initial password first. @throws AppError `PASSWORD_CHANGE_REQUIRED` */
export function assertInitialPasswordChanged(caller: Caller): void {
  if (mustChangePassword(caller)) throw new AppError('PASSWORD_CHANGE_REQUIRED');
}
