import { AppError } from '../../../errors.js';
import type { UserFilter } from '../../../schemas/user.js';
import { bulkOptions } from '../../core/bulk-options.js';
import type { OptionValues } from '../../core/declaration.js';

/** Which accounts are listed or exported. */
export const filterOptions = {
  '--role <role>': 'only accounts with this role: super_admin, trainer or trainee',
  '--active': 'only accounts that may sign in',
  '--inactive': 'only accounts that may not sign in',
  '--requires-password-change': 'only accounts that still have their initial password',
  '--locked': 'only accounts that are locked after too many wrong passwords',
  '--search <text>': 'search in names, email and phone',
};

/** The columns of a list that may name accounts, the best first. Lists of enrollments have `userId`: their `id` is another. */
export const accountHeadings = ['userId', 'id', 'email', 'phone'];

/** Options of commands that change several accounts. */
export const accountBulkOptions = { ...bulkOptions(accountHeadings), ...filterOptions };

/** The options as the API's filter. @throws AppError `USAGE` for options that cannot be used together */
export function filterOf(
  options: OptionValues<typeof filterOptions>,
): Record<keyof UserFilter, string | boolean | undefined> {
  const { role, active, inactive, requiresPasswordChange, locked, search } = options;
  if (active && inactive) throw new AppError('USAGE', '--active and --inactive cannot be used together.');
  return { role, isActive: active ?? (inactive ? false : undefined), requiresPasswordChange, locked, search };
}
