import Joi from 'joi';
import { forgotPasswordSchema, linkSchema, setPasswordSchema } from '../../../schemas/auth.js';
import { linkPurposes } from '../../../schemas/mail.js';
import { accepted, anybody, ok, operations } from '../operation.js';
import * as shapes from '../response-schemas.js';
import { accountBytes } from './auth.js';

const operation = operations('Authentication');

/** Links in mails. Their tokens are in URL fragments and request bodies, because URLs are logged. */
export const linkOperations = {
  checkLink: operation.post('/api/links/check', {
    summary: 'The purpose of a mailed link; does not use up the link',
    access: anybody,
    body: linkSchema,
    success: ok('The link can be used', {
      purpose: Joi.valid(...linkPurposes)
        .required()
        .description(
          '`invite`, `reset`: sets a password; `email`: confirms an email; `email-cancel`: cancels a change of the email',
        )
        .example('invite'),
      firstName: shapes.nullableText.description(
        'First name of the account; null with the purpose `email`, because a stranger may have received the link',
      ),
      email: shapes.text.description('Email address of the recipient'),
      expiresAt: shapes.timestamp.description('Time at which the link expires'),
    }),
    failures: ['LINK_INVALID', 'TOO_MANY_ATTEMPTS'],
  }),
  setPassword: operation.post('/api/links/set-password', {
    summary: 'Set a password with the link of an invitation or a forgotten password',
    description: 'The link is used up, and all sessions and other links of the account end.',
    access: anybody,
    body: setPasswordSchema,
    maxBodyBytes: accountBytes,
    hashesPassword: true,
    success: ok('The password was set', { message: shapes.message('Password set successfully.') }),
    failures: ['LINK_INVALID', 'TOO_MANY_ATTEMPTS'],
  }),
  confirmEmail: operation.post('/api/links/confirm-email', {
    summary: 'Change the email of an account to the recipient of the link',
    description: 'The link is used up, and all sessions and other links of the account end.',
    access: anybody,
    body: linkSchema,
    success: ok('The email was changed', {
      message: shapes.message('Email changed successfully.'),
      email: shapes.text.description('The new email for the login'),
    }),
    failures: ['LINK_INVALID', 'EMAIL_TAKEN', 'TOO_MANY_ATTEMPTS'],
  }),
  cancelEmail: operation.post('/api/links/cancel-email', {
    summary: 'Cancel a change of the email that the person has not requested',
    description:
      'The sender of the request knew the password. Therefore the password, all sessions and all links of the account end, except links that cancel earlier changes. The previous email gets a link to set a new password.',
    access: anybody,
    body: linkSchema,
    success: ok('The change is cancelled', {
      message: shapes.message('Change of email cancelled.'),
      restored: shapes.boolean
        .description(
          'Whether the account has its previous email again. False if another account has this email; then no link is sent',
        )
        .example(true),
    }),
    failures: ['LINK_INVALID', 'TOO_MANY_ATTEMPTS'],
  }),
  showForgotPassword: operation.get('/api/forgot-password', {
    summary: 'Whether links for forgotten passwords can be mailed',
    access: anybody,
    success: ok('Whether mail is set up', { available: shapes.boolean }),
  }),
  forgotPassword: operation.post('/api/forgot-password', {
    summary: 'Mail a link to set a new password',
    description:
      'The account is found by email or phone. The link goes to the email of the account. The response is the same for unknown and inactive accounts.',
    access: anybody,
    body: forgotPasswordSchema,
    maxBodyBytes: accountBytes,
    success: accepted('A link is mailed if an account exists', {
      message: shapes.message('If there is an account with this email or phone, a link is on its way to its email.'),
    }),
    failures: ['MAIL_NOT_SET_UP', 'TOO_MANY_ATTEMPTS'],
  }),
};
