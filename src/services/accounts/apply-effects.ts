import type { Transaction } from 'sequelize';
import type { Inserts } from '../../db/sql/insert.js';
import { insertRows } from '../../db/sql/insert.js';
import { deleteWords } from '../../db/sql/words.js';
import { seatStatuses } from '../../schemas/enrollment-statuses.js';
import type { Core } from '../core.js';
import { markForDeletion } from '../files/files.js';
import { markCoursesOf } from '../freed-seats.js';
import { queueMails, removeMailsOf } from '../mail/outbox.js';
import {
  endAllLinks,
  endEmailChanges,
  endInvitations,
  endLinks,
  endLinksAfterCancel,
  endSessions,
  keepFormerNames,
  queueWaitingInvitations,
} from './effect-parts.js';
import { type AccountChange, type AccountEffects, accountEffects } from './effects.js';

/**
 * Carries out the effects of changes of accounts, all of one kind together. The transaction has locked the accounts, before their
 * sessions, links, enrollments and mails.
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

  /** Inserts the words of new accounts, while the database inserts their rows. */
  async insertWords(inserts: Inserts): Promise<void> {
    const words = this.#effects.flatMap(({ addedWords }) => addedWords);
    for (const effects of this.#effects) effects.addedWords = [];
    await inserts.add(this.#core.database.models.AccountWord, words);
  }

  /**
   * Call after the audit entry is written, whose author may lose their session; before changed and deleted rows are written, whose names
   * are read; and after new ones are inserted.
   */
  async apply(): Promise<void> {
    const [core, transaction, all] = [this.#core, this.#transaction, this.#effects];
    const { models, sequelize } = core.database;
    this.#effects = [];
    const idsOf = (has: (effects: AccountEffects) => boolean) => all.flatMap((one) => (has(one) ? [one.id] : []));
    const endsLinks = (which: AccountEffects['endsLinks']) => idsOf((one) => one.endsLinks === which);
    const stays = all.flatMap((one) => one.stays ?? []);
    const renewed = all.filter(({ renewsInvitation }) => renewsInvitation);
    const added = all.flatMap(({ addedWords }) => addedWords);
    // The added ones, too: one that is there already is no failure.
    const removed = [...all.flatMap(({ removedWords }) => removedWords), ...added];
    const cancelled = all.flatMap((one) => one.cancelled ?? []);
    const mails = all.flatMap((one) => one.mails);
    const filesOf = idsOf(({ removesFiles }) => removesFiles);
    const mailsOf = idsOf(({ removesMails }) => removesMails);
    const activated = idsOf(({ freesSeats }) => freesSeats === 'waiting');
    const deleted = idsOf(({ freesSeats }) => freesSeats === 'held');

    await keepFormerNames(
      core,
      idsOf((one) => one.isRenamed),
      transaction,
    ); // effect: former-name.statement
    if (removed.length > 0) await deleteWords(sequelize, removed, transaction); // effect: words.delete
    if (added.length > 0) await insertRows(models.AccountWord, added, transaction); // effect: words.insert
    await endSessions(
      core,
      idsOf((one) => one.endsSessions),
      stays,
      transaction,
    ); // effect: sessions.statement
    await endEmailChanges(core, endsLinks('changes'), transaction); // effect: links.changes
    await endLinks(core, endsLinks('most'), transaction); // effect: links.most
    await endAllLinks(core, endsLinks('all'), transaction); // effect: links.all
    await endLinksAfterCancel(core, cancelled, transaction); // effect: links.cancelled
    await endInvitations(
      core,
      idsOf((one) => one.withdrawsInvitation),
      transaction,
    ); // effect: invitation.withdrawn
    if (mailsOf.length > 0) await removeMailsOf(core, mailsOf, transaction); // effect: mails.removed
    await queueWaitingInvitations(core, renewed, transaction); // effect: invitation.queued
    await queueMails(core, mails, transaction); // effect: mails.queued
    if (filesOf.length > 0) await markForDeletion(core, { userId: filesOf }, transaction); // effect: files.marked
    if (activated.length > 0) await markCoursesOf(models, { userId: activated, status: 'waiting' }, transaction); // effect: seats.waiting
    if (deleted.length > 0) await markCoursesOf(models, { userId: deleted, status: seatStatuses }, transaction); // effect: seats.held
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
