import type { Transaction } from 'sequelize';
import { v7 as uuidv7 } from 'uuid';
import type { Identity } from '../../db/models/identity.js';
import type { User } from '../../db/models/user.js';
import { insertRows } from '../../db/sql/insert.js';
import { AppError, isAppError } from '../../errors.js';
import type { LinkedBy } from '../../schemas/identity.js';
import { normalizeEmail } from '../../schemas/keys.js';
import { saveUser } from '../accounts/change-user.js';
import { isOpenInvitation } from '../accounts/effects.js';
import { noPasswordFields, withoutPassword } from '../accounts/invite.js';
import { insertAccount } from '../accounts/rows.js';
import { auditedUser, recordAudit } from '../audit/audit.js';
import { identityUse, recordUse } from '../auth/last-use.js';
import { type StartedSession, sessionExists, startSession } from '../auth/sessions.js';
import type { Actor, Client, Core } from '../core.js';
import { domainOf, type Person } from './person.js';

/** A session of the organisation's sign-in, with the identity that began it. */
interface SignedIn extends StartedSession {
  identity: Pick<Identity, 'id' | 'lastUsedAt'>;
}

/** Attempts of a sign-in that loses a race against other first sign-ins of the same person. */
const attempts = 3;

/**
 * Starts a session for a person of the issuer. Links the person to the account with their verified email, or creates an
 * account, if the settings permit it.
 * @throws AppError `OIDC_EMAIL_UNVERIFIED`, `OIDC_NAME_MISSING`, `OIDC_NO_ACCOUNT`
 */
export async function signIn(core: Core, person: Person, client: Client): Promise<StartedSession> {
  const now = core.now();
  const { identity, ...session } = await withoutRace(() => startSessionOf(core, person, client));
  await recordUse(core, { id: identity.id, usedAt: identity.lastUsedAt }, now, identityUse);
  return session;
}

async function withoutRace<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt === attempts || !isAppError(error, 'IDENTITY_TAKEN', 'EMAIL_TAKEN')) throw error;
    }
  }
}

/** Logs why a person is refused, without values of claims. The answer doesn't reveal whether an account exists. */
function refusal(
  core: Core,
  { claims }: Person,
  reason: string,
  code: 'OIDC_NO_ACCOUNT' | 'OIDC_EMAIL_UNVERIFIED' | 'OIDC_NAME_MISSING' = 'OIDC_NO_ACCOUNT',
): AppError {
  core.logger.info({ reason, code, claims }, "a sign-in with the organisation's account was refused");
  return new AppError(code);
}

async function startSessionOf(core: Core, person: Person, client: Client): Promise<SignedIn> {
  const { User, Identity } = core.database.models;
  const { issuer, subject } = person;
  const committed = ({ token }: SignedIn) => sessionExists(core, token);
  const known = await core.database.read(() => Identity.findOne({ where: { issuer, subject } }));
  if (known) {
    const start = (transaction: Transaction) => startKnown(core, person, known, client, transaction);
    return core.database.inTransaction(start, { committed });
  }
  const email = assertOwnEmail(core, person);
  const found = await core.database.read(() => User.findOne({ attributes: ['id'], where: { email } }));
  const start = (transaction: Transaction) =>
    found
      ? startLinked(core, { ...person, email }, found.id, client, transaction)
      : startCreated(core, { ...person, email }, client, transaction);
  return core.database.inTransaction(start, { committed });
}

/**
 * Returns the email by which an account may be found or created.
 * @throws AppError `OIDC_NO_ACCOUNT`, `OIDC_EMAIL_UNVERIFIED`
 */
function assertOwnEmail(core: Core, person: Person): string {
  const { email, isEmailVerified } = person;
  const { domains } = core.config.oidc;
  if (domains.length === 0) throw refusal(core, person, 'the identity is not linked, and OIDC_DOMAINS is empty');
  if (email === undefined) throw refusal(core, person, 'the issuer gives no usable email');
  if (!domains.some((domain) => domainOf(normalizeEmail(`@${domain}`)) === domainOf(email)))
    throw refusal(core, person, 'the domain of the email is not in OIDC_DOMAINS');
  if (!isEmailVerified)
    throw refusal(core, person, 'the claims do not say that the email is verified', 'OIDC_EMAIL_UNVERIFIED');
  return email;
}

async function startKnown(
  core: Core,
  person: Person,
  known: Identity,
  client: Client,
  transaction: Transaction,
): Promise<SignedIn> {
  const { User, Identity } = core.database.models;
  const user = await User.findByPk(known.userId, { transaction, lock: transaction.LOCK.UPDATE });
  // The identity may have been removed, or linked again to another account, before the lock.
  const identity = await Identity.findOne({ where: { id: known.id, userId: known.userId }, transaction });
  if (!identity || !user?.isActive) throw refusal(core, person, 'the account is inactive, or the identity was removed');
  await user.update({ lastLogin: core.now() }, { transaction });
  return { identity, ...(await startSession(core, user, client, transaction, 'oidc')) };
}

type PersonWithEmail = Person & { email: string };

async function startLinked(
  core: Core,
  person: PersonWithEmail,
  id: string,
  client: Client,
  transaction: Transaction,
): Promise<SignedIn> {
  const user = await core.database.models.User.findByPk(id, { transaction, lock: transaction.LOCK.UPDATE });
  if (!user?.isActive || user.email !== person.email)
    throw refusal(core, person, 'the account with this email is inactive');
  if (user.role === 'super_admin')
    throw refusal(core, person, 'the super admin links this identity in the profile, with the password');
  const actor = ownerOf(user, client);
  user.set({ lastLogin: core.now(), ...(user.emailConfirmedAt === null && claimedFields(core, user)) });
  await saveUser(core, user, { action: 'own.link', actor }, transaction);
  const identity = await addIdentity(core, user, person, { linkedBy: 'email', actor }, transaction);
  return { identity, ...(await startSession(core, user, client, transaction, 'oidc')) };
}

/**
 * Fields of an account whose email nobody has confirmed. The initial password ends: somebody else may know it, and may
 * have signed in with it.
 */
const claimedFields = (core: Core, { inviteState }: User) => ({
  ...noPasswordFields(core),
  hasPassword: false,
  emailConfirmedAt: core.now(),
  mailFailedAt: null,
  ...(isOpenInvitation(inviteState) && { inviteState: 'accepted' as const }),
});

async function startCreated(
  core: Core,
  person: PersonWithEmail,
  client: Client,
  transaction: Transaction,
): Promise<SignedIn> {
  if (core.config.oidc.create === 'off')
    throw refusal(core, person, 'no account has this email, and OIDC_CREATE is off');
  if (!person.names) throw refusal(core, person, 'the claims have no first and last name', 'OIDC_NAME_MISSING');
  const fields = { ...person.names, email: person.email, phone: '', role: 'trainee' as const };
  const user = await insertAccount(core, { ...fields, ...withoutPassword(core) }, transaction);
  await user.update({ lastLogin: core.now(), emailConfirmedAt: core.now() }, { transaction });
  const actor = ownerOf(user, client);
  const record = { action: 'user.register', targetType: 'user', targetId: user.id } as const;
  await recordAudit(core, actor, { ...record, after: auditedUser(user) }, transaction);
  const identity = await addIdentity(core, user, person, { linkedBy: 'creation', actor }, transaction);
  return { identity, ...(await startSession(core, user, client, transaction, 'oidc')) };
}

/** Returns the person as the author of changes. No session exists yet. */
const ownerOf = ({ id, role }: User, { ip }: Client): Actor => ({ origin: 'http', actorId: id, role, ip });

/**
 * Links an identity to a locked account.
 * @throws AppError `IDENTITY_TAKEN` (from the transaction)
 */
export async function addIdentity(
  core: Core,
  { id: userId }: Pick<User, 'id'>,
  { issuer, subject, email = null }: Pick<Person, 'issuer' | 'subject'> & { email?: string | null | undefined },
  { linkedBy, actor }: { linkedBy: LinkedBy; actor: Actor },
  transaction: Transaction,
): Promise<SignedIn['identity']> {
  const id = uuidv7();
  const row = { id, userId, issuer, subject, email, linkedBy, createdAt: core.now(), lastUsedAt: null };
  await insertRows(core.database.models.Identity, [row], transaction);
  const record = { action: 'user.link', targetType: 'user', targetId: userId } as const;
  await recordAudit(core, actor, { ...record, after: auditedIdentity(row) }, transaction);
  return row;
}

/** Returns the fields of an identity for the audit log. */
export const auditedIdentity = ({
  issuer,
  subject,
  email,
  linkedBy,
}: Pick<Identity, 'issuer' | 'subject' | 'email' | 'linkedBy'>): object => ({ issuer, subject, email, linkedBy });
