import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { v7 as uuidv7 } from 'uuid';
import type { Course } from '../../src/db/models/course.js';
import type { Enrollment } from '../../src/db/models/enrollment.js';
import type { Group } from '../../src/db/models/group.js';
import type { Identity } from '../../src/db/models/identity.js';
import type { Mail } from '../../src/db/models/mail.js';
import type { StoredFile } from '../../src/db/models/stored-file.js';
import type { User } from '../../src/db/models/user.js';
import { insertRows } from '../../src/db/sql/insert.js';
import { searchKey } from '../../src/schemas/keys.js';
import type { LinkPurpose } from '../../src/schemas/mail.js';
import { categoryMaximum, sortKey, titleMaximum } from '../../src/schemas/sort-key.js';
import { insertAccount, insertAccounts, type NewAccount } from '../../src/services/accounts/rows.js';
import { startSession } from '../../src/services/auth/sessions.js';
import { issueCertificates } from '../../src/services/certificates/issue.js';
import type { Context } from '../../src/services/context.js';
import { operator } from '../../src/services/core.js';
import { newSecret, secretHash } from '../../src/services/credentials/secrets.js';
import { insertGroup } from '../../src/services/groups/commands.js';
import { createLink } from '../../src/services/mail/links.js';
import { newIds } from '../../src/services/new-ids.js';

/** Password of every account from a factory. */
export const factoryPassword = 'factory-password';

let serial = 0;
const next = () => (serial += 1);

/** Creates an account with defaults for the fields that are not given. */
export async function buildUser(
  context: Context,
  given: Partial<NewAccount> & { password?: string } = {},
): Promise<User> {
  const number = next();
  const { password = factoryPassword, ...fields } = given;
  const account: NewAccount = {
    firstName: 'Test',
    lastName: `Person${number}`,
    email: `person${number}@example.org`,
    phone: `+1 555 ${String(number).padStart(7, '0')}`,
    role: 'trainee',
    isActive: true,
    requiresPasswordChange: false,
    initialPasswordExpiresAt: null,
    passwordHash: await context.hasher.hash(password, 4),
    ...fields,
  };
  return context.database.inTransaction((transaction) => insertAccount(context, account, transaction));
}

/**
 * Creates many trainees: `trainee0@example.com` and so on. They can't sign in by default.
 * @param first number of the first trainee
 * @param passwordHash hash with which they can sign in
 * @returns the ids of the trainees
 */
export async function buildTrainees(
  context: Context,
  count: number,
  first = 0,
  passwordHash = 'none',
): Promise<readonly string[]> {
  const accounts = Array.from(
    { length: count },
    (_, index): NewAccount => ({
      firstName: 'Trainee',
      lastName: `Number ${first + index}`,
      email: `trainee${first + index}@example.com`,
      phone: `+44 ${first + index}`,
      role: 'trainee',
      isActive: true,
      passwordHash,
      requiresPasswordChange: false,
      initialPasswordExpiresAt: null,
    }),
  );
  return context.database.inTransaction((transaction) => insertAccounts(context, accounts, transaction));
}

/** Returns the token of a new session of the account. */
export async function tokenFor(context: Context, user: User): Promise<string> {
  const { token } = await context.database.inTransaction((transaction) =>
    startSession(context, user, { ip: '127.0.0.1', userAgent: 'test' }, transaction),
  );
  return token;
}

/** Returns the token of a link that was mailed to the account's address, or to another address. */
export async function linkFor(
  context: Context,
  { id: userId, email: own }: User,
  purpose: LinkPurpose = 'reset',
  email = own,
): Promise<string> {
  const now = await context.databaseNow();
  const { token } = await context.database.inTransaction((transaction) =>
    createLink(context, { userId, purpose, email, createdAt: now }, now, transaction),
  );
  return token;
}

/** Creates a calendar address of an account, and returns its key. */
export async function calendarKeyOf(context: Context, { id: userId }: User): Promise<string> {
  const key = newSecret();
  await context.database.models.Calendar.create({ userId, keyHash: secretHash(key), createdAt: context.now() });
  return key;
}

/** Creates an account and a token. */
export async function signIn(
  context: Context,
  given: Parameters<typeof buildUser>[1] = {},
): Promise<{ user: User; token: string }> {
  const user = await buildUser(context, given);
  return { user, token: await tokenFor(context, user) };
}

export async function buildCourse(context: Context, trainer: User, given: Partial<Course> = {}): Promise<Course> {
  const title = given.title ?? `Course ${next()}`;
  return context.database.models.Course.create({
    id: uuidv7(),
    trainerId: trainer.id,
    description: 'What it is about.',
    searchKey: searchKey(title),
    titleKey: sortKey(title, titleMaximum),
    categoryKey: given.category ? sortKey(given.category, categoryMaximum) : null,
    ...given,
    title,
  });
}

let waitingNumber = 0;

export async function buildEnrollment(
  context: Context,
  trainee: User,
  course: Course,
  given: Partial<Enrollment> = {},
): Promise<Enrollment> {
  if (given.status === 'waiting') {
    waitingNumber += 1;
    await course.update({ waitingCounter: waitingNumber }, { silent: true });
  }
  return context.database.models.Enrollment.create({
    id: uuidv7(),
    userId: trainee.id,
    courseId: course.id,
    trainerId: course.trainerId,
    enrolledAt: new Date(),
    ...(given.status === 'waiting' && { waitingNumber }),
    ...given,
  });
}

/**
 * Enrolls many trainees in one transaction.
 * @param given fields by index
 * @returns the ids, in order
 */
export async function buildEnrollments(
  context: Context,
  traineeIds: readonly string[],
  { id: courseId, trainerId }: Course,
  given: (index: number) => Partial<Enrollment> = () => ({}),
): Promise<string[]> {
  const ids = newIds(traineeIds.length);
  const rows = traineeIds.map((userId, index) => {
    const own = { id: ids[index] ?? '', userId, courseId, trainerId };
    return { ...own, enrolledAt: new Date(), createdAt: new Date(), updatedAt: new Date(), ...given(index) };
  });
  const { Enrollment } = context.database.models;
  await context.database.inTransaction((transaction) => insertRows(Enrollment, rows, transaction));
  return ids;
}

/** Creates a group with members. @param userIds ids of the members */
export async function buildGroup(
  context: Context,
  userIds: readonly string[] = [],
  name = `Group ${next()}`,
): Promise<Group> {
  const { GroupMember } = context.database.models;
  return context.database.inTransaction(async (transaction) => {
    const group = await insertGroup(context, operator, { name }, transaction);
    const rows = userIds.map((userId) => ({ groupId: group.id, userId, source: 'hand' as const, addedAt: new Date() }));
    await insertRows(GroupMember, rows, transaction);
    return group;
  });
}

/** Creates a completed enrollment with its certificate. */
export async function buildCertificate(
  context: Context,
  trainee: User,
  course: Course,
): Promise<{ code: string; enrollment: Enrollment }> {
  const completed = { status: 'completed', progress: 100, completedAt: context.now() } as const;
  const enrollment = await buildEnrollment(context, trainee, course, completed);
  await context.database.inTransaction((transaction) => issueCertificates(context, [enrollment], transaction));
  if (!enrollment.certificate) throw new Error('There is no certificate.');
  return { code: enrollment.certificate.code, enrollment };
}

/** Stores a file, and creates its row. */
async function buildFile(
  context: Context,
  given: Partial<StoredFile> & Pick<StoredFile, 'kind' | 'storageKey' | 'name' | 'contentType' | 'uploadedBy'>,
  content: string | Buffer,
): Promise<StoredFile> {
  const folder = path.join(context.config.dataDir, 'uploads');
  mkdirSync(folder, { recursive: true });
  const upload = path.join(folder, randomUUID());
  writeFileSync(upload, content);
  await context.storage.put(given.storageKey, upload);
  const row = { id: uuidv7(), state: 'live' as const, courseId: null, userId: null, createdAt: new Date() };
  return context.database.models.StoredFile.create({ ...row, ...given, bytes: Buffer.byteLength(content) });
}

export function buildMaterial(
  context: Context,
  course: Course,
  given: Partial<StoredFile> = {},
  content: string | Buffer = 'What it says.',
): Promise<StoredFile> {
  const storageKey = `material/${randomUUID()}`;
  const form = { kind: 'material' as const, storageKey, name: 'notes.txt', contentType: 'text/plain' };
  return buildFile(context, { ...form, courseId: course.id, uploadedBy: course.trainerId, ...given }, content);
}

export async function buildImage(context: Context, user: User, content: Buffer): Promise<StoredFile> {
  const storageKey = `image/${randomUUID()}.webp`;
  const form = { kind: 'avatar' as const, storageKey, name: 'me.png', contentType: 'image/webp' };
  const file = await buildFile(context, { ...form, userId: user.id, uploadedBy: user.id }, content);
  await user.update({ avatar: `/api/images/${path.posix.basename(storageKey)}` });
  return file;
}

/**
 * Creates a completed import with rejected rows in its ledger.
 * @param trainerId the trainer who imports; by default an operator at the terminal
 * @returns the id
 */
export async function buildImport({ database }: Context, rows: number, trainerId?: string): Promise<string> {
  const { Import, ImportRow } = database.models;
  const id = uuidv7();
  await Import.create({
    id,
    number: next(),
    status: 'completed',
    origin: 'cli',
    fileName: 'people.csv',
    filePath: '/people.csv',
    fileSha256: 'x',
    optionsJson: JSON.stringify({ trainerId }),
    createdBy: trainerId ?? null,
    createdAt: new Date(),
    rowsDone: rows,
    rejectedCount: rows,
  });
  const lines = Array.from({ length: rows }, (_, index) => ({ importId: id, line: index + 2 }));
  await ImportRow.bulkCreate(lines.map((row) => ({ ...row, outcome: 'rejected' as const })));
  return id;
}

/** Locks an account or an address for a minute, as after too many failed logins. */
export async function buildLock(context: Context, subject: { accountId: string } | { address: string }): Promise<void> {
  const accountId = 'accountId' in subject ? subject.accountId : null;
  const now = context.now();
  await context.database.models.LoginThrottle.upsert({
    subject: 'accountId' in subject ? `account:${subject.accountId}` : `address:${subject.address}`,
    accountId,
    failures: 0,
    windowStartedAt: now,
    signedInAt: null,
    lockedUntil: new Date(now.getTime() + 60_000),
    locks: 1,
  });
}

/** Links an identity to an account; by default one that its owner has linked. */
export async function buildIdentity(
  { database, now }: Context,
  { id: userId, email }: Pick<User, 'id' | 'email'>,
  given: Partial<Identity> = {},
): Promise<Identity> {
  const id = uuidv7();
  return database.models.Identity.create({
    ...{ id, userId, email, issuer: 'https://login.example.org', subject: id, linkedBy: 'owner', createdAt: now() },
    ...given,
  });
}

/** Creates a mail in the outbox; by default a queued notice. */
export async function buildMail({ database, databaseNow }: Context, given: Partial<Mail> = {}): Promise<Mail> {
  const now = await databaseNow();
  return database.models.Mail.create({
    id: uuidv7(),
    kind: 'password-changed',
    priority: 0,
    userId: null,
    address: null,
    courseId: null,
    importId: null,
    identifier: null,
    data: '{}',
    dedupeKey: null,
    state: 'queued',
    nextAt: now,
    createdAt: now,
    ...given,
  });
}
