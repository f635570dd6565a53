import type { presentImport, presentImportRow } from '../../../presenters/import.js';
import { dryRunOption, repeatable, yesOption } from '../../core/command/declaration.js';
import { type Column, listingOptions } from '../../core/listing/columns.js';

type ImportRecord = ReturnType<typeof presentImport>;
type ImportRow = ReturnType<typeof presentImportRow>;

/** Returns the name of the trainer who imports; null for imports of the super admin. */
export const trainerName = (trainer: ImportRecord['trainer']): string | null =>
  trainer && `${trainer.firstName} ${trainer.lastName}`;

export const importColumns: readonly Column<ImportRecord>[] = [
  { name: 'number', value: ({ number }) => number, priority: 0 },
  { name: 'file', value: ({ file }) => file, minimum: 15, priority: 0 },
  { name: 'createdAt', heading: 'BEGUN', value: ({ createdAt }) => createdAt, priority: 2 },
  { name: 'origin', heading: 'FROM', value: ({ origin }) => origin, fit: 'whole', priority: 7 },
  { name: 'trainer', value: ({ trainer }) => trainerName(trainer), priority: 4, hideEmpty: true },
  { name: 'status', value: ({ status }) => status, fit: 'whole', priority: 0 },
  { name: 'rows', value: ({ counts }) => counts.rows, priority: 3 },
  { name: 'created', value: ({ counts }) => counts.created, priority: 4 },
  { name: 'updated', value: ({ counts }) => counts.updated, priority: 5 },
  { name: 'skipped', value: ({ counts }) => counts.skipped, priority: 6 },
  { name: 'rejected', value: ({ counts }) => counts.rejected, priority: 1 },
  { name: 'finishedAt', heading: 'ENDED', value: ({ finishedAt }) => finishedAt, priority: 'on request' },
  { name: 'undoneAt', heading: 'UNDONE', value: ({ undoneAt }) => undoneAt, priority: 'on request' },
  {
    name: 'ledgerClosedAt',
    heading: 'ROWS DELETED',
    value: ({ ledgerClosedAt }) => ledgerClosedAt,
    priority: 'on request',
  },
  { name: 'id', value: ({ id }) => id, fit: 'id', priority: 8 },
];

const reason = ({ message, changes }: ImportRow) =>
  message ?? changes?.flatMap((change) => ('field' in change ? String(change.field) : [])).join(', ');

const undone = ({ undo }: ImportRow) => undo && [undo.outcome, undo.code].filter((word) => word !== null).join(' ');

export const importRowColumns: readonly Column<ImportRow>[] = [
  { name: 'line', value: ({ line }) => line, priority: 0 },
  { name: 'outcome', value: ({ outcome }) => outcome, fit: 'whole', priority: 0 },
  { name: 'code', value: ({ code }) => code, fit: 'whole', priority: 2 },
  { name: 'account', value: ({ account }) => account?.email, fit: 'whole', priority: 1 },
  { name: 'undo', value: undone, fit: 'whole', priority: 1, hideEmpty: true },
  { name: 'message', heading: 'WHY', value: reason, fit: 'wrap', minimum: 24, priority: 0 },
];

export const importListOptions = {
  '--status <status>': 'only imports with this status, such as running, interrupted or completed',
  '--rejected-within <days>': 'only imports with rejected rows that ended within this number of days',
  ...listingOptions('imports', importColumns),
};

export const importRowOptions = {
  '--outcome <outcome>': 'only rows that are created, updated, skipped or rejected',
  '--code <code>': 'only rows with this code, such as DUPLICATE_IN_FILE',
  '--search <text>':
    'only rows with this text in the name or email, rejected rows with it in any cell, or the row on this line',
  ...listingOptions('rows', importRowColumns),
};

export const importUsersOptions = {
  '--dry-run': 'show the plan and import nothing; with --rejects, also write the rejected rows',
  '--plan <id>': 'apply the plan that --dry-run showed with this id; if it has changed, import nothing',
  '--role <role>': 'role for rows without one: trainee (default) or trainer',
  '--course <course>': 'also enroll every trainee in this course: title or id',
  '--group <group>': 'also add everybody to this group, which is created if there is none with this name',
  '--enrollment-status <status>': 'status for rows without one: active (default) or pending',
  '--on-existing <what>': 'what to do with rows whose account exists: skip (default), update, or fail (reject them)',
  '--match <key>': 'find the account of a row by email (default), or with phone: by email or phone',
  '--missing-phone <what>': 'what to do with rows of new people who have no phone: reject (default) or allow',
  '--when-full <what>':
    'for rows whose course is full: reject (default), wait (join its waiting list) or skip-course (leave it out)',
  '--reset-passwords': 'with --on-existing update: also give these accounts new passwords',
  '--on-error <what>': 'after a rejected row: continue (default), stop there, or abort (import nothing)',
  '--max-errors <n>': 'import nothing if more rows than this are rejected',
  '--credentials <file>':
    'write generated passwords to this file, which must not exist; .xlsx makes a workbook (default: people.credentials.csv for people.csv)',
  '--invite':
    'mail new people without a password a link to set one, and write no file of passwords; with --credentials they get both',
  '--no-password':
    "give new people without a password in the file none, and send no mail: they use the organisation's sign-in",
  '--notify': 'also mail people who are enrolled in published courses, unless they are invited',
  '--rejects <file>':
    'write rejected rows to this file, which must not exist; .xlsx makes a workbook (default: people.rejected.csv for people.csv, .xlsx for a workbook)',
  '--encoding <name>':
    'encoding of the file: auto (default), utf-8, utf-16le, utf-16be, windows-1250 to windows-1257, windows-874, macintosh, shift_jis, gb18030, big5 or euc-kr',
  '--delimiter <character>': "character between the columns: auto (default), ',', ';', tab or '|'",
  '--sheet <sheet>': 'sheet of a workbook: name or number (default: the first visible one with a fitting header)',
  '--map <heading=field>': repeatable(
    'import a column with another name as this field, such as "Mobile=phone"; may be repeated',
  ),
  '--map-course <name=course>': repeatable(
    'enroll in this course (title or id) where the file has this name, or in none, such as "1st Aid=First Aid"; may be repeated',
  ),
  '--mapping <file>':
    'ask at a terminal what each column is, and save the answers in this file for later imports with these headings',
  '--template':
    'write an example to fill in to the new file, a workbook if its name ends in .xlsx, or print it as CSV; do nothing else',
  ...yesOption,
};

export const rejectsOptions = {
  '--output <file>':
    'write to this file, which must not exist, instead of standard output: a workbook if its name ends in .xlsx, else CSV; or "csv" or "xlsx" for standard output (default: the format of the imported file)',
};

export const resumeOptions = {
  '--credentials <file>': 'new file for generated passwords, if the first one was removed; must not exist',
  '--rejects <file>': 'new file for rejected rows, if the first one was removed; must not exist',
  ...yesOption,
};

export const undoOptions = {
  ...dryRunOption,
  ...yesOption,
};

/** Options that a roster remembers: `users sync` and `groups edit` have them. */
export const rosterOptions = {
  '--course <course>': repeatable(
    'enroll every trainee in this course, until they leave: title or id; may be repeated',
  ),
  '--role <role>': importUsersOptions['--role <role>'],
  '--on-leave <what>':
    'accounts that the roster created, when their people leave: keep (default), or deactivate if they have no other course or group',
  '--max-leaving <number>':
    'hold a sync in which more members would leave than this number or percentage (default: 10%, and at least 5)',
  '--when-full <what>':
    'for people whose course is full: wait (default: join its waiting list), reject or skip-course (leave it out)',
  '--on-existing <what>': importUsersOptions['--on-existing <what>'],
  '--match <key>': importUsersOptions['--match <key>'],
  '--missing-phone <what>': importUsersOptions['--missing-phone <what>'],
  '--enrollment-status <status>': importUsersOptions['--enrollment-status <status>'],
};

export const syncOptions = {
  '--roster <group>': 'group to keep in step, which is created if there is none with this name',
  '--existing': 'refuse a group that was never synchronised: use it in scripts, where nobody notices a wrong name',
  ...rosterOptions,
  '--allow-leaving <n>': 'approve a held sync in which exactly this number of members leave',
  '--dry-run': importUsersOptions['--dry-run'],
  '--plan <id>': importUsersOptions['--plan <id>'],
  '--credentials <file>': importUsersOptions['--credentials <file>'],
  '--invite': importUsersOptions['--invite'],
  '--no-password': importUsersOptions['--no-password'],
  '--notify': importUsersOptions['--notify'],
  '--max-errors <n>': importUsersOptions['--max-errors <n>'],
  '--rejects <file>': 'write rejected rows to this file instead of people.rejected.csv; each sync replaces it',
  '--encoding <name>': importUsersOptions['--encoding <name>'],
  '--delimiter <character>': importUsersOptions['--delimiter <character>'],
  '--sheet <sheet>': importUsersOptions['--sheet <sheet>'],
  '--map <heading=field>': importUsersOptions['--map <heading=field>'],
  '--map-course <name=course>': importUsersOptions['--map-course <name=course>'],
  '--yes': importUsersOptions['--yes'],
};
