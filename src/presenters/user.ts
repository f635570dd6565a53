import type { Account, User } from '../db/models/user.js';
import { loaded, pick } from './pick.js';

/** Accounts, with the field lists of the specification. */

const identity = ['id', 'firstName', 'lastName', 'email'] as const;

/** An account with all that the super admin sees. */
export const presentUser = (user: User) =>
  pick(user, [
    ...identity,
    'phone',
    'role',
    'isActive',
    'avatar',
    'lastLogin',
    'requiresPasswordChange',
    'createdAt',
    'updatedAt',
  ]);

/** The same with the end of its lock, of a query that included {@link User.currentLock}. */
export const presentListedUser = (user: User) => ({
  ...presentUser(user),
  lockedUntil: loaded(user.currentLock)?.lockedUntil ?? null,
});

/** An account as those see it who work with its owner. */
export const presentPerson = (user: User) => pick(user, [...identity, 'avatar']);

/** The account that setup created (section 4.3). */
export const presentSetupUser = (user: User) => pick(user, [...identity, 'phone', 'role']);

/** The account that has logged in (sections 4.4 and 4.5). */
export const presentLoginUser = (user: Account) =>
  pick(user, [...identity, 'phone', 'role', 'avatar', 'requiresPasswordChange']);

/** The account that was registered (section 4.6). */
export const presentRegisteredUser = (user: User) => pick(user, [...identity, 'role', 'phone', 'isActive']);

/** The caller's own account (section 4.7). */
export const presentOwnUser = (user: Account) => pick(user, [...identity, 'role', 'avatar', 'phone', 'lastLogin']);

/** The caller's own account after a change of its profile (section 4.8). */
export const presentProfileUser = (user: User) => pick(user, [...identity, 'role', 'avatar', 'phone']);

/** The caller's own account after its first password change (section 4.10). */
export const presentFirstPasswordChangeUser = (user: User) =>
  pick(user, [...identity, 'role', 'avatar', 'phone', 'requiresPasswordChange']);
