import Joi from 'joi';
import { resetSchema, sessionListingSchema } from '../../../schemas/auth.js';
import {
  activationSchema,
  bulkChangeSchema,
  emailLookupSchema,
  newPersonSchema,
  userExportSchema,
  userListingSchema,
  userUpdateSchema,
} from '../../../schemas/user.js';
import { account, accountDetails, activation, bulkChange, session } from '../account-shapes.js';
import { groupName } from '../group-shapes.js';
import { created, freeingSeats, ok, operations, superAdmin, table } from '../operation.js';
import * as shapes from '../response-schemas.js';

const operation = operations('Users');

export const userOperations = {
  listUsers: operation.get('/api/users', {
    summary: 'Accounts, filtered, searched and sorted',
    access: superAdmin,
    query: userListingSchema,
    success: ok('One page of accounts', shapes.pageOf('users', accountDetails)),
  }),
  createUser: operation.post('/api/users', {
    summary: 'Create an account with an invitation, with a generated password, or without a password',
    access: superAdmin,
    body: newPersonSchema,
    success: created('The account was created', {
      message: shapes.message('User created successfully.'),
      user: account.required(),
      temporaryPassword: shapes.nullableText
        .description('The generated password, shown only here; null for `invite` and `none`')
        .example('q7mfk-2hx9d-vw3np-8tzbr'),
    }),
    failures: ['MAIL_NOT_SET_UP', 'PASSWORD_LOGIN_OFF', 'EMAIL_TAKEN', 'PHONE_TAKEN'],
  }),
  exportUsers: operation.get('/api/users/export.csv', {
    summary: 'All accounts that match, oldest first, without passwords',
    access: superAdmin,
    query: userExportSchema,
    exportsRows: true,
    success: table('The accounts, a line each'),
  }),
  changeManyUsers: operation.post('/api/users/bulk', {
    summary: 'Change up to 1,000 accounts: of a list, or all that match a filter',
    description:
      "The rules of the operation for one account apply to each account, and each has its own outcome. With `dryRun`, nothing is changed. The account of the caller is refused. `invite` mails a link to set a password to everyone who has not set a password yet, even if they were invited before. With `PASSWORD_LOGIN=off`, the mail names the organisation's account instead, and `reset_password` is refused.",
    access: superAdmin,
    body: bulkChangeSchema,
    databaseDeadline: 'none',
    success: freeingSeats(ok('The outcomes', bulkChange)),
    failures: ['MAIL_NOT_SET_UP', 'PASSWORD_LOGIN_OFF'],
  }),
  findUsersByEmail: operation.post('/api/users/by-email', {
    summary: 'Find the accounts with given emails',
    description: 'Changes nothing.',
    access: superAdmin,
    body: emailLookupSchema,
    // Each email has up to 254 characters of four bytes.
    maxBodyBytes: 1024 * 1024,
    success: ok('The accounts by name, and the other emails', {
      users: Joi.array().items(account).required(),
      unknown: Joi.array()
        .items(shapes.text)
        .required()
        .description('Emails as given, without an account')
        .example(['nobody@example.org']),
    }),
  }),
  showUser: operation.get('/api/users/:id', {
    summary: 'An account with its groups',
    access: superAdmin,
    params: Joi.object({ id: shapes.idOf('account') }),
    success: ok('The account', {
      user: accountDetails.required(),
      groups: Joi.array().items(groupName).required().description('Groups of the person, by name'),
    }),
    failures: ['NOT_FOUND'],
  }),
  updateUser: operation.put('/api/users/:id', {
    summary: 'Change the given fields of an account; a new email or role ends its sessions',
    description:
      'If mail is set up, the previous email gets a notice about the new email. With `verify`, the new email gets a link, and the email changes when the person uses the link.',
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
    summary: 'Generate a password that must be changed at the next login, or mail a link to set a password',
    access: superAdmin,
    params: Joi.object({ id: shapes.idOf('account') }),
    body: resetSchema,
    success: ok('The new password, shown only here, or null for a link', {
      message: shapes.message('Password reset successfully.', 'A link to set a password is on its way.'),
      temporaryPassword: shapes.nullableText.description('The new password; null if a link is mailed'),
    }),
    failures: ['NOT_FOUND', 'ACCOUNT_INACTIVE', 'MAIL_NOT_SET_UP', 'PASSWORD_LOGIN_OFF'],
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
    summary: 'End all sessions of an account',
    access: superAdmin,
    params: Joi.object({ id: shapes.idOf('account') }),
    success: ok('All sessions ended', {
      message: shapes.message('All sessions ended.'),
      endedCount: shapes.count,
    }),
    failures: ['NOT_FOUND'],
  }),
  unlockUser: operation.post('/api/users/:id/unlock', {
    summary: 'Unlock an account that is locked after too many wrong passwords',
    access: superAdmin,
    params: Joi.object({ id: shapes.idOf('account') }),
    success: ok('The account is unlocked', { message: shapes.message('User unlocked successfully.') }),
    failures: ['NOT_FOUND'],
  }),
};
