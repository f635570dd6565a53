import Joi from 'joi';
import type { ErrorCode } from '../errors.js';
import { changePasswordSchema, firstPasswordChangeSchema, loginSchema, setupSchema } from '../schemas/auth.js';
import { trainerCourseListingSchema } from '../schemas/course.js';
import { trainerEnrollmentListingSchema } from '../schemas/enrollment.js';
import { importListingSchema, importOptionsSchema, undoQuerySchema } from '../schemas/import.js';
import { profileSchema, registerSchema } from '../schemas/user.js';
import type { Access } from '../services/permissions.js';
import * as shapes from './shapes.js';

/**
 * One operation of the API: routing, authorization, the documentation and the contract tests all read it.
 * The service behind it validates its input with the very schemas named here.
 */
export interface Operation {
  method: 'get' | 'post' | 'put' | 'delete';
  /** With `:parameters`, as Express takes it. */
  path: string;
  tag: 'Authentication' | 'Sessions' | 'Courses' | 'Enrollments' | 'Imports' | 'Service';
  summary: string;
  access: Access;
  params?: Joi.ObjectSchema;
  query?: Joi.ObjectSchema;
  body?: Joi.ObjectSchema;
  /** A file in the field `file` of a multipart form, and the form's other fields. Excludes `body`. */
  upload?: Joi.ObjectSchema;
  /** The answer when all goes well: JSON, or text of another kind that is sent as it comes. */
  success: { status: 200 | 201 | 202; description: string } & (
    | { body: Joi.ObjectSchema }
    | { content: 'text/csv' | 'text/event-stream' }
  );
  /** Failures that belong to this operation; those of every operation are added where they apply. */
  failures?: readonly ErrorCode[];
}

const operation = <const T extends Operation>(definition: T): T => definition;

const anybody = { kind: 'public' } as const;
const signedIn = { kind: 'signed-in' } as const;
const superAdmin = { kind: 'roles', roles: ['super_admin'] } as const;

/** The whole API, an entry an operation. A route that isn't here doesn't exist. */
export const contract = {
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
    body: setupSchema,
    success: {
      status: 201,
      description: 'The super admin was created',
      body: Joi.object({ message: shapes.text, token: shapes.token, user: shapes.user('phone', 'role') }),
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
    success: { status: 200, description: 'Signed in', body: shapes.login },
    failures: ['NO_MATCHING_ACCOUNT', 'WRONG_PASSWORD', 'OVERLOADED'],
  }),
  traineeLogin: operation({
    method: 'post',
    path: '/api/auth/trainee-login',
    tag: 'Authentication',
    summary: 'Sign in by email or phone, as a trainee only',
    access: anybody,
    body: loginSchema,
    success: { status: 200, description: 'Signed in', body: shapes.login },
    failures: ['NO_MATCHING_ACCOUNT', 'WRONG_PASSWORD', 'OVERLOADED'],
  }),
  register: operation({
    method: 'post',
    path: '/api/auth/register',
    tag: 'Authentication',
    summary: 'Create an account',
    access: { kind: 'roles', roles: ['super_admin'] },
    body: registerSchema,
    success: {
      status: 201,
      description: 'The account was created',
      body: Joi.object({
        message: shapes.message('User created successfully.'),
        user: shapes.user('role', 'phone', 'isActive'),
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
    success: {
      status: 200,
      description: 'The account',
      body: Joi.object({ user: shapes.user('role', 'avatar', 'phone', 'lastLogin') }),
    },
  }),
  updateProfile: operation({
    method: 'put',
    path: '/api/auth/profile',
    tag: 'Authentication',
    summary: "Change the caller's names and phone; absent and empty fields stay as they are",
    access: signedIn,
    body: profileSchema,
    success: {
      status: 200,
      description: 'The profile was updated',
      body: Joi.object({
        message: shapes.message('Profile updated successfully.'),
        user: shapes.user('role', 'avatar', 'phone'),
      }),
    },
    failures: ['PHONE_TAKEN'],
  }),
  changePassword: operation({
    method: 'put',
    path: '/api/auth/change-password',
    tag: 'Authentication',
    summary: "Replace the caller's password; ends the account's other sessions",
    access: signedIn,
    body: changePasswordSchema,
    success: {
      status: 200,
      description: 'The password was changed',
      body: Joi.object({ message: shapes.message('Password changed successfully.') }),
    },
    failures: ['CURRENT_PASSWORD_INCORRECT'],
  }),
  changeFirstPassword: operation({
    method: 'put',
    path: '/api/auth/first-password-change',
    tag: 'Authentication',
    summary: 'Replace an initial password',
    access: signedIn,
    body: firstPasswordChangeSchema,
    success: {
      status: 200,
      description: 'The password was changed',
      body: Joi.object({
        message: shapes.message('Password changed successfully.'),
        user: shapes.user('role', 'avatar', 'phone', 'requiresPasswordChange'),
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
    success: {
      status: 200,
      description: 'The enrollments',
      body: Joi.object({
        hasEnrollments: shapes.boolean,
        enrollments: Joi.array().items(shapes.currentEnrollment).required(),
      }),
    },
  }),
  logout: operation({
    method: 'post',
    path: '/api/auth/logout',
    tag: 'Sessions',
    summary: "End the caller's session",
    access: signedIn,
    success: { status: 200, description: 'The session ended', body: Joi.object({ message: shapes.text }) },
  }),
  logoutAll: operation({
    method: 'post',
    path: '/api/auth/logout-all',
    tag: 'Sessions',
    summary: "End all sessions of the caller's account",
    access: signedIn,
    success: { status: 200, description: 'All sessions ended', body: Joi.object({ message: shapes.text }) },
  }),
  listSessions: operation({
    method: 'get',
    path: '/api/auth/sessions',
    tag: 'Sessions',
    summary: "The caller's sessions, newest first",
    access: signedIn,
    success: {
      status: 200,
      description: 'The sessions',
      body: Joi.object({ sessions: Joi.array().items(shapes.session).required() }),
    },
  }),
  endSession: operation({
    method: 'delete',
    path: '/api/auth/sessions/:id',
    tag: 'Sessions',
    summary: "End one of the caller's sessions",
    access: signedIn,
    params: Joi.object({ id: shapes.id }),
    success: { status: 200, description: 'The session ended', body: Joi.object({ message: shapes.text }) },
    failures: ['NOT_FOUND'],
  }),
  listTrainerCourses: operation({
    method: 'get',
    path: '/api/courses/trainer/:trainerId',
    tag: 'Courses',
    summary: "A trainer's courses",
    access: { kind: 'own-trainer', parameter: 'trainerId' },
    params: Joi.object({ trainerId: shapes.id }),
    query: trainerCourseListingSchema,
    success: { status: 200, description: 'One page of courses', body: shapes.pageOf('courses', shapes.course) },
    failures: ['NOT_FOUND'],
  }),
  listTrainerEnrollments: operation({
    method: 'get',
    path: '/api/enrollments/trainer/:trainerId',
    tag: 'Enrollments',
    summary: "The enrollments in a trainer's courses, newest first",
    access: { kind: 'own-trainer', parameter: 'trainerId' },
    params: Joi.object({ trainerId: shapes.id }),
    query: trainerEnrollmentListingSchema,
    success: {
      status: 200,
      description: 'One page of enrollments',
      body: shapes.pageOf('enrollments', shapes.trainerEnrollment),
    },
    failures: ['NOT_FOUND'],
  }),
  importTemplate: operation({
    method: 'get',
    path: '/api/imports/template.csv',
    tag: 'Imports',
    summary: 'A file to fill in',
    access: superAdmin,
    success: {
      status: 200,
      description: 'The header with all columns, and two rows to be replaced',
      content: 'text/csv',
    },
  }),
  createImport: operation({
    method: 'post',
    path: '/api/imports',
    tag: 'Imports',
    summary: 'Import accounts from a CSV file: queued at once, done in the background',
    access: superAdmin,
    upload: importOptionsSchema,
    success: {
      status: 202,
      description: 'The import is in the queue; `Location` says where it can be watched',
      body: Joi.object({ import: shapes.importRecord.required() }),
    },
    failures: ['DISK_FULL', 'BODY_INCOMPLETE'],
  }),
  listImports: operation({
    method: 'get',
    path: '/api/imports',
    tag: 'Imports',
    summary: 'Imports, newest first, those of the terminal too',
    access: superAdmin,
    query: importListingSchema,
    success: { status: 200, description: 'One page of imports', body: shapes.pageOf('imports', shapes.importRecord) },
  }),
  showImport: operation({
    method: 'get',
    path: '/api/imports/:id',
    tag: 'Imports',
    summary: 'An import, and how far it is',
    access: superAdmin,
    params: Joi.object({ id: shapes.id }),
    success: {
      status: 200,
      description: 'The import',
      body: Joi.object({ import: shapes.importRecord.required() }),
    },
    failures: ['NOT_FOUND'],
  }),
  watchImport: operation({
    method: 'get',
    path: '/api/imports/:id/events',
    tag: 'Imports',
    summary: 'Server-sent events: `progress` with the import whenever it changes, `end` when it has ended',
    access: superAdmin,
    params: Joi.object({ id: shapes.id }),
    success: { status: 200, description: 'The events, until the import has ended', content: 'text/event-stream' },
    failures: ['NOT_FOUND'],
  }),
  importRejects: operation({
    method: 'get',
    path: '/api/imports/:id/rejected.csv',
    tag: 'Imports',
    summary: 'The rejected rows as they were, with line, code and reason',
    access: superAdmin,
    params: Joi.object({ id: shapes.id }),
    success: { status: 200, description: 'The rejected rows', content: 'text/csv' },
    failures: ['NOT_FOUND'],
  }),
  importOutcome: operation({
    method: 'get',
    path: '/api/imports/:id/outcome.csv',
    tag: 'Imports',
    summary: 'What became of every row, with the accounts as they are now',
    access: superAdmin,
    params: Joi.object({ id: shapes.id }),
    success: { status: 200, description: 'A line a row', content: 'text/csv' },
    failures: ['NOT_FOUND'],
  }),
  importCredentials: operation({
    method: 'get',
    path: '/api/imports/:id/credentials.csv',
    tag: 'Imports',
    summary: 'The generated passwords, once: they are removed when they have arrived',
    access: superAdmin,
    params: Joi.object({ id: shapes.id }),
    success: { status: 200, description: 'The generated passwords', content: 'text/csv' },
    failures: ['NOT_FOUND', 'CREDENTIALS_FETCHED', 'IMPORT_CONFLICT'],
  }),
  cancelImport: operation({
    method: 'post',
    path: '/api/imports/:id/cancel',
    tag: 'Imports',
    summary: 'End an import that waits or runs, at the next batch of rows; what is done stays',
    access: superAdmin,
    params: Joi.object({ id: shapes.id }),
    success: {
      status: 200,
      description: 'It has ended, or will at the next batch of rows',
      body: Joi.object({ message: shapes.text, import: shapes.importRecord.required() }),
    },
    failures: ['NOT_FOUND', 'IMPORT_CONFLICT'],
  }),
  resumeImport: operation({
    method: 'post',
    path: '/api/imports/:id/resume',
    tag: 'Imports',
    summary: 'Put an import that failed, broke off or was cancelled into the queue again',
    access: superAdmin,
    params: Joi.object({ id: shapes.id }),
    success: {
      status: 202,
      description: 'The import is in the queue again',
      body: Joi.object({ import: shapes.importRecord.required() }),
    },
    failures: ['NOT_FOUND', 'IMPORT_CONFLICT'],
  }),
  undoImport: operation({
    method: 'post',
    path: '/api/imports/:id/undo',
    tag: 'Imports',
    summary: 'Remove the accounts that an import created and restore those that it updated',
    access: superAdmin,
    params: Joi.object({ id: shapes.id }),
    query: undoQuerySchema,
    success: {
      status: 200,
      description: 'What was undone, or would be with `dryRun`; accounts with a life of their own are kept and named',
      body: Joi.object({ message: shapes.text, undo: shapes.undo.required(), import: shapes.importRecord.required() }),
    },
    failures: ['NOT_FOUND', 'IMPORT_CONFLICT'],
  }),
  health: operation({
    method: 'get',
    path: '/healthz',
    tag: 'Service',
    summary: 'Whether the process is alive',
    access: anybody,
    success: { status: 200, description: 'Alive', body: Joi.object({ status: Joi.valid('ok').required() }) },
  }),
  readiness: operation({
    method: 'get',
    path: '/readyz',
    tag: 'Service',
    summary: 'Whether the service can serve: its database answers and has the right schema',
    access: anybody,
    success: { status: 200, description: 'Ready', body: Joi.object({ status: Joi.valid('ok').required() }) },
    failures: ['NOT_READY'],
  }),
  openapi: operation({
    method: 'get',
    path: '/api/openapi.json',
    tag: 'Service',
    summary: 'This description',
    access: anybody,
    success: {
      status: 200,
      description: 'An OpenAPI 3.1 document',
      body: Joi.object({ openapi: shapes.text }).unknown(),
    },
  }),
};

export type Contract = typeof contract;
