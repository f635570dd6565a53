import type { LinkPurpose, mailKindNames } from '../../schemas/mail.js';
import type { NewsKind } from '../../schemas/mail-preferences.js';

const hourMs = 60 * 60_000;
const dayMs = 24 * hourMs;

/**
 * Order of sending; lower numbers are sent first. `MAIL_PER_MINUTE` limits only `invitation` and `news`, so that a
 * forgotten password doesn't wait for 5,000 invitations.
 */
export const mailPriorities = { urgent: 0, invitation: 1, news: 2 } as const;

interface MailKindDeclaration {
  readonly priority: keyof typeof mailPriorities;
  /** Age at which an unsent mail is withdrawn, in milliseconds. */
  readonly longestAgeMs: number;
  /** Purpose of the secret link; omitted for mails without one. */
  readonly link?: LinkPurpose;
}

const urgent = { priority: 'urgent', longestAgeMs: 3 * dayMs } as const;
/** Each person may turn news off. */
const news = { priority: 'news', longestAgeMs: dayMs } as const;

/** All kinds of mails. templates-en.ts has their texts, read-content.ts reads their content from the database. */
export const mailKinds = {
  /** Has a link to replace a forgotten password. */
  reset: { ...urgent, longestAgeMs: hourMs, link: 'reset' },
  /** Has a link to confirm a new address; sent to the new address. */
  'email-confirm': { ...urgent, longestAgeMs: dayMs, link: 'email' },
  /** Has a link to cancel a change of address; sent to the old address. */
  'email-notice': { ...urgent, link: 'email-cancel' },
  /** Reports that the super admin changed the address; sent to the old address. */
  'email-changed': urgent,
  /** Sent to the address at the time of the password change, even if the account has a new address now. */
  'password-changed': urgent,
  /** Reports a transfer of the super admin role; sent to the addresses of both people at the time of the transfer. */
  'role-transferred': urgent,
  /** Reports a sync that was held to the super admin. */
  'sync-held': urgent,
  /** Requested by an operator to check that mail arrives. */
  test: { ...urgent, longestAgeMs: hourMs },
  /** Has a link to set the first password, or names the organisation's account. */
  invitation: { priority: 'invitation', longestAgeMs: 3 * dayMs, link: 'invite' },
  enrolled: news,
  accepted: news,
  /** Reports a seat to a person on the waiting list. */
  moved_up: news,
  refused: news,
  completed: news,
  /** Lists open requests for a trainer. */
  requests: news,
} as const satisfies Readonly<
  Record<(typeof mailKindNames)[number], MailKindDeclaration> & Record<NewsKind, typeof news>
>;

export type MailKind = keyof typeof mailKinds;

/** Returns the purpose of a mail's secret link; undefined without a link. */
export const linkPurposeOf = (kind: MailKind): LinkPurpose | undefined => {
  const declaration: MailKindDeclaration = mailKinds[kind];
  return declaration.link;
};
