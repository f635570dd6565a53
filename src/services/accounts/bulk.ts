import { Op } from 'sequelize';
import type { User } from '../../db/models/user.js';
import { AppError, isAppError, notFound, validationError } from '../../errors.js';
import { type BulkAction, type BulkChange, bulkChangeSchema, maxBulkAccounts } from '../../schemas/user.js';
import { validate } from '../../schemas/validate.js';
import { mailResetLink } from '../auth/forgotten-password.js';
import { assertStillSignedIn } from '../auth/sessions.js';
import type { Actor, Core } from '../core.js';
import { assertMailSetUp } from '../mail/outbox.js';
import { usesPassword } from '../password-login.js';
import { deleteUser, trainerHasCoursesError } from './delete-user.js';
import { invitationRefusal, inviteUser } from './invite.js';
import { resetPassword, type SavePassword } from './passwords.js';
import { planAccountFilter } from './queries.js';
import { endUserSessions } from './sessions.js';
import { setUserActive } from './update-user.js';

/** Outcome of a bulk operation for one account, real or previewed. */
export interface BulkOutcome {
  id: string;
  /** Null for an account that doesn't exist. */
  name: string | null;
  outcome: 'done' | 'unchanged' | 'refused';
  /** Set if the outcome is `refused`. */
  refusal?: AppError;
  /** The new initial password, which is shown nowhere else; absent if {@link BulkOptions.savePassword} stored it. */
  password?: string;
}

interface BulkOptions {
  /** Stops the operation between two accounts. */
  signal: AbortSignal;
  /** Stores each new password before it becomes valid. */
  savePassword?: SavePassword;
}

interface AccountSnapshot {
  user: User | undefined;
  hasCourses: boolean;
  sessions: number;
}

/** Returns the ids of the accounts to change, in a stable order. @throws AppError `VALIDATION`, also if the filter matches too many */
async function targetIds(core: Core, { ids, filter }: BulkChange): Promise<string[]> {
  if (filter === undefined) {
    if (ids === undefined)
      throw validationError([
        { path: 'ids', code: 'REQUIRED', params: { fields: ['filter'] }, message: 'Either ids or filter is required.' },
      ]);
    return ids;
  }
  if (ids !== undefined)
    throw validationError([
      { path: 'filter', code: 'EXCLUSIVE', params: { fields: ['ids'] }, message: 'ids and filter exclude each other.' },
    ]);
  const { User } = core.database.models;
  const { all: where } = await planAccountFilter(core, filter);
  return core.database.read(async () => {
    const matched = await User.count({ where });
    if (matched > maxBulkAccounts)
      throw validationError([
        {
          path: 'filter',
          code: 'TOO_MANY',
          params: { max: maxBulkAccounts },
          message: `filter matches ${matched} accounts; at most ${maxBulkAccounts} can be changed at once.`,
        },
      ]);
    const users = await User.findAll({ attributes: ['id'], where, order: [['id', 'ASC']], limit: maxBulkAccounts });
    return users.map(({ id }) => id);
  });
}

/** Reads the data of all accounts with at most two queries. */
async function readSnapshots(
  core: Core,
  action: BulkAction,
  ids: readonly string[],
): Promise<(id: string) => AccountSnapshot> {
  const { User, Course, Session } = core.database.models;
  return core.database.read(async () => {
    const users = new Map((await User.findAll({ where: { id: [...ids] } })).map((user) => [user.id, user]));
    const courses =
      action === 'delete'
        ? await Course.findAll({ attributes: ['trainerId'], where: { trainerId: [...ids] }, group: 'trainerId' })
        : [];
    const open = { userId: [...ids], expiresAt: { [Op.gt]: core.now() } };
    const sessions = action === 'end_sessions' ? await Session.count({ where: open, group: ['userId'] }) : [];
    const trainers = new Set(courses.map(({ trainerId }) => trainerId));
    const counts = new Map(sessions.map(({ userId, count }) => [String(userId), count]));
    return (id) => ({ user: users.get(id), hasCourses: trainers.has(id), sessions: counts.get(id) ?? 0 });
  });
}

/** Predicts whether the operation changes the account, leaves it unchanged, or is refused. */
function previewedOutcome(
  core: Core,
  action: BulkAction,
  actor: Actor,
  { user, hasCourses, sessions }: AccountSnapshot,
): 'done' | 'unchanged' | AppError {
  if (!user) return notFound('User');
  switch (action) {
    case 'activate':
      return user.isActive ? 'unchanged' : 'done';
    case 'deactivate':
      if (user.role === 'super_admin') return new AppError('SUPER_ADMIN_PROTECTED');
      return user.isActive ? 'done' : 'unchanged';
    case 'delete':
      if (user.role === 'super_admin') return new AppError('SUPER_ADMIN_PROTECTED');
      return hasCourses ? trainerHasCoursesError() : 'done';
    case 'reset_password':
      return user.id === actor.actorId ? new AppError('OWN_ACCOUNT') : 'done';
    case 'invite':
      return invitationRefusal(user) ?? 'done';
    case 'mail_reset_link':
      if (!user.isActive) return new AppError('ACCOUNT_INACTIVE');
      return usesPassword(core, user.role) ? 'done' : new AppError('PASSWORD_LOGIN_OFF');
    case 'end_sessions':
      if (user.id === actor.actorId) return new AppError('OWN_ACCOUNT');
      return sessions === 0 ? 'unchanged' : 'done';
  }
}

/** Changes one account in its own transaction. @throws the errors of the operation for one account */
async function changeAccount(
  core: Core,
  actor: Actor,
  { action, message }: Pick<BulkChange, 'action' | 'message'>,
  id: string,
  savePassword: SavePassword | undefined,
): Promise<{ password?: string }> {
  switch (action) {
    case 'activate':
    case 'deactivate':
      await setUserActive(core, actor, id, action === 'activate');
      return {};
    case 'delete':
      await deleteUser(core, actor, id);
      return {};
    case 'reset_password': {
      const { temporaryPassword } = await resetPassword(core, actor, id, undefined, savePassword);
      return savePassword ? {} : { password: temporaryPassword };
    }
    case 'invite':
      await inviteUser(core, actor, id, message);
      return {};
    case 'mail_reset_link':
      await mailResetLink(core, actor, id);
      return {};
    case 'end_sessions':
      await endUserSessions(core, actor, id);
      return {};
  }
}

/** Refusals that concern one account only. After any other failure, the remaining accounts are not tried. */
const perAccountRefusals = [
  'NOT_FOUND',
  'SUPER_ADMIN_PROTECTED',
  'TRAINER_HAS_COURSES',
  'ACCOUNT_INACTIVE',
  'INVITATION_NOT_NEEDED',
  'PASSWORD_LOGIN_OFF',
] as const;

/**
 * Changes many accounts, each in its own transaction. Failures become outcomes, so that earlier results, such as new passwords,
 * are always returned.
 * @returns the outcomes in the order of the list; `stopped` is the failure after which the remaining accounts weren't tried
 * @throws AppError `VALIDATION`; `MAIL_NOT_SET_UP` for actions that send mails; `PASSWORD_LOGIN_OFF` for generated passwords
 */
export async function changeManyUsers(
  core: Core,
  actor: Actor,
  input: unknown,
  { signal, savePassword }: BulkOptions,
): Promise<{ action: BulkAction; dryRun: boolean; outcomes: BulkOutcome[]; stopped: AppError | undefined }> {
  const wanted = validate(bulkChangeSchema, input);
  const { action, dryRun } = wanted;
  if (action === 'invite' || action === 'mail_reset_link') assertMailSetUp(core);
  if (action === 'reset_password' && !core.config.auth.passwordLogin) throw new AppError('PASSWORD_LOGIN_OFF');
  const ids = await targetIds(core, wanted);
  const snapshotOf = await readSnapshots(core, action, ids);
  const outcomes: BulkOutcome[] = [];
  let stopped: AppError | undefined;
  for (const id of ids) {
    const { user } = snapshotOf(id);
    const account = { id, name: user ? `${user.firstName} ${user.lastName}` : null };
    if (signal.aborted) stopped ??= new AppError('INTERRUPTED');
    const verdict = stopped ?? previewedOutcome(core, action, actor, snapshotOf(id));
    if (verdict === 'unchanged' || (verdict === 'done' && dryRun)) outcomes.push({ ...account, outcome: verdict });
    else if (verdict !== 'done') outcomes.push({ ...account, outcome: 'refused', refusal: verdict });
    else
      try {
        await assertStillSignedIn(core, actor);
        outcomes.push({ ...account, outcome: 'done', ...(await changeAccount(core, actor, wanted, id, savePassword)) });
      } catch (error) {
        if (!isAppError(error)) throw error;
        outcomes.push({ ...account, outcome: 'refused', refusal: error });
        if (!isAppError(error, ...perAccountRefusals)) stopped = error;
      }
  }
  return { action, dryRun, outcomes, stopped };
}
