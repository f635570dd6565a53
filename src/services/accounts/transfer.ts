import { fullName, type User } from '../../db/models/user.js';
import { AppError, notFound } from '../../errors.js';
import type { Actor, Core } from '../core.js';
import { saveUsers } from './change-user.js';
import { assertRoleCanChange } from './delete-user.js';
import { findUserById } from './queries.js';

/** Former and new super admin. */
export interface Transfer {
  from: User;
  to: User;
}

/** @throws AppError `NOT_FOUND` before setup */
async function findSuperAdmin({ database }: Core): Promise<User> {
  const superAdmin = await database.read(() => database.models.User.findOne({ where: { role: 'super_admin' } }));
  if (!superAdmin) throw new AppError('NOT_FOUND', 'There is no super admin yet. To create one, run: coursectl setup');
  return superAdmin;
}

function assertCanTake({ from, to }: Transfer): void {
  if (to.id === from.id) throw new AppError('SUPER_ADMIN_PROTECTED', `${to.email} is the super admin already.`);
  if (!to.isActive)
    throw new AppError(
      'ACCOUNT_INACTIVE',
      `${to.email} is inactive. Activate it first: coursectl users activate ${to.email}`,
    );
}

/**
 * Returns the super admin and the account that would take over the role, after checking that it can.
 * @throws AppError `NOT_FOUND`, `SUPER_ADMIN_PROTECTED`, `ACCOUNT_INACTIVE`, `TRAINER_HAS_COURSES`, `TRAINEE_HAS_ENROLLMENTS`
 */
export async function previewTransfer(core: Core, id: string): Promise<Transfer> {
  const transfer = { from: await findSuperAdmin(core), to: await findUserById(core, id) };
  assertCanTake(transfer);
  await core.database.read(() => assertRoleCanChange(core, transfer.to));
  return transfer;
}

/**
 * Transfers the role of the super admin between the accounts of {@link previewTransfer}. The former super admin becomes a trainer, and
 * the sessions of both accounts end. Other transactions always see exactly one super admin.
 * @throws AppError `SUPER_ADMIN_PROTECTED` if the role was transferred in the meantime; the errors of {@link previewTransfer}
 */
export async function transferSuperAdmin(
  core: Core,
  actor: Actor,
  ids: Readonly<{ from: string; to: string }>,
): Promise<Transfer> {
  const { User } = core.database.models;
  return core.database.inTransaction(async (transaction) => {
    // In key order, to avoid deadlocks.
    const locked = await User.findAll({
      where: { id: [ids.from, ids.to] },
      order: [['id', 'ASC']],
      transaction,
      lock: transaction.LOCK.UPDATE,
    });
    const [from, to] = [ids.from, ids.to].map((id) => locked.find((user) => user.id === id));
    if (from?.role !== 'super_admin')
      throw new AppError(
        'SUPER_ADMIN_PROTECTED',
        'There is another super admin in the meantime. To see who it is, run: coursectl users list --role super_admin',
      );
    if (!to) throw notFound('User');
    assertCanTake({ from, to });
    await assertRoleCanChange(core, to, transaction);
    from.role = 'trainer';
    to.role = 'super_admin';
    const causeWith = (other: User) =>
      ({ action: 'user.transfer-super-admin', actor, otherName: fullName(other) }) as const;
    // The former super admin comes first: the database never accepts two super admins.
    const changed = [
      { user: from, cause: causeWith(to) },
      { user: to, cause: causeWith(from) },
    ];
    await saveUsers(core, actor, changed, transaction);
    return { from, to };
  });
}
