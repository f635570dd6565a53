import type Types from 'joi';
import { inputFields, requiredFields } from './account-fields.js';
import { type WhenFull, whenFullChoices } from './enrollment.js';
import { type InitialStatus, initialStatuses } from './enrollment-statuses.js';
import type { Role } from './fields.js';
import * as fields from './fields.js';
import { type Delimiter, type Encoding, importDelimiters, importEncodings } from './file-format.js';
import { groupName } from './group.js';
import Joi from './joi.js';
import * as listing from './listing.js';
import { refuse } from './problems.js';
import { type TableQuery, tableFormat } from './table-format.js';
import { validate } from './validate.js';

/** Columns of an import file (docs/IMPORTING.md). {@link requiredColumns} are mandatory. */
export const importColumns = [
  ...inputFields('import'),
  'password',
  'passwordHash',
  'course',
  'enrollmentStatus',
  'reply',
  'group',
] as const;
export type ImportColumn = (typeof importColumns)[number];
/** Fields that a heading can name: a column of an import, the full name in one cell, or the opposite of `isActive`. */
export const importFields = [...importColumns, 'fullName', 'suspended'] as const;
export type ImportField = (typeof importFields)[number];
const requiredImportColumns: readonly ImportColumn[] = requiredFields('import');

export const requiredColumns = ({
  missingPhone,
}: Partial<Pick<ImportOptions, 'missingPhone'>>): readonly ImportColumn[] =>
  missingPhone === 'allow' ? requiredImportColumns.filter((column) => column !== 'phone') : requiredImportColumns;

/** Roles that a file may contain. The super admin is never imported. */
export const importableRoles = ['trainee', 'trainer'] as const;
export type ImportableRole = Extract<Role, (typeof importableRoles)[number]>;

export interface ImportOptions {
  /** Role of rows that have none. */
  role: ImportableRole;
  /** Id or title of a course in which all trainees are enrolled, besides the course of their row. */
  course?: string;
  /** Name of a group to which all people are added, besides the groups of their row. An unknown name creates the group. */
  group?: string;
  /** Further courses in which all trainees are enrolled. */
  otherCourses?: string[];
  /** Name of the group that the file keeps in step; an unknown name creates the group. */
  roster?: string;
  /** Treatment of accounts that the roster created, when their people leave it. */
  onLeave?: (typeof leaveChoices)[number];
  /** Largest part or number of members who may leave the roster in one sync, such as `10%` or `25`. */
  maxLeaving?: string;
  /** Status of enrollments whose row has none. */
  enrollmentStatus: InitialStatus;
  /** Treatment of a row that matches an account. */
  onExisting: 'skip' | 'update' | 'fail';
  /**
   * Field that finds the account of a row: only the email, or also the phone alone. The phone is less reliable, because
   * people change it themselves.
   */
  match: 'email' | 'phone';
  /** Treatment of a new person without a phone: rejection, or an account without a phone. */
  missingPhone: 'reject' | 'allow';
  /** Treatment of a row whose course is full: rejection, its waiting list, or the account without the course. */
  whenFull: WhenFull | 'skip-course';
  /** Whether updates also set passwords, from the file or generated. */
  resetPasswords: boolean;
  /** Whether new people without a password get a mail with a link to set one, instead of a generated password. */
  invite: boolean;
  /** With `invite`: whether passwords are generated, too, for people without working mail. */
  withPasswords: boolean;
  /** Whether new people without a password in the file get neither a password nor an invitation. */
  noPassword: boolean;
  /** Whether enrolled people get a mail about each published course, unless this import invites them. */
  notify: boolean;
  /** Treatment of the other rows after a bad row. */
  onError: 'continue' | 'stop' | 'abort';
  /** Maximum number of bad rows. With more, nothing is written. */
  maxErrors?: number;
  /** Detected from the file if absent. */
  encoding?: Encoding;
  /** Detected from the file if absent. */
  delimiter?: Delimiter;
  /** Name of a workbook's sheet, or its number among visible sheets. If absent: the first visible sheet with a valid header. */
  sheet?: string;
  /** Fields of columns with other headings: `heading=field`, or `heading=` to ignore a column. */
  map?: string[];
  /** Courses for names in the file: `name=course` with an id or a title, or `name=` to leave the course out. */
  mapCourse?: string[];
  /** The trainer who imports; absent for the super admin. Nobody can send this option. */
  trainerId?: string;
}

/** `keep`: the accounts stay active. `deactivate`: they become inactive, unless they have other courses or groups. */
export const leaveChoices = ['keep', 'deactivate'] as const;

/** {@link ImportOptions.maxLeaving} if none is given. */
export const defaultMaxLeaving = '10%';

const maxOtherCourses = 20;

/** Maximum number of mappings: one for each column of the widest file. */
export const maxMappings = 256;

const delimiterMustBe = "Delimiter must be auto, ',', ';', tab or '|'.";

/** Refuses `resetPasswords` unless `onExisting` is `update`. The schema checks `onExisting` first. */
function onlyForUpdates(resetPasswords: boolean, helpers: Types.CustomHelpers): boolean | Types.ErrorReport {
  // The first ancestor is the object that contains the option.
  const { onExisting, roster } = helpers.state.ancestors[0] as Partial<ImportOptions>;
  if (resetPasswords && roster !== undefined) return notForRosters('resetPasswords', resetPasswords, helpers);
  if (!resetPasswords || onExisting === 'update') return resetPasswords;
  const params = { fields: ['onExisting'], values: ['update'] };
  return refuse(helpers, {
    code: 'NEEDS_OTHER_FIELD',
    params,
    message: 'resetPasswords may be set only if onExisting is update.',
  });
}

/** Refuses `invite` together with `resetPasswords`. The schema checks `resetPasswords` first. */
function notWithResets(invite: boolean, helpers: Types.CustomHelpers): boolean | Types.ErrorReport {
  const { resetPasswords } = helpers.state.ancestors[0] as Partial<ImportOptions>;
  if (!invite || !resetPasswords) return invite;
  const message = 'invite and resetPasswords exclude each other: import the new people first.';
  return refuse(helpers, { code: 'EXCLUSIVE', params: { fields: ['resetPasswords'] }, message });
}

/** Refuses `withPasswords` without `invite`. The schema checks `invite` first. */
function onlyForInvited(withPasswords: boolean, helpers: Types.CustomHelpers): boolean | Types.ErrorReport {
  const { invite } = helpers.state.ancestors[0] as Partial<ImportOptions>;
  if (!withPasswords || invite) return withPasswords;
  return refuse(helpers, {
    code: 'NEEDS_OTHER_FIELD',
    params: { fields: ['invite'] },
    message: 'withPasswords may be set only together with invite.',
  });
}

/** Refuses `noPassword` together with other ways to give passwords. The schema checks these first. */
function notWithOtherAccess(noPassword: boolean, helpers: Types.CustomHelpers): boolean | Types.ErrorReport {
  const options = helpers.state.ancestors[0] as Partial<ImportOptions>;
  const other = (['invite', 'resetPasswords', 'withPasswords'] as const).find((name) => options[name]);
  if (!noPassword || other === undefined) return noPassword;
  const message = `noPassword and ${other} exclude each other.`;
  return refuse(helpers, { code: 'EXCLUSIVE', params: { fields: [other] }, message });
}

const onlyForRosters = (name: 'onLeave' | 'maxLeaving', value: string, helpers: Types.CustomHelpers) => {
  const { roster } = helpers.state.ancestors[0] as Partial<ImportOptions>;
  if (roster !== undefined) return value;
  const message = `${name} may be given only together with roster.`;
  return refuse(helpers, { code: 'NEEDS_OTHER_FIELD', params: { fields: ['roster'] }, message });
};

/** Refuses options that would change or reject the same people with each sync. */
function notForRosters<T>(name: 'resetPasswords' | 'onExisting', value: T, helpers: Types.CustomHelpers) {
  const { roster } = helpers.state.ancestors[0] as Partial<ImportOptions>;
  if (roster === undefined) return value;
  const what = name === 'onExisting' ? 'onExisting must be skip or update' : 'resetPasswords must not be set';
  const message = `${what} with roster, because each sync meets the same people again.`;
  return refuse(helpers, { code: 'EXCLUSIVE', params: { fields: ['roster'] }, message });
}

/** Parts of ISO 8859 with the same letter codes as a code page. Parts 2, 4, 5, 6, 7, 15 and 16 differ. */
const isoParts = { 1: '1252', 8: '1255', 9: '1254', 11: '874', 13: '1257' };

const encoding = Object.entries(isoParts)
  .reduce(
    (schema, [part, page]) => schema.replace(new RegExp(`^iso-?8859-${part}$`), `windows-${page}`),
    fields.oneOf('Encoding', ['auto', ...importEncodings]).lowercase(),
  )
  .empty('auto')
  .messages({
    'any.only': `Encoding must be one of auto, ${importEncodings.join(', ')}. ISO-8859 parts 1, 8, 9, 11 and 13 are supported. For another part, use the nearest encoding and check the names in the plan: windows-1250 for parts 2 and 16, windows-1257 for 4, windows-1251 for 5, windows-1256 for 6, windows-1253 for 7, windows-1252 for 15.`,
  });

export const importOptionsSchema = Joi.object<Omit<ImportOptions, 'trainerId'>, true>({
  role: fields.oneOf('Role', importableRoles).default('trainee'),
  course: fields.course,
  group: groupName('Group')
    .description('Name of a group to which everybody is added; an unknown name creates the group')
    .example('Year 9'),
  otherCourses: Joi.array()
    .items(fields.course)
    .max(maxOtherCourses)
    .empty(Joi.array().length(0))
    .messages({ '*': `otherCourses must be a list of at most ${maxOtherCourses} courses.` }),
  roster: groupName('Roster')
    .description('Name of the group that the file keeps in step; an unknown name creates the group')
    .example('Year 9'),
  onLeave: fields
    .oneOf('onLeave', leaveChoices)
    .custom((value: string, helpers) => onlyForRosters('onLeave', value, helpers)),
  maxLeaving: Joi.string()
    .trim()
    .pattern(/^(?:(?:[1-9]?\d|100)%|\d{1,6})$/)
    .messages({ 'string.pattern.base': 'maxLeaving must be a percentage up to 100%, or a number of people.' })
    .meta({ maxLength: 6 })
    .custom((value: string, helpers) => onlyForRosters('maxLeaving', value, helpers))
    .description('Members who may leave the roster in one sync, as a part or a number; with more, the sync is held')
    .example(defaultMaxLeaving),
  enrollmentStatus: fields.oneOf('enrollmentStatus', initialStatuses).default('active'),
  onExisting: fields
    .oneOf('onExisting', ['skip', 'update', 'fail'])
    .default('skip')
    .custom((value: ImportOptions['onExisting'], helpers) =>
      value === 'fail' ? notForRosters('onExisting', value, helpers) : value,
    ),
  match: fields.oneOf('match', ['email', 'phone']).default('email'),
  missingPhone: fields.oneOf('missingPhone', ['reject', 'allow']).default('reject'),
  // A rejected row would be rejected again with each sync.
  whenFull: fields
    .oneOf('whenFull', [...whenFullChoices, 'skip-course'] as const)
    .default(({ roster }: Partial<ImportOptions>) => (roster === undefined ? 'reject' : 'wait')),
  resetPasswords: listing.queryBoolean('resetPasswords').default(false).custom(onlyForUpdates),
  invite: listing.queryBoolean('invite').default(false).custom(notWithResets),
  withPasswords: listing.queryBoolean('withPasswords').default(false).custom(onlyForInvited),
  noPassword: listing.queryBoolean('noPassword').default(false).custom(notWithOtherAccess),
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
  mapCourse: Joi.array()
    .items(Joi.string().pattern(/[^=]=/).max(1000).meta({ maxLength: 1000 }))
    .max(maxMappings)
    .empty(Joi.array().length(0))
    .messages({
      'array.max': `No more than ${maxMappings} courses can be mapped.`,
      'string.max': 'A mapping can have no more than 1000 characters.',
      '*': 'A mapping is name=course, such as "1st Aid=First Aid", or name= to import the rows without this course.',
    }),
});

/** Schema of the options as they are stored with an import. */
export const storedOptionsSchema = (importOptionsSchema as Types.ObjectSchema<ImportOptions>).keys({
  trainerId: fields.id('trainerId'),
});

/** Form fields of `POST /api/imports`: the options, and whether to create only a plan. */
export const importFormSchema = (importOptionsSchema as Types.ObjectSchema<ImportOptions & { plan: boolean }>).keys({
  plan: listing.queryBoolean('plan').default(false),
});

/** Column mappings that `users import --mapping` remembers. */
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

/** Field that a person has chosen for a column. */
export interface ColumnChoice {
  /** Index of the column, from 0. */
  column: number;
  /** Null if the column isn't imported. */
  field: ImportField | null;
}

/** Options of another plan, from a JSON body without coercion. */
export type ReplanOptions = Omit<Partial<ImportOptions>, 'map'> & { map?: ColumnChoice[] };

/** Body of `POST /api/imports/:id/plan`: the options of the form, with columns by their index. */
export const replanSchema = (importOptionsSchema as Types.ObjectSchema<ReplanOptions>).keys({
  resetPasswords: fields.strictBoolean('resetPasswords').default(false).custom(onlyForUpdates),
  invite: fields.strictBoolean('invite').default(false).custom(notWithResets),
  withPasswords: fields.strictBoolean('withPasswords').default(false).custom(onlyForInvited),
  noPassword: fields.strictBoolean('noPassword').default(false).custom(notWithOtherAccess),
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
    .description('Fields of columns that were not recognised; other columns stay unchanged')
    .example([{ column: 3, field: 'phone' }]),
  // Only a form sends an empty list for none.
  otherCourses: importOptionsSchema.extract('otherCourses').empty(),
  mapCourse: importOptionsSchema.extract('mapCourse').empty(),
});

/** Body of `POST /api/imports/:id/apply`. */
export const applySchema = Joi.object<{ planId?: string; allowLeaving?: number }, true>({
  planId: fields.id('planId'),
  allowLeaving: fields
    .strictWholeNumber('allowLeaving', 1, 100_000)
    .description('Number of members who leave by the plan: approves a sync that would be held')
    .example(14),
});

/** Fields that imports of trainers read. */
const trainerFields: readonly ImportField[] = ['firstName', 'lastName', 'fullName', 'email', 'language'];

/** Returns the fields that an import reads. */
export const fieldsReadBy = ({ trainerId }: Pick<ImportOptions, 'trainerId'>): readonly ImportField[] =>
  trainerId === undefined ? importFields : trainerFields;

/** Warnings about a file that can be imported. Plans show them; docs/IMPORTING.md documents them. */
export const warningCodes = [
  'COLUMN_DOUBTFUL',
  'COLUMN_HIDDEN',
  'COLUMN_NOT_ALLOWED',
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
  'LEAVING_POSTPONED',
] as const;
export type WarningCode = (typeof warningCodes)[number];

/** Outcomes of the rows of a file. */
export const fileRowOutcomes = ['created', 'updated', 'skipped', 'rejected'] as const;
/** `left`: a member who left the roster, and has no row in the file. */
export const rowOutcomes = [...fileRowOutcomes, 'left'] as const;

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

/** Parses the JSON of {@link serializeImportOptions}. */
export const parseImportOptions = (text: string): ImportOptions => validate(storedOptionsSchema, JSON.parse(text));

/** Returns JSON with sorted keys, so that equal options have equal texts. */
export function serializeImportOptions(options: ImportOptions): string {
  return JSON.stringify(Object.fromEntries(Object.entries(options).sort(([a], [b]) => (a < b ? -1 : 1))));
}

/**
 * Statuses of an import. A `planned` import can be applied, until it is `discarded` or `expired`. An `interrupted` import can be resumed.
 * A `stopped` import ended at a bad row, because of its option `onError`.
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
  /** Days since the end of an import with rejected rows, at most. */
  rejectedWithin?: number;
}

/** Query of a listing of imports. */
export const importListingSchema = Joi.object<ImportListing, true>({
  status: fields.oneOf('status', importStatuses),
  rejectedWithin: listing
    .wholeNumber('rejectedWithin', 1, 366)
    .description('Only imports with rejected rows that ended within this number of days, without undone ones')
    .example(7),
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
