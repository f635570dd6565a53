import { Op, type WhereOptions } from 'sequelize';
import type { User } from '../../db/models/user.js';
import { isLatestLock, isLockedAccount } from '../../db/sql/conditions.js';
import type { JoinedAssociation } from '../../db/sql/joins.js';
import type { Core } from '../core.js';
import { locksInForce } from './throttle-rules.js';

/** Matches ends of locks in force. */
export function isInForce({ now }: Core) {
  const { after, until } = locksInForce(now());
  return { [Op.gt]: after, [Op.lte]: until };
}

/** Returns the end of an account's latest lock, everywhere or at one address; null if it isn't locked. */
export async function lockOf(core: Core, accountId: string): Promise<Date | null> {
  const row = await core.database.read(() =>
    core.database.models.LoginThrottle.findOne({
      where: { accountId, lockedUntil: isInForce(core) },
      order: [['lockedUntil', 'DESC']],
    }),
  );
  return row?.lockedUntil ?? null;
}

/** Joins the lock of {@link lockOf} to a query of accounts. */
export function currentLocks({ database: { models, sequelize }, now }: Core): JoinedAssociation {
  return {
    model: models.LoginThrottle,
    as: 'currentLock',
    attributes: ['lockedUntil'],
    on: isLatestLock(sequelize, locksInForce(now())),
  };
}

/** Matches locked accounts, or unlocked ones. */
export function isLocked({ database, now }: Core, locked: boolean): WhereOptions<User> {
  return isLockedAccount(database.sequelize, locksInForce(now()), locked);
}
