import type { Account, User } from '../db/models/user.js';
import type { AccountField } from '../schemas/account-fields.js';
import { loaded, pick, type View } from './pick.js';

const identity = ['firstName', 'lastName', 'email'] as const;

/** What responses show of an account after its id, with the field lists of the specification. */
export const userViews = {
  /** All that the super admin sees. */
  admin: {
    shown: [...identity, 'phone', 'role', 'isActive', 'avatar', 'lastLogin', 'requiresPasswordChange'],
    hidden: ['language'],
  },
  /** Those who work with its owner. */
  person: {
    shown: [...identity, 'avatar'],
    hidden: ['phone', 'role', 'isActive', 'lastLogin', 'requiresPasswordChange', 'language'],
  },
  /** Section 4.3. */
  setup: {
    shown: [...identity, 'phone', 'role'],
    hidden: ['isActive', 'avatar', 'lastLogin', 'requiresPasswordChange', 'language'],
  },
  /** Sections 4.4 and 4.5. */
  login: {
    shown: [...identity, 'phone', 'role', 'avatar', 'requiresPasswordChange'],
    hidden: ['isActive', 'lastLogin', 'language'],
  },
  /** Section 4.6. */
  registered: {
    shown: [...identity, 'role', 'phone', 'isActive'],
    hidden: ['avatar', 'lastLogin', 'requiresPasswordChange', 'language'],
  },
  /** Section 4.7. */
  own: {
    shown: [...identity, 'role', 'avatar', 'phone', 'lastLogin'],
    hidden: ['isActive', 'requiresPasswordChange', 'language'],
  },
  /** Section 4.8. */
  profile: {
    shown: [...identity, 'role', 'avatar', 'phone'],
    hidden: ['isActive', 'lastLogin', 'requiresPasswordChange', 'language'],
  },
  /** Section 4.10. */
  firstPasswordChange: {
    shown: [...identity, 'role', 'avatar', 'phone', 'requiresPasswordChange'],
    hidden: ['isActive', 'lastLogin', 'language'],
  },
} as const satisfies Readonly<Record<string, View<AccountField>>>;

/** An account with all that the super admin sees. */
export const presentUser = (user: User) => pick(user, ['id', ...userViews.admin.shown, 'createdAt', 'updatedAt']);

/**
 * An account with its lock and what became of its invitation.
 * @param user whose `inviteError` is noted
 */
export const presentUserDetails = (user: User, lockedUntil: Date | null) => ({
  ...presentUser(user),
  lockedUntil,
  ...pick(user, ['invitedAt', 'inviteState']),
  inviteError: loaded(user.inviteError),
  ...pick(user, ['mailFailedAt', 'language']),
});

/** The same of a query that included {@link User.currentLock}. */
export const presentListedUser = (user: User) =>
  presentUserDetails(user, loaded(user.currentLock)?.lockedUntil ?? null);

/** An account as those see it who work with its owner. */
export const presentPerson = (user: User) => pick(user, ['id', ...userViews.person.shown]);

/** The account that setup created. */
export const presentSetupUser = (user: User) => pick(user, ['id', ...userViews.setup.shown]);

/** The account that has logged in. */
export const presentLoginUser = (user: Account) => pick(user, ['id', ...userViews.login.shown]);

/** The account that was registered. */
export const presentRegisteredUser = (user: User) => pick(user, ['id', ...userViews.registered.shown]);

/** The caller's own account. */
export const presentOwnUser = (user: Account) => pick(user, ['id', ...userViews.own.shown]);

/** The caller's own account after a change of its profile. */
export const presentProfileUser = (user: User) => pick(user, ['id', ...userViews.profile.shown]);

/** The caller's own account after its first password change. */
export const presentFirstPasswordChangeUser = (user: User) =>
  pick(user, ['id', ...userViews.firstPasswordChange.shown]);
