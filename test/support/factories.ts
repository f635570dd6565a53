import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { v7 as uuidv7 } from 'uuid';
import type { Course } from '../../src/db/models/course.js';
import type { Enrollment } from '../../src/db/models/enrollment.js';
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
import { newSecret, secretHash } from '../../src/services/credentials/secrets.js';
import { createLink } from '../../src/services/mail/links.js';
import { newIds } from '../../src/services/new-ids.js';

/** The password of every account that a factory makes. */
export const factoryPassword = 'factory-password';

let serial = 0;
const next = () => (serial += 1);

/** An account with sensible defaults; what the test is about is given. */
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
 * So many trainees at once, `trainee0@example.com` and so on, who can't sign in.
 * @param first number of the first one
 * @param passwordHash with which they can
 * @returns their ids
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

/** A token of a fresh session of the account. */
export async function tokenFor(context: Context, user: User): Promise<string> {
  const { token } = await context.database.inTransaction((transaction) =>
    startSession(context, user, { ip: '127.0.0.1', userAgent: 'test' }, transaction),
  );
  return token;
}

/** The token of a link that was mailed to the account's address, or to another one. */
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

/** The key in the private address of an account's calendar. */
export async function calendarKeyOf(context: Context, { id: userId }: User): Promise<string> {
  const key = newSecret();
  await context.database.models.Calendar.create({ userId, keyHash: secretHash(key), createdAt: context.now() });
  return key;
}

/** An account and a token for it. */
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

/** Enrolls so many trainees at once. @param given fields by their index @returns the ids, in their order */
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

/** The certificate of a trainee who completes a course now: its code, and the enrollment. */
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

/** A file that lies in the storage, and its row. */
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

/** A file of a course. */
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

/** An account's image. */
export async function buildImage(context: Context, user: User, content: Buffer): Promise<StoredFile> {
  const storageKey = `image/${randomUUID()}.webp`;
  const form = { kind: 'avatar' as const, storageKey, name: 'me.png', contentType: 'image/webp' };
  const file = await buildFile(context, { ...form, userId: user.id, uploadedBy: user.id }, content);
  await user.update({ avatar: `/api/images/${path.posix.basename(storageKey)}` });
  return file;
}

/** An import that has ended, with so many rejected rows in its ledger. @returns its id */
export async function buildImport({ database }: Context, rows: number): Promise<string> {
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
    optionsJson: '{}',
    createdAt: new Date(),
    rowsDone: rows,
    rejectedCount: rows,
  });
  const lines = Array.from({ length: rows }, (_, index) => ({ importId: id, line: index + 2 }));
  await ImportRow.bulkCreate(lines.map((row) => ({ ...row, outcome: 'rejected' as const })));
  return id;
}

/** Locks an account or an address for a minute, as too many failed logins do. */
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

/** A mail of the outbox: a notice that waits, unless other fields are given. */
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
