import { AppError } from '../../../errors.js';
import { presentIdentity } from '../../../presenters/identity.js';
import { findUser } from '../../../services/accounts/queries.js';
import type { Context } from '../../../services/context.js';
import { operator } from '../../../services/core.js';
import { listIdentities, removeUserIdentity } from '../../../services/identities/linking.js';
import { resolveShortId } from '../../../services/short-ids.js';
import { assertCanAsk, confirm } from '../../core/bulk/confirm.js';
import type { yesOption } from '../../core/command/declaration.js';
import { pickRecord } from '../../core/command/picker.js';
import type { Result, Run } from '../../core/command/run.js';
import { tableText } from '../../core/listing/table.js';
import { identityColumns } from './columns.js';

/** Lists the identities of an account at the organisation's sign-in. @throws AppError `NOT_FOUND` */
export async function list(run: Run<'<user>'>): Promise<Result> {
  const context = await run.context();
  const { id, email } = await findUser(context, run.arguments.user);
  const identities = (await listIdentities(context, id)).map(presentIdentity);
  return {
    json: { identities },
    text: identities.length === 0 ? `${email} has no identities.` : tableText(identityColumns, identities, run.display),
  };
}

type UnlinkRun = Run<'<user> [identity]', typeof yesOption>;

/** Returns the id of the named identity or of the only one, or asks for it. @throws AppError `USAGE`, `NOT_FOUND`, `INTERRUPTED` */
async function identityIdOf(
  run: UnlinkRun,
  context: Context,
  { id: userId, email }: { id: string; email: string },
): Promise<string> {
  const { identity } = run.arguments;
  if (identity !== undefined) return resolveShortId(context, 'Identity', identity, { userId });
  const [only, ...others] = await listIdentities(context, userId);
  if (!only) throw new AppError('NOT_FOUND', `${email} has no identities.`);
  return others.length === 0 ? only.id : pickRecord(run, context, 'identity', { user: userId });
}

/**
 * Removes an identity of an account after a confirmation.
 * @throws AppError `USAGE`, `DECLINED`, `INTERRUPTED`, and the errors of {@link removeUserIdentity}
 */
export async function unlink(run: UnlinkRun): Promise<Result> {
  const context = await run.context();
  const user = await findUser(context, run.arguments.user);
  const id = await identityIdOf(run, context, user);
  assertCanAsk(run, 'unlink');
  if (!run.options.yes) {
    const found = (await listIdentities(context, user.id)).find((one) => one.id === id);
    if (found)
      await confirm(run, {
        about: `${user.email} can no longer sign in as ${found.email ?? found.subject} at ${found.issuer}. The account's sessions end.`,
        question: 'Remove this identity?',
        otherwise: 'Nothing was removed.',
      });
  }
  const removed = await removeUserIdentity(context, operator, user.id, id);
  return {
    json: { identity: presentIdentity(removed) },
    text: `Removed the identity ${removed.email ?? removed.subject} of ${user.email}; the account's sessions have ended.`,
  };
}
