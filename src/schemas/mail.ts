/** What became of a mail; `queued`, `sending` and `deferred` ones are still to leave. */
export const mailStates = ['queued', 'sending', 'deferred', 'sent', 'failed', 'withdrawn'] as const;
export type MailState = (typeof mailStates)[number];

/** What became of a person's invitation: `sent` is taken by the mail server, `accepted` by the person. */
export const inviteStates = ['queued', 'sent', 'failed', 'accepted'] as const;
export type InviteState = (typeof inviteStates)[number];

/** What the link of a mail is for. */
export const linkPurposes = ['invite', 'reset', 'email', 'email-cancel'] as const;
export type LinkPurpose = (typeof linkPurposes)[number];
