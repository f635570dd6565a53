import type { Core } from '../../core.js';
import { isMailSetUp } from '../../mail/outbox.js';
import type { CandidateRow } from '../read/rows/rows.js';
import { type Decision, type ExistingAccount, rejection } from './outcomes.js';

/** Reason for all accounts that aren't active trainees. It says nothing about role and state of the account. */
export const notEnrollable =
  "The person with this email can't be enrolled. Check the email, or ask the super admin to enroll the person.";

export const invitationsNeedMail =
  'A new person gets an invitation by mail, and mail is not set up. Ask the super admin to set it up, or to import the person.';

export const noInvitations =
  "Trainers can't invite new people on this server. Ask the super admin to import the person.";

/**
 * Decides on a row of a trainer's import by its email alone: active trainees are only enrolled, and new people are invited.
 * @param account account with the email of the row
 */
export function decideForTrainer(core: Core, row: CandidateRow, account: ExistingAccount | undefined): Decision {
  if (account === undefined) {
    if (!isMailSetUp(core)) return rejection(row, 'MAIL_NOT_SET_UP', invitationsNeedMail);
    if (core.config.imports.trainerInvites === 0) return rejection(row, 'INVITE_LIMIT', noInvitations);
    return { outcome: 'created', row, enrollments: [] };
  }
  // The rejection doesn't name the account: the listing of rows would show it.
  if (account.role !== 'trainee' || !account.isActive) return rejection(row, 'NOT_ENROLLABLE', notEnrollable);
  return { outcome: 'skipped', row, code: 'ALREADY_EXISTS', account, enrollments: [] };
}
