import { listingOptions } from '../../core/columns.js';
import { dryRunOption, repeatable, yesOption } from '../../core/declaration.js';
import { importColumns, importRowColumns } from './columns.js';

export const importListOptions = {
  '--status <status>': 'only imports that are queued, running, interrupted, completed, ...',
  ...listingOptions('imports', importColumns),
};

export const importRowOptions = {
  '--outcome <outcome>': 'only rows that are created, updated, skipped or rejected',
  '--code <code>': 'only rows with this code, such as DUPLICATE_IN_FILE',
  '--search <text>': 'only rows of accounts with this text in name or email, or on this line',
  ...listingOptions('rows', importRowColumns),
};

export const importUsersOptions = {
  '--dry-run': 'show the plan only; writes nothing, but rejected rows to a file that --rejects names',
  '--plan <id>': 'apply exactly the plan that the dry run with this id showed, or nothing',
  '--role <role>': 'for rows without a role: trainee (default) or trainer',
  '--course <course>': 'also enroll every trainee in this course: title or id',
  '--enrollment-status <status>': 'for rows without one: active (default) or pending',
  '--on-existing <what>': 'for rows whose account exists: skip (default), update or fail',
  '--match <key>': 'how the account of a row is found: by email (default), or with phone also by phone alone',
  '--reset-passwords': 'with --on-existing update: also give these accounts new passwords',
  '--on-error <what>': 'after a rejected row: continue (default), stop there, or abort and write nothing',
  '--max-errors <n>': 'write nothing if more rows than this are rejected',
  '--credentials <file>':
    'file for generated passwords; must not exist (default: beside the imported file, .credentials.csv)',
  '--rejects <file>': 'file for rejected rows; must not exist (default: beside the imported file, .rejected.csv)',
  '--encoding <name>': 'auto (default), utf-8, utf-16le, utf-16be or windows-1252',
  '--delimiter <sign>': "auto (default), ',', ';', tab or '|'",
  '--map <heading=field>': repeatable(
    'the field of a column with another name, such as "Mobile=phone"; may be repeated',
  ),
  '--mapping <file>':
    'asks at a terminal what the columns are, and remembers the answers for these headings in this file',
  '--template': 'print a file to fill in, and do nothing else',
  ...yesOption,
};

export const resumeOptions = {
  '--credentials <file>': 'file for generated passwords, if the first one was removed; must not exist',
  '--rejects <file>': 'file for rejected rows, if the first one was removed; must not exist',
  ...yesOption,
};

export const undoOptions = {
  ...dryRunOption,
  ...yesOption,
};
