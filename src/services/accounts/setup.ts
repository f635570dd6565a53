import type { Transaction } from 'sequelize';
import type { User } from '../../db/models/user.js';
import { AppError } from '../../errors.js';
import { setupSchema } from '../../schemas/auth.js';
import { validate } from '../../schemas/validate.js';
import { auditedUser, recordAudit } from '../audit/audit.js';
import { assertPasswordAllowed, type PasswordRules } from '../auth/password-policy.js';
import { startSession } from '../auth/sessions.js';
import { addKnownAddress } from '../auth/throttle.js';
import { type Actor, type Client, type Core, operator } from '../core.js';
import { changeUnlessRefused, countSuperAdmins, takenKeys } from './keys.js';
import { insertAccount } from './rows.js';

/** Response of `GET /api/auth/setup-status`. */
export interface SetupStatus {
  setupRequired: boolean;
  superAdminCount: number;
}

/** Specification, section 4.2. */
export async function setupStatus(core: Core): Promise<SetupStatus> {
  const superAdminCount = await countSuperAdmins(core.database);
  return { setupRequired: superAdminCount === 0, superAdminCount };
}

const isCompleted = async ({ database }: Core): Promise<boolean> => (await countSuperAdmins(database)) > 0;

/** The first check of setup (specification, section 4.3). @throws AppError `SETUP_COMPLETED` */
export async function assertSetupRequired(core: Core): Promise<void> {
  if (await isCompleted(core)) throw new AppError('SETUP_COMPLETED');
}

/**
 * Creates the only super admin (specification, section 4.3), and starts a session.
 * @throws AppError `SETUP_COMPLETED` (before validation), `VALIDATION`, `EMAIL_TAKEN`, `PHONE_TAKEN`
 */
export async function completeSetup(
  core: Core,
  input: unknown,
  client: Client,
): Promise<{ user: User; token: string }> {
  const author = ({ id, role }: User): Actor => ({ origin: 'http', actorId: id, ip: client.ip, role });
  return createSuperAdmin(core, input, author, async (user, transaction) => {
    await addKnownAddress(core, user, client.ip, transaction);
    return { user, token: (await startSession(core, user, client, transaction)).token };
  });
}

/**
 * Creates the super admin from the terminal, without a session. The audit log names the operator as the author, because
 * the operator may be another person than the super admin.
 * @throws the errors of {@link completeSetup}
 */
export async function completeSetupAtTerminal(core: Core, input: unknown): Promise<User> {
  const author = () => operator;
  return createSuperAdmin(core, input, author, async (user) => user);
}

/** Checks the input of {@link completeSetupAtTerminal} without a database. @throws AppError `VALIDATION` */
export async function assertSuperAdminValid(rules: PasswordRules, input: unknown): Promise<void> {
  const { password, ...owner } = validate(setupSchema, input);
  await assertPasswordAllowed(rules, 'password', password, owner);
}

async function createSuperAdmin<T>(
  core: Core,
  input: unknown,
  authorOf: (user: User) => Actor,
  alsoInTransaction: (user: User, transaction: Transaction) => Promise<T>,
): Promise<T> {
  await assertSetupRequired(core);
  const { password, ...fields } = validate(setupSchema, input);
  const { email, phone } = fields;
  await assertPasswordAllowed(core.config, 'password', password, fields);
  const refusal = async () => {
    if (await isCompleted(core)) return 'SETUP_COMPLETED';
    const taken = await takenKeys(core.database, { email, phone });
    return taken.email ? 'EMAIL_TAKEN' : taken.phone ? 'PHONE_TAKEN' : undefined;
  };
  return changeUnlessRefused(refusal, async () => {
    const account = {
      ...fields,
      role: 'super_admin' as const,
      isActive: true,
      passwordHash: await core.hasher.hash(password, core.config.auth.bcryptCost),
      requiresPasswordChange: false,
      initialPasswordExpiresAt: null,
    };
    return core.database.inTransaction(async (transaction) => {
      const user = await insertAccount(core, account, transaction);
      const record = {
        action: 'setup.complete',
        targetType: 'user',
        targetId: user.id,
        after: auditedUser(user),
      } as const;
      await recordAudit(core, authorOf(user), record, transaction);
      return alsoInTransaction(user, transaction);
    });
  });
}
