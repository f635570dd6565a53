import { moment } from './audit.js';
import * as fields from './fields.js';
import Joi from './joi.js';
import type { PagingWithKey } from './listing.js';
import * as listing from './listing.js';

/** What became of a mail; `queued`, `sending` and `deferred` ones are still to leave. */
export const mailStates = ['queued', 'sending', 'deferred', 'sent', 'failed', 'withdrawn'] as const;
export type MailState = (typeof mailStates)[number];

/** What became of a person's invitation: `sent` is taken by the mail server, `accepted` by the person. */
export const inviteStates = ['queued', 'sent', 'failed', 'accepted'] as const;
export type InviteState = (typeof inviteStates)[number];

/** What the link of a mail is for. */
export const linkPurposes = ['invite', 'reset', 'email', 'email-cancel'] as const;
export type LinkPurpose = (typeof linkPurposes)[number];

/** What mails are about; what each is: services/mail/kinds.ts. */
export const mailKindNames = [
  'reset',
  'email-confirm',
  'email-notice',
  'email-changed',
  'password-changed',
  'role-transferred',
  'test',
  'invitation',
  'enrolled',
  'accepted',
  'moved_up',
  'refused',
  'completed',
  'requests',
] as const;

/** Lists, reasons and accounts keep silent about its recipients: nobody is to see who has forgotten a password. */
export const anonymousKind: (typeof mailKindNames)[number] = 'reset';
export const isAnonymous = (kind: string): boolean => kind === anonymousKind;

/** Which mails are listed. */
export interface MailFilter {
  state?: MailState;
  kind?: (typeof mailKindNames)[number];
  userId?: string;
  importId?: string;
  /** The first moment of which mails are wanted. */
  since?: Date;
}

const filter = {
  state: fields.oneOf('state', mailStates).description('Only mails in this state'),
  kind: fields.oneOf('kind', mailKindNames).description('Only mails of this kind'),
  userId: fields.id('userId').description('Only mails for this account'),
  importId: fields.id('importId').description('Only mails of this import'),
  since: moment('since').description('Only mails of this moment or later'),
};

/** Query of `GET /api/mails`. */
export const mailListingSchema = Joi.object<MailFilter & PagingWithKey, true>({
  ...filter,
  ...listing.pagingWithKey(20),
});

/** What an operator can do with mails. */
export const mailActions = ['retry', 'withdraw'] as const;
export type MailAction = (typeof mailActions)[number];

/** Mails that one bulk operation can change. */
const maxBulkMails = 1000;

/** Body of `POST /api/mails/bulk`. */
export const mailChangeSchema = Joi.object<{ action: MailAction; ids: string[] }, true>({
  action: fields.oneOf('action', mailActions).required().description('What to do with the mails'),
  ids: fields.idList('ids', maxBulkMails).required(),
});

/** Body of `POST /api/mails/test`. */
export const testMailSchema = Joi.object<{ email: string }, true>({
  email: fields.email.required().description('Where the mail goes'),
});
