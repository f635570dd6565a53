import { isIP } from 'node:net';
import { AppError } from '../../../errors.js';
import { findUser } from '../../../services/accounts/queries.js';
import { unlockUser } from '../../../services/accounts/update-user.js';
import { unlockAddress } from '../../../services/auth/throttle-locks.js';
import { operator } from '../../../services/core.js';
import type { Result, Run } from '../../core/command/run.js';
import type { unlockOptions } from './options.js';
import { accountJson } from './output.js';

const unlocked = (what: string, lockedUntil: Date | null) =>
  `${what} ${lockedUntil === null ? 'was not locked' : `was locked until ${lockedUntil.toISOString()} and is unlocked now`}.`;

/**
 * @param address an address, or a network in the notation of `doctor`
 * @throws AppError `USAGE`
 */
async function unlockByAddress(run: Run, address: string): Promise<Result> {
  if (isIP(address.replace(/\/56$/, '')) === 0)
    throw new AppError('USAGE', '--address must be an IP address, such as 203.0.113.5 or 2001:db8::1.');
  const lockedUntil = await unlockAddress(await run.context(), operator, address);
  return { json: { address, wasLockedUntil: lockedUntil }, text: unlocked(address, lockedUntil) };
}

/** Unlocks an account or an address. @throws AppError `USAGE`, `NOT_FOUND` */
export async function unlock(run: Run<'[user]', typeof unlockOptions>): Promise<Result> {
  const { address } = run.options;
  const { user: reference } = run.arguments;
  if (reference === undefined && address !== undefined) return unlockByAddress(run, address);
  if (reference === undefined || address !== undefined)
    throw new AppError('USAGE', 'Name one account, or an address with --address.');
  const context = await run.context();
  const user = await findUser(context, reference);
  const lockedUntil = await unlockUser(context, operator, user.id);
  return { json: { user: accountJson(user), wasLockedUntil: lockedUntil }, text: unlocked(user.email, lockedUntil) };
}
