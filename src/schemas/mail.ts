import { moment } from './audit.js';
import * as fields from './fields.js';
import Joi from './joi.js';
import type { PagingWithKey } from './listing.js';
import * as listing from './listing.js';

/** States of a mail. `queued`, `sending` and `deferred` mails are not sent yet. */
export const mailStates = ['queued', 'sending', 'deferred', 'sent', 'failed', 'withdrawn'] as const;
export type MailState = (typeof mailStates)[number];

/** States of an invitation. `sent`: accepted by the mail server. `accepted`: used by the person. */
export const inviteStates = ['queued', 'sent', 'failed', 'accepted'] as const;
export type InviteState = (typeof inviteStates)[number];

export const linkPurposes = ['invite', 'reset', 'email', 'email-cancel'] as const;
export type LinkPurpose = (typeof linkPurposes)[number];

/** Kinds of mails. services/mail/kinds.ts describes them. */
export const mailKindNames = [
  'reset',
  'email-confirm',
  'email-notice',
  'email-changed',
  'password-changed',
  'role-transferred',
  'sync-held',
  'test',
  'invitation',
  'enrolled',
  'accepted',
  'moved_up',
  'refused',
  'completed',
  'requests',
] as const;

/** Kind of mail whose recipients are hidden in lists, reasons and accounts: a forgotten password is private. */
export const anonymousKind: (typeof mailKindNames)[number] = 'reset';
export const isAnonymous = (kind: string): boolean => kind === anonymousKind;

export interface MailFilter {
  state?: MailState;
  kind?: (typeof mailKindNames)[number];
  userId?: string;
  importId?: string;
  addressUnknown?: boolean;
  /** Time of the earliest mails. */
  since?: Date;
}

const filter = {
  state: fields.oneOf('state', mailStates).description('Only mails in this state'),
  kind: fields.oneOf('kind', mailKindNames).description('Only mails of this kind'),
  userId: fields.id('userId').description('Only mails for this account'),
  importId: fields.id('importId').description('Only mails of this import'),
  addressUnknown: listing
    .queryBoolean('addressUnknown')
    .description("Only mails whose address doesn't exist, or all others"),
  since: moment('since').description('Only mails of this time or later'),
};

/** Query of `GET /api/mails`. */
export const mailListingSchema = Joi.object<MailFilter & PagingWithKey, true>({
  ...filter,
  ...listing.pagingWithKey(20),
});

export const mailActions = ['retry', 'withdraw'] as const;
export type MailAction = (typeof mailActions)[number];

/** Maximum number of mails in one bulk operation. */
const maxBulkMails = 1000;

/** Body of `POST /api/mails/bulk`. */
export const mailChangeSchema = Joi.object<{ action: MailAction; ids: string[] }, true>({
  action: fields.oneOf('action', mailActions).required().description('What to do with the mails'),
  ids: fields.idList('ids', maxBulkMails).required(),
});

/** Body of `POST /api/mails/test`. */
export const testMailSchema = Joi.object<{ email: string }, true>({
  email: fields.email.required().description('Recipient of the mail'),
});
