import { type AccountInput, inputKeys } from './account-fields.js';
import * as fields from './fields.js';
import { orderKeys } from './fields-table.js';
import Joi from './joi.js';
import * as listing from './listing.js';

export interface SetupInput extends AccountInput<'setup'> {
  password: string;
}

/** Specification, section 4.3. */
export const setupSchema = Joi.object<SetupInput>(
  orderKeys(['firstName', 'lastName', 'email', 'password'], {
    ...inputKeys('setup'),
    password: fields.password.required(),
  }),
);

export interface LoginInput {
  identifier: string;
  password: string;
}

/** Specification, section 4.4. */
export const loginSchema = Joi.object<LoginInput, true>({
  identifier: fields.identifier.required(),
  password: fields.loginPassword.required(),
});

export interface ChangePasswordInput {
  currentPassword: string;
  newPassword: string;
}

/** Specification, section 4.9. */
export const changePasswordSchema = Joi.object<ChangePasswordInput, true>({
  currentPassword: fields.currentPassword.required(),
  newPassword: fields.newPassword.required(),
});

export interface FirstPasswordChangeInput {
  newPassword: string;
}

/** Specification, section 4.10. */
export const firstPasswordChangeSchema = Joi.object<FirstPasswordChangeInput, true>({
  newPassword: fields.newPassword.required(),
});

const linkToken = fields
  .id('token')
  .required()
  .description('Part of the link after `#`')
  .example('n8T2vJq0y3kWcD5sXzA1bL7uFhR4mEoP9gIiVtNQwYk');

/** Body of link operations that need the token only. */
export const linkSchema = Joi.object<{ token: string }, true>({ token: linkToken });

export interface SetPasswordInput {
  token: string;
  newPassword: string;
}

/** Body of `POST /api/links/set-password`. */
export const setPasswordSchema = Joi.object<SetPasswordInput, true>({
  token: linkToken,
  newPassword: fields.newPassword.required(),
});

/** Body of `POST /api/forgot-password`. */
export const forgotPasswordSchema = Joi.object<{ identifier: string }, true>({
  identifier: fields.identifier.required(),
});

export interface EmailChangeInput {
  email: string;
  currentPassword: string;
}

/** Body of `POST /api/auth/email`. */
export const emailChangeSchema = Joi.object<EmailChangeInput, true>({
  email: fields.email.required(),
  currentPassword: fields.currentPassword.required(),
});

/** Password that an operator sets. */
export const passwordInputSchema = Joi.object<{ password: string }, true>({ password: fields.password.required() });

/** Body of `POST /api/users/:id/reset-password`. */
export const resetSchema = Joi.object<{ link: boolean }, true>({
  link: fields
    .strictBoolean('link')
    .default(false)
    .description('Mail a link to set a password instead; the old password stays valid until the link is used')
    .example(true),
});

/** Query of `GET /api/auth/sessions`. */
export const sessionListingSchema = Joi.object<listing.Paging, true>(listing.paging(20));
