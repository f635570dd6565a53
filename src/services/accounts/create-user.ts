import { confirmedById } from '../../db/connection.js';
import type { User } from '../../db/models/user.js';
import { newPersonSchema, type RegisterInput, registerSchema } from '../../schemas/user.js';
import { validate } from '../../schemas/validate.js';
import { auditedUser, recordAudit } from '../audit/audit.js';
import { assertPasswordAllowed } from '../auth/password-policy.js';
import type { Actor, Core } from '../core.js';
import { generatedPasswordCost, generatePassword } from '../credentials/passwords.js';
import { assertMailSetUp } from '../mail/outbox.js';
import { assertUsesPassword } from '../password-login.js';
import type { Cause } from './effects.js';
import { newInvitationFields, withoutPassword } from './invite.js';
import { changeUnlessRefused, countSuperAdmins, takenKeys } from './keys.js';
import { hashRequestOf, initialPasswordExpiry } from './passwords.js';
import { type Invitation, insertAccount, type NewAccount } from './rows.js';

/**
 * Creates an account (specification, section 4.6).
 * @throws AppError `VALIDATION`, `EMAIL_TAKEN`, `SUPER_ADMIN_EXISTS`, `PHONE_TAKEN`, checked in this order
 */
export async function registerUser(core: Core, actor: Actor, input: unknown): Promise<User> {
  const { password, ...fields } = validate(registerSchema, input);
  await assertPasswordAllowed(core.config, 'password', password, fields);
  return createAccount(core, { action: 'user.register', actor }, fields, {
    hash: () => core.hasher.hash(password, core.config.auth.bcryptCost, hashRequestOf(actor)),
    initialPasswordExpiresAt: fields.requiresPasswordChange ? initialPasswordExpiry(core) : null,
  });
}

/**
 * Creates an account with a generated password that must be changed at the first login.
 * @param input as for {@link registerUser}, without a password
 * @param savePassword stores the password durably. Called before the commit, and again if the transaction is repeated
 * @returns the account and its initial password, which is shown nowhere else
 * @throws AppError `PASSWORD_LOGIN_OFF`, the errors of {@link registerUser} and of `savePassword`
 */
export async function registerWithGeneratedPassword(
  core: Core,
  actor: Actor,
  input: object,
  savePassword: (user: User, password: string) => Promise<void> = async () => undefined,
): Promise<{ user: User; initialPassword: string }> {
  const initialPassword = generatePassword();
  const generated = { password: initialPassword, requiresPasswordChange: true };
  const { password, ...fields } = validate(registerSchema, { ...input, ...generated });
  assertUsesPassword(core, fields.role);
  const credentials = {
    hash: () => core.hasher.hash(password, generatedPasswordCost, hashRequestOf(actor)),
    initialPasswordExpiresAt: initialPasswordExpiry(core),
  };
  const user = await createAccount(core, { action: 'user.register', actor }, fields, credentials, (created) =>
    savePassword(created, initialPassword),
  );
  return { user, initialPassword };
}

/** A new account, and its generated password, if any. The password is shown nowhere else. */
interface NewPerson {
  user: User;
  initialPassword?: string;
}

/**
 * Creates an account with an invitation, with a generated password, or with neither.
 * @throws AppError `VALIDATION`, `MAIL_NOT_SET_UP`, `PASSWORD_LOGIN_OFF`, `EMAIL_TAKEN`, `PHONE_TAKEN`
 */
export async function createPerson(core: Core, actor: Actor, input: unknown): Promise<NewPerson> {
  const { credentials, message, phone = '', ...person } = validate(newPersonSchema, input);
  const fields = { ...person, phone, isActive: true, requiresPasswordChange: true };
  if (credentials !== 'generated') {
    if (credentials === 'invite') assertMailSetUp(core);
    const { passwordHash, ...secret } = withoutPassword(core);
    const invitation = credentials === 'invite' ? newInvitationFields(core) : {};
    const noPassword = { ...secret, ...invitation, hash: () => Promise.resolve(passwordHash) };
    return { user: await createAccount(core, { action: 'user.register', actor, message }, fields, noPassword) };
  }
  assertUsesPassword(core, person.role);
  const initialPassword = generatePassword();
  const user = await createAccount(core, { action: 'user.register', actor }, fields, {
    hash: () => core.hasher.hash(initialPassword, generatedPasswordCost, hashRequestOf(actor)),
    initialPasswordExpiresAt: initialPasswordExpiry(core),
  });
  return { user, initialPassword };
}

/** Fields of a new account about its password. `hash` returns the hash to store, and runs after all other checks. */
interface NewCredentials extends Pick<NewAccount, 'initialPasswordExpiresAt' | keyof Invitation> {
  hash: () => Promise<string>;
}

async function createAccount(
  core: Core,
  cause: Cause & { actor: Actor },
  fields: Omit<RegisterInput, 'password'>,
  { hash, ...credentials }: NewCredentials,
  beforeCommit: (user: User) => Promise<void> = async () => undefined,
): Promise<User> {
  const { email, phone } = fields;
  const keys = phone === '' ? { email } : { email, phone };
  const refusal = async () => {
    const taken = await takenKeys(core.database, keys);
    if (taken.email) return 'EMAIL_TAKEN';
    if (fields.role === 'super_admin' && (await countSuperAdmins(core.database)) > 0) return 'SUPER_ADMIN_EXISTS';
    return taken.phone ? 'PHONE_TAKEN' : undefined;
  };
  return changeUnlessRefused(refusal, async () => {
    // The super admin is always active, as in setup (specification, section 4.3).
    const account = {
      ...fields,
      ...credentials,
      isActive: fields.isActive || fields.role === 'super_admin',
      passwordHash: await hash(),
    };
    return core.database.inTransaction(async (transaction) => {
      const user = await insertAccount(core, account, transaction, cause);
      const record = { action: 'user.register', targetType: 'user', targetId: user.id } as const;
      await recordAudit(core, cause.actor, { ...record, after: auditedUser(user) }, transaction);
      await beforeCommit(user);
      return user;
    }, confirmedById(core.database.models.User));
  });
}
