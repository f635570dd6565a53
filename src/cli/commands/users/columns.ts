import type { presentIdentity } from '../../../presenters/identity.js';
import type { presentSession } from '../../../presenters/session.js';
import type { presentListedUser } from '../../../presenters/user.js';
import type { Column } from '../../core/listing/columns.js';

type Account = ReturnType<typeof presentListedUser>;
type Session = ReturnType<typeof presentSession>;
type Identity = ReturnType<typeof presentIdentity>;

/** Returns the ways to sign in as text, or that a person without a password and an invitation hasn't signed in yet. */
export const signInText = ({
  signsIn,
  lastLogin,
  inviteState,
}: Pick<Account, 'signsIn' | 'lastLogin' | 'inviteState'>) =>
  signsIn.length === 0 && lastLogin === null && inviteState === null ? 'not signed in yet' : signsIn.join(', ');

export const userColumns: readonly Column<Account>[] = [
  { name: 'name', value: ({ firstName, lastName }) => `${firstName} ${lastName}`, minimum: 16, priority: 0 },
  { name: 'email', value: ({ email }) => email, fit: 'whole', priority: 0 },
  { name: 'role', value: ({ role }) => role, fit: 'whole', priority: 1 },
  { name: 'isActive', heading: 'ACTIVE', value: ({ isActive }) => isActive, priority: 2 },
  { name: 'phone', value: ({ phone }) => phone, isText: true, fit: 'whole', priority: 3 },
  { name: 'lastLogin', value: ({ lastLogin }) => lastLogin, priority: 4 },
  { name: 'createdAt', heading: 'CREATED', value: ({ createdAt }) => createdAt, priority: 5 },
  { name: 'lockedUntil', value: ({ lockedUntil }) => lockedUntil, priority: 'on request' },
  {
    name: 'requiresPasswordChange',
    heading: 'INITIAL PASSWORD',
    value: ({ requiresPasswordChange }) => requiresPasswordChange,
    priority: 'on request',
  },
  {
    name: 'inviteState',
    heading: 'INVITATION',
    value: ({ inviteState }) => inviteState,
    fit: 'whole',
    priority: 6,
    hideEmpty: true,
  },
  { name: 'invitedAt', heading: 'INVITED', value: ({ invitedAt }) => invitedAt, priority: 'on request' },
  {
    name: 'inviteError',
    heading: 'WHY NOT SENT',
    value: ({ inviteError }) => inviteError,
    fit: 'wrap',
    priority: 'on request',
  },
  {
    name: 'signsIn',
    heading: 'SIGNS IN',
    value: signInText,
    fit: 'whole',
    priority: 6,
    usual: 'password',
  },
  { name: 'language', value: ({ language }) => language, fit: 'whole', priority: 'on request' },
  { name: 'mailFailedAt', heading: 'MAIL FAILED', value: ({ mailFailedAt }) => mailFailedAt, priority: 'on request' },
  { name: 'id', value: ({ id }) => id, fit: 'id', priority: 'on request' },
];

export const sessionColumns: readonly Column<Session>[] = [
  { name: 'lastUsedAt', heading: 'LAST USED', value: (one) => one.lastUsedAt ?? one.createdAt, priority: 0 },
  { name: 'createdAt', heading: 'STARTED', value: ({ createdAt }) => createdAt, priority: 2 },
  { name: 'expiresAt', heading: 'EXPIRES', value: ({ expiresAt }) => expiresAt, priority: 3 },
  { name: 'method', value: ({ method }) => method, fit: 'whole', priority: 4 },
  { name: 'ip', heading: 'ADDRESS', value: ({ ip }) => ip, fit: 'whole', priority: 1 },
  { name: 'userAgent', heading: 'PROGRAM', value: ({ userAgent }) => userAgent, priority: 0 },
  { name: 'id', value: ({ id }) => id, fit: 'id', priority: 0 },
];

export const identityColumns: readonly Column<Identity>[] = [
  { name: 'email', value: ({ email }) => email, fit: 'whole', priority: 0 },
  { name: 'createdAt', heading: 'LINKED', value: ({ createdAt }) => createdAt, priority: 1 },
  { name: 'linkedBy', heading: 'BY', value: ({ linkedBy }) => linkedBy, fit: 'whole', priority: 2 },
  { name: 'lastUsedAt', heading: 'LAST USED', value: ({ lastUsedAt }) => lastUsedAt, priority: 0 },
  { name: 'subject', value: ({ subject }) => subject, priority: 3 },
  { name: 'issuer', value: ({ issuer }) => issuer, priority: 4 },
  { name: 'id', value: ({ id }) => id, fit: 'id', priority: 0 },
];
