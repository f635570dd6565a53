import Joi from 'joi';
import { changePasswordSchema, firstPasswordChangeSchema, loginSchema, setupSchema } from '../../../schemas/auth.js';
import { noFields } from '../../../schemas/file.js';
import { profileSchema, registerSchema } from '../../../schemas/user.js';
import { assertSetupRequired } from '../../../services/accounts/setup.js';
import { anybody, itemBytes, operation, signedIn, superAdmin } from '../operation.js';
import * as shapes from '../response-schemas.js';

/** Every field at its longest, two passwords among them, with each character escaped, in bytes: anybody may send these. */
export const accountBytes = 32 * 1024;

/** Setup, logins and the own account (specification, sections 4.2 to 4.11). */
export const authOperations = {
  setupStatus: operation({
    method: 'get',
    path: '/api/auth/setup-status',
    tag: 'Authentication',
    summary: 'Whether the first-time setup is still to be done',
    access: anybody,
    success: {
      status: 200,
      description: 'The state of the setup',
      body: Joi.object({ setupRequired: shapes.boolean, superAdminCount: shapes.count }),
    },
  }),
  setup: operation({
    method: 'post',
    path: '/api/auth/setup',
    tag: 'Authentication',
    summary: 'Create the super admin, once, and sign in',
    access: anybody,
    precondition: assertSetupRequired,
    body: setupSchema,
    maxBodyBytes: accountBytes,
    hashesPassword: true,
    success: {
      status: 201,
      description: 'The super admin was created',
      body: Joi.object({
        message: shapes.message('Setup completed successfully.'),
        token: shapes.token,
        user: shapes.setupUser,
      }),
    },
    failures: ['SETUP_COMPLETED', 'EMAIL_TAKEN', 'PHONE_TAKEN'],
  }),
  login: operation({
    method: 'post',
    path: '/api/auth/login',
    tag: 'Authentication',
    summary: 'Sign in by email or phone',
    access: anybody,
    body: loginSchema,
    maxBodyBytes: accountBytes,
    hashesPassword: true,
    success: { status: 200, description: 'Signed in', body: shapes.login },
    failures: ['NO_MATCHING_ACCOUNT', 'WRONG_PASSWORD', 'TOO_MANY_ATTEMPTS'],
  }),
  traineeLogin: operation({
    method: 'post',
    path: '/api/auth/trainee-login',
    tag: 'Authentication',
    summary: 'Sign in by email or phone, as a trainee only',
    access: anybody,
    body: loginSchema,
    maxBodyBytes: accountBytes,
    hashesPassword: true,
    success: { status: 200, description: 'Signed in', body: shapes.login },
    failures: ['NO_MATCHING_ACCOUNT', 'WRONG_PASSWORD', 'TOO_MANY_ATTEMPTS'],
  }),
  register: operation({
    method: 'post',
    path: '/api/auth/register',
    tag: 'Authentication',
    summary: 'Create an account',
    access: superAdmin,
    allowsInitialPassword: true,
    body: registerSchema,
    maxBodyBytes: accountBytes,
    hashesPassword: true,
    success: {
      status: 201,
      description: 'The account was created',
      body: Joi.object({
        message: shapes.message('User created successfully.'),
        user: shapes.registeredUser,
      }),
    },
    failures: ['EMAIL_TAKEN', 'SUPER_ADMIN_EXISTS', 'PHONE_TAKEN'],
  }),
  me: operation({
    method: 'get',
    path: '/api/auth/me',
    tag: 'Authentication',
    summary: "The caller's own account",
    access: signedIn,
    allowsInitialPassword: true,
    success: {
      status: 200,
      description: 'The account',
      body: Joi.object({ user: shapes.ownUser }),
    },
  }),
  updateProfile: operation({
    method: 'put',
    path: '/api/auth/profile',
    tag: 'Authentication',
    summary: "Change the caller's names and phone; absent and empty fields stay as they are",
    access: signedIn,
    allowsInitialPassword: true,
    body: profileSchema,
    maxBodyBytes: accountBytes,
    success: {
      status: 200,
      description: 'The profile was updated',
      body: Joi.object({
        message: shapes.message('Profile updated successfully.'),
        user: shapes.profileUser,
      }),
    },
    failures: ['PHONE_TAKEN', 'TOO_MANY_ATTEMPTS'],
  }),
  changePassword: operation({
    method: 'put',
    path: '/api/auth/change-password',
    tag: 'Authentication',
    summary: "Replace the caller's password; ends the account's other sessions",
    access: signedIn,
    allowsInitialPassword: true,
    body: changePasswordSchema,
    maxBodyBytes: accountBytes,
    hashesPassword: true,
    success: {
      status: 200,
      description: 'The password was changed',
      body: Joi.object({ message: shapes.message('Password changed successfully.') }),
    },
    failures: ['CURRENT_PASSWORD_INCORRECT', 'TOO_MANY_ATTEMPTS'],
  }),
  changeFirstPassword: operation({
    method: 'put',
    path: '/api/auth/first-password-change',
    tag: 'Authentication',
    summary: 'Replace an initial password',
    access: signedIn,
    allowsInitialPassword: true,
    body: firstPasswordChangeSchema,
    maxBodyBytes: accountBytes,
    hashesPassword: true,
    success: {
      status: 200,
      description: 'The password was changed',
      body: Joi.object({
        message: shapes.message('Password changed successfully.'),
        user: shapes.firstPasswordChangeUser,
      }),
    },
    failures: ['PASSWORD_CHANGE_NOT_REQUIRED'],
  }),
  checkEnrollment: operation({
    method: 'post',
    path: '/api/auth/check-enrollment',
    tag: 'Authentication',
    summary: "The calling trainee's active and pending enrollments, newest first",
    access: { kind: 'roles', roles: ['trainee'], refusal: 'Only trainees can check enrollment.' },
    allowsInitialPassword: true,
    itemBytes: itemBytes.enrollment,
    success: {
      status: 200,
      description: 'The enrollments',
      body: Joi.object({
        hasEnrollments: shapes.boolean,
        enrollments: Joi.array().items(shapes.currentEnrollment).required(),
      }),
    },
  }),
  setAvatar: operation({
    method: 'put',
    path: '/api/auth/avatar',
    tag: 'Authentication',
    summary: "Give the caller's account a picture: JPEG, PNG or WebP",
    access: signedIn,
    allowsInitialPassword: true,
    upload: { field: 'image', fields: noFields, maxBytes: ({ files }) => files.imageBytes },
    success: {
      status: 200,
      description: 'The picture is in use; `imageUrl` says where it can be seen',
      body: Joi.object({ message: shapes.message('Avatar updated successfully.'), imageUrl: shapes.text }),
    },
    failures: ['DISK_FULL', 'STORAGE_UNAVAILABLE', 'BODY_INCOMPLETE'],
  }),
  removeAvatar: operation({
    method: 'delete',
    path: '/api/auth/avatar',
    tag: 'Authentication',
    summary: "Take the picture of the caller's account away",
    access: signedIn,
    allowsInitialPassword: true,
    success: {
      status: 200,
      description: 'There is no picture',
      body: Joi.object({ message: shapes.message('Avatar removed successfully.') }),
    },
  }),
};
