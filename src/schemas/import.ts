import Joi from 'joi';
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

/** Roles that a file may give; the super admin is never imported. */
const importableRoles = ['trainee', 'trainer'] as const;
export type ImportableRole = Extract<Role, (typeof importableRoles)[number]>;

const yes = ['true', 'yes', 'y', '1', 'active'];
const no = ['false', 'no', 'n', '0', 'inactive'];

/** How an import may enroll. */
const importEnrollmentStatuses = ['active', 'pending'] as const;
export type ImportEnrollmentStatus = (typeof importEnrollmentStatuses)[number];

/** A cell that somebody only seems to have filled in. */
const blank = Joi.string().trim().valid('');

/** What a spreadsheet makes of a long number; the digits are lost. */
const mangledNumber = /^\d([.,]\d+)?E\+?\d+$/i;

const passwordHashShape = /^\$2[aby]\$(0[4-9]|1[0-5])\$[./A-Za-z0-9]{53}$/;

/** One person of a file. What is absent was left blank. */
export interface ImportedPerson {
  firstName: string;
  lastName: string;
  email: string;
  phone: string;
  role?: ImportableRole;
  isActive?: boolean;
  /** Absent with {@link passwordHash}: one is generated. */
  password?: string;
  passwordHash?: string;
  /** Id or title. */
  course?: string;
  enrollmentStatus?: ImportEnrollmentStatus;
  /** Of the enrollment. */
  notes?: string;
}

/** One row of a file: the fields of the API, and what only text in cells makes necessary. */
export const importedPersonSchema = Joi.object<ImportedPerson>({
  firstName: fields.firstName.required(),
  lastName: fields.lastName.required(),
  email: fields.email.required(),
  phone: Joi.string()
    .trim()
    .pattern(mangledNumber, { invert: true })
    .messages({
      'string.pattern.invert.base':
        'Phone was turned into a number by a spreadsheet and its digits are lost. Format the column as text and enter it again.',
    })
    .concat(fields.phone)
    .required(),
  role: fields.oneOf('Role', importableRoles).lowercase().empty(blank),
  isActive: Joi.boolean()
    .truthy(...yes)
    .falsy(...no)
    .empty(blank)
    .messages({ 'boolean.base': 'isActive must be true or false.' }),
  password: fields.password.empty(blank),
  passwordHash: Joi.string()
    .trim()
    .pattern(passwordHashShape)
    .empty(blank)
    .messages({ 'string.pattern.base': 'Password hash must be a bcrypt hash with a cost from 4 to 15.' }),
  course: fields.courseReference.empty(blank),
  enrollmentStatus: fields.oneOf('Enrollment status', importEnrollmentStatuses).lowercase().empty(blank),
  notes: fields.notes.empty(blank),
})
  .nand('password', 'passwordHash')
  .messages({ 'object.nand': 'Give a password or a password hash, not both.' });

const quickName =
  /^[A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u017f][A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u017f .'-]{0,46}[A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u017f]$/;
const quickEmail = /^[A-Za-z0-9_+-]+(?:\.[A-Za-z0-9_+-]+)*@(?:[A-Za-z0-9](?:-?[A-Za-z0-9])*\.)+[A-Za-z]{2,}$/;
const quickPhone = /^\+?\d(?:[ ()-]*\d){3,24}$/;

/**
 * What {@link importedPersonSchema} makes of the plain rows that most files consist of, at a fraction of its cost;
 * nothing for every other row, which the schema then judges. It never knows better than the schema: a property test
 * holds the one against the other.
 */
export function quickPerson(input: Partial<Record<ImportColumn, string>>): ImportedPerson | undefined {
  const { firstName = '', lastName = '', email = '', phone = '', role = '', passwordHash = '' } = input;
  if (!quickName.test(firstName) || !quickName.test(lastName)) return undefined;
  if (email.length > 64 || !quickEmail.test(email) || !quickPhone.test(phone)) return undefined;
  if (input.isActive || input.password || input.course || input.enrollmentStatus || input.notes) return undefined;
  if (role !== '' && role !== 'trainee' && role !== 'trainer') return undefined;
  if (passwordHash !== '' && !passwordHashShape.test(passwordHash)) return undefined;
  return {
    firstName,
    lastName,
    email: email.toLowerCase(),
    phone,
    ...(role !== '' && { role }),
    ...(passwordHash !== '' && { passwordHash }),
  };
}

/** How an import is done. */
export interface ImportOptions {
  /** For rows without a role of their own. */
  role: ImportableRole;
  /** Id or title of a course in which every trainee is enrolled, besides the course of its row. */
  course?: string;
  /** For enrollments without a status of their own. */
  enrollmentStatus: ImportEnrollmentStatus;
  /** What becomes of a row that meets an account. */
  onExisting: 'skip' | 'update' | 'fail';
  /** Updates set passwords too: those of the file, or generated ones. */
  resetPasswords: boolean;
  /** What a bad row means for the others. */
  onError: 'continue' | 'stop' | 'abort';
  /** With more bad rows than this nothing is written. */
  maxErrors?: number;
}

export const importOptionsSchema = Joi.object<ImportOptions, true>({
  role: fields.oneOf('Role', importableRoles).default('trainee'),
  course: fields.courseReference,
  enrollmentStatus: fields.oneOf('enrollmentStatus', importEnrollmentStatuses).default('active'),
  onExisting: fields.oneOf('onExisting', ['skip', 'update', 'fail']).default('skip'),
  resetPasswords: fields.queryBoolean('resetPasswords').default(false),
  onError: fields.oneOf('onError', ['continue', 'stop', 'abort']).default('continue'),
  maxErrors: Joi.number()
    .integer()
    .min(0)
    .max(1_000_000_000)
    .messages({ '*': 'maxErrors must be a whole number, 0 or more.' }),
}).custom((options: ImportOptions, helpers) =>
  options.resetPasswords && options.onExisting !== 'update'
    ? helpers.message({ custom: 'resetPasswords needs onExisting update.' })
    : options,
);

/** The same text for the same options, in whatever order they were given. */
export function optionsText(options: ImportOptions): string {
  return JSON.stringify(Object.fromEntries(Object.entries(options).sort(([a], [b]) => (a < b ? -1 : 1))));
}

/** Where an import stands. `interrupted` can be resumed; `stopped` ended at a bad row, as it was told to. */
export const importStatuses = [
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

export interface ImportListing extends fields.Paging {
  status?: string;
}

/** Query of a listing of imports. */
export const importListingSchema = Joi.object<ImportListing, true>({
  status: fields.oneOf('status', importStatuses),
  ...fields.paging(20),
});
