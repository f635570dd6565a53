import { AppError } from '../../errors.js';
import type { Role } from '../../schemas/fields.js';
import type { Caller } from '../core.js';

/** Who may call an operation: data, so that routing, documentation and tests all read the same rule. */
export type Access =
  /** Anybody, signed in or not. */
  | { kind: 'public' }
  /** Anybody; those who are signed in see more. */
  | { kind: 'optional' }
  /** Any active account, about itself. */
  | { kind: 'signed-in' }
  /** Accounts with one of the roles; `refusal` where the specification fixes the message. */
  | { kind: 'roles'; roles: readonly Role[]; refusal?: string }
  /** The super admin, and the trainer whose id stands in the path under `parameter`. */
  | { kind: 'own-trainer'; parameter: string }
  /** Accounts with one of the roles, each about what is its own: its query sees nothing else. */
  | { kind: 'scoped'; roles: readonly Role[] }
  /**
   * The super admin, and accounts with one of the other roles whose own the course or enrollment is, which the service
   * asserts: a trainer's are their courses, a trainee's the courses they take part in. `open` lets everybody with one of
   * the roles have published courses.
   */
  | { kind: 'owner'; of: 'course' | 'enrollment'; roles: readonly Role[]; open?: true };

const roleNames: Record<Role, string> = { super_admin: 'Super admin', trainer: 'Trainer', trainee: 'Trainee' };

/** The refusal of somebody who is signed in. */
export function denied(reason: string): AppError {
  return new AppError('ACCESS_DENIED', `Access denied. ${reason}`);
}

/**
 * Refuses a caller whom the rule doesn't admit.
 * @throws AppError `ACCESS_DENIED`, naming the role or the ownership that is missing
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
      if (access.kind === 'roles' && access.refusal !== undefined) throw new AppError('ACCESS_DENIED', access.refusal);
      throw denied(`${access.roles.map((role) => roleNames[role]).join(' or ')} role required.`);
    case 'own-trainer':
      if (user.role === 'super_admin') return;
      if (user.role !== 'trainer') throw denied('Trainer or Super admin role required.');
      if (parameters[access.parameter] !== user.id) throw denied("Another trainer's data can't be read.");
  }
}

/** Refuses an account that must first choose its own password. @throws AppError `PASSWORD_CHANGE_REQUIRED` */
export function assertOwnPassword({ user }: Caller): void {
  if (user.requiresPasswordChange) throw new AppError('PASSWORD_CHANGE_REQUIRED');
}
