import type Types from 'joi';
import { inputFields, requiredFields } from './account-fields.js';
import { type WhenFull, whenFullChoices } from './enrollment.js';
import { type InitialStatus, initialStatuses } from './enrollment-statuses.js';
import type { Role } from './fields.js';
import * as fields from './fields.js';
import { type Delimiter, type Encoding, importDelimiters, importEncodings } from './file-format.js';
import Joi from './joi.js';
import * as listing from './listing.js';
import { refuse } from './problems.js';
import { type TableQuery, tableFormat } from './table-format.js';
import { validate } from './validate.js';

/** The columns of an import file that are understood; {@link requiredColumns} must be there (docs/IMPORTING.md). */
export const importColumns = [
  ...inputFields('import'),
  'password',
  'passwordHash',
  'course',
  'enrollmentStatus',
  'reply',
] as const;
export type ImportColumn = (typeof importColumns)[number];
/** What a heading can mean: a column of an import, the full name in one cell, or the opposite of `isActive`. */
export const importFields = [...importColumns, 'fullName', 'suspended'] as const;
export type ImportField = (typeof importFields)[number];
const requiredImportColumns: readonly ImportColumn[] = requiredFields('import');

/** The columns that a file must have. */
export const requiredColumns = ({
  missingPhone,
}: Partial<Pick<ImportOptions, 'missingPhone'>>): readonly ImportColumn[] =>
  missingPhone === 'allow' ? requiredImportColumns.filter((column) => column !== 'phone') : requiredImportColumns;

/** Roles that a file may give; the super admin is never imported. */
export const importableRoles = ['trainee', 'trainer'] as const;
export type ImportableRole = Extract<Role, (typeof importableRoles)[number]>;

/** How an import is done. */
export interface ImportOptions {
  /** For rows without a role of their own. */
  role: ImportableRole;
  /** Id or title of a course in which every trainee is enrolled, besides the course of its row. */
  course?: string;
  /** For enrollments without a status of their own. */
  enrollmentStatus: InitialStatus;
  /** What becomes of a row that meets an account. */
  onExisting: 'skip' | 'update' | 'fail';
  /** What says that a row is about an account: its email, or its phone alone as well. People set their phones themselves. */
  match: 'email' | 'phone';
  /** What becomes of a row without a phone whose person has no account: with `allow` it gets one without a phone. */
  missingPhone: 'reject' | 'allow';
  /** The treatment of a row whose course is full: rejection, its waiting list, or the account without the course. */
  whenFull: WhenFull | 'skip-course';
  /** Updates set passwords too: those of the file, or generated ones. */
  resetPasswords: boolean;
  /** New people without a password get a link by mail to set one, instead of a generated one. */
  invite: boolean;
  /** With `invite`: a generated one besides, for those whom mail doesn't reach. */
  withPasswords: boolean;
  /** People who are enrolled get a mail about each published course, unless this import invites them. */
  notify: boolean;
  /** What a bad row means for the others. */
  onError: 'continue' | 'stop' | 'abort';
  /** With more bad rows than this nothing is written. */
  maxErrors?: number;
  /** Absent: found out from the file. */
  encoding?: Encoding;
  /** Absent: found out from the file. */
  delimiter?: Delimiter;
  /** Of a workbook: its name, or its number among those that aren't hidden. Absent: the first visible one whose header fits. */
  sheet?: string;
  /** Columns that are called something else: `heading=field`, or `heading=` for one to be ignored. */
  map?: string[];
}

/** One for each column that a file may have. */
export const maxMappings = 256;

const delimiterMustBe = "Delimiter must be auto, ',', ';', tab or '|'.";

/** The option stands after `onExisting`, which has been checked by then. */
function onlyForUpdates(resetPasswords: boolean, helpers: Types.CustomHelpers): boolean | Types.ErrorReport {
  // The first ancestor is the object that the option is of.
  const { onExisting } = helpers.state.ancestors[0] as Partial<ImportOptions>;
  if (!resetPasswords || onExisting === 'update') return resetPasswords;
  const params = { fields: ['onExisting'], values: ['update'] };
  return refuse(helpers, { code: 'NEEDS_OTHER_FIELD', params, message: 'resetPasswords needs onExisting update.' });
}

/** The option stands after `resetPasswords`: who has a password already gets another one, which only a file can say. */
function notWithResets(invite: boolean, helpers: Types.CustomHelpers): boolean | Types.ErrorReport {
  const { resetPasswords } = helpers.state.ancestors[0] as Partial<ImportOptions>;
  if (!invite || !resetPasswords) return invite;
  const message = 'invite and resetPasswords exclude each other: import the new people first.';
  return refuse(helpers, { code: 'EXCLUSIVE', params: { fields: ['resetPasswords'] }, message });
}

/** The option stands after `invite`. */
function onlyForInvited(withPasswords: boolean, helpers: Types.CustomHelpers): boolean | Types.ErrorReport {
  const { invite } = helpers.state.ancestors[0] as Partial<ImportOptions>;
  if (!withPasswords || invite) return withPasswords;
  return refuse(helpers, {
    code: 'NEEDS_OTHER_FIELD',
    params: { fields: ['invite'] },
    message: 'withPasswords needs invite.',
  });
}

/** Parts of ISO 8859 whose letters a code page has in the same places. In parts 2, 4, 5, 6, 7, 15 and 16 some are elsewhere. */
const isoParts = { 1: '1252', 8: '1255', 9: '1254', 11: '874', 13: '1257' };

const encoding = Object.entries(isoParts)
  .reduce(
    (schema, [part, page]) => schema.replace(new RegExp(`^iso-?8859-${part}$`), `windows-${page}`),
    fields.oneOf('Encoding', ['auto', ...importEncodings]).lowercase(),
  )
  .empty('auto')
  .messages({
    'any.only': `Encoding must be one of auto, ${importEncodings.join(', ')}. Of ISO-8859, parts 1, 8, 9, 11 and 13 are read; the nearest of 2 and 16 is windows-1250, of 4 windows-1257, of 5 windows-1251, of 6 windows-1256, of 7 windows-1253, of 15 windows-1252: check the names in the plan.`,
  });

export const importOptionsSchema = Joi.object<ImportOptions, true>({
  role: fields.oneOf('Role', importableRoles).default('trainee'),
  course: fields.course,
  enrollmentStatus: fields.oneOf('enrollmentStatus', initialStatuses).default('active'),
  onExisting: fields.oneOf('onExisting', ['skip', 'update', 'fail']).default('skip'),
  match: fields.oneOf('match', ['email', 'phone']).default('email'),
  missingPhone: fields.oneOf('missingPhone', ['reject', 'allow']).default('reject'),
  whenFull: fields.oneOf('whenFull', [...whenFullChoices, 'skip-course'] as const).default('reject'),
  resetPasswords: listing.queryBoolean('resetPasswords').default(false).custom(onlyForUpdates),
  invite: listing.queryBoolean('invite').default(false).custom(notWithResets),
  withPasswords: listing.queryBoolean('withPasswords').default(false).custom(onlyForInvited),
  notify: listing.queryBoolean('notify').default(false),
  onError: fields.oneOf('onError', ['continue', 'stop', 'abort']).default('continue'),
  maxErrors: Joi.number()
    .integer()
    .min(0)
    .max(1_000_000_000)
    .messages({ '*': 'maxErrors must be a whole number, 0 or more.' }),
  encoding,
  delimiter: Joi.string()
    .lowercase()
    .replace(/^(tab|\\t)$/, '\t')
    .empty('auto')
    .valid(...importDelimiters)
    .label('Delimiter')
    .messages({ '*': delimiterMustBe })
    .meta({ enum: ['auto', ',', ';', 'tab', '|'] }),
  sheet: Joi.string()
    .empty('')
    .max(255)
    .messages({ '*': 'Sheet must be the name or the number of a sheet.' })
    .meta({ maxLength: 255 }),
  map: Joi.array()
    .items(Joi.string().pattern(/=/).max(1000).meta({ maxLength: 1000 }))
    .max(maxMappings)
    .empty(Joi.array().length(0))
    .messages({
      'array.max': `No more than ${maxMappings} mappings can be given.`,
      'string.max': 'A mapping can have no more than 1000 characters.',
      '*': 'A mapping is heading=field, such as "Mobile=phone", or heading= for a column to be ignored.',
    }),
});

/** Fields of the form of `POST /api/imports`: the options, and whether to plan only. */
export const importFormSchema = (importOptionsSchema as Types.ObjectSchema<ImportOptions & { plan: boolean }>).keys({
  plan: listing.queryBoolean('plan').default(false),
});

/** What `users import --mapping` remembers. */
export interface ColumnMappings {
  mappings: { headings: string[]; map: string[] }[];
}

/** The file of `users import --mapping`. */
export const columnMappingsSchema = Joi.object<ColumnMappings, true>({
  mappings: Joi.array()
    .items(
      Joi.object<ColumnMappings['mappings'][number], true>({
        headings: Joi.array().items(Joi.string().allow('')).required(),
        map: Joi.array().items(Joi.string()).required(),
      }),
    )
    .required(),
});

/** What a column of a file is. */
export interface ColumnChoice {
  /** Its place in a row, from 0. */
  column: number;
  /** null: it isn't imported. */
  field: ImportField | null;
}

/** The options of another plan: a JSON body, so nothing is coerced. */
export type ReplanOptions = Omit<Partial<ImportOptions>, 'map'> & { map?: ColumnChoice[] };

/** Body of `POST /api/imports/:id/plan`: the options of the form, with columns by their index. */
export const replanSchema = (importOptionsSchema as Types.ObjectSchema<ReplanOptions>).keys({
  resetPasswords: fields.strictBoolean('resetPasswords').default(false).custom(onlyForUpdates),
  invite: fields.strictBoolean('invite').default(false).custom(notWithResets),
  withPasswords: fields.strictBoolean('withPasswords').default(false).custom(onlyForInvited),
  notify: fields.strictBoolean('notify').default(false),
  maxErrors: fields.strictWholeNumber('maxErrors', 0, 1_000_000_000),
  map: Joi.array()
    .items(
      Joi.object<ColumnChoice, true>({
        column: fields.strictWholeNumber('Column', 0, 99_998).required(),
        field: fields
          .oneOf('Field', importFields)
          .allow(null)
          .required()
          .meta({ enum: [...importFields, null] })
          .description('Field that the column is imported as; null: it is not imported'),
      }),
    )
    .max(maxMappings)
    .messages({
      'array.max': `No more than ${maxMappings} columns can be mapped.`,
      'array.base': 'map must be a list of columns with their fields.',
    })
    .description('What columns are, where that was not understood; others stay as they are')
    .example([{ column: 3, field: 'phone' }]),
});

/** Body of `POST /api/imports/:id/apply`. */
export const applySchema = Joi.object<{ planId?: string }, true>({ planId: fields.id('planId') });

/** What looks wrong in a file that can be imported: a plan shows it. Documented in docs/IMPORTING.md. */
export const warningCodes = [
  'COLUMN_DOUBTFUL',
  'COLUMN_HIDDEN',
  'STATE_NOT_IMPORTED',
  'NOT_TICKED',
  'STATE_INACTIVE',
  'LINES_QUOTED',
  'VERSION_LINE',
  'LINES_ABOVE',
  'SHEETS_NOT_READ',
  'ROW_HIDDEN',
  'ROW_EMPTY',
  'CELLS_MERGED',
  'NAME_SPLIT',
  'NAME_GARBLED',
  'NAME_ODD',
  'PHONE_DATE',
  'PHONE_ZEROS',
  'PHONE_SEVERAL',
  'PHONE_WORDS',
  'PHONE_ZERO_LOST',
  'REPLY_WITHOUT_COURSE',
  'STATUS_WITHOUT_COURSE',
] as const;
export type WarningCode = (typeof warningCodes)[number];

/** Outcomes of rows. */
export const rowOutcomes = ['created', 'updated', 'skipped', 'rejected'] as const;

export interface ImportRowListing extends listing.Paging {
  outcome?: (typeof rowOutcomes)[number];
  code?: string;
  search?: string;
}

/** Query of `GET /api/imports/:id/rows`. */
export const importRowListingSchema = Joi.object<ImportRowListing, true>({
  outcome: fields.oneOf('outcome', rowOutcomes),
  // The column is ASCII: MariaDB fails to compare it with other text.
  code: Joi.string()
    .max(64)
    .pattern(/^[A-Z_]+$/)
    .messages({ '*': 'code must be one of those in docs/IMPORTING.md, such as DUPLICATE_IN_FILE.' }),
  search: listing.search,
  ...listing.paging(20),
});

/** The options that {@link serializeImportOptions} has written. */
export const parseImportOptions = (text: string): ImportOptions => validate(importOptionsSchema, JSON.parse(text));

/** JSON in the order of the keys, so that equal options have equal texts. */
export function serializeImportOptions(options: ImportOptions): string {
  return JSON.stringify(Object.fromEntries(Object.entries(options).sort(([a], [b]) => (a < b ? -1 : 1))));
}

/**
 * Where an import stands. `planned` waits to be applied, else it is `discarded` or `expired`; `interrupted` can be resumed;
 * `stopped` ended at a bad row, as it was told to.
 */
export const importStatuses = [
  'planning',
  'planned',
  'discarded',
  'expired',
  'queued',
  'running',
  'interrupted',
  'completed',
  'stopped',
  'failed',
  'cancelled',
  'undoing',
  'undone',
] as const;
export type ImportStatus = (typeof importStatuses)[number];

export interface ImportListing extends listing.Paging {
  status?: ImportStatus;
}

/** Query of a listing of imports. */
export const importListingSchema = Joi.object<ImportListing, true>({
  status: fields.oneOf('status', importStatuses),
  ...listing.paging(20),
});

/** Query of `POST /api/imports/:id/undo`. */
export const undoQuerySchema = Joi.object<{ dryRun: boolean }, true>({
  dryRun: listing.queryBoolean('dryRun').default(false),
});

/** Query of the rejected rows and the passwords of an import. */
export const reportQuerySchema = Joi.object<Partial<TableQuery>, true>({
  format: tableFormat,
});
