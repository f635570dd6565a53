import Joi from 'joi';
import type { EnrollmentStatus } from './enrollment.js';
import type { Role } from './fields.js';
import * as fields from './fields.js';

/** The columns of an import file that are understood; the first four must be there (README, "The import file"). */
export const importColumns = [
  'firstName',
  'lastName',
  'email',
  'phone',
  'role',
  'isActive',
  'password',
  'passwordHash',
  'course',
  'enrollmentStatus',
  'notes',
] as const;
export type ImportColumn = (typeof importColumns)[number];
export const requiredImportColumns: readonly ImportColumn[] = ['firstName', 'lastName', 'email', 'phone'];

/** How an import file may be encoded. */
export const importEncodings = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'] as const;
export type Encoding = (typeof importEncodings)[number];

/** What may stand between the fields of an import file. */
export const importDelimiters = [',', ';', '\t', '|'] as const;
export type Delimiter = (typeof importDelimiters)[number];

/** Roles that a file may give; the super admin is never imported. */
const importableRoles = ['trainee', 'trainer'] as const;
export type ImportableRole = Extract<Role, (typeof importableRoles)[number]>;

/** Enrollments that a file may make. */
const importableStatuses = ['active', 'pending'] as const;
export type ImportableStatus = Extract<EnrollmentStatus, (typeof importableStatuses)[number]>;

// With what spreadsheets in other languages make of TRUE and FALSE.
const yes = [
  ...['true', 'yes', 'y', '1', 'active', 'enabled'],
  ...['wahr', 'ja', 'aktiv', 'vrai', 'oui', 'actif', 'verdadero', 'sí', 'si', 'activo'],
  ...['verdadeiro', 'sim', 'ativo', 'نعم', 'نشط'],
];
const no = [
  ...['false', 'no', 'n', '0', 'inactive', 'disabled', 'suspended'],
  ...['falsch', 'nein', 'inaktiv', 'faux', 'non', 'inactif', 'falso', 'inactivo'],
  ...['não', 'nao', 'inativo', 'لا'],
];

/** A cell that somebody only seems to have filled in. */
const blank = Joi.string().trim().valid('');

/** What a spreadsheet makes of a long number; the digits are lost. */
const mangledNumber = /^\d([.,]\d+)?E\+?\d+$/i;

/** What a program makes of a number that it keeps with decimals. */
const decimalNumber = /^\d+[.,]0{1,2}$/;

const bcryptHash = /^\$2[aby]\$(0[4-9]|[12]\d|3[01])\$[./A-Za-z0-9]{53}$/;

export interface ImportedPerson {
  firstName: string;
  lastName: string;
  email: string;
  phone: string;
  role: ImportableRole;
  isActive: boolean;
  /** Absent: one is generated. */
  password?: string;
  /** Stands for the password; never together with one. */
  passwordHash?: string;
  /** Id or title of the course to enroll in. */
  course?: string;
  enrollmentStatus?: ImportableStatus;
  notes?: string;
}

/** A part of the name: required unless there is a full name that couldn't be parted. */
const nameBeside = (name: Joi.StringSchema) => name.when('fullName', { is: Joi.exist(), otherwise: Joi.required() });

/** One row of a file: the fields of the API, and what only text in cells makes necessary. */
export const importedPersonSchema = Joi.object<ImportedPerson & { fullName?: never }>({
  firstName: nameBeside(fields.firstName),
  lastName: nameBeside(fields.lastName),
  fullName: Joi.forbidden().messages({
    'any.unknown': 'Full name must be first name, space, last name, without a comma.',
  }),
  email: fields.email.required(),
  phone: Joi.string()
    .trim()
    .pattern(mangledNumber, { invert: true })
    .pattern(decimalNumber, { invert: true, name: 'decimal' })
    .messages({
      'string.pattern.invert.base':
        'Phone was turned into a number by a spreadsheet and its digits are lost. Format the column as text and enter it again.',
      'string.pattern.invert.name':
        'Phone was turned into a decimal number by a spreadsheet. Format the column as text and enter it again.',
    })
    .concat(fields.phone)
    .required(),
  role: fields.oneOf('Role', importableRoles).lowercase().empty(blank),
  isActive: Joi.boolean()
    .truthy(...yes)
    .falsy(...no)
    .empty(blank)
    .default(true)
    .messages({ 'boolean.base': 'isActive must be true or false.' }),
  password: fields.password.empty(blank),
  passwordHash: Joi.string()
    .trim()
    .pattern(bcryptHash)
    .empty(blank)
    .messages({ 'string.pattern.base': 'Password hash must be a bcrypt hash.' })
    .when('password', {
      not: Joi.exist(),
      otherwise: Joi.forbidden().messages({ 'any.unknown': 'Give a password or a password hash, not both.' }),
    }),
  course: fields.course.empty(blank),
  enrollmentStatus: fields.oneOf('Enrollment status', importableStatuses).trim().lowercase().empty(blank),
  notes: fields.notes.empty(blank),
});

export interface ImportOptions {
  /** For rows without a role of their own. */
  role: ImportableRole;
  /** Absent: found out from the file. */
  encoding?: Encoding;
  /** Absent: found out from the file. */
  delimiter?: Delimiter;
  /** Columns that are called something else: `heading=field`, or `heading=` for one to be ignored. */
  map?: string[];
}

const delimiterMustBe = "Delimiter must be auto, ',', ';', tab or '|'.";

export const importOptionsSchema = Joi.object<ImportOptions, true>({
  role: fields.oneOf('Role', importableRoles).default('trainee'),
  encoding: fields
    .oneOf('Encoding', ['auto', ...importEncodings])
    .lowercase()
    .empty('auto'),
  delimiter: Joi.string()
    .lowercase()
    .replace(/^(tab|\\t)$/, '\t')
    .empty('auto')
    .valid(...importDelimiters)
    .messages({ '*': delimiterMustBe }),
  map: Joi.array()
    .items(Joi.string().pattern(/=/))
    .empty(Joi.array().length(0))
    .messages({ '*': 'A mapping is heading=field, such as "Mobile=phone", or heading= for a column to be ignored.' }),
});
