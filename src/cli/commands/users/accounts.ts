import { isIP } from 'node:net';
import { AppError } from '../../../errors.js';
import { presentListedUser } from '../../../presenters/user.js';
import { userFilterSchema, userListingSchema } from '../../../schemas/user.js';
import { validate } from '../../../schemas/validate.js';
import { unlockUser } from '../../../services/accounts/commands.js';
import { findUser, listUsers, usersCsv } from '../../../services/accounts/queries.js';
import { lockOf, unlockAddress } from '../../../services/auth/throttle-locks.js';
import { operator } from '../../../services/core.js';
import { sortingOf } from '../../core/columns.js';
import { assertDestination, writeData } from '../../core/file-output.js';
import { checkListing, listing, presented } from '../../core/listing.js';
import { asTyped, counted } from '../../core/output.js';
import type { Result, Run } from '../../core/run.js';
import { userColumns } from './columns.js';
import { type exportOptions, filterOf, type listOptions, type unlockOptions } from './options.js';
import { accountJson, accountText } from './output.js';

const queryOf = ({ options }: Run<'', typeof listOptions>) => ({ ...filterOf(options), ...sortingOf(options) });

/** @throws AppError `USAGE`, `VALIDATION` */
export function checkList(run: Run<'', typeof listOptions>): void {
  checkListing(run, userColumns, userListingSchema, queryOf(run));
}

/** Accounts, newest first by default. @throws AppError `VALIDATION` */
export function list(run: Run<'', typeof listOptions>): Promise<Result> {
  return listing(run, { key: 'users', one: 'account', columns: userColumns }, async () => {
    const context = await run.context();
    return async (page) => presented(await listUsers(context, { ...queryOf(run), ...page }), presentListedUser);
  });
}

/** One account, and its lock. @throws AppError `NOT_FOUND` */
export async function show(run: Run<'<user>'>): Promise<Result> {
  const context = await run.context();
  const user = await findUser(context, run.arguments.user);
  const lockedUntil = await lockOf(context, user.id);
  const locked =
    lockedUntil === null
      ? ''
      : `\nLocked until ${lockedUntil.toISOString()} after too many wrong passwords.\nTo unlock it: ${asTyped(run.io, `users unlock ${user.email}`)}`;
  return { json: { user: { ...accountJson(user), lockedUntil } }, text: accountText(user, run.display) + locked };
}

const unlocked = (what: string, lockedUntil: Date | null) =>
  `${what} ${lockedUntil === null ? 'was not locked' : `was locked until ${lockedUntil.toISOString()} and is unlocked now`}.`;

/** @param address an address, or a network as `doctor` lists it @throws AppError `USAGE` */
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

/** @throws AppError `USAGE`, `VALIDATION` */
export function checkExport(run: Run<'', typeof exportOptions>): void {
  assertDestination(run);
  validate(userFilterSchema, filterOf(run.options));
}

/** Writes accounts as CSV. @throws AppError as `writeData` */
export async function exportUsers(run: Run<'', typeof exportOptions>): Promise<Result> {
  const { output: file } = run.options;
  const context = await run.context();
  let exported = 0;
  const count = (accounts: number) => {
    exported += accounts;
  };
  await writeData(run, usersCsv(context, filterOf(run.options), count));
  return file === undefined
    ? {}
    : { json: { exported, file }, text: `${counted(exported, 'account')} written to ${file}.` };
}
