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
      'The file: CSV with the columns firstName, lastName (or a full name), email, phone; optional are role, isActive,' +
      '\npassword or passwordHash, course, enrollmentStatus, notes; by these or other usual names, in any order and encoding.' +
      '\n"-" reads standard input. More: docs/IMPORTING.md.' +
      '\nAccounts without a password get one in the credentials file; all must change theirs at their first login.' +
      '\nTo resume an interrupted run, run it again. "coursectl imports" lists, resumes and undoes imports.' +
      '\n\nExit codes: 0 all rows done, 3 some rejected, 2 file or options unusable, 130 interrupted.',
    check: async (run) => (await import('../imports/checks.js')).checkImport(run),
    stopsItself: true,
    run: async (run) => (await import('../imports/run-import.js')).importUsers(run),
  });
}
