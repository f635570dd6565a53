import { mailLanguages } from '../config/mail-settings.js';
import * as fields from './fields.js';
import {
  type FieldDeclaration,
  fieldNames,
  fieldsWith,
  type InputFieldOf,
  type InputValues,
  inputsOf,
  type ValuesOf,
} from './fields-table.js';
import { nameMaximum } from './sort-key.js';

/** Inputs of accounts. `create` is `POST /api/users`, without a password; `import` are files of people. */
type Input = 'setup' | 'register' | 'create' | 'profile' | 'update' | 'import';
const creatingInputs = ['setup', 'register', 'create', 'import'] as const satisfies readonly Input[];

interface AccountFieldDeclaration extends FieldDeclaration<Input> {
  /** Whether the audit log records changes of the field. */
  readonly audited: boolean;
  /** Whether `users export` contains the field. */
  readonly exported: boolean;
  /** Whether the account of a session, and so the caller of a request, has the field. */
  readonly inSession: boolean;
}

const nameField = {
  column: { type: 'text', length: nameMaximum },
  inputs: {
    setup: 'required',
    register: 'required',
    create: 'required',
    profile: 'optional',
    update: 'optional',
    import: 'required',
  },
  audited: true,
  exported: true,
  inSession: true,
} as const;

/**
 * The fields of an account, each declared once: types, schemas, columns, statements, audit, export and imports derive from this
 * table. db/models/user.ts declares ids, keys, hashes and times of the row.
 */
export const accountFields = {
  firstName: { ...nameField, schema: () => fields.firstName },
  lastName: { ...nameField, schema: () => fields.lastName },
  email: {
    column: { type: 'text', length: 254 },
    schema: () => fields.email,
    inputs: { setup: 'required', register: 'required', create: 'required', update: 'optional', import: 'required' },
    audited: true,
    exported: true,
    inSession: true,
  },
  phone: {
    // Empty for people who were imported or invited without a phone.
    column: { type: 'text', length: 50, mayBeEmpty: true },
    schema: () => fields.phone,
    inputs: {
      setup: 'required',
      register: 'required',
      create: 'optional',
      profile: 'optional',
      update: 'optional',
      import: 'required',
    },
    audited: true,
    exported: true,
    inSession: true,
  },
  role: {
    column: { type: 'word', length: 20, words: fields.roles },
    schema: () => fields.role,
    inputs: { register: 'required', create: 'required', update: 'optional', import: 'optional' },
    audited: true,
    exported: true,
    inSession: true,
  },
  isActive: {
    column: { type: 'flag', default: true },
    schema: () => fields.isActive,
    inputs: { setup: 'optional', register: 'defaulted', import: 'optional' },
    audited: true,
    exported: true,
    inSession: true,
  },
  requiresPasswordChange: {
    column: { type: 'flag', default: false },
    schema: () =>
      fields
        .strictBoolean('requiresPasswordChange')
        .description('Whether the password must be changed at the first login; it expires like a generated one'),
    inputs: { register: 'defaulted' },
    audited: true,
    exported: true,
    inSession: true,
  },
  lastLogin: {
    column: { type: 'moment', nullable: true },
    inputs: {},
    audited: false,
    exported: true,
    inSession: true,
  },
  avatar: {
    column: { type: 'text', length: 255, nullable: true },
    inputs: {},
    audited: false,
    exported: false,
    inSession: true,
  },
  /** Language of mails; null for the setting `MAIL_LANGUAGE`. */
  language: {
    column: { type: 'word', length: 2, words: mailLanguages, nullable: true },
    schema: () => fields.oneOf('Language', mailLanguages),
    inputs: { import: 'optional' },
    audited: false,
    exported: true,
    inSession: false,
  },
} as const satisfies Readonly<Record<string, AccountFieldDeclaration>>;

type Declarations = typeof accountFields;
export type AccountField = keyof Declarations;

export type AccountValues = ValuesOf<Declarations>;

export const auditedFields = fieldsWith(accountFields, 'audited');
export const exportedFields = fieldsWith(accountFields, 'exported');
export const sessionFields = fieldsWith(accountFields, 'inSession');
export type SessionField = (typeof sessionFields)[number];

export const { inputFields, requiredFields, inputKeys } = inputsOf(accountFields);

export type AccountInputField<From extends Input> = InputFieldOf<Declarations, From>;

/** Fields that inputs can set on a new account. */
export type InitialField = {
  [From in (typeof creatingInputs)[number]]: AccountInputField<From>;
}[(typeof creatingInputs)[number]];
export const initialFields = fieldNames(accountFields).filter((name): name is InitialField =>
  creatingInputs.some((from) => from in accountFields[name].inputs),
);

export type AccountInput<From extends Input> = InputValues<Declarations, From>;
