import { col, fn, Op } from 'sequelize';
import { refersToLockedAccount } from '../../db/sql/conditions.js';
import { type Role, roles } from '../../schemas/fields.js';
import { locksInForce } from '../auth/throttle-rules.js';
import type { Core } from '../core.js';
import { cachedCounts } from '../count-cache.js';

export interface AccountCounts {
  total: number;
  active: number;
  inactive: number;
  /** Accounts that must change their initial password. */
  initialPassword: number;
  /** Accounts that can't sign in for now, after too many wrong passwords. */
  locked: number;
}

/** Numbers of accounts by state, in total and for each role. */
export interface AccountStatistics extends AccountCounts {
  byRole: Record<Role, AccountCounts>;
}

const zeroCounts = (): AccountCounts => ({ total: 0, active: 0, inactive: 0, initialPassword: 0, locked: 0 });

/** Counts all accounts. Large counts are cached: see count-cache.ts. */
export const accountStatistics = (core: Core): Promise<AccountStatistics> =>
  cachedCounts(
    core,
    'accounts',
    () => countAccounts(core),
    ({ total }) => total,
  );

async function countAccounts(core: Core): Promise<AccountStatistics> {
  const { sequelize, models } = core.database;
  const count = [fn('COUNT', col('id')), 'count'] as const;
  const [groups, locked] = await core.database.read(async () => [
    await models.User.findAll({
      attributes: ['role', 'requiresPasswordChange', 'isActive', [...count]],
      // Grouped in the column order of the index.
      group: ['role', 'requires_password_change', 'is_active'],
    }),
    await models.User.findAll({
      attributes: ['role', [...count]],
      where: { [Op.and]: [refersToLockedAccount(sequelize, 'User.id', locksInForce(core.now()))] },
      group: ['role'],
    }),
  ]);
  const all = zeroCounts();
  // The keys are the roles.
  const byRole = Object.fromEntries(roles.map((role) => [role, zeroCounts()])) as Record<Role, AccountCounts>;
  const add = (role: Role, key: keyof AccountCounts, more: number) => {
    for (const counts of [all, byRole[role]]) counts[key] += more;
  };
  for (const group of groups) {
    const accounts = Number(group.get('count'));
    add(group.role, 'total', accounts);
    add(group.role, group.isActive ? 'active' : 'inactive', accounts);
    if (group.requiresPasswordChange) add(group.role, 'initialPassword', accounts);
  }
  for (const group of locked) add(group.role, 'locked', Number(group.get('count')));
  return { ...all, byRole };
}
