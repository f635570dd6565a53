import Joi from 'joi';
import { mailLanguages } from '../../config/mail-settings.js';
import { userViews } from '../../presenters/user.js';
import { accountFields } from '../../schemas/account-fields.js';
import { linkedByWords, signInMethods } from '../../schemas/identity.js';
import { inviteStates } from '../../schemas/mail.js';
import { bulkActions } from '../../schemas/user.js';
import { publicCodes } from './failures.js';
import { component } from './json-schema.js';
import {
  boolean,
  count,
  date,
  id,
  nullableEnum,
  nullableText,
  nullableTimestamp,
  shapesOf,
  text,
  timestamp,
  token,
} from './response-schemas.js';

const user = (name: string, description: string, view: keyof typeof userViews): Joi.ObjectSchema =>
  component(name, description, Joi.object(shapesOf(accountFields, userViews[view].shown)).required());

export const setupUser = user('SetupUser', 'The account that setup created', 'setup');
export const registeredUser = user('RegisteredUser', 'The created account', 'registered');
export const ownUser = user('OwnUser', "The caller's account", 'own');
export const profileUser = user('ProfileUser', "The caller's account after the change", 'profile');
export const firstPasswordChangeUser = user(
  'FirstPasswordChangeUser',
  "The caller's account after the change",
  'firstPasswordChange',
);
const loginUser = user('LoginUser', 'The signed-in account', 'login');

export const login = component(
  'Login',
  'The token of a new session and its account',
  Joi.object({ token, user: loginUser }),
);

/** How a session began. */
const signInMethod = Joi.valid(...signInMethods)
  .required()
  .description("How the person signed in: `oidc` is the organisation's account")
  .example('password');

export const webSession = component(
  'WebSession',
  'The account that is signed in to the web console',
  Joi.object({
    user: loginUser,
    method: signInMethod,
    requiresPasswordChange: boolean,
    expiresAt: timestamp,
    today: date,
  }),
);

/** An account as trainers and trainees see it. */
export const person = component(
  'Person',
  'A trainer or trainee',
  Joi.object(shapesOf(accountFields, userViews.person.shown)),
);

/** An account as the super admin sees it. */
export const account = component(
  'User',
  'An account',
  Joi.object({ ...shapesOf(accountFields, userViews.admin.shown), createdAt: timestamp, updatedAt: timestamp }),
);

export const accountDetails = component(
  'UserDetails',
  'An account with its lock, its ways to sign in and the state of its invitation',
  account.append({
    lockedUntil: nullableTimestamp,
    signsIn: Joi.array()
      .items(Joi.valid(...signInMethods))
      .required()
      .description(
        "Ways in which the person can sign in: `password`, and `oidc` for the organisation's account after its first use; none: the person has not signed in yet",
      )
      .example(['password']),
    invitedAt: nullableTimestamp,
    inviteState: nullableEnum(inviteStates),
    inviteError: nullableText,
    mailFailedAt: nullableTimestamp,
    language: nullableEnum(mailLanguages)
      .description('Language of mails to the person; null for the language of the setting `MAIL_LANGUAGE`')
      .example('de'),
  }),
);

export const activation = Joi.object({
  message: Joi.valid('User activated successfully.', 'User deactivated successfully.').required(),
  user: account.required(),
});

export const bulkChange = component(
  'BulkChange',
  'The outcome for each account',
  Joi.object({
    action: Joi.valid(...bulkActions)
      .required()
      .description('The requested action'),
    dryRun: boolean.description('Whether nothing was changed'),
    counts: Joi.object({ done: count, unchanged: count, refused: count })
      .required()
      .description('Number of accounts by outcome'),
    outcomes: Joi.array()
      .items(
        Joi.object({
          id,
          name: nullableText.description('Name of the account; null if it does not exist').example('Ada Lovelace'),
          outcome: Joi.valid('done', 'unchanged', 'refused').required(),
          code: nullableEnum(publicCodes).description('Code of the refusal; null otherwise').example(null),
          message: nullableText.description('Reason of the refusal, for people; null otherwise').example(null),
          password: Joi.string().description('The new initial password, after `reset_password`; shown only here'),
        }),
      )
      .required(),
  }),
);

export const identity = component(
  'Identity',
  "An account at the organisation's sign-in that signs in a person",
  Joi.object({
    id,
    issuer: text.description('Issuer (OpenID Connect)').example('https://login.example.org'),
    subject: text.description('Subject: the id of the person at the issuer').example('248289761001'),
    email: nullableText
      .description('Email at the issuer when the identity was linked; null without one')
      .example('ada@example.org'),
    linkedBy: Joi.valid(...linkedByWords)
      .required()
      .description('`email`: by the verified email; `creation`: created with the account; `owner`: by its owner')
      .example('email'),
    createdAt: timestamp,
    lastUsedAt: nullableTimestamp,
  }),
);

export const session = component(
  'Session',
  'A session of an account',
  Joi.object({
    id,
    method: signInMethod,
    createdAt: timestamp,
    lastUsedAt: Joi.date().iso(),
    expiresAt: timestamp,
    ip: nullableText,
    userAgent: nullableText,
    current: boolean,
  }),
);
