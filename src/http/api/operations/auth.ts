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
  language: shapes.nullableEnum(mailLanguages).description('Language of mails; null: that of the service'),
  off: newsKindList.description('Kinds of mails that are turned off').example(['completed']),
  kinds: newsKindList
    .description('Kinds that the caller may turn off; none where no mail is sent')
    .example(['completed']),
};

const calendar = {
  createdAt: shapes.nullableTimestamp.description('Time at which the address was made; null without one'),
  lastUsedAt: shapes.nullableTimestamp.description('Time of the last use, to the hour; null before the first'),
};

/** Every field at its longest, two passwords among them, with each character escaped, in bytes: anybody may send these. */
export const accountBytes = 32 * 1024;

const operation = operations('Authentication');

/** Who has courses of their own. */
const withCourses = {
  kind: 'roles',
  roles: ['trainee', 'trainer'],
  refusal: 'Only trainees and trainers have a calendar.',
} as const;

/** Setup, logins and the own account (specification, sections 4.2 to 4.11). */
export const authOperations = {
  setupStatus: operation.get('/api/auth/setup-status', {
    summary: 'Whether the first-time setup is still to be done',
    access: anybody,
    success: ok('The state of the setup', { setupRequired: shapes.boolean, superAdminCount: shapes.count }),
  }),
  setup: operation.post('/api/auth/setup', {
    summary: 'Create the super admin, once, and sign in',
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
    summary: "Change the caller's names and phone; absent and empty fields stay as they are",
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
    summary: "Have a link sent to another email, which becomes the caller's once the link is used",
    description:
      'The present email is told, and gets a link that cancels the change. Nothing is sent to the email of another account; the response is the same.',
    access: signedIn,
    body: emailChangeSchema,
    maxBodyBytes: accountBytes,
    hashesPassword: true,
    success: accepted('The link leaves, unless another account has the email', {
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
    success: ok('The image is in use; `imageUrl` says where it can be seen', {
      message: shapes.message('Avatar updated successfully.'),
      imageUrl: shapes.text,
    }),
    failures: ['STORAGE_UNAVAILABLE', 'BODY_INCOMPLETE'],
  }),
  removeAvatar: operation.delete('/api/auth/avatar', {
    summary: "Take the image of the caller's account away",
    access: signedIn,
    allowsInitialPassword: true,
    success: ok('There is no image', { message: shapes.message('Avatar removed successfully.') }),
  }),
  showMailPreferences: operation.get('/api/mail-preferences', {
    summary: 'Which mails the caller wants, and in which language',
    access: signedIn,
    allowsInitialPassword: true,
    success: ok('The preferences', mailPreferences),
  }),
  changeMailPreferences: operation.put('/api/mail-preferences', {
    summary: 'Choose the language of mails to the caller, and which are turned off; absent fields stay as they are',
    access: signedIn,
    allowsInitialPassword: true,
    body: mailPreferencesSchema,
    success: ok('The preferences were changed', mailPreferences),
  }),
  showCalendar: operation.get('/api/auth/calendar', {
    summary: "When the private address of the caller's calendar was made, and last used",
    access: withCourses,
    success: ok('The address, as far as it is stored; nulls where there is none', calendar),
  }),
  createCalendar: operation.post('/api/auth/calendar', {
    summary: "Give the caller's calendar a private address, in place of the one that it has",
    description: 'Everybody who knows the address sees the dates of the courses, without signing in.',
    access: withCourses,
    success: created('The calendar has the address, which is shown only here', {
      message: shapes.message('Calendar address created successfully.'),
      url: shapes.text
        .description('The address; without its beginning where `PUBLIC_URL` is not set')
        .example('/api/calendars/n8T2vJq0y3kWcD5sXzA1bL7uFhR4mEoP9gIiVtNQwYk.ics'),
    }),
  }),
  revokeCalendar: operation.delete('/api/auth/calendar', {
    summary: "End the private address of the caller's calendar",
    access: withCourses,
    success: ok('The calendar has no address', { message: shapes.message('Calendar address revoked successfully.') }),
  }),
  privateCalendar: operation.get('/api/calendars/:key.ics', {
    summary: "The dates of a trainee's or trainer's own courses, for calendar programs that subscribe to them",
    description:
      'Trainees: courses that they have asked for (tentative), take part in or have completed; trainers: their own. Those with the 500 latest dates. Refused with 404 while the account is inactive, and once the address was revoked or replaced.',
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
