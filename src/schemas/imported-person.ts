import type Types from 'joi';
import { type AccountInput, inputKeys } from './account-fields.js';
import { type InitialStatus, initialStatuses } from './enrollment-statuses.js';
import * as fields from './fields.js';
import { orderKeys } from './fields-table.js';
import { groupName } from './group.js';
import { type ImportableRole, type ImportColumn, importableRoles, importColumns } from './import.js';
import Joi from './joi.js';

const passwordHashShape = /^\$2[aby]\$(0[4-9]|1[0-5])\$[./A-Za-z0-9]{53}$/;

/** Person in one row of an import file. Blank fields are absent. */
export interface ImportedPerson extends Omit<AccountInput<'import'>, 'phone' | 'role'> {
  phone?: string;
  role?: ImportableRole;
  /** Generated if absent, unless there is a {@link passwordHash}. */
  password?: string;
  /** Hash of the password, instead of {@link password}. */
  passwordHash?: string;
  /** Id or title of the course to enroll in. */
  course?: string;
  /** Courses of further columns. */
  otherCourses?: string[];
  enrollmentStatus?: InitialStatus;
  /** Reply that the trainee sees with the enrollment. */
  reply?: string;
  /** Names of groups to which the person is added, without repetitions. */
  groups?: string[];
}

/** Requires a part of the name, unless there is a full name that couldn't be split. */
const requiredUnlessFullName = (name: Types.StringSchema) =>
  name.when('fullName', { is: Joi.exist(), otherwise: Joi.required() });

/** Schema of one row of a file: the fields of the API, with rules for text in cells. */
export const importedPersonSchema = Joi.object<ImportedPerson & { fullName?: never }>(
  orderKeys(['firstName', 'lastName', 'fullName'], {
    ...inputKeys('import', (schema) => schema.empty(fields.blank)),
    firstName: requiredUnlessFullName(fields.firstName),
    lastName: requiredUnlessFullName(fields.lastName),
    fullName: Joi.forbidden().messages({
      'any.unknown':
        'Full name must be first and last name: "Ada King" or "King, Ada". A person with one name needs it twice.',
    }),
    // phone-warnings.ts checks phones together with their accounts.
    phone: fields.anyPhone.empty(fields.blank),
    role: fields.oneOf('Role', importableRoles).lowercase().empty(fields.blank),
    isActive: Joi.boolean().empty(fields.blank).messages({ 'boolean.base': 'isActive must be true or false.' }),
    password: fields.password.empty(fields.blank),
    passwordHash: Joi.string()
      .trim()
      .pattern(passwordHashShape)
      .empty(fields.blank)
      .messages({ 'string.pattern.base': 'Password hash must be a bcrypt hash with a cost from 4 to 15.' }),
    course: fields.course.empty(fields.blank),
    otherCourses: Joi.array().items(fields.course),
    enrollmentStatus: fields.oneOf('Enrollment status', initialStatuses).trim().lowercase().empty(fields.blank),
    reply: fields.reply.empty(fields.blank),
    groups: Joi.array().items(groupName('Group')),
  }),
)
  .nand('password', 'passwordHash')
  .messages({ 'object.nand': 'Give a password or a password hash, not both.' });

/** Columns that may be filled in plain rows: see {@link quickPerson}. @public used by a test of all fields */
export const quickColumns: readonly ImportColumn[] = [
  'firstName',
  'lastName',
  'email',
  'phone',
  'role',
  'language',
  'passwordHash',
];
const otherColumns = importColumns.filter((column) => !quickColumns.includes(column));

const quickName =
  /^[A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u017f][A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u017f .'-]{0,48}[A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u017f]$/;
const quickEmail = /^[A-Za-z0-9_+-]+(?:\.[A-Za-z0-9_+-]+)*@(?:[A-Za-z0-9](?:-?[A-Za-z0-9])*\.)+[A-Za-z]{2,}$/;
const quickPhone = /^\+?\d(?:[ ()-]*\d){3,24}$/;

/**
 * Parses a plain row at a fraction of the cost of {@link importedPersonSchema}. Most rows are plain.
 * @returns the value that the schema returns, as a property test checks; undefined for other rows, which need the schema
 */
export function quickPerson(input: Partial<Record<ImportColumn, string>>): ImportedPerson | undefined {
  const { firstName = '', lastName = '', email = '', phone = '', role = '', language = '', passwordHash = '' } = input;
  if (firstName.length > 50 || lastName.length > 50 || email.length > 64 || phone.length > 50) return undefined;
  if (!quickName.test(firstName) || !quickName.test(lastName)) return undefined;
  if (!quickEmail.test(email) || (phone !== '' && !quickPhone.test(phone))) return undefined;
  if (otherColumns.some((column) => input[column])) return undefined;
  if (role !== '' && role !== 'trainee' && role !== 'trainer') return undefined;
  if (language !== '' && language !== 'en' && language !== 'de') return undefined;
  if (passwordHash !== '' && !passwordHashShape.test(passwordHash)) return undefined;
  return {
    firstName,
    lastName,
    email: email.toLowerCase(),
    ...(phone !== '' && { phone }),
    ...(role !== '' && { role }),
    ...(language !== '' && { language }),
    ...(passwordHash !== '' && { passwordHash }),
  };
}
