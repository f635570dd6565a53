import type { LinkPurpose, mailKindNames } from '../../schemas/mail.js';
import type { NewsKind } from '../../schemas/mail-preferences.js';

const hourMs = 60 * 60_000;
const dayMs = 24 * hourMs;

/**
 * Which mails leave first. Only `invitation` and `news` count for `MAIL_PER_MINUTE`: who has forgotten a password doesn't wait for
 * 5,000 invitations.
 */
export const mailPriorities = { urgent: 0, invitation: 1, news: 2 } as const;

interface MailKindDeclaration {
  readonly priority: keyof typeof mailPriorities;
  /** A mail that couldn't be sent for so long is withdrawn. */
  readonly longestAgeMs: number;
  /** What the link of the mail is for; none for a mail without a secret link. */
  readonly link?: LinkPurpose;
}

const urgent = { priority: 'urgent', longestAgeMs: 3 * dayMs } as const;
/** Each person may turn it off. */
const news = { priority: 'news', longestAgeMs: dayMs } as const;

/** The kinds of mails, each declared once; what they say: words-en.ts, what they need of the database: content.ts. */
export const mailKinds = {
  /** A link to set a forgotten password. */
  reset: { ...urgent, longestAgeMs: hourMs, link: 'reset' },
  /** A link that confirms a new address; goes to that address. */
  'email-confirm': { ...urgent, longestAgeMs: dayMs, link: 'email' },
  /** A link that cancels a change of address; goes to the old address. */
  'email-notice': { ...urgent, link: 'email-cancel' },
  /** The super admin has changed the address; goes to the old address. */
  'email-changed': urgent,
  /** Goes to the address of the moment of the change, whatever the account has when it leaves. */
  'password-changed': urgent,
  /** The rights of the super admin were transferred to somebody else; goes to the addresses that both had then. */
  'role-transferred': urgent,
  /** Asked for by an operator, to see whether mail arrives. */
  test: { ...urgent, longestAgeMs: hourMs },
  /** A link to set the first password. */
  invitation: { priority: 'invitation', longestAgeMs: 3 * dayMs, link: 'invite' },
  enrolled: news,
  accepted: news,
  /** To who waited: there is a seat. */
  moved_up: news,
  refused: news,
  completed: news,
  /** To trainers: who waits for a reply. */
  requests: news,
} as const satisfies Readonly<
  Record<(typeof mailKindNames)[number], MailKindDeclaration> & Record<NewsKind, typeof news>
>;

export type MailKind = keyof typeof mailKinds;

/** What the link of a mail is for; nothing for a mail without one. */
export const linkPurposeOf = (kind: MailKind): LinkPurpose | undefined => {
  const declaration: MailKindDeclaration = mailKinds[kind];
  return declaration.link;
};
