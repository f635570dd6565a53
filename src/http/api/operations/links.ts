import Joi from 'joi';
import { forgotPasswordSchema, linkSchema, setPasswordSchema } from '../../../schemas/auth.js';
import { linkPurposes } from '../../../schemas/mail.js';
import { accepted, anybody, ok, operations } from '../operation.js';
import * as shapes from '../response-schemas.js';
import { accountBytes } from './auth.js';

const operation = operations('Authentication');

/** Links that are mailed. The console has them in the fragments of its URLs, which reach no log: their token comes in the body. */
export const linkOperations = {
  checkLink: operation.post('/api/links/check', {
    summary: 'What a mailed link is for; it is not used up',
    access: anybody,
    body: linkSchema,
    success: ok('The link can be used', {
      purpose: Joi.valid(...linkPurposes)
        .required()
        .description(
          '`invite`, `reset`: sets a password; `email`: confirms an address; `email-cancel`: cancels a change of it',
        )
        .example('invite'),
      firstName: shapes.nullableText.description(
        'Whose account it is; null with the purpose `email`, whose link a stranger may have got',
      ),
      email: shapes.text.description('The address that the link was sent to'),
      expiresAt: shapes.timestamp.description('Time at which the link ends'),
    }),
    failures: ['LINK_INVALID', 'TOO_MANY_ATTEMPTS'],
  }),
  setPassword: operation.post('/api/links/set-password', {
    summary: 'Set a password by the link of an invitation, or of a forgotten password',
    description: 'The link is used up, and all sessions and other links of the account end.',
    access: anybody,
    body: setPasswordSchema,
    maxBodyBytes: accountBytes,
    hashesPassword: true,
    success: ok('The password was set', { message: shapes.message('Password set successfully.') }),
    failures: ['LINK_INVALID', 'TOO_MANY_ATTEMPTS'],
  }),
  confirmEmail: operation.post('/api/links/confirm-email', {
    summary: 'Change the email of an account to the one that the link was sent to',
    description: 'The link is used up, and all sessions and other links of the account end.',
    access: anybody,
    body: linkSchema,
    success: ok('The account has the email', {
      message: shapes.message('Email changed successfully.'),
      email: shapes.text.description('The email, with which the person signs in from now on'),
    }),
    failures: ['LINK_INVALID', 'EMAIL_TAKEN', 'TOO_MANY_ATTEMPTS'],
  }),
  cancelEmail: operation.post('/api/links/cancel-email', {
    summary: 'Take back a change of email that the person has not asked for',
    description:
      'The person who asked for it knew the password: it ends, with all sessions and links of the account, but for those that cancel earlier changes. A link for another one is sent to the email that the account had.',
    access: anybody,
    body: linkSchema,
    success: ok('The change is taken back', {
      message: shapes.message('Change of email cancelled.'),
      restored: shapes.boolean
        .description(
          'Whether the account has the email that the link was sent to; false when another account has it by now, and no link is sent',
        )
        .example(true),
    }),
    failures: ['LINK_INVALID', 'TOO_MANY_ATTEMPTS'],
  }),
  showForgotPassword: operation.get('/api/forgot-password', {
    summary: 'Whether who has forgotten a password can have a link mailed',
    access: anybody,
    success: ok('Whether mail is set up', { available: shapes.boolean }),
  }),
  forgotPassword: operation.post('/api/forgot-password', {
    summary: 'Have a link mailed to an account, to set another password',
    description:
      'By email or phone; the link goes to the email of the account. The response is the same whether or not there is an account, and whether it is active.',
    access: anybody,
    body: forgotPasswordSchema,
    maxBodyBytes: accountBytes,
    success: accepted('A link is mailed if there is such an account', {
      message: shapes.message('If there is an account with this email or phone, a link is on its way to its email.'),
    }),
    failures: ['MAIL_NOT_SET_UP', 'TOO_MANY_ATTEMPTS'],
  }),
};
