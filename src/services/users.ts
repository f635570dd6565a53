import { Op, type WhereOptions } from 'sequelize';
import { contains } from '../db/dialect.js';
import type { User } from '../db/models/user.js';
import { AppError, notFound } from '../errors.js';
import { passwordInputSchema } from '../schemas/auth.js';
import { normalizeEmail, phoneKey, searchKey } from '../schemas/fields.js';
import { registerSchema, type UserListing, userListingSchema } from '../schemas/user.js';
import { validate } from '../schemas/validate.js';
import { countSuperAdmins, guarded, insertAccount, takenKeys } from './accounts.js';
import { auditedUser, recordAudit } from './audit.js';
import type { Actor, Core } from './core.js';
import { type Page, pageOf } from './paging.js';
import { generatedPasswordCost, generatePassword } from './passwords.js';
import { endSessions } from './sessions.js';

/**
 * Creates an account (specification, section 4.6).
 * @throws AppError `VALIDATION`, `EMAIL_TAKEN`, `SUPER_ADMIN_EXISTS`, `PHONE_TAKEN`, in this order
 */
export async function registerUser(core: Core, actor: Actor, input: unknown): Promise<User> {
  const { password, ...fields } = validate(registerSchema, input);
  const refusal = async () => {
    const taken = await takenKeys(core.database, fields);
    if (taken.email) return 'EMAIL_TAKEN';
    if (fields.role === 'super_admin' && (await countSuperAdmins(core.database)) > 0) return 'SUPER_ADMIN_EXISTS';
    return taken.phone ? 'PHONE_TAKEN' : undefined;
  };
  return guarded(refusal, async () => {
    const passwordHash = await core.hasher.hash(password, core.config.auth.bcryptCost);
    // The super admin is always active, as in setup (specification, section 4.3).
    const account = {
      ...fields,
      isActive: fields.isActive || fields.role === 'super_admin',
      passwordHash,
      requiresPasswordChange: false,
      initialPasswordExpiresAt: null,
    };
    return core.database.inTransaction(async (transaction) => {
      const user = await insertAccount(core, account, transaction);
      await recordAudit(
        core,
        actor,
        { action: 'user.register', targetType: 'user', targetId: user.id, after: auditedUser(user) },
        transaction,
      );
      return user;
    });
  });
}

function listingFilter(core: Core, listing: Partial<UserListing>): WhereOptions<User> {
  const { role, isActive, requiresPasswordChange, search } = listing;
  return {
    ...(role !== undefined && { role }),
    ...(isActive !== undefined && { isActive }),
    ...(requiresPasswordChange !== undefined && { requiresPasswordChange }),
    ...(search && {
      [Op.or]: [
        contains(core.database.sequelize, 'User.search_key', searchKey(search)),
        contains(core.database.sequelize, 'User.phone_key', phoneKey(search)),
      ],
    }),
  };
}

/** One page of the accounts, filtered and in a stable order. @throws AppError `VALIDATION` */
export async function listUsers(core: Core, input: unknown): Promise<Page<User>> {
  const listing = validate(userListingSchema, input);
  const { User } = core.database.models;
  return pageOf(core, listing, listingFilter(core, listing), {
    count: (where) => User.count({ where }),
    rows: (where, window) =>
      User.findAll({
        where,
        ...window,
        order: [
          [listing.sortBy, listing.sortOrder],
          ['id', listing.sortOrder],
        ],
      }),
  });
}

/** How many accounts an export reads at a time: memory doesn't grow with the number of accounts. */
const exportBatch = 1000;

/** All accounts that match, oldest first, in batches. @throws AppError `VALIDATION` */
export async function* allUsers(core: Core, input: unknown): AsyncGenerator<User[]> {
  const filter = listingFilter(core, validate(userListingSchema, input));
  let after = '';
  for (;;) {
    const batch = await core.database.read(() =>
      core.database.models.User.findAll({
        where: { [Op.and]: [filter, { id: { [Op.gt]: after } }] },
        order: [['id', 'ASC']],
        limit: exportBatch,
      }),
    );
    if (batch.length === 0) return;
    yield batch;
    after = batch.at(-1)?.id ?? after;
  }
}

/** The account that an id, an email address or a phone number means. @throws AppError `NOT_FOUND` */
export async function findUser(core: Core, reference: string): Promise<User> {
  const matches = await core.database.read(() =>
    core.database.models.User.findAll({
      where: { [Op.or]: [{ id: reference }, { email: normalizeEmail(reference) }, { phoneKey: phoneKey(reference) }] },
    }),
  );
  const user =
    matches.find((match) => match.id === reference) ??
    matches.find((match) => match.email === normalizeEmail(reference)) ??
    matches[0];
  if (!user) throw notFound('User');
  return user;
}

/** Changes an account with its audit entry; `change` runs inside the transaction, on the locked row. */
async function changeUser(
  core: Core,
  actor: Actor,
  id: string,
  action: 'user.activate' | 'user.deactivate' | 'user.reset-password',
  change: (user: User) => void,
): Promise<User> {
  return core.database.inTransaction(async (transaction) => {
    const user = await core.database.models.User.findByPk(id, { transaction, lock: transaction.LOCK.UPDATE });
    if (!user) throw notFound('User');
    const before = auditedUser(user);
    change(user);
    await user.save({ transaction });
    if (action !== 'user.activate') await endSessions(core, id, transaction);
    await recordAudit(
      core,
      actor,
      { action, targetType: 'user', targetId: id, before, after: auditedUser(user) },
      transaction,
    );
    return user;
  });
}

/**
 * Lets an account sign in, or keeps it out: its sessions end at once.
 * @throws AppError `NOT_FOUND`, `SUPER_ADMIN_PROTECTED`
 */
export async function setUserActive(core: Core, actor: Actor, reference: string, isActive: boolean): Promise<User> {
  const { id } = await findUser(core, reference);
  return changeUser(core, actor, id, isActive ? 'user.activate' : 'user.deactivate', (user) => {
    if (!isActive && user.role === 'super_admin') throw new AppError('SUPER_ADMIN_PROTECTED');
    user.isActive = isActive;
  });
}

/**
 * Gives an account a password that must be changed at the next login, and ends its sessions.
 * @param input `{ password }`, or nothing for a generated one
 * @returns the account and its temporary password: the only place where that ever appears
 * @throws AppError `NOT_FOUND`, `VALIDATION`
 */
export async function resetPassword(
  core: Core,
  actor: Actor,
  reference: string,
  input?: { password: string },
): Promise<{ user: User; temporaryPassword: string }> {
  const { id } = await findUser(core, reference);
  const temporaryPassword = input ? validate(passwordInputSchema, input).password : generatePassword();
  const passwordHash = await core.hasher.hash(
    temporaryPassword,
    input ? core.config.auth.bcryptCost : generatedPasswordCost,
  );
  const user = await changeUser(core, actor, id, 'user.reset-password', (account) => {
    account.passwordHash = passwordHash;
    account.requiresPasswordChange = true;
    account.initialPasswordExpiresAt = input ? null : initialPasswordExpiry(core);
  });
  return { user, temporaryPassword };
}

/** When an initial password given out now stops working. */
export function initialPasswordExpiry(core: Core): Date {
  return new Date(core.now().getTime() + core.config.auth.initialPasswordDays * 86_400_000);
}
