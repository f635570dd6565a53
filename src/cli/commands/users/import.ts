import type { Command } from 'commander';
import { define, type Registry } from '../../core/command.js';
import type { ImportCommandOptions } from '../imports/run-import.js';

const collect = (value: string, others: readonly string[] = []) => [...others, value];

export function register(users: Command, registry: Registry): void {
  define<ImportCommandOptions>(users, registry, {
    usage: 'import [file]',
    schema: 'current',
    summary: 'Create accounts from a CSV file: shows what will happen, asks, then does it',
    examples: [
      'users import people.csv --dry-run',
      'users import people.csv',
      'users import people.csv --on-existing update --course "First aid" --on-error abort',
      'users import people.csv --yes --credentials people.credentials.csv --json',
      'users import --template > people.csv',
    ],
    options: (command) =>
      command
        .option('--dry-run', 'show the plan only; writes nothing')
        .option('--plan <id>', 'do exactly what the dry run with this id showed, or refuse')
        .option('--role <role>', 'for rows without a role: trainee (default) or trainer')
        .option('--course <course>', 'enroll every trainee in this course (id or title), besides the course of the row')
        .option('--enrollment-status <status>', 'of enrollments without one: active (default) or pending')
        .option('--on-existing <what>', 'rows whose account is there already: skip (default), update or fail')
        .option(
          '--match <key>',
          'what says whose a row is: email (default), or phone: the phone alone will do where the email is another',
        )
        .option('--reset-passwords', 'with --on-existing update: give those accounts new passwords too')
        .option(
          '--on-error <what>',
          'bad rows: continue without them (default), stop at the first, or abort: write nothing',
        )
        .option('--max-errors <n>', 'write nothing when more rows than this are bad')
        .option(
          '--credentials <file>',
          'where generated passwords go; must not exist (default: beside the CSV, .credentials.csv)',
        )
        .option('--rejects <file>', 'where rejected rows go; must not exist (default: beside the CSV, .rejected.csv)')
        .option('--encoding <name>', 'auto (default), utf-8, utf-16le, utf-16be or windows-1252')
        .option('--delimiter <sign>', "auto (default), ',', ';', tab or '|'")
        .option('--map <heading=field>', 'what a column is, such as "Mobile=phone"; repeatable', collect)
        .option('--template', 'print a file to fill in, and nothing else')
        .option('--yes', "don't ask")
        .addHelpText(
          'after',
          '\nThe file: CSV with the columns firstName, lastName (or a full name), email, phone and, if you like, role, isActive,' +
            '\npassword or passwordHash, course, enrollmentStatus, notes; by these or other usual names, in any order and encoding.' +
            '\n"-" reads standard input. More: docs/IMPORTING.md.' +
            '\nAccounts without a password get one in the credentials file; all must change theirs at their first login.' +
            '\nA run that breaks off is taken up by running it again. "coursectl imports" lists, resumes and undoes imports.' +
            '\n\nExit codes: 0 all rows done, 3 some rejected, 2 file or options unusable, 130 interrupted.',
        ),
    stopsItself: true,
    run: async (run) => (await import('../imports/run-import.js')).importUsers(run),
  });
}
