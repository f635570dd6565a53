import type { CreationAttributes } from 'sequelize';
import type { Link } from '../../db/models/link.js';
import type { AccountWord } from '../../db/models/search-words.js';
import { fullName, type User } from '../../db/models/user.js';
import type { AuditActionOn } from '../../schemas/audit.js';
import { type SearchedAccount, storedWords } from '../../schemas/search-words.js';
import type { Author, Core } from '../core.js';
import { isMailSetUp, type NewMail } from '../mail/outbox.js';
import { userKeys } from './keys.js';

/** Fields of an account that effects depend on. Absent fields don't change. */
export type AccountState = Pick<User, 'id' | 'firstName' | 'lastName' | 'email' | 'role' | 'isActive'> &
  Partial<Pick<User, 'passwordHash' | 'hasPassword' | 'inviteState' | 'avatar' | 'emailConfirmedAt'>> &
  Partial<SearchedAccount>;

/** Data of a change besides the fields of the account. */
export interface Cause {
  action: AuditActionOn<'user'> | `own.${'password' | 'profile' | 'avatar' | 'sessions' | 'email' | 'link'}`;
  actor: Author;
  /** Session in which people change their own account; it stays valid. */
  keptSessionId?: string | undefined;
  importId?: string | undefined;
  /** Message of the super admin in an invitation. */
  message?: string | undefined;
  /** Link that has cancelled a change of email. */
  cancelLink?: Link;
  /** Name of the other person in a transfer of the super admin role. */
  otherName?: string;
}

/** Change of an account. `before` is undefined for a new account, `after` for a deleted one. */
export type AccountChange = { cause: Cause } & (
  | { before: undefined; after: AccountState }
  | { before: AccountState; after: undefined }
  | Change
);
interface Change {
  before: AccountState;
  after: AccountState;
}

type AccountWordRow = CreationAttributes<AccountWord>;

/** Effects of one change. For each kind, apply-effects.ts has one line. */
export interface AccountEffects extends Pick<Cause, 'keptSessionId' | 'cancelLink' | 'importId'> {
  id: string;
  endsSessions?: boolean;
  /** `most`: all except links that cancel a change of email. `changes`: links of unconfirmed changes of email only. */
  endsLinks?: 'changes' | 'most' | 'all';
  /** Withdraws unsent mails of an invitation. */
  withdrawsInvitation?: boolean;
  /** Queues the invitation again, unless it is queued already. */
  renewsInvitation?: boolean;
  mails: NewMail[];
  addedWords: AccountWordRow[];
  removedWords: AccountWordRow[];
  isRenamed?: boolean;
  /** Revokes the private address of the calendar. */
  revokesCalendar?: boolean;
  /**
   * Removes identities: all, those that were linked in a session (`owner`), or those that were linked without one
   * (`automatic`).
   */
  unlinks?: 'all' | 'owner' | 'automatic';
  /** Ends memberships: the super admin is in no group. */
  leavesGroups?: boolean;
  /** Forgets that a roster deactivated the account: it stays as people set it from now on. */
  forgetsDeactivation?: boolean;
  removesFiles?: boolean;
  removesMails?: boolean;
  /**
   * Marks courses in which somebody may get a seat now. `waiting`: courses where the activated account is on the waiting
   * list. `held`: courses where the deleted account had a seat.
   */
  freesSeats?: 'waiting' | 'held';
}

type NamedAccount = Pick<AccountState, 'id' | 'firstName' | 'lastName' | 'email'> & Partial<SearchedAccount>;

const storedWordsOf = (account: NamedAccount): string[] =>
  storedWords(account.searchKey === undefined ? { ...account, ...userKeys(account) } : (account as SearchedAccount));

/** Returns the rows of an account's search words: see schemas/search-words.ts. */
export const accountWordRows = (account: NamedAccount): AccountWordRow[] =>
  storedWordsOf(account).map((word) => ({ word, accountId: account.id }));

/** Whether an invitation is open: its mail is queued, was sent, or failed. */
export const isOpenInvitation = (state: User['inviteState'] | undefined): boolean =>
  state === 'queued' || state === 'sent' || state === 'failed';

const changesPassword = ({ before, after }: Change) => before.passwordHash !== after.passwordHash;
/** Whether the first sign-in with the organisation's account proves an email that nobody has confirmed. */
const provesEmail = ({ before, after }: Change, { action }: Cause) =>
  action === 'own.link' && !before.emailConfirmedAt && Boolean(after.emailConfirmedAt);
const isActivated = ({ before, after }: Change) => !before.isActive && after.isActive;
/** Whether an invitation is open and the change itself doesn't set its state. */
const hasOpenInvitation = ({ before, after }: Change) =>
  isOpenInvitation(before.inviteState) && before.inviteState === after.inviteState;

/** Returns fields that follow from a change: a new password ends an open invitation, an activation renews it. */
export function impliedFields(
  change: Change & { cause: Cause },
  core: Pick<Core, 'config' | 'now'>,
): Partial<Pick<User, 'inviteState' | 'invitedAt'>> {
  const ended = { inviteState: null, invitedAt: null };
  const renewed = { inviteState: 'queued', invitedAt: core.now() } as const;
  if (!hasOpenInvitation(change) || change.cause.action === 'user.invite') return {};
  if (changesPassword(change)) return ended; // effect: password.invitation-state
  if (isActivated(change) && isMailSetUp(core)) return renewed; // effect: activation.invitation-state
  return {};
}

export function accountEffects({ before, after, cause }: AccountChange): AccountEffects {
  const { id } = after ?? before;
  const effects: AccountEffects = { ...cause, id, mails: [], addedWords: [], removedWords: [] };
  if (!before) addEffectsOfNew(effects, after, cause);
  else if (!after) addEffectsOfDeleted(effects, before);
  else addEffectsOfChange(effects, { before, after }, cause);
  return effects;
}

const invitationOf = (id: string, { importId, message }: Cause): NewMail => ({
  kind: 'invitation',
  userId: id,
  ...(importId !== undefined && { importId }),
  ...(message !== undefined && { data: { message } }),
});

function addEffectsOfNew(effects: AccountEffects, after: AccountState, cause: Cause): void {
  effects.addedWords = accountWordRows(after); // effect: new.words
  const isInvited = after.isActive && after.inviteState === 'queued';
  if (isInvited) effects.mails.push(invitationOf(after.id, cause)); // effect: new.invitation
}

/** Foreign keys delete sessions, links, enrollments, memberships and calendars. */
function addEffectsOfDeleted(effects: AccountEffects, before: AccountState): void {
  effects.removedWords = accountWordRows(before); // effect: deleted.words
  effects.removesMails = true; // effect: deleted.mails
  effects.removesFiles = true; // effect: deleted.files
  effects.freesSeats = 'held'; // effect: deleted.seats
}

function addEffectsOfChange(effects: AccountEffects, change: Change, cause: Cause): void {
  const { before, after } = change;
  const { action, actor } = cause;
  const hasNewEmail = before.email !== after.email;
  const hasNewPassword = changesPassword(change);
  const isClaimed = provesEmail(change, cause);
  const mustSignIn = [
    isClaimed, // effect: first-link.sessions
    hasNewPassword, // effect: password.sessions
    hasNewEmail, // effect: email.sessions
    before.role !== after.role, // effect: role.sessions
    before.isActive && !after.isActive, // effect: deactivation.sessions
    action === 'user.confirm-email', // effect: confirm-email.sessions
    action === 'user.cancel-email', // effect: cancel-email.sessions
  ].includes(true);
  effects.endsSessions = [
    mustSignIn,
    action === 'user.end-sessions', // effect: end-sessions.sessions
    action === 'own.sessions', // effect: own-sessions.sessions
    action === 'user.unlink', // effect: unlink.sessions
  ].includes(true);

  const isInvited = action === 'user.invite';
  if (action === 'own.email' || action === 'user.verify-email') effects.endsLinks = 'changes'; // effect: another-email.links
  if (mustSignIn) effects.endsLinks = 'most'; // effect: sign-in.links
  if (isInvited) effects.endsLinks = 'most'; // effect: invite.links
  // Somebody else changes the account, perhaps because a stranger reads its mail: all links end.
  const isRescue = (hasNewEmail || before.isActive !== after.isActive) && actor.actorId !== after.id;
  if (isRescue) effects.endsLinks = 'all'; // effect: rescue.links
  if (isClaimed) effects.endsLinks = 'all'; // effect: first-link.links
  if (isClaimed) effects.revokesCalendar = true; // effect: first-link.calendar
  // Somebody who knew the password may have linked an identity.
  if (hasNewPassword && action !== 'own.password') effects.unlinks = 'owner'; // effect: password.identities
  if (action === 'user.cancel-email') effects.unlinks = 'all'; // effect: cancel-email.identities
  if (hasNewEmail && isRescue) effects.unlinks = 'all'; // effect: rescue.identities
  if (isClaimed) effects.unlinks = 'all'; // effect: first-link.identities

  if (isOpenInvitation(before.inviteState)) {
    if (hasNewPassword) effects.withdrawsInvitation = true; // effect: password.invitation
    if (isInvited) effects.withdrawsInvitation = true; // effect: invite.invitation
    if (isClaimed) effects.withdrawsInvitation = true; // effect: first-link.invitation
    if (isActivated(change) && !hasNewPassword) effects.renewsInvitation = true; // effect: activation.invitation
  }
  if (isInvited && after.isActive) effects.mails.push(invitationOf(after.id, cause)); // effect: invite.mail
  effects.mails.push(...securityMails(change, cause));

  if (isRenamed(change)) {
    const [old, now] = [accountWordRows(before), accountWordRows(after)];
    const isIn = (words: readonly AccountWordRow[]) => (one: AccountWordRow) =>
      words.some(({ word }) => word === one.word);
    effects.removedWords = old.filter((one) => !isIn(now)(one)); // effect: rename.removed-words
    effects.addedWords = now.filter((one) => !isIn(old)(one)); // effect: rename.added-words
  }
  effects.isRenamed = fullName(before) !== fullName(after); // effect: rename.former-name
  effects.leavesGroups = before.role !== after.role && after.role === 'super_admin'; // effect: role.groups
  if (before.role !== after.role && after.role === 'super_admin') effects.unlinks = 'automatic'; // effect: role.identities
  effects.removesFiles = before.avatar !== after.avatar; // effect: avatar.files
  if (isActivated(change)) effects.freesSeats = 'waiting'; // effect: activation.seats
  if (isActivated(change)) effects.forgetsDeactivation = true; // effect: activation.rosters
}

const isRenamed = ({ before, after }: Change) =>
  before.firstName !== after.firstName || before.lastName !== after.lastName || before.email !== after.email;

/**
 * Returns mails about changes that an attacker could have made. Changes at the terminal cause no mails, except a
 * transfer.
 */
function securityMails({ before, after }: Change, { action, actor, importId, otherName }: Cause): NewMail[] {
  const mails: NewMail[] = [];
  const about = { userId: after.id, address: before.email, ...(importId !== undefined && { importId }) };
  const isFirstPassword = action === 'user.set-password' && !before.hasPassword;
  const hasNewPassword = before.passwordHash !== after.passwordHash && after.hasPassword !== false && !isFirstPassword;
  // The mails with the confirm and cancel links have announced the change already.
  const isByLink = action === 'user.confirm-email' || action === 'user.cancel-email';
  const hasNewEmail = before.email !== after.email && !isByLink;
  const transfer = { isNew: after.role === 'super_admin', ...(otherName !== undefined && { other: otherName }) };
  const change = { newEmail: after.email };
  const isHttp = actor.origin === 'http';
  if (hasNewPassword && isHttp) mails.push({ kind: 'password-changed', ...about }); // effect: password.mail
  if (hasNewEmail && isHttp) mails.push({ kind: 'email-changed', ...about, data: change }); // effect: email.mail
  if (otherName !== undefined) mails.push({ kind: 'role-transferred', ...about, data: transfer }); // effect: transfer.mail
  return mails;
}
