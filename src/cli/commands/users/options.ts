import { AppError } from '../../../errors.js';
import type { UserFilter } from '../../../schemas/user.js';
import { bulkOptions, exportOptions, type OptionValues } from '../../core/command/declaration.js';
import { listingOptions, sortOption } from '../../core/listing/columns.js';
import { sessionColumns, userColumns } from './columns.js';

export const filterOptions = {
  '--role <role>': 'only accounts with this role: super_admin, trainer or trainee',
  '--active': 'only accounts that may sign in',
  '--inactive': 'only accounts that may not sign in',
  '--requires-password-change': 'only accounts that still have their initial password',
  '--locked': 'only accounts that are locked after too many wrong passwords',
  '--invited <state>': 'only accounts with this invitation: no (never invited), queued, sent, failed or accepted',
  '--signs-in <way>':
    "only accounts that can sign in this way: password, oidc (the organisation's account, after its first use) or none",
  '--group <group>': 'only members of this group: name or id',
  '--search <text>': 'search in names, email and phone',
};

export const listOptions = {
  ...filterOptions,
  ...sortOption('createdAt, lastName, firstName, email or lastLogin'),
  ...listingOptions('accounts', userColumns),
};

export const sessionListOptions = listingOptions('sessions', sessionColumns);

export const userExportOptions = { ...filterOptions, ...exportOptions };

export const unlockOptions = {
  '--address <address>': 'unlock this IP address instead of an account; "doctor" lists locked addresses',
};

export const rekeyOptions = { '--country <country>': 'two letters, such as DE; "none" for none' };

/**
 * Headings of columns that may name accounts, best first. In lists of enrollments, `userId` is the account and `id` the
 * enrollment.
 */
export const accountHeadings = ['userId', 'id', 'email', 'phone'];

export const accountBulkOptions = { ...bulkOptions(accountHeadings), ...filterOptions };

/** Returns the filter of the API, except for the group. @throws AppError `USAGE` for conflicting options */
export function filterOf(
  options: OptionValues<typeof filterOptions>,
): Record<Exclude<keyof UserFilter, 'group'>, string | boolean | undefined> {
  const { role, active, inactive, requiresPasswordChange, locked, invited, signsIn, search } = options;
  if (active && inactive) throw new AppError('USAGE', '--active and --inactive cannot be used together.');
  const isActive = active ?? (inactive ? false : undefined);
  return { role, isActive, requiresPasswordChange, locked, invited, signsIn, search };
}

export const resetOptions = {
  '--password-stdin': 'for one account: read the temporary password from standard input instead of generating it',
  '--credentials <file>':
    'write generated passwords to this file, which must not exist, a workbook if its name ends in .xlsx; needed for several accounts',
  '--link': 'mail links to set a password instead; the old passwords work until then',
  ...accountBulkOptions,
};

export const personOptions = {
  '--first-name <name>': '2 to 50 characters',
  '--last-name <name>': '2 to 50 characters',
  '--email <address>': 'unique; used to sign in',
  '--phone <number>': 'unique; used to sign in',
};

export const passwordOption = { '--password-stdin': 'read the password from standard input' };

const messageOption = { '--message <text>': 'text of your own in the invitation, up to 1,000 characters' };

export const inviteOptions = { ...messageOption, ...accountBulkOptions };

export const registerOptions = {
  ...personOptions,
  '--role <role>': 'trainee, trainer or super_admin',
  '--inactive': "create an account that can't sign in until it is activated",
  ...passwordOption,
  '--requires-password-change': 'the password must be changed at the first login, as a generated one must',
  '--generate-password': 'generate a password and show it once; it must be changed at the first login',
  '--credentials <file>': 'write the generated password to this file, which must not exist, instead of showing it',
  '--invite': 'mail a link to set a password, instead of giving one',
  '--no-password': "give no password and send no mail: the person uses the organisation's sign-in",
  ...messageOption,
};

export const changeOptions = { ...personOptions, '--role <role>': 'trainee or trainer' };

export const editOptions = {
  ...changeOptions,
  '--verify': 'send a link to the email that --email gives; it is changed only when the link is used',
};

/** Creates the refusal to print a generated password as JSON, which is often logged. */
export const passwordNotInJson = (): AppError =>
  new AppError(
    'USAGE',
    'A generated password is never part of --json output, which is often logged. Add --credentials <file> or --password-stdin, or leave out --json.',
  );
