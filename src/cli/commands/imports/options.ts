import { pageOptions, repeatable, yesOption } from '../../core/declaration.js';

export const importListOptions = {
  '--status <status>': 'only imports that are queued, running, interrupted, completed, ...',
  ...pageOptions('imports'),
};

export const importRowOptions = {
  '--outcome <outcome>': 'only rows that are created, updated, skipped or rejected',
  '--code <code>': 'only rows with this code, such as DUPLICATE_IN_FILE',
  '--search <text>': 'only rows of accounts with this text in name or email, or on this line',
  ...pageOptions('rows'),
};

export const importUsersOptions = {
  '--dry-run': 'show the plan only; writes nothing',
  '--plan <id>': 'do exactly what the dry run with this id showed, or refuse',
  '--role <role>': 'for rows without a role: trainee (default) or trainer',
  '--course <course>': 'enroll every trainee in this course (id or title), besides the course of the row',
  '--enrollment-status <status>': 'of enrollments without one: active (default) or pending',
  '--on-existing <what>': 'rows whose account exists already: skip (default), update or fail',
  '--match <key>': 'how the account of a row is found: email (default); or phone, which also finds it by phone alone',
  '--reset-passwords': 'with --on-existing update: give those accounts new passwords too',
  '--on-error <what>': 'bad rows: continue without them (default), stop at the first, or abort: write nothing',
  '--max-errors <n>': 'write nothing when more rows than this are bad',
  '--credentials <file>': 'where generated passwords go; must not exist (default: beside the CSV, .credentials.csv)',
  '--rejects <file>': 'where rejected rows go; must not exist (default: beside the CSV, .rejected.csv)',
  '--encoding <name>': 'auto (default), utf-8, utf-16le, utf-16be or windows-1252',
  '--delimiter <sign>': "auto (default), ',', ';', tab or '|'",
  '--map <heading=field>': repeatable('what a column is, such as "Mobile=phone"; repeatable'),
  '--template': 'print a file to fill in, and nothing else',
  ...yesOption,
};

export const resumeOptions = {
  '--credentials <file>': 'file for generated passwords, if the first one was removed; must not exist',
  '--rejects <file>': 'file for rejected rows, if the first one was removed; must not exist',
  ...yesOption,
};

export const undoOptions = {
  '--dry-run': 'show what would happen; writes nothing',
  ...yesOption,
};
