/** The fields of accounts, generated from src/schemas/account-fields.ts. Don't edit: `npm run api:types` writes this file. */
export const accountFields = ['firstName', 'lastName', 'email', 'phone', 'role', 'isActive', 'requiresPasswordChange', 'lastLogin', 'avatar', 'language'] as const;
export type AccountField = (typeof accountFields)[number];

/** The fields of each input. */
export const inputFields = {
  setup: ['firstName', 'lastName', 'email', 'phone', 'isActive'],
  register: ['firstName', 'lastName', 'email', 'phone', 'role', 'isActive', 'requiresPasswordChange'],
  create: ['firstName', 'lastName', 'email', 'phone', 'role'],
  profile: ['firstName', 'lastName', 'phone'],
  update: ['firstName', 'lastName', 'email', 'phone', 'role'],
} as const;

/** Required fields of a new account. */
export const requiredFields: readonly AccountField[] = ['firstName', 'lastName', 'email', 'phone', 'role'];
