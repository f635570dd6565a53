import type { Transaction } from 'sequelize';
import { type BulkInserter, insertRows } from '../../db/sql/insert.js';
import { deleteWords } from '../../db/sql/search-words.js';
import { seatStatuses } from '../../schemas/enrollment-statuses.js';
import type { Core } from '../core.js';
import { markForDeletion } from '../files/files.js';
import { markCoursesOfEnrollments } from '../freed-seats.js';
import { queueMails } from '../mail/outbox.js';
import {
  endAllLinks,
  endEmailChanges,
  endInvitations,
  endLinks,
  endLinksAfterCancel,
  endSessions,
  forgetDeactivations,
  keepFormerNames,
  leaveGroups,
  queueWaitingInvitations,
  removeIdentities,
  removeMails,
  revokeCalendars,
} from './effect-statements.js';
import { type AccountChange, type AccountEffects, accountEffects } from './effects.js';

/**
 * Carries out the effects of account changes, each kind for all accounts together. The transaction has locked the accounts before
 * their sessions, links, enrollments and mails.
 */
export class EffectBatch {
  readonly #core: Core;
  readonly #transaction: Transaction;
  #effects: AccountEffects[] = [];

  constructor(core: Core, transaction: Transaction) {
    this.#core = core;
    this.#transaction = transaction;
  }

  add(change: AccountChange): void {
    this.#effects.push(accountEffects(change));
  }

  /** Inserts the search words of new accounts while the database inserts their rows. */
  async insertWords(inserts: BulkInserter): Promise<void> {
    const words = this.#effects.flatMap(({ addedWords }) => addedWords);
    for (const effects of this.#effects) effects.addedWords = [];
    await inserts.add(this.#core.database.models.AccountWord, words);
  }

  /**
   * Carries out the effects of all added changes. Call it
   * - after writing the audit entry, because its author may lose their session,
   * - before writing changed and deleted rows, because their names are read,
   * - after inserting new rows.
   */
  async apply(): Promise<void> {
    const [core, transaction, all] = [this.#core, this.#transaction, this.#effects];
    const { models, sequelize } = core.database;
    this.#effects = [];
    const idsWith = <K extends keyof AccountEffects>(effect: K, value: AccountEffects[K]) =>
      all.flatMap((one) => (one[effect] === value ? [one.id] : []));
    const renamed = idsWith('isRenamed', true);
    const added = all.flatMap(({ addedWords }) => addedWords);
    // Deletes added words, too, so that inserting a stored word doesn't fail.
    const removed = [...all.flatMap(({ removedWords }) => removedWords), ...added];
    const signedOut = idsWith('endsSessions', true);
    const keptSessions = all.flatMap((one) => one.keptSessionId ?? []);
    const cancelLinks = all.flatMap((one) => one.cancelLink ?? []);
    const uninvited = idsWith('withdrawsInvitation', true);
    const renewed = all.filter(({ renewsInvitation }) => renewsInvitation);
    const mails = all.flatMap((one) => one.mails);
    const mailsOf = idsWith('removesMails', true);
    const filesOf = { userId: idsWith('removesFiles', true) };
    const waiting = { userId: idsWith('freesSeats', 'waiting'), status: 'waiting' } as const;
    const held = { userId: idsWith('freesSeats', 'held'), status: seatStatuses };

    await keepFormerNames(core, renamed, transaction); // effect: former-names.kept
    await deleteWords(sequelize, removed, transaction); // effect: words.deleted
    await insertRows(models.AccountWord, added, transaction); // effect: words.inserted
    await endSessions(core, signedOut, keptSessions, transaction); // effect: sessions.ended
    await endEmailChanges(core, idsWith('endsLinks', 'changes'), transaction); // effect: links.ended-changes
    await endLinks(core, idsWith('endsLinks', 'most'), transaction); // effect: links.ended-most
    await endAllLinks(core, idsWith('endsLinks', 'all'), transaction); // effect: links.ended-all
    await endLinksAfterCancel(core, cancelLinks, transaction); // effect: links.ended-after-cancel
    await endInvitations(core, uninvited, transaction); // effect: invitations.withdrawn
    await removeMails(core, mailsOf, transaction); // effect: mails.removed
    await queueWaitingInvitations(core, renewed, transaction); // effect: invitations.queued
    await queueMails(core, mails, transaction); // effect: mails.queued
    await leaveGroups(core, idsWith('leavesGroups', true), transaction); // effect: groups.left
    await revokeCalendars(core, idsWith('revokesCalendar', true), transaction); // effect: calendars.revoked
    await removeIdentities(core, idsWith('unlinks', 'all'), transaction); // effect: identities.removed-all
    await removeIdentities(core, idsWith('unlinks', 'owner'), transaction, ['owner']); // effect: identities.removed-owner
    await removeIdentities(core, idsWith('unlinks', 'automatic'), transaction, ['email', 'creation']); // effect: identities.removed-automatic
    await forgetDeactivations(core, idsWith('forgetsDeactivation', true), transaction); // effect: rosters.forgotten
    if (filesOf.userId.length > 0) await markForDeletion(core, filesOf, transaction); // effect: files.marked
    if (waiting.userId.length > 0) await markCoursesOfEnrollments(models, waiting, transaction); // effect: seats.marked-waiting
    if (held.userId.length > 0) await markCoursesOfEnrollments(models, held, transaction); // effect: seats.marked-held
  }
}

/** Carries out the effects of changes: see {@link EffectBatch}. */
export async function applyEffects(
  core: Core,
  changes: readonly AccountChange[],
  transaction: Transaction,
): Promise<void> {
  const effects = new EffectBatch(core, transaction);
  for (const change of changes) effects.add(change);
  await effects.apply();
}
