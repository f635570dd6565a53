import Joi from 'joi';
import { resetSchema, sessionListingSchema } from '../../../schemas/auth.js';
import {
  activationSchema,
  bulkChangeSchema,
  newPersonSchema,
  userExportSchema,
  userListingSchema,
  userUpdateSchema,
} from '../../../schemas/user.js';
import { account, accountDetails, activation, bulkChange, session } from '../account-shapes.js';
import { created, freeingSeats, ok, operations, superAdmin, table } from '../operation.js';
import * as shapes from '../response-schemas.js';

const operation = operations('Users');

/** User administration. */
export const userOperations = {
  listUsers: operation.get('/api/users', {
    summary: 'Accounts, filtered, searched and sorted',
    access: superAdmin,
    query: userListingSchema,
    success: ok('One page of accounts', shapes.pageOf('users', accountDetails)),
  }),
  createUser: operation.post('/api/users', {
    summary: 'Create an account whose person is invited to set a password, or gets a generated one',
    access: superAdmin,
    body: newPersonSchema,
    success: created('The account was created', {
      message: shapes.message('User created successfully.'),
      user: account.required(),
      temporaryPassword: shapes.nullableText
        .description('The generated password, shown only here; null for who is invited')
        .example('q7mfk-2hx9d-vw3np-8tzbr'),
    }),
    failures: ['MAIL_NOT_SET_UP', 'EMAIL_TAKEN', 'PHONE_TAKEN'],
  }),
  exportUsers: operation.get('/api/users/export.csv', {
    summary: 'All accounts that match, oldest first, without passwords',
    access: superAdmin,
    query: userExportSchema,
    exportsRows: true,
    success: table('The accounts, a line each'),
  }),
  changeManyUsers: operation.post('/api/users/bulk', {
    summary: 'Change up to 1,000 accounts: those of a list, or all that match a filter',
    description:
      'Each account is changed by itself, as by the operation for one, and has an outcome. With `dryRun`, nothing is changed. The account of the caller is refused. `invite` sends a link to set a password, also again, to those who have none of their own yet.',
    access: superAdmin,
    body: bulkChangeSchema,
    databaseDeadline: 'none',
    success: freeingSeats(ok('The outcomes', bulkChange)),
    failures: ['MAIL_NOT_SET_UP'],
  }),
  showUser: operation.get('/api/users/:id', {
    summary: 'An account',
    access: superAdmin,
    params: Joi.object({ id: shapes.idOf('account') }),
    success: ok('The account', { user: accountDetails.required() }),
    failures: ['NOT_FOUND'],
  }),
  updateUser: operation.put('/api/users/:id', {
    summary: 'Change an account; absent fields stay as they are. A new email or role ends its sessions',
    description:
      'Where mail is set up, the email that the account had is told of another one. With `verify`, the email stays until the person uses the link that is sent to the new one.',
    access: superAdmin,
    params: Joi.object({ id: shapes.idOf('account') }),
    body: userUpdateSchema,
    success: ok('The account was changed', {
      message: shapes.message('User updated successfully.'),
      user: account.required(),
    }),
    failures: [
      'NOT_FOUND',
      'EMAIL_TAKEN',
      'PHONE_TAKEN',
      'SUPER_ADMIN_PROTECTED',
      'SUPER_ADMIN_EXISTS',
      'TRAINER_HAS_COURSES',
      'TRAINEE_HAS_ENROLLMENTS',
      'ACCOUNT_INACTIVE',
      'MAIL_NOT_SET_UP',
    ],
  }),
  deleteUser: operation.delete('/api/users/:id', {
    summary: 'Delete an account with its enrollments',
    access: superAdmin,
    params: Joi.object({ id: shapes.idOf('account') }),
    success: freeingSeats(ok('The account was deleted', { message: shapes.message('User deleted successfully.') })),
    failures: ['NOT_FOUND', 'SUPER_ADMIN_PROTECTED', 'TRAINER_HAS_COURSES'],
  }),
  changeActivation: operation.put('/api/users/:id/status', {
    summary: 'Activate or deactivate an account; deactivation ends its sessions',
    access: superAdmin,
    params: Joi.object({ id: shapes.idOf('account') }),
    body: activationSchema,
    success: freeingSeats(ok('The account is active or inactive', activation)),
    failures: ['NOT_FOUND', 'SUPER_ADMIN_PROTECTED'],
  }),
  resetPassword: operation.post('/api/users/:id/reset-password', {
    summary: 'Give an account a password that must be changed at the next login, or mail a link to set one',
    access: superAdmin,
    params: Joi.object({ id: shapes.idOf('account') }),
    body: resetSchema,
    success: ok('The password, which is shown nowhere else', {
      message: shapes.message('Password reset successfully.', 'A link to set a password is on its way.'),
      temporaryPassword: shapes.nullableText.description('The new password; null where a link is mailed'),
    }),
    failures: ['NOT_FOUND', 'ACCOUNT_INACTIVE', 'MAIL_NOT_SET_UP'],
  }),
  listUserSessions: operation.get('/api/users/:id/sessions', {
    summary: "An account's sessions, newest first",
    access: superAdmin,
    params: Joi.object({ id: shapes.idOf('account') }),
    query: sessionListingSchema,
    success: ok('One page of the sessions', shapes.pageOf('sessions', session)),
    failures: ['NOT_FOUND'],
  }),
  endUserSession: operation.delete('/api/users/:id/sessions/:sessionId', {
    summary: "End one of an account's sessions",
    access: superAdmin,
    params: Joi.object({ id: shapes.idOf('account'), sessionId: shapes.idOf('session') }),
    success: ok('The session ended', { message: shapes.message('Session ended.') }),
    failures: ['NOT_FOUND'],
  }),
  endUserSessions: operation.delete('/api/users/:id/sessions', {
    summary: 'End all sessions of an account, which must sign in again',
    access: superAdmin,
    params: Joi.object({ id: shapes.idOf('account') }),
    success: ok('The account has no sessions', {
      message: shapes.message('All sessions ended.'),
      endedCount: shapes.count,
    }),
    failures: ['NOT_FOUND'],
  }),
  unlockUser: operation.post('/api/users/:id/unlock', {
    summary: 'Let an account try its password again that is locked after too many wrong ones',
    access: superAdmin,
    params: Joi.object({ id: shapes.idOf('account') }),
    success: ok('The account is not locked', { message: shapes.message('User unlocked successfully.') }),
    failures: ['NOT_FOUND'],
  }),
};
