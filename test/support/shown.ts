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
