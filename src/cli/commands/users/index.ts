import type { Command } from 'commander';
import { define, type Registry } from '../../core/command/command.js';
import { bulkNotes, yesOption } from '../../core/command/declaration.js';
import { importUsersOptions, syncOptions } from '../imports/options.js';
import {
  accountBulkOptions,
  editOptions,
  inviteOptions,
  listOptions,
  registerOptions,
  rekeyOptions,
  resetOptions,
  sessionListOptions,
  unlockOptions,
  userExportOptions,
} from './options.js';

export function register(program: Command, registry: Registry): void {
  const users = program.command('users').description('Create, find and manage accounts');

  define(users, registry, {
    usage: 'list',
    schema: 'any',
    summary: 'List accounts, newest first',
    examples: [
      'users list',
      'users list --role trainer --sort lastName',
      'users list --search müller --inactive',
      'users list --group "Year 9"',
      'users list --locked',
      'users list --signs-in none',
      'users list --page 2 --limit 100 --json',
      'users list --limit all --columns name,email --output csv',
    ],
    options: listOptions,
    load: () => import('./accounts.js').then(({ checkList, list }) => ({ check: checkList, run: list })),
  });

  define(users, registry, {
    usage: 'show <user>',
    schema: 'any',
    summary: 'Show one account',
    examples: ['users show ada@example.org', 'users show "555 0100" --json'],
    load: () => import('./accounts.js').then(({ show }) => ({ run: show })),
  });

  registerSwitch(users, registry, 'activate', 'Let accounts sign in');
  registerSwitch(users, registry, 'deactivate', 'Stop accounts from signing in; their sessions end immediately');

  define(users, registry, {
    usage: 'unlock [user]',
    schema: 'current',
    summary: 'Unlock an account or an address that is locked after too many wrong passwords',
    examples: ['users unlock ada@example.org', 'users unlock "555 0100" --json', 'users unlock --address 203.0.113.5'],
    options: unlockOptions,
    load: () => import('./unlock.js').then(({ unlock }) => ({ run: unlock })),
  });

  registerChanges(users, registry);
  registerSessions(users, registry);
  registerIdentities(users, registry);
  registerFiles(users, registry);
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
    load: async () => {
      const { setActive } = await import('./bulk.js');
      return { run: (run) => setActive(run, name) };
    },
  });
}

function registerChanges(users: Command, registry: Registry): void {
  define(users, registry, {
    usage: 'register',
    schema: 'current',
    summary: 'Create one account; asks for what is not given',
    examples: [
      'users register',
      'users register --first-name Grace --last-name Hopper --email grace@example.org --phone "555 0101" --role trainer --password-stdin < password.txt',
      'users register --role trainee --credentials grace.credentials.csv',
      'users register --role trainee --invite',
      'users register --role trainee --no-password',
    ],
    options: registerOptions,
    load: () => import('./register.js').then(({ registerAccount }) => ({ run: registerAccount })),
  });

  define(users, registry, {
    usage: 'invite [user...]',
    schema: 'current',
    summary: 'Mail people a link or a new link to set their password; leaves out people who have chosen a password',
    examples: [
      'users invite ada@example.org',
      'users invite --from people.csv --message "Welcome to the spring courses!"',
      'users invite --invited failed --dry-run',
    ],
    options: inviteOptions,
    notes: `${bulkNotes('accounts')}\nAn initial password that was given out, and earlier links, stop working. Inactive people get their mail when they are activated.`,
    load: () => import('./bulk.js').then(({ checkInvite, invite }) => ({ check: checkInvite, run: invite })),
  });

  define(users, registry, {
    usage: 'edit <user>',
    schema: 'current',
    summary: 'Change the data of an account; a new email or role ends its sessions',
    examples: [
      'users edit ada@example.org --last-name King',
      'users edit "555 0100" --email ada@example.com --role trainer --json',
      'users edit ada@example.org --email ada@example.com --verify',
    ],
    options: editOptions,
    load: () => import('./changes.js').then(({ checkEdit, edit }) => ({ check: checkEdit, run: edit })),
  });

  define(users, registry, {
    usage: 'delete <user>',
    schema: 'current',
    summary: 'Delete an account with its enrollments and its image',
    examples: ['users delete ada@example.org', 'users delete ada@example.org --yes --json'],
    options: yesOption,
    load: () => import('./changes.js').then(({ remove }) => ({ run: remove })),
  });

  define(users, registry, {
    usage: 'reset-password [user...]',
    schema: 'current',
    summary:
      'Give accounts temporary passwords that must be changed at the next login, and end their sessions; or mail links to set a password',
    examples: [
      'users reset-password ada@example.org',
      'users reset-password ada@example.org --password-stdin --json < password.txt',
      'users reset-password --from people.csv --credentials people.credentials.csv',
      'users reset-password ada@example.org --link',
    ],
    options: resetOptions,
    notes: `${bulkNotes('accounts')}\nOnly you can read the file of passwords. Give each person their password, then delete the file.`,
    load: () => import('./bulk.js').then(({ resetPasswords }) => ({ run: resetPasswords })),
  });

  define(users, registry, {
    usage: 'transfer-super-admin <user>',
    schema: 'current',
    summary: 'Make another account the super admin; asks twice, and only works at a terminal',
    withoutJson: true,
    examples: ['users transfer-super-admin ada@example.org'],
    notes: 'The former super admin becomes a trainer. The sessions of both end.',
    load: () => import('./changes.js').then(({ transfer }) => ({ run: transfer })),
  });

  define(users, registry, {
    usage: 'rekey-phones',
    schema: 'current',
    summary: 'Choose the country of phones without a country code, for logins, imports and new accounts',
    examples: ['users rekey-phones --country DE', 'users rekey-phones --country none --json'],
    options: rekeyOptions,
    notes:
      'With DE, "+49 151 1234567", "0049 151 1234567" and "0151 1234567" are one phone. Phones stay as they are written. If two accounts would have the same phone, they are listed, and nothing is changed. Stop the service first: changes of accounts wait for the command, and fail after some seconds.',
    load: () => import('./rekey-phones.js').then(({ checkCountry, rekey }) => ({ check: checkCountry, run: rekey })),
  });
}

function registerSessions(users: Command, registry: Registry): void {
  const sessions = users.command('sessions').description('List and end the sessions of an account');

  define(sessions, registry, {
    usage: 'list <user>',
    schema: 'any',
    summary: 'List the sessions of an account, newest first',
    examples: ['users sessions list ada@example.org', 'users sessions list "555 0100" --limit 100 --json'],
    options: sessionListOptions,
    load: () => import('./sessions.js').then(({ checkList, list }) => ({ check: checkList, run: list })),
  });

  define(sessions, registry, {
    usage: 'end <user> <session-id>',
    schema: 'current',
    summary: 'End a session of an account',
    examples: ['users sessions end ada@example.org b20c94c5'],
    load: () => import('./sessions.js').then(({ end }) => ({ run: end })),
  });

  define(sessions, registry, {
    usage: 'end-all <user>',
    schema: 'current',
    summary: 'End all sessions of an account; its person must sign in again',
    examples: ['users sessions end-all ada@example.org', 'users sessions end-all "555 0100" --json'],
    load: () => import('./sessions.js').then(({ endAll }) => ({ run: endAll })),
  });
}

function registerIdentities(users: Command, registry: Registry): void {
  define(users, registry, {
    usage: 'identities <user>',
    schema: 'any',
    summary: "List an account's identities at the organisation's sign-in, oldest first",
    examples: ['users identities ada@example.org', 'users identities "555 0100" --json'],
    load: () => import('./identities.js').then(({ list }) => ({ run: list })),
  });

  define(users, registry, {
    usage: 'unlink <user> [identity]',
    schema: 'current',
    summary: "Remove an account's identity at the organisation's sign-in; the account's sessions end",
    examples: ['users unlink ada@example.org', 'users unlink ada@example.org b20c94c5 --yes'],
    options: yesOption,
    notes:
      'Without an identity, the command removes the only one. An identity whose verified email is that of the account is linked again at its next sign-in. To keep a person out, use: coursectl users deactivate',
    load: () => import('./identities.js').then(({ unlink }) => ({ run: unlink })),
  });
}

function registerFiles(users: Command, registry: Registry): void {
  define(users, registry, {
    usage: 'import [file]',
    schema: 'current',
    summary: 'Create accounts from a workbook or a CSV file: show the plan, ask, then apply it',
    examples: [
      'users import people.csv --dry-run',
      'users import people.csv --dry-run --rejects people.rejected.csv',
      'users import people.xlsx',
      'users import people.csv --on-existing update --course "First aid" --on-error abort',
      'users import people.csv --yes --credentials people.credentials.csv --json',
      'users import people.csv --invite',
      'users import people.csv --no-password',
      'users import people.csv --mapping columns.json',
      'users import --template people.xlsx',
    ],
    options: importUsersOptions,
    notes:
      'The file is a workbook (.xlsx, .ods) or CSV with the columns firstName and lastName (or one full name), email and phone. Optional columns: ' +
      'role, isActive, password or passwordHash, course, enrollmentStatus, reply, group. Other usual column names, any order ' +
      'and the common encodings are recognised. "-" reads standard input. More: docs/IMPORTING.md.' +
      '\n\nAccounts without a password get a generated one, which the credentials file lists. Everybody must change ' +
      'the password at the first login. With --invite they get a mail with a link to set one instead, and with --no-password neither. To resume an interrupted run, run the same command again. ' +
      'To list, resume or undo imports, use: coursectl imports' +
      '\n\nExit codes: 0 all rows imported; 3 some rows rejected; 2 the file or an option is not valid, nothing was ' +
      'imported; 130 interrupted.',
    load: () =>
      import('../imports/run-import.js').then(({ checkImportOptions, importUsers }) => ({
        check: checkImportOptions,
        run: importUsers,
      })),
  });

  define(users, registry, {
    usage: 'sync [file]',
    schema: 'current',
    summary: 'Keep a group in step with a file: add its people, and take out the members whom it no longer names',
    examples: [
      'users sync people.csv --roster "Year 9" --course "First Aid"',
      'users sync people.csv --roster "Year 9" --dry-run',
      'users sync people.csv --roster "Year 9" --yes --quiet',
      'users sync people.csv --roster "Year 9" --yes --allow-leaving 14',
    ],
    options: syncOptions,
    notes:
      'The file is one for users import. The first sync remembers its options: later ones need only --roster. An option of a later sync applies to that sync only; change the remembered ones with groups edit.' +
      '\n\nMembers whom the file no longer names leave: the enrollments that the roster made are cancelled. People whom somebody added by hand stay. Nobody is deleted. Nobody leaves with the first sync, and while a row has names without a readable email.' +
      '\n\nIf too many would leave, nothing is changed. Check the file, then approve exactly their number with --allow-leaving.' +
      '\n\nExit codes: 0 in step; 3 some rows rejected; 4 held, because too many members would leave; 2 the file or an option is not valid; 130 interrupted.',
    load: () => import('../imports/sync.js').then(({ checkSync, syncUsers }) => ({ check: checkSync, run: syncUsers })),
  });

  define(users, registry, {
    usage: 'export',
    schema: 'current',
    summary: 'Write accounts as CSV or a workbook, without passwords',
    examples: [
      'users export > users.csv',
      'users export --role trainee --active --output trainees.xlsx',
      'users export --fields lastName,firstName,email',
    ],
    options: userExportOptions,
    load: () =>
      import('./export.js').then(({ checkExport, exportUsers }) => ({ check: checkExport, run: exportUsers })),
  });
}
