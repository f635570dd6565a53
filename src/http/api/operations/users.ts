import Joi from 'joi';
import { activationSchema, userFilterSchema, userListingSchema, userUpdateSchema } from '../../../schemas/user.js';
import { operation, superAdmin } from '../operation.js';
import * as shapes from '../response-schemas.js';

/** User administration. */
export const userOperations = {
  listUsers: operation({
    method: 'get',
    path: '/api/users',
    tag: 'Users',
    summary: 'Accounts, filtered, searched and sorted',
    access: superAdmin,
    query: userListingSchema,
    success: {
      status: 200,
      description: 'One page of accounts',
      body: shapes.pageOf('users', shapes.account),
    },
  }),
  exportUsers: operation({
    method: 'get',
    path: '/api/users/export.csv',
    tag: 'Users',
    summary: 'All accounts that match, oldest first, without passwords',
    access: superAdmin,
    query: userFilterSchema,
    success: {
      status: 200,
      description: 'The accounts, a line each',
      content: 'text/csv',
    },
  }),
  showUser: operation({
    method: 'get',
    path: '/api/users/:id',
    tag: 'Users',
    summary: 'An account',
    access: superAdmin,
    params: Joi.object({ id: shapes.idOf('account') }),
    success: {
      status: 200,
      description: 'The account',
      body: Joi.object({ user: shapes.accountDetails.required() }),
    },
    failures: ['NOT_FOUND'],
  }),
  updateUser: operation({
    method: 'put',
    path: '/api/users/:id',
    tag: 'Users',
    summary: 'Change an account; absent fields stay as they are. A new role ends its sessions',
    access: superAdmin,
    params: Joi.object({ id: shapes.idOf('account') }),
    body: userUpdateSchema,
    success: {
      status: 200,
      description: 'The account was changed',
      body: Joi.object({ message: shapes.message('User updated successfully.'), user: shapes.account.required() }),
    },
    failures: [
      'NOT_FOUND',
      'EMAIL_TAKEN',
      'PHONE_TAKEN',
      'SUPER_ADMIN_PROTECTED',
      'SUPER_ADMIN_EXISTS',
      'ACCOUNT_IN_USE',
    ],
  }),
  deleteUser: operation({
    method: 'delete',
    path: '/api/users/:id',
    tag: 'Users',
    summary: 'Delete an account with its enrollments',
    access: superAdmin,
    params: Joi.object({ id: shapes.idOf('account') }),
    success: {
      status: 200,
      description: 'The account was deleted',
      body: Joi.object({ message: shapes.message('User deleted successfully.') }),
    },
    failures: ['NOT_FOUND', 'SUPER_ADMIN_PROTECTED', 'ACCOUNT_IN_USE'],
  }),
  changeActivation: operation({
    method: 'put',
    path: '/api/users/:id/status',
    tag: 'Users',
    summary: 'Activate or deactivate an account; deactivation ends its sessions',
    access: superAdmin,
    params: Joi.object({ id: shapes.idOf('account') }),
    body: activationSchema,
    success: {
      status: 200,
      description: 'The account is active or inactive',
      body: shapes.activation,
    },
    failures: ['NOT_FOUND', 'SUPER_ADMIN_PROTECTED'],
  }),
  resetPassword: operation({
    method: 'post',
    path: '/api/users/:id/reset-password',
    tag: 'Users',
    summary: 'Give an account a password that must be changed at the next login',
    access: superAdmin,
    params: Joi.object({ id: shapes.idOf('account') }),
    success: {
      status: 200,
      description: 'The password, which is shown nowhere else',
      body: Joi.object({ message: shapes.message('Password reset successfully.'), temporaryPassword: shapes.text }),
    },
    failures: ['NOT_FOUND'],
  }),
  unlockUser: operation({
    method: 'post',
    path: '/api/users/:id/unlock',
    tag: 'Users',
    summary: 'Let an account try its password again that is locked after too many wrong ones',
    access: superAdmin,
    params: Joi.object({ id: shapes.idOf('account') }),
    success: {
      status: 200,
      description: 'The account is not locked',
      body: Joi.object({ message: shapes.message('User unlocked successfully.') }),
    },
    failures: ['NOT_FOUND'],
  }),
};
