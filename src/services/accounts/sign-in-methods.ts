import { Op, type WhereOptions } from 'sequelize';
import type { User } from '../../db/models/user.js';
import { hasIdentity } from '../../db/sql/conditions.js';
import type { SignInFilter } from '../../schemas/user.js';
import type { Core } from '../core.js';
import { usesPassword } from '../password-login.js';

/** Whether a person has a password: their own one, an initial one, or one generated besides an invitation. */
const hasUsablePassword = (core: Core, { role, hasPassword, initialPasswordExpiresAt }: User): boolean =>
  usesPassword(core, role) && (hasPassword || initialPasswordExpiresAt !== null);

/** Sets `signsIn` of accounts: the ways in which their people can sign in now. */
export async function addSignInMethods(core: Core, users: readonly User[]): Promise<void> {
  const linked = await linkedAmong(core, users);
  for (const user of users)
    user.signsIn = [
      ...(hasUsablePassword(core, user) ? (['password'] as const) : []),
      ...(linked.has(user.id) ? (['oidc'] as const) : []),
    ];
}

/** Returns the ids of the accounts that are linked to an account of the organisation. */
async function linkedAmong({ config, database }: Core, users: readonly User[]): Promise<ReadonlySet<string>> {
  if (config.oidc.issuer === undefined || users.length === 0) return new Set();
  const where = { userId: users.map(({ id }) => id) };
  const found = await database.read(() => database.models.Identity.findAll({ attributes: ['userId'], where }));
  return new Set(found.map(({ userId }) => userId));
}

/** Matches accounts by the ways of {@link addSignInMethods}. */
export function signsInBy({ config }: Core, wanted: SignInFilter): WhereOptions<User> {
  const byPassword: WhereOptions<User> = {
    [Op.or]: [{ hasPassword: true }, { initialPasswordExpiresAt: { [Op.ne]: null } }],
    ...(!config.auth.passwordLogin && { role: 'super_admin' }),
  };
  const byOidc = hasIdentity(config.oidc.issuer !== undefined);
  if (wanted === 'password') return byPassword;
  if (wanted === 'oidc') return { [Op.and]: [byOidc] };
  return { [Op.not]: { [Op.or]: [byPassword, byOidc] } };
}
