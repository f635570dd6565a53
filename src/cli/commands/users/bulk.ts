import path from 'node:path';
import { AppError } from '../../../errors.js';
import { bulkChangeSchema } from '../../../schemas/user.js';
import { validate } from '../../../schemas/validate.js';
import { changeManyUsers } from '../../../services/accounts/bulk.js';
import { inviteUser } from '../../../services/accounts/invite.js';
import { PasswordFile } from '../../../services/accounts/password-file.js';
import { resetPassword } from '../../../services/accounts/passwords.js';
import { findUser } from '../../../services/accounts/queries.js';
import { setUserActive } from '../../../services/accounts/update-user.js';
import { mailResetLink } from '../../../services/auth/forgotten-password.js';
import { operator } from '../../../services/core.js';
import { assertMailSetUp } from '../../../services/mail/outbox.js';
import { type BulkWork, runBulk } from '../../core/bulk/bulk.js';
import type { BulkWording, ItemResult } from '../../core/bulk/bulk-plan.js';
import { whenMailsLeave, withMailHint } from '../../core/bulk/mail-hint.js';
import type { Result, Run } from '../../core/command/run.js';
import { readPassword } from '../../core/prompts/input.js';
import { type accountBulkOptions, type inviteOptions, passwordNotInJson, type resetOptions } from './options.js';
import { accountJson } from './output.js';
import { resolveAccounts } from './selection.js';

type Context = Awaited<ReturnType<Run['context']>>;
type Action = 'activate' | 'deactivate' | 'reset_password' | 'mail_reset_link' | 'invite';

const wordings = {
  activate: { singular: 'account', toDo: 'activate', doing: 'Activating', done: 'activated', state: 'active' },
  deactivate: {
    singular: 'account',
    toDo: 'deactivate',
    doing: 'Deactivating',
    done: 'deactivated',
    state: 'inactive',
  },
  reset_password: { singular: 'password', toDo: 'reset', doing: 'Resetting', done: 'reset', state: 'reset' },
  invite: { singular: 'account', toDo: 'invite', doing: 'Inviting', done: 'invited', state: 'invited' },
  mail_reset_link: { singular: 'link', toDo: 'mail', doing: 'Queueing', done: 'queued', state: 'queued' },
} as const satisfies Record<Action, BulkWording>;

/** Accounts per call of the service. */
const batchSize = 100;

/**
 * Returns the bulk change of accounts.
 * @param more `savePassword` stores new passwords; `message` is for invitations
 */
function workOf(
  context: Context,
  action: Action,
  { savePassword, message }: { savePassword?: PasswordFile['save'] | undefined; message?: string | undefined } = {},
): Pick<BulkWork, 'wording' | 'batchSize' | 'preview' | 'change'> {
  const change = async (ids: readonly string[], dryRun: boolean, signal: AbortSignal) => {
    const input = { action, ids, dryRun, message };
    const options = { signal, ...(savePassword && { savePassword }) };
    const { outcomes, stopped } = await changeManyUsers(context, operator, input, options);
    const results = outcomes.map(({ outcome, refusal }): ItemResult => ({ outcome, ...(refusal && { refusal }) }));
    return { results, stopped };
  };
  return {
    wording: wordings[action],
    batchSize,
    async preview(items) {
      const results: ItemResult[] = [];
      for (let at = 0; at < items.length; at += batchSize) {
        const ids = items.slice(at, at + batchSize).map(({ id }) => id);
        results.push(...(await change(ids, true, new AbortController().signal)).results);
      }
      return results;
    },
    change: (items, signal) =>
      change(
        items.map(({ id }) => id),
        false,
        signal,
      ),
  };
}

type SwitchRun = Run<'[user...]', typeof accountBulkOptions>;

/**
 * Activates or deactivates accounts.
 * @throws the errors of {@link resolveAccounts}, and for a single account those of {@link setUserActive}
 */
export async function setActive(run: SwitchRun, action: 'activate' | 'deactivate'): Promise<Result> {
  const targets = await resolveAccounts(run, wordings[action]);
  const context = await run.context();
  if (targets.kind !== 'one')
    return runBulk(run, { ...workOf(context, action), selection: await targets.selection(context) });
  const { id } = await findUser(context, targets.name);
  const user = await setUserActive(context, operator, id, action === 'activate');
  return {
    json: { user: accountJson(user) },
    text: `${user.email} ${user.isActive ? 'may sign in' : 'may no longer sign in'}.`,
  };
}

type InviteRun = Run<'[user...]', typeof inviteOptions>;

/** @throws AppError `VALIDATION` */
export function checkInvite({ options: { message } }: InviteRun): void {
  validate(bulkChangeSchema, { action: 'invite', message });
}

/**
 * Invites people to set a password.
 * @throws the errors of {@link resolveAccounts}, and for a single account those of {@link inviteUser}
 */
export async function invite(run: InviteRun): Promise<Result> {
  const { message } = run.options;
  const targets = await resolveAccounts(run, wordings.invite);
  const context = await run.context();
  if (targets.kind === 'one') {
    const { id } = await findUser(context, targets.name);
    const user = await inviteUser(context, operator, id, message);
    const text = user.isActive
      ? `The invitation of ${user.email} is queued. ${await whenMailsLeave(run.io, context)}`
      : `${user.email} gets an invitation when the account is activated.`;
    return { json: { user: accountJson(user) }, text };
  }
  const work = workOf(context, 'invite', { message });
  const hinted = withMailHint(run.io, context, work.change, 'The invitations of those who are active are queued. ');
  return runBulk(run, { ...work, ...hinted, selection: await targets.selection(context) });
}

type ResetRun = Run<'[user...]', typeof resetOptions>;

/**
 * Runs `work` with the file of `--credentials`; with undefined in a dry run, or without the option. Then closes the file,
 * which removes a file without passwords.
 */
async function withPasswordFile<T>(run: ResetRun, work: (file: PasswordFile | undefined) => Promise<T>): Promise<T> {
  const { credentials, dryRun } = run.options;
  if (credentials === undefined || dryRun) return work(undefined);
  const file = await PasswordFile.create(path.resolve(run.io.cwd, credentials));
  try {
    return await work(file);
  } finally {
    await file.close();
  }
}

/**
 * Mails links to set a password.
 * @throws AppError `USAGE`, the errors of {@link resolveAccounts}, and for a single account those of {@link mailResetLink}
 */
async function mailLinks(run: ResetRun): Promise<Result> {
  const { passwordStdin, credentials } = run.options;
  if (passwordStdin || credentials !== undefined)
    throw new AppError(
      'USAGE',
      `--link and ${passwordStdin ? '--password-stdin' : '--credentials'} cannot be used together.`,
    );
  const targets = await resolveAccounts(run, wordings.mail_reset_link);
  const context = await run.context();
  if (targets.kind === 'one') {
    const { id } = await findUser(context, targets.name);
    const user = await mailResetLink(context, operator, id);
    const text = `A link to set a password is queued for ${user.email}. ${await whenMailsLeave(run.io, context)}`;
    return { json: { user: accountJson(user) }, text };
  }
  assertMailSetUp(context);
  const work = workOf(context, 'mail_reset_link');
  const hinted = withMailHint(run.io, context, work.change);
  return runBulk(run, { ...work, ...hinted, selection: await targets.selection(context) });
}

/**
 * Resets passwords to temporary ones, or mails links with `--link`.
 * @throws AppError `USAGE`, the errors of {@link resolveAccounts}, and for a single account those of {@link resetPassword}
 */
export async function resetPasswords(run: ResetRun): Promise<Result> {
  const { json, passwordStdin, credentials, from, dryRun, link } = run.options;
  if (link) return mailLinks(run);
  const other = [
    ...(credentials === undefined ? [] : ['--credentials']),
    ...(from === '-' ? ['--from -'] : []),
    ...(dryRun ? ['--dry-run'] : []),
  ][0];
  if (passwordStdin && other !== undefined)
    throw new AppError('USAGE', `--password-stdin and ${other} cannot be used together.`);
  const targets = await resolveAccounts(run, wordings.reset_password);
  if (targets.kind === 'one') {
    if (json && !passwordStdin && credentials === undefined) throw passwordNotInJson();
    return withPasswordFile(run, (file) => resetOne(run, targets.name, file));
  }
  if (passwordStdin)
    throw new AppError('USAGE', '--password-stdin is for one account: several get a generated password each.');
  if (credentials === undefined && !run.options.dryRun)
    throw new AppError('USAGE', 'The passwords of several accounts go to a file: add --credentials <file>.');
  return withPasswordFile(run, async (file) => {
    const context = await run.context();
    const work = workOf(context, 'reset_password', {
      savePassword: file && ((user, password) => file.save(user, password)),
    });
    return runBulk(run, {
      ...work,
      selection: await targets.selection(context),
      more: () => ({ credentialsFile: file && !file.isEmpty ? file.path : null }),
      hint: () => (file && !file.isEmpty ? `Passwords: ${file.path} (hand them out, then delete the file)` : undefined),
    });
  });
}

async function resetOne(run: ResetRun, name: string, file: PasswordFile | undefined): Promise<Result> {
  const given = run.options.passwordStdin ? { password: await readPassword(run.io) } : undefined;
  const context = await run.context();
  const { id } = await findUser(context, name);
  const savePassword = file && ((...kept: Parameters<PasswordFile['save']>) => file.save(...kept));
  const { user, temporaryPassword } = await resetPassword(context, operator, id, given, savePassword);
  const json = {
    user: { id: user.id, email: user.email, requiresPasswordChange: user.requiresPasswordChange },
    ...(file && { credentialsFile: file.path }),
  };
  if (file) return { json, text: `The password of ${user.email} was reset. It is in ${file.path}` };
  if (!given) run.say(`The temporary password of ${user.email}, shown only this once:`);
  return { json, text: given ? `The password of ${user.email} was reset.` : temporaryPassword };
}
