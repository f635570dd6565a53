import Joi from 'joi';
import type { Role } from './fields.js';
import * as fields from './fields.js';

/** The columns of an import file that are understood; the first four must be there (README, "The import file"). */
export const importColumns = ['firstName', 'lastName', 'email', 'phone', 'role', 'isActive', 'password'] as const;
export type ImportColumn = (typeof importColumns)[number];
export const requiredImportColumns: readonly ImportColumn[] = ['firstName', 'lastName', 'email', 'phone'];

/** Roles that a file may give; the super admin is never imported. */
const importableRoles = ['trainee', 'trainer'] as const;
export type ImportableRole = Extract<Role, (typeof importableRoles)[number]>;

const yes = ['true', 'yes', 'y', '1', 'active'];
const no = ['false', 'no', 'n', '0', 'inactive'];

/** A cell that somebody only seems to have filled in. */
const blank = Joi.string().trim().valid('');

/** What a spreadsheet makes of a long number; the digits are lost. */
const mangledNumber = /^\d([.,]\d+)?E\+?\d+$/i;

export interface ImportedPerson {
  firstName: string;
  lastName: string;
  email: string;
  phone: string;
  role: ImportableRole;
  isActive: boolean;
  /** Absent: one is generated. */
  password?: string;
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
    .default(true)
    .messages({ 'boolean.base': 'isActive must be true or false.' }),
  password: fields.password.empty(blank),
});

export interface ImportOptions {
  /** For rows without a role of their own. */
  role: ImportableRole;
}

export const importOptionsSchema = Joi.object<ImportOptions, true>({
  role: fields.oneOf('Role', importableRoles).default('trainee'),
});
