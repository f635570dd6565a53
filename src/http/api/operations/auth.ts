import Joi from 'joi';
import { mailLanguages } from '../../../config/mail-settings.js';
import {
  changePasswordSchema,
  emailChangeSchema,
  firstPasswordChangeSchema,
  loginSchema,
  setupSchema,
} from '../../../schemas/auth.js';
import { noFields } from '../../../schemas/file.js';
import { mailPreferencesSchema, newsKinds } from '../../../schemas/mail-preferences.js';
import { profileSchema, registerSchema } from '../../../schemas/user.js';
import { assertSetupRequired } from '../../../services/accounts/setup.js';
import { firstPasswordChangeUser, login, ownUser, profileUser, registeredUser, setupUser } from '../account-shapes.js';
import { currentEnrollment } from '../enrollment-shapes.js';
import { accepted, anybody, created, itemBytes, ok, operations, signedIn, streamed, superAdmin } from '../operation.js';
import * as shapes from '../response-schemas.js';

const newsKindList = Joi.array()
  .items(Joi.valid(...newsKinds))
  .required();

const mailPreferences = {
  language: shapes.nullableEnum(mailLanguages).description('Language of mails; null for the language of the service'),
  off: newsKindList.description('Kinds of mails that are turned off').example(['completed']),
  kinds: newsKindList
    .description('Kinds that the caller may turn off; empty if the service sends no mail')
    .example(['completed']),
};

const calendar = {
  createdAt: shapes.nullableTimestamp.description('Time at which the address was created; null without an address'),
  lastUsedAt: shapes.nullableTimestamp.description('Hour of the last use; null before the first use'),
};

/**
 * Maximum body bytes of operations on accounts: all fields at their maximum length, two passwords, each character escaped.
 */
export const accountBytes = 32 * 1024;

const operation = operations('Authentication');

/** Access for the roles that have a calendar. */
const withCalendar = {
  kind: 'roles',
  roles: ['trainee', 'trainer'],
  refusal: 'Only trainees and trainers have a calendar.',
} as const;

/** Setup, logins and the caller's account (specification, sections 4.2 to 4.11). */
export const authOperations = {
  setupStatus: operation.get('/api/auth/setup-status', {
    summary: 'Whether the first-time setup must still be done',
    access: anybody,
    success: ok('The state of the setup', { setupRequired: shapes.boolean, superAdminCount: shapes.count }),
  }),
  setup: operation.post('/api/auth/setup', {
    summary: 'Create the super admin and sign in; refused if a super admin exists',
    access: anybody,
    precondition: assertSetupRequired,
    body: setupSchema,
    maxBodyBytes: accountBytes,
    hashesPassword: true,
    success: created('The super admin was created', {
      message: shapes.message('Setup completed successfully.'),
      token: shapes.token,
      user: setupUser,
    }),
    failures: ['SETUP_COMPLETED', 'EMAIL_TAKEN', 'PHONE_TAKEN'],
  }),
  login: operation.post('/api/auth/login', {
    summary: 'Sign in by email or phone',
    access: anybody,
    body: loginSchema,
    maxBodyBytes: accountBytes,
    hashesPassword: true,
    success: ok('Signed in', login),
    failures: ['NO_MATCHING_ACCOUNT', 'WRONG_PASSWORD', 'TOO_MANY_ATTEMPTS'],
  }),
  traineeLogin: operation.post('/api/auth/trainee-login', {
    summary: 'Sign in by email or phone, as a trainee only',
    access: anybody,
    body: loginSchema,
    maxBodyBytes: accountBytes,
    hashesPassword: true,
    success: ok('Signed in', login),
    failures: ['NO_MATCHING_ACCOUNT', 'WRONG_PASSWORD', 'TOO_MANY_ATTEMPTS'],
  }),
  register: operation.post('/api/auth/register', {
    summary: 'Create an account',
    access: superAdmin,
    allowsInitialPassword: true,
    body: registerSchema,
    maxBodyBytes: accountBytes,
    hashesPassword: true,
    success: created('The account was created', {
      message: shapes.message('User created successfully.'),
      user: registeredUser,
    }),
    failures: ['EMAIL_TAKEN', 'SUPER_ADMIN_EXISTS', 'PHONE_TAKEN'],
  }),
  me: operation.get('/api/auth/me', {
    summary: "The caller's own account",
    access: signedIn,
    allowsInitialPassword: true,
    success: ok('The account', { user: ownUser }),
  }),
  updateProfile: operation.put('/api/auth/profile', {
    summary: "Change the caller's names and phone; absent and empty fields do not change",
    access: signedIn,
    allowsInitialPassword: true,
    body: profileSchema,
    maxBodyBytes: accountBytes,
    success: ok('The profile was updated', {
      message: shapes.message('Profile updated successfully.'),
      user: profileUser,
    }),
    failures: ['PHONE_TAKEN', 'TOO_MANY_ATTEMPTS'],
  }),
  changePassword: operation.put('/api/auth/change-password', {
    summary: "Replace the caller's password; ends the account's other sessions",
    access: signedIn,
    allowsInitialPassword: true,
    body: changePasswordSchema,
    maxBodyBytes: accountBytes,
    hashesPassword: true,
    success: ok('The password was changed', { message: shapes.message('Password changed successfully.') }),
    failures: ['CURRENT_PASSWORD_INCORRECT', 'TOO_MANY_ATTEMPTS'],
  }),
  changeFirstPassword: operation.put('/api/auth/first-password-change', {
    summary: 'Replace an initial password',
    access: signedIn,
    allowsInitialPassword: true,
    body: firstPasswordChangeSchema,
    maxBodyBytes: accountBytes,
    hashesPassword: true,
    success: ok('The password was changed', {
      message: shapes.message('Password changed successfully.'),
      user: firstPasswordChangeUser,
    }),
    failures: ['PASSWORD_CHANGE_NOT_REQUIRED'],
  }),
  requestEmailChange: operation.post('/api/auth/email', {
    summary: "Request a change of the caller's email: the new email gets a link that confirms the change",
    description:
      'The current email gets a notice with a link that cancels the change. The email of another account gets nothing; the response is the same.',
    access: signedIn,
    body: emailChangeSchema,
    maxBodyBytes: accountBytes,
    hashesPassword: true,
    success: accepted('The link is sent, unless another account has the email', {
      message: shapes.message('A link was sent to the new email, unless it belongs to another account.'),
    }),
    failures: ['MAIL_NOT_SET_UP', 'CURRENT_PASSWORD_INCORRECT', 'TOO_MANY_ATTEMPTS'],
  }),
  checkEnrollment: operation.post('/api/auth/check-enrollment', {
    summary: "The calling trainee's active and pending enrollments, newest first",
    access: { kind: 'roles', roles: ['trainee'], refusal: 'Only trainees can check enrollment.' },
    allowsInitialPassword: true,
    itemBytes: itemBytes.enrollment,
    success: ok('The enrollments', {
      hasEnrollments: shapes.boolean,
      enrollments: Joi.array().items(currentEnrollment).required(),
    }),
  }),
  setAvatar: operation.put('/api/auth/avatar', {
    summary: "Give the caller's account an image: JPEG, PNG or WebP",
    access: signedIn,
    allowsInitialPassword: true,
    upload: { field: 'image', fields: noFields, maxBytes: ({ files }) => files.imageBytes },
    success: ok('The image is in use; `imageUrl` is its URL', {
      message: shapes.message('Avatar updated successfully.'),
      imageUrl: shapes.text,
    }),
    failures: ['STORAGE_UNAVAILABLE', 'BODY_INCOMPLETE'],
  }),
  removeAvatar: operation.delete('/api/auth/avatar', {
    summary: "Remove the image of the caller's account",
    access: signedIn,
    allowsInitialPassword: true,
    success: ok('The image was removed', { message: shapes.message('Avatar removed successfully.') }),
  }),
  showMailPreferences: operation.get('/api/mail-preferences', {
    summary: "The caller's choice of mails and their language",
    access: signedIn,
    allowsInitialPassword: true,
    success: ok('The preferences', mailPreferences),
  }),
  changeMailPreferences: operation.put('/api/mail-preferences', {
    summary:
      'Choose the language of mails to the caller, and the kinds that are turned off; absent fields do not change',
    access: signedIn,
    allowsInitialPassword: true,
    body: mailPreferencesSchema,
    success: ok('The preferences were changed', mailPreferences),
  }),
  showCalendar: operation.get('/api/auth/calendar', {
    summary: "Times of creation and last use of the private address of the caller's calendar",
    access: withCalendar,
    success: ok('The times; null without an address', calendar),
  }),
  createCalendar: operation.post('/api/auth/calendar', {
    summary: "Create a private address of the caller's calendar, which replaces the previous one",
    description: 'Everybody who knows the address can see the dates of the courses, without signing in.',
    access: withCalendar,
    success: created('The new address, shown only here', {
      message: shapes.message('Calendar address created successfully.'),
      url: shapes.text
        .description('The address; only its path if `PUBLIC_URL` is not set')
        .example('/api/calendars/n8T2vJq0y3kWcD5sXzA1bL7uFhR4mEoP9gIiVtNQwYk.ics'),
    }),
  }),
  revokeCalendar: operation.delete('/api/auth/calendar', {
    summary: "Revoke the private address of the caller's calendar",
    access: withCalendar,
    success: ok('The address was revoked', { message: shapes.message('Calendar address revoked successfully.') }),
  }),
  privateCalendar: operation.get('/api/calendars/:key.ics', {
    summary: "The dates of a trainee's or trainer's courses, for subscriptions in calendar programs",
    description:
      'For trainees their pending (tentative), active and completed courses, for trainers their own courses. At most the 500 courses with the latest dates. Refused with 404 while the account is inactive, and after the address was revoked or replaced.',
    access: anybody,
    secretPath: true,
    params: Joi.object({
      key: shapes.text
        .description('The secret part of the address')
        .example('n8T2vJq0y3kWcD5sXzA1bL7uFhR4mEoP9gIiVtNQwYk'),
    }),
    success: streamed('An iCalendar file (RFC 5545)', 'text/calendar'),
    failures: ['NOT_FOUND'],
  }),
};
