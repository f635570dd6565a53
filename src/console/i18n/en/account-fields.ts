import type { AccountField } from '../../api/account-fields.js';

/** The fields of accounts in forms, in the audit log and in imports. */
export const accountFields = {
  firstName: 'First name',
  lastName: 'Last name',
  email: 'Email',
  phone: 'Phone',
  role: 'Role',
  isActive: 'May sign in',
  requiresPasswordChange: 'Must change password',
  lastLogin: 'Last sign-in',
  avatar: 'Picture',
  language: 'Language of mails',
} as const satisfies Record<AccountField, string>;
