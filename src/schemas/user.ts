import type Types from 'joi';
import { type AccountInput, exportedFields, inputKeys } from './account-fields.js';
import type { Role } from './fields.js';
import * as fields from './fields.js';
import { orderKeys } from './fields-table.js';
import { signInMethods } from './identity.js';
import Joi from './joi.js';
import type { PagingWithKey, Sorting } from './listing.js';
import * as listing from './listing.js';
import { inviteStates } from './mail.js';
import { refuse } from './problems.js';
import { type ExportQuery, exportQuery } from './table-format.js';

export interface RegisterInput extends AccountInput<'register'> {
  password: string;
}

/** Specification, section 4.6. `requiresPasswordChange` is an addition, for passwords that an operator hands out. */
export const registerSchema = Joi.object<RegisterInput>(
  orderKeys(['firstName', 'lastName', 'email', 'password', 'role', 'phone'], {
    ...inputKeys('register'),
    password: fields.password.required(),
  }),
);

/** Message of the super admin in invitations. */
const invitationMessage = fields
  .multiLine('Message', 1000)
  .empty(fields.blank)
  .description('Personal message in the invitation')
  .example('Welcome! We begin on Monday.');

/**
 * Refuses a message without an invitation.
 * @param field field that decides about invitations; the schema must check it before the message
 */
const onlyInInvitations = (field: 'action' | 'credentials') =>
  invitationMessage.custom((message: string, helpers) => {
    // The first ancestor is the object that contains the message.
    const { [field]: choice } = helpers.state.ancestors[0] as Partial<Record<typeof field, string>>;
    if (choice === 'invite') return message;
    const params = { fields: [field], values: ['invite'] };
    return refuse(helpers, {
      code: 'NEEDS_OTHER_FIELD',
      params,
      message: `message may be set only if ${field} is invite.`,
    });
  });

/** New account without a password, or whose password is generated or set by the invited person. */
export interface NewPerson extends Omit<AccountInput<'create'>, 'role'> {
  role: Exclude<Role, 'super_admin'>;
  /**
   * `invite` mails an invitation; `generated` generates a password; `none` is for people who use the organisation's
   * sign-in.
   */
  credentials: (typeof credentialChoices)[number];
  message?: string;
}

const credentialChoices = ['invite', 'generated', 'none'] as const;

/** Body of `POST /api/users`. */
export const newPersonSchema = Joi.object<NewPerson>({
  ...inputKeys('create', (schema) => schema.empty(fields.blank)),
  role: fields.oneOf('Role', ['trainee', 'trainer']).required(),
  credentials: fields
    .oneOf('credentials', credentialChoices)
    .required()
    .description(
      "`invite`: a mail that invites the person; `generated`: a generated password in the response; `none`: no password and no mail, for people who use the organisation's sign-in",
    ),
  message: onlyInInvitations('credentials'),
});

const emptyText = fields.blank.allow(null);

/** Schema of a field that changes nothing if it is absent or empty (specification, section 4.8). */
const unlessEmpty = (schema: Types.Schema) => schema.empty(emptyText);

/** Empty values of a field that permits "any value". */
const anyEmptyValue = Joi.alternatives().try(
  emptyText,
  Joi.valid(false, 0),
  Joi.array().length(0),
  Joi.object().strict().length(0),
);

const notText = 'Phone must be a string or a number.';

/** `phone` permits "any value" (specification, section 4.8): a number is stored as text. Text is never parsed as a number. */
const profilePhone = Joi.alternatives()
  .try(fields.anyPhone, Joi.number().strict().unsafe().cast('string'))
  .messages({ 'alternatives.types': notText, 'number.infinity': notText });

/** Specification, section 4.8. */
export const profileSchema = Joi.object<AccountInput<'profile'>>({
  ...inputKeys('profile', unlessEmpty),
  phone: profilePhone.empty(anyEmptyValue),
});

export interface UserUpdate extends AccountInput<'update'> {
  verify?: boolean;
}

/** Refuses `verify` without an email. The schema checks the email first. */
function onlyWithEmail(verify: boolean, helpers: Types.CustomHelpers): boolean | Types.ErrorReport {
  // The first ancestor is the object that contains the option.
  const { email } = helpers.state.ancestors[0] as UserUpdate;
  if (!verify || email !== undefined) return verify;
  return refuse(helpers, {
    code: 'NEEDS_OTHER_FIELD',
    params: { fields: ['email'] },
    message: 'verify may be set only together with email.',
  });
}

/** Body of `PUT /api/users/:id`. Absent fields stay unchanged. */
export const userUpdateSchema = Joi.object<UserUpdate>({
  ...inputKeys('update'),
  verify: fields
    .strictBoolean('verify')
    .custom(onlyWithEmail)
    .description('Whether the email changes only after it is confirmed by a mailed link')
    .example(true),
});

/** Body of `PUT /api/users/:id/status`. */
export const activationSchema = Joi.object<{ isActive: boolean }, true>({
  isActive: fields.isActive.required(),
});

const userSortFields = ['createdAt', 'lastName', 'firstName', 'email', 'lastLogin'] as const;

/** Invitation states of accounts. `no`: never invited. */
const invitedFilters = ['no', ...inviteStates] as const;
export type InvitedFilter = (typeof invitedFilters)[number];
const invited = fields.oneOf('invited', invitedFilters);

/** Ways to sign in that accounts are filtered by. `none`: neither a password nor an account of the organisation. */
const signInFilters = [...signInMethods, 'none'] as const;
export type SignInFilter = (typeof signInFilters)[number];
const signsIn = fields.oneOf('signsIn', signInFilters);

export interface UserFilter {
  role?: Role;
  isActive?: boolean;
  requiresPasswordChange?: boolean;
  locked?: boolean;
  invited?: InvitedFilter;
  signsIn?: SignInFilter;
  group?: string;
  search?: string;
}

export interface UserListing extends UserFilter, PagingWithKey, Sorting<(typeof userSortFields)[number]> {}

const userFilter = {
  role: fields.role,
  isActive: listing.queryBoolean('isActive'),
  requiresPasswordChange: listing.queryBoolean('requiresPasswordChange'),
  locked: listing.queryBoolean('locked'),
  invited,
  signsIn,
  group: fields.group,
  search: listing.search,
};

/** Filters, order and page of a listing of accounts. */
export const userListingSchema = Joi.object<UserListing, true>({
  ...userFilter,
  ...listing.sorting(userSortFields),
  ...listing.pagingWithKey(20),
});

export const userFilterSchema = Joi.object<UserFilter, true>(userFilter);

export const userExportFields = ['id', ...exportedFields, 'createdAt', 'group'] as const;
export type UserExportField = (typeof userExportFields)[number];

/** Query of `GET /api/users/export.csv`. */
export const userExportSchema = Joi.object<UserFilter & ExportQuery<UserExportField>>({
  ...userFilter,
  ...exportQuery(userExportFields),
});

/** Body of `POST /api/users/by-email`. */
export const emailLookupSchema = Joi.object<{ emails: string[] }, true>({
  emails: fields.emailList.description('Emails of accounts. Case and surrounding spaces do not count.'),
});

export const bulkActions = [
  'activate',
  'deactivate',
  'reset_password',
  'mail_reset_link',
  'invite',
  'delete',
  'end_sessions',
] as const;
export type BulkAction = (typeof bulkActions)[number];

/** Maximum number of accounts in one bulk operation. */
export const maxBulkAccounts = 1000;

export interface BulkChange {
  action: BulkAction;
  dryRun: boolean;
  /** Ids of the accounts. Excludes `filter`. */
  ids?: string[];
  filter?: UserFilter;
  /** Text in invitations. */
  message?: string;
}

/** Body of `POST /api/users/bulk`. */
export const bulkChangeSchema = Joi.object<BulkChange>({
  action: fields.oneOf('action', bulkActions).required().description('What to do with the accounts'),
  ids: fields.idList('ids', maxBulkAccounts),
  filter: listing
    .conditions<UserFilter>({
      role: fields.role,
      isActive: fields.isActive,
      requiresPasswordChange: fields.strictBoolean('requiresPasswordChange'),
      locked: fields.strictBoolean('locked'),
      invited,
      signsIn,
      group: fields.group,
      search: listing.search,
    })
    .description('All accounts that match, instead of a list'),
  dryRun: fields.strictBoolean('dryRun').default(false).description('Only report what would be done'),
  message: onlyInInvitations('action'),
});
