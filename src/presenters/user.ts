import type { Account, User } from '../db/models/user.js';
import type { AccountField } from '../schemas/account-fields.js';
import { loaded, pick, type View } from './pick.js';

const identity = ['firstName', 'lastName', 'email'] as const;

/** Account fields of responses, after the id, with the field lists of the specification. */
export const userViews = {
  /** For the super admin. */
  admin: {
    shown: [...identity, 'phone', 'role', 'isActive', 'avatar', 'lastLogin', 'requiresPasswordChange'],
    hidden: ['language'],
  },
  /** For people of the same courses. */
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

/** Presents an account to the super admin. */
export const presentUser = (user: User) => pick(user, ['id', ...userViews.admin.shown, 'createdAt', 'updatedAt']);

/**
 * Presents an account with its lock, its ways to sign in and the state of its invitation.
 * @param user must have `signsIn` and `inviteError`
 */
export const presentUserDetails = (user: User, lockedUntil: Date | null) => ({
  ...presentUser(user),
  lockedUntil,
  signsIn: loaded(user.signsIn),
  ...pick(user, ['invitedAt', 'inviteState']),
  inviteError: loaded(user.inviteError),
  ...pick(user, ['mailFailedAt', 'language']),
});

/** Presents an account like {@link presentUserDetails}, after a query that included {@link User.currentLock}. */
export const presentListedUser = (user: User) =>
  presentUserDetails(user, loaded(user.currentLock)?.lockedUntil ?? null);

/** Presents an account to people of the same courses. */
export const presentPerson = (user: User) => pick(user, ['id', ...userViews.person.shown]);

export const presentSetupUser = (user: User) => pick(user, ['id', ...userViews.setup.shown]);

export const presentLoginUser = (user: Account) => pick(user, ['id', ...userViews.login.shown]);

export const presentRegisteredUser = (user: User) => pick(user, ['id', ...userViews.registered.shown]);

/** Presents the caller's own account. */
export const presentOwnUser = (user: Account) => pick(user, ['id', ...userViews.own.shown]);

export const presentProfileUser = (user: User) => pick(user, ['id', ...userViews.profile.shown]);

export const presentFirstPasswordChangeUser = (user: User) =>
  pick(user, ['id', ...userViews.firstPasswordChange.shown]);
