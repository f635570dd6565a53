import Joi from 'joi';
import { roles } from '../../schemas/fields.js';
import { fileProblemReasons, importDelimiters, importEncodings } from '../../schemas/file-format.js';
import { fileRowOutcomes, importFields, importStatuses, rowOutcomes, warningCodes } from '../../schemas/import.js';
import { component } from './json-schema.js';
import {
  boolean,
  count,
  id,
  nullableEnum,
  nullableText,
  nullableTimestamp,
  text,
  timestamp,
} from './response-schemas.js';

const importStatus = component('ImportStatus', 'Status of an import', Joi.valid(...importStatuses).required());
const importCounts = Joi.object({
  rows: count,
  created: count,
  updated: count,
  skipped: count,
  rejected: count,
  enrolled: count,
  waiting: count.description('Places taken on waiting lists').example(10),
  leftOut: count,
  left: count.description('Members who left the group that the import synchronises').example(2),
}).required();

const error = Joi.object({
  code: text.example('IMPORT_FILE_INVALID'),
  message: nullableText.description('The reason, for people').example('The file has no header.'),
})
  .allow(null)
  .required()
  .description('Why the import failed, or why its plan cannot be applied; null otherwise');

export const importSummary = component(
  'ImportSummary',
  'An import of accounts, with its file, status and counts',
  Joi.object({
    id,
    number: count,
    status: importStatus,
    file: text,
    counts: importCounts,
    error,
    createdAt: timestamp,
    finishedAt: nullableTimestamp,
  }),
);

/** An import. Contains no paths of the server and no passwords. */
export const importRecord = component(
  'Import',
  'An import of accounts',
  Joi.object({
    id,
    number: count,
    status: importStatus,
    file: text,
    origin: Joi.valid('cli', 'http').required(),
    counts: importCounts,
    progress: Joi.object({ rowsDone: count, rowsTotal: count.allow(null) })
      .required()
      .description('Number of processed rows'),
    options: Joi.object().unknown().required(),
    error,
    hasCredentials: boolean,
    hasRejects: boolean,
    createdBy: nullableText,
    trainer: Joi.object({ id, firstName: text, lastName: text })
      .allow(null)
      .required()
      .description('The trainer who imports into the course of `options`; null for imports of the super admin'),
    createdAt: timestamp,
    startedAt: nullableTimestamp,
    finishedAt: nullableTimestamp,
    undoneAt: nullableTimestamp,
    ledgerClosedAt: nullableTimestamp,
  }),
);

const keptCodes = [
  'LOGGED_IN',
  'INVITE_ACCEPTED',
  'EDITED',
  'ENROLLED',
  'HAS_COURSES',
  'KEY_TAKEN',
  'COURSE_FULL',
  'GONE',
  'IN_USE',
] as const;
const keptCode = Joi.valid(...keptCodes);

const line = count.description('Number of the line in the file on which the row begins, from 1').example(7);
const lineOrNone = line
  .allow(null)
  .description(
    'Number of the line in the file on which the row begins, from 1; null for a member who left, who has no row',
  );

export const undo = component(
  'ImportUndo',
  'Actual or planned outcome of undoing an import',
  Joi.object({
    removed: count,
    restored: count,
    mailsSent: count,
    kept: Joi.array()
      .items(
        Joi.object({
          line: lineOrNone,
          userId: id,
          email: nullableText,
          code: keptCode.required(),
        }),
      )
      .required(),
  }),
);

const rowCode = text
  .description(
    'Why the row was skipped, rejected, or imported without a course, by its first problem: docs/IMPORTING.md lists the codes',
  )
  .example('EMAIL_INVALID');

const field = nullableEnum(importFields);

const column = component(
  'ImportFileColumn',
  'A column of the file and its mapping',
  Joi.object({
    index: count.description('Index of the column, from 0').example(3),
    heading: nullableText.description('Heading in the file, shortened').example('Mobile'),
    field: field.description('Field that the column is imported as; null if it is not imported').example('phone'),
    suggestion: field
      .description(
        'Suggested field for a column that is not imported, by its heading or its values; null without a suggestion',
      )
      .example(null),
    hidden: boolean.description('Whether the workbook hides the column').example(false),
    effect: nullableText
      .description('Effect of the column on people, as a text; null for a column that is not imported')
      .example('sign-in'),
    people: count.description('Number of people whom the values affect').example(40),
    mailed: count.description('Number of mails that contain the values').example(0),
    example: nullableText
      .description('First value that is not blank, cut at 60 characters; possible passwords are masked')
      .example('+49 30 1234'),
    samples: Joi.array()
      .items(Joi.string())
      .max(5)
      .required()
      .description('Up to 5 values of the first rows, cut at 100 characters; possible passwords are masked')
      .example(['+49 30 1234']),
  }),
);

const reason = component(
  'ImportReason',
  'Rows that are skipped, rejected, or imported without a full course for the same reason',
  Joi.object({
    outcome: Joi.valid(...fileRowOutcomes)
      .required()
      .description('Outcome of the rows'),
    code: rowCode,
    otherCodes: Joi.array()
      .items(rowCode)
      .required()
      .description('Codes of further problems of the same rows')
      .example([]),
    field: field.description('Field to correct; null if several fields or none').example('email'),
    message: text
      .description('The reason, for people; the same for all these rows')
      .example('Email must be a valid email address.'),
    courseQuestion: Joi.object({
      name: text.description('Name of the course in the file').example('Frist Aid'),
      candidates: Joi.array()
        .items(Joi.object({ id, title: text.example('First Aid'), startDate: nullableText.example('2026-05-04') }))
        .max(10)
        .required()
        .description('Courses that may be meant'),
    })
      .allow(null)
      .required()
      .description(
        'Name that no course or several courses have, with the courses that may be meant, for `mapCourse`; null for another problem, and after the first 20 names',
      ),
    count: count.description('Number of rows; a rejected row counts once, with all its problems').example(3),
    rows: Joi.array().items(count).max(20).required().description('Lines of the first 20 rows').example([7, 12, 31]),
  }),
);

const warning = component(
  'ImportWarning',
  'A possible mistake in a file that can be imported',
  Joi.object({
    code: Joi.valid(...warningCodes)
      .required()
      .description('The kind of warning: docs/IMPORTING.md lists them')
      .example('REPLY_WITHOUT_COURSE'),
    field: field.description('Field of the warning; null if several fields or none').example('reply'),
    message: text
      .description('The warning, for people')
      .example('A reply belongs to an enrollment: without a course it is not imported.'),
    count: count.description('Number of rows or columns').example(3),
    rows: Joi.array()
      .items(count)
      .max(20)
      .required()
      .description('Lines of the first 20 rows; empty for a warning about columns or the file')
      .example([7, 12, 31]),
    examples: Joi.array()
      .items(Joi.string())
      .max(5)
      .required()
      .description('Up to 5 of the affected values')
      .example([]),
  }),
);

const sheets = Joi.array()
  .items(
    Joi.object({
      name: text.example('Trainees'),
      isHidden: boolean.description('Whether the sheet is hidden').example(false),
    }),
  )
  .required();

const role = Joi.valid(...roles).required();
const identity = Joi.object({ firstName: text, lastName: text, email: text, role }).required();

const importPlan = component(
  'ImportPlan',
  'The planned effects of an import; nothing is written until the plan is applied',
  Joi.object({
    id: nullableText
      .description('Digest of file, options and matching accounts; null during planning and with a `problem`')
      .example('3f9a1c0d5b7e2468'),
    rowsRead: count.description('Number of rows planned so far').example(2000),
    expiresAt: timestamp.description('Time from which the plan can no longer be applied'),
    problem: Joi.object({
      code: text.example('IMPORT_FILE_INVALID'),
      message: nullableText.description('The reason, for people').example('The header lacks phone.'),
      reason: nullableEnum(fileProblemReasons)
        .description('Fault of the file, for programs with their own messages; null for another problem')
        .example('COLUMNS_MISSING'),
      line: count.allow(null).description('Line of the problem, from 1; null if it has no single line').example(3),
      candidates: Joi.array()
        .items(
          Joi.object({
            encoding: Joi.valid(...importEncodings).required(),
            names: Joi.array()
              .items(Joi.string())
              .max(3)
              .required()
              .description('Names as this encoding reads them')
              .example(['Rūta Žukauskienė']),
          }),
        )
        .required()
        .description('Possible encodings of the file, the most likely first; empty for another problem'),
      sheets: sheets.description('Sheets of the workbook to choose from; empty for another problem'),
    })
      .allow(null)
      .required()
      .description(
        'Why the file cannot be imported with these options; null without a problem. Plan it again with other options',
      ),
    file: Joi.object({
      encoding: Joi.valid(...importEncodings).required(),
      delimiter: Joi.valid(...importDelimiters).required(),
      byteOrderMark: boolean.description('Whether the file begins with a byte order mark').example(false),
      headerLine: count.description('Line of the header').example(1),
      workbook: Joi.object({
        kind: Joi.valid('xlsx', 'ods').required(),
        sheet: text.description('The imported sheet').example('Trainees'),
        sheets: sheets.description('All sheets in their order'),
      })
        .allow(null)
        .required()
        .description('The workbook and the imported sheet; null for CSV'),
      lines: count.allow(null).description('Number of lines; null if the file was not read completely').example(2001),
      names: Joi.array()
        .items(Joi.string())
        .max(5)
        .required()
        .description('Names of people with letters beyond ASCII, as decoded')
        .example(['Zoë Müller']),
    })
      .allow(null)
      .required()
      .description('How the file was read; null while it is unknown'),
    columns: Joi.array().items(column).required().description('Columns of the file'),
    fields: Joi.array()
      .items(
        Joi.object({
          name: Joi.valid(...importFields).required(),
          required: boolean
            .description('Whether a file must have the field; a full name replaces first and last name')
            .example(true),
        }),
      )
      .required()
      .description('Fields that columns can be mapped to'),
    counts: Joi.object({
      rows: count,
      created: count,
      updated: count,
      skipped: count,
      unchanged: count.description('Skipped rows whose account already has these values').example(5),
      rejected: count,
      enrolled: count,
      waiting: count.description('Places taken on waiting lists').example(10),
      leftOut: count,
      left: count.description('Members who leave the group that the import synchronises').example(2),
    })
      .allow(null)
      .required()
      .description('Number of rows by outcome; null during planning and with a `problem`'),
    createdByRole: Joi.object({
      trainee: count.description('Trainees to be created').example(38),
      trainer: count.description('Trainers to be created').example(2),
    })
      .allow(null)
      .required()
      .description('Roles of the created accounts; null during planning and with a `problem`'),
    reasons: Joi.array()
      .items(reason)
      .required()
      .description('Reasons why rows are rejected, skipped or imported without a course, grouped'),
    warnings: Joi.array()
      .items(warning)
      .required()
      .description('Warnings to check before the plan is applied, grouped'),
    identityChanges: Joi.array()
      .items(Joi.object({ line, userId: id, before: identity, after: identity }))
      .required()
      .description('Updates that change the name, email or role of an account; the first 100'),
    identityChangesLeftOut: count.description('Number of further changes of this kind').example(0),
    newGroups: Joi.array()
      .items(Joi.string())
      .required()
      .description('Names of the groups that the import creates')
      .example(['Year 9']),
    roster: Joi.object({
      isFirst: boolean.description('Whether the group was never synchronised: then nobody leaves').example(false),
      members: count.description('Number of members whom files added').example(120),
      leaving: count.description('Number of members who leave').example(14),
      deactivated: count.description('Number of accounts that become inactive').example(0),
      held: Joi.object({
        leaving: count.description('Number to approve, as `allowLeaving`').example(14),
        members: count.description('Number of members whom files added').example(120),
        limit: count.description('Number of members who may leave without an approval').example(12),
      })
        .allow(null)
        .required()
        .description('Set if too many members would leave: the plan needs an approval'),
    })
      .allow(null)
      .required()
      .description('Effects on the members of the group that the import synchronises; null if it is no sync'),
    generatedPasswords: count.description('Number of accounts that get a generated password').example(40),
    invitations: count.description('Number of people who get an invitation by mail').example(0),
    news: count.description('Number of mails about enrollments').example(0),
    roleWords: Joi.array()
      .items(
        Joi.object({
          word: nullableText.description('Word in the file').example('Student'),
          role: Joi.valid('trainee', 'trainer').required(),
        }),
      )
      .required()
      .description('Words in the file that are read as roles'),
    stopsAtLine: count
      .allow(null)
      .description('Line of the rejected row at which the import stops, with `onError` stop; null otherwise')
      .example(null),
    refusal: nullableText
      .description(
        'Why the plan cannot be applied: more rejected rows than the options allow; null if it can be applied',
      )
      .example(null),
  })
    .allow(null)
    .required(),
);

export const importWithPlan = component(
  'ImportWithPlan',
  'An import of accounts, with its plan until the first row is written',
  importRecord
    .keys({
      plan: importPlan,
      canUndo: boolean
        .description(
          'Whether an undo can remove or restore accounts. After an undo that kept accounts, whether another undo can',
        )
        .example(true),
    })
    .required(),
);

export const keptReasons = Joi.array()
  .items(
    Joi.object({
      code: keptCode.required().description('Why the accounts are kept').example('LOGGED_IN'),
      count: count.description('Number of accounts').example(2),
    }),
  )
  .required()
  .description('Number of kept accounts by reason, the most frequent first');

export const importRow = component(
  'ImportRow',
  'Actual or planned outcome of a row of the file',
  Joi.object({
    line: lineOrNone,
    outcome: Joi.valid(...rowOutcomes)
      .required()
      .description('Actual or planned outcome of the row'),
    code: rowCode.allow(null),
    field: field.description('Field to correct; null if several fields or none').example('email'),
    message: nullableText
      .description('Why the row was rejected, or imported without a course, for people')
      .example('Email is required.'),
    account: Joi.object({ id, firstName: text, lastName: text, email: text })
      .allow(null)
      .required()
      .description('Current account of the row'),
    changes: Joi.array()
      .items(
        Joi.object({
          field: text.description('Field of the account').example('lastName'),
          before: nullableText.description('Value before the import; null for a password').example('King'),
          after: nullableText.description('Value after the import; null for a password').example('Lovelace'),
        }),
      )
      .allow(null)
      .required()
      .description('What an update would change; null once the plan is applied'),
    cells: Joi.array()
      .items(Joi.string().allow(''))
      .allow(null)
      .required()
      .description(
        "Cells in the order of the plan's columns, up to the last one that isn't empty, shortened, without passwords; null once the plan is applied",
      )
      .example(['Ada', 'Lovelace', 'ada@example.org', '+49 30 1234']),
    undo: Joi.object({
      outcome: Joi.valid('removed', 'restored', 'kept').required().description('Outcome of the undo for the account'),
      code: keptCode
        .allow(null)
        .required()
        .meta({ enum: [...keptCodes, null] })
        .description('Why the account was kept, or `GONE` if it no longer existed; null otherwise')
        .example('LOGGED_IN'),
    })
      .allow(null)
      .required()
      .description('Outcome of the undo for the row; null without an undo'),
  }),
);
