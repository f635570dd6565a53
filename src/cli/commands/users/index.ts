import { isIP } from 'node:net';
import type { Command } from 'commander';
import { AppError } from '../../../errors.js';
import { listingOptions, sortingOf, sortOption } from '../../core/columns.js';
import { define, type Registry } from '../../core/command.js';
import { bulkNotes } from '../../core/declaration.js';
import { asTyped } from '../../core/output.js';
import type { Result, Run } from '../../core/run.js';
import { userColumns } from './columns.js';
import { accountBulkOptions, filterOf, filterOptions } from './options.js';

const unlockOptions = {
  '--address <address>': 'unlock this IP address instead of an account; "doctor" lists locked addresses',
};

const listOptions = {
  ...filterOptions,
  ...sortOption('createdAt, lastName, firstName, email or lastLogin'),
  ...listingOptions('accounts', userColumns),
};

export function register(program: Command, registry: Registry): Command {
  const users = program.command('users').description('Create, find and manage accounts');
  registerList(users, registry);

  define(users, registry, {
    usage: 'show <user>',
    schema: 'any',
    summary: 'Show one account',
    examples: ['users show ada@example.org', 'users show "555 0100" --json'],
    run: show,
  });

  registerSwitch(users, registry, 'activate', 'Let accounts sign in');
  registerSwitch(users, registry, 'deactivate', 'Stop accounts from signing in; their sessions end immediately');

  define(users, registry, {
    usage: 'unlock [user]',
    schema: 'current',
    summary: 'Unlock an account or an address that is locked after too many wrong passwords',
    examples: ['users unlock ada@example.org', 'users unlock "555 0100" --json', 'users unlock --address 203.0.113.5'],
    options: unlockOptions,
    stopsItself: true,
    run: unlock,
  });
  return users;
}

async function show(run: Run<'<user>'>): Promise<Result> {
  const [{ findUser }, { lockOf }, { accountJson, accountText }] = await Promise.all([
    import('../../../services/accounts/queries.js'),
    import('../../../services/auth/throttle-locks.js'),
    import('./output.js'),
  ]);
  const context = await run.context();
  const user = await findUser(context, run.arguments.user);
  const lockedUntil = await lockOf(context, user.id);
  const locked =
    lockedUntil === null
      ? ''
      : `\nLocked until ${lockedUntil.toISOString()} after too many wrong passwords.\nTo unlock it: ${asTyped(run.io, `users unlock ${user.email}`)}`;
  return { json: { user: { ...accountJson(user), lockedUntil } }, text: accountText(user, run.display) + locked };
}

/** An address, or a network as `doctor` lists it. @throws AppError `USAGE` */
function assertAddress(address: string): void {
  if (isIP(address.replace(/\/56$/, '')) === 0)
    throw new AppError('USAGE', '--address must be an IP address, such as 203.0.113.5 or 2001:db8::1.');
}

async function unlockByAddress(run: Run<'', typeof unlockOptions>, address: string): Promise<Result> {
  assertAddress(address);
  const [{ unlockAddress }, { operator }] = await Promise.all([
    import('../../../services/auth/throttle-locks.js'),
    import('../../../services/core.js'),
  ]);
  const lockedUntil = await unlockAddress(await run.context(), operator, address);
  return {
    json: { address, wasLockedUntil: lockedUntil },
    text: `${address} ${lockedUntil === null ? 'was not locked' : `was locked until ${lockedUntil.toISOString()} and is unlocked now`}.`,
  };
}

async function unlock(run: Run<'[user]', typeof unlockOptions>): Promise<Result> {
  const { address } = run.options;
  const { user: reference } = run.arguments;
  if (reference === undefined && address !== undefined) return unlockByAddress(run, address);
  if (reference === undefined || address !== undefined)
    throw new AppError('USAGE', 'Name one account, or an address with --address.');
  const [{ unlockUser }, { findUser }, { operator }, { accountJson }] = await Promise.all([
    import('../../../services/accounts/commands.js'),
    import('../../../services/accounts/queries.js'),
    import('../../../services/core.js'),
    import('./output.js'),
  ]);
  const context = await run.context();
  const user = await findUser(context, reference);
  const lockedUntil = await unlockUser(context, operator, user.id);
  const said =
    lockedUntil === null ? 'was not locked' : `was locked until ${lockedUntil.toISOString()} and is unlocked now`;
  return { json: { user: accountJson(user), wasLockedUntil: lockedUntil }, text: `${user.email} ${said}.` };
}

function registerList(users: Command, registry: Registry): void {
  define(users, registry, {
    usage: 'list',
    schema: 'any',
    summary: 'List accounts, newest first',
    examples: [
      'users list',
      'users list --role trainer --sort lastName',
      'users list --search müller --inactive',
      'users list --locked',
      'users list --page 2 --limit 100 --json',
      'users list --limit all --columns name,email --output csv',
    ],
    options: listOptions,
    async check(run) {
      const [{ userListingSchema }, { checkListing }] = await Promise.all([
        import('../../../schemas/user.js'),
        import('../../core/listing.js'),
      ]);
      checkListing(run, userColumns, userListingSchema, { ...filterOf(run.options), ...sortingOf(run.options) });
    },
    async run(run) {
      const query = { ...filterOf(run.options), ...sortingOf(run.options) };
      const [{ listUsers }, { presentListedUser }, { listing, presented }] = await Promise.all([
        import('../../../services/accounts/queries.js'),
        import('../../../presenters/user.js'),
        import('../../core/listing.js'),
      ]);
      return listing(run, { key: 'users', one: 'account', columns: userColumns }, async () => {
        const context = await run.context();
        return async (page) => presented(await listUsers(context, { ...query, ...page }), presentListedUser);
      });
    },
  });
}

function registerSwitch(users: Command, registry: Registry, name: 'activate' | 'deactivate', summary: string): void {
  define(users, registry, {
    usage: `${name} [user...]`,
    schema: 'current',
    summary,
    examples: [
      `users ${name} ada@example.org`,
      `users ${name} ada@example.org grace@example.org --yes`,
      `users ${name} --from people.txt --dry-run`,
      `users ${name} --role trainee --search example.org`,
    ],
    options: accountBulkOptions,
    notes: bulkNotes('accounts'),
    stopsItself: true,
    run: async (run) => (await import('./bulk.js')).setActive(run, name),
  });
}
