/** What the super admin sees of an account. */
export const accountKeys = [
  'id',
  'firstName',
  'lastName',
  'email',
  'phone',
  'role',
  'isActive',
  'avatar',
  'lastLogin',
  'requiresPasswordChange',
  'createdAt',
  'updatedAt',
];

/** What the super admin sees besides of an account that is listed or shown. */
export const invitationKeys = ['invitedAt', 'inviteState', 'inviteError', 'mailFailedAt', 'language'];
