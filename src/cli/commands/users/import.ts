import type { Command } from 'commander';
import { define, type Registry } from '../../core/command.js';
import { importUsersOptions } from '../imports/options.js';

export function register(users: Command, registry: Registry): void {
  define(users, registry, {
    usage: 'import [file]',
    schema: 'current',
    summary: 'Create accounts from a CSV file: show the plan, ask, then apply it',
    examples: [
      'users import people.csv --dry-run',
      'users import people.csv --dry-run --rejects people.rejected.csv',
      'users import people.csv',
      'users import people.csv --on-existing update --course "First aid" --on-error abort',
      'users import people.csv --yes --credentials people.credentials.csv --json',
      'users import people.csv --mapping columns.json',
      'users import --template > people.csv',
    ],
    options: importUsersOptions,
    notes:
      'The file is CSV with the columns firstName and lastName (or one full name), email and phone. Optional columns: ' +
      'role, isActive, password or passwordHash, course, enrollmentStatus, notes. Other usual column names, any order ' +
      'and the common encodings are recognised. "-" reads standard input. More: docs/IMPORTING.md.' +
      '\n\nAccounts without a password get a generated one, which the credentials file lists. Everybody must change ' +
      'the password at the first login. To resume an interrupted run, run the same command again. ' +
      'To list, resume or undo imports, use: coursectl imports' +
      '\n\nExit codes: 0 all rows imported; 3 some rows rejected; 2 the file or an option is not valid, nothing was ' +
      'imported; 130 interrupted.',
    check: async (run) => (await import('../imports/checks.js')).checkImport(run),
    stopsItself: true,
    run: async (run) => (await import('../imports/run-import.js')).importUsers(run),
  });
}
