import { mkdtempSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import sharp from 'sharp';
import type { Test } from 'supertest';
import type { Operation } from '../../../src/http/api/operation.js';
import { type Contract, contract } from '../../../src/http/api/operations/contract.js';
import type { Role } from '../../../src/schemas/fields.js';
import type { Access } from '../../../src/services/auth/permissions.js';
import type { Context } from '../../../src/services/context.js';
import { operator } from '../../../src/services/core.js';
import { createCourse } from '../../../src/services/courses/commands.js';
import { submitImport } from '../../../src/services/imports/queue/submit.js';
import { people } from '../../services/imports/support/importing.js';
import { importFile } from '../../services/imports/support/running.js';
import { client, runToEnd, runToPlan } from '../../services/imports/support/submitting.js';
import {
  buildCertificate,
  buildCourse,
  buildEnrollment,
  buildGroup,
  buildIdentity,
  buildImage,
  buildLock,
  buildMail,
  buildMaterial,
  buildUser,
  calendarKeyOf,
  factoryPassword,
  linkFor,
  signIn,
} from '../../support/factories.js';
import type { Harness } from '../../support/harness.js';
import { weaving } from './courses.js';
import { ada } from './expectations.js';

/** A successful request: with a token unless the operation is public, and with the body and parameters of the operation. */
export interface Example {
  token?: string;
  body?: Record<string, unknown>;
  /** A form with a file and other fields. */
  upload?: { file: Buffer; name: string; fields: Record<string, string> };
  params?: Record<string, string>;
  query?: Record<string, string>;
  headers?: Record<string, string>;
}

/** Headers that browsers and the web console add to requests of the service's own pages. */
export const ownPage = { 'Sec-Fetch-Site': 'same-origin', 'X-Requested-With': 'coursectl' };

/** Creates a trainer with a course, and an enrolled trainee. */
async function buildCatalogue(context: Context) {
  const trainer = await signIn(context, { role: 'trainer' });
  const trainee = await signIn(context);
  const course = await buildCourse(context, trainer.user, { title: 'Compilers' });
  const enrollment = await buildEnrollment(context, trainee.user, course, { status: 'active', progress: 10 });
  return { trainer, trainee, course, enrollment };
}

/** Creates a trainee with a completed course. @returns also the code of the certificate */
async function someCertificate(context: Context) {
  const trainer = await signIn(context, { role: 'trainer' });
  const trainee = await signIn(context);
  const course = await buildCourse(context, trainer.user, { title: 'Compilers' });
  return { trainer, trainee, course, ...(await buildCertificate(context, trainee.user, course)) };
}

/** Query of an enrollment listing. */
const inOrder = { status: 'pending,active', sortBy: 'progress', sortOrder: 'ASC', page: '1', limit: '5' };

const admin = async (context: Context) => ({ token: (await signIn(context, { role: 'super_admin' })).token });

/** Returns a trainer's token, and the id of one of their courses. */
async function ownCourse(context: Context) {
  const { trainer, course } = await buildCatalogue(context);
  return { token: trainer.token, params: { id: course.id } };
}

/** Returns a trainer's token, and the id of an enrollment in one of their courses. */
async function ownEnrollment(context: Context) {
  const { trainer, enrollment } = await buildCatalogue(context);
  return { token: trainer.token, params: { id: enrollment.id } };
}

/** Returns the super admin's token, and the id of an account. */
async function someAccount(context: Context) {
  const { id } = await buildUser(context, { email: ada.email });
  return { ...(await admin(context)), params: { id } };
}

/** Returns the super admin's token, and the id of a group. */
async function someGroup(context: Context) {
  const { id } = await buildGroup(context, [(await buildUser(context)).id], 'Year 9');
  return { ...(await admin(context)), params: { id } };
}

/** Creates a course with a file, for its active trainee or its trainer. */
async function courseWithFile(context: Context, as: 'trainer' | 'trainee') {
  const { course, ...people } = await buildCatalogue(context);
  const material = await buildMaterial(context, course, { name: 'notes.txt' }, 'What was said.');
  return { token: people[as].token, params: { id: course.id, fileId: material.id } };
}

const image = () =>
  sharp({ create: { width: 40, height: 30, channels: 3, background: 'teal' } })
    .png()
    .toBuffer();

const imageUpload = async () => ({ file: await image(), name: 'image.png', fields: {} });

/** Creates an import of three people with one rejected row, or its plan. */
async function importOf(context: Context, how: 'file' | 'upload' | 'plan') {
  const { token, user } = await signIn(context, { role: 'super_admin' });
  const file = path.join(mkdtempSync(path.join(context.config.dataDir, 'example-')), 'people.csv');
  writeFileSync(file, `${people(2)}A,B,nobody,\n`);
  if (how === 'file') return { token, params: { id: (await importFile(context, file)).id } };
  const upload = { path: file, name: 'people.csv' };
  const { id } = await submitImport(context, { ...client, actorId: user.id }, upload, { plan: how === 'plan' });
  await (how === 'plan' ? runToPlan : runToEnd)({ context }, id);
  return { token, params: { id } };
}
const buildImport = (context: Context) => importOf(context, 'file');
const buildUpload = (context: Context) => importOf(context, 'upload');
const buildPlan = (context: Context) => importOf(context, 'plan');

/** Returns the super admin's token, and a waiting mail. */
async function someMail(context: Context) {
  const { id: userId } = await buildUser(context);
  return { ...(await admin(context)), mail: await buildMail(context, { userId }) };
}

/** Returns the token of a user. */
const signedIn = async (context: Context) => ({ token: (await signIn(context)).token });

/** Returns a user, and the id of one of the user's sessions. */
async function ownSession(context: Context) {
  const { user, token } = await signIn(context);
  const session = await context.database.models.Session.findOne({ where: { userId: user.id }, rejectOnEmpty: true });
  return { user, token, id: session.id };
}

/** One example per operation, created in an empty database. A missing example doesn't compile. */
export const examples: { [K in keyof Contract]: (context: Context) => Promise<Example> } = {
  setupStatus: async () => ({}),
  setup: async () => ({ body: { ...ada, isActive: true } }),
  async login(context) {
    await buildUser(context, { email: ada.email });
    return { body: { identifier: ada.email, password: factoryPassword } };
  },
  async traineeLogin(context) {
    await buildUser(context, { phone: ada.phone });
    return { body: { identifier: ada.phone, password: factoryPassword } };
  },
  checkLink: async (context) => ({ body: { token: await linkFor(context, await buildUser(context), 'invite') } }),
  async setPassword(context) {
    const token = await linkFor(context, await buildUser(context));
    return { body: { token, newPassword: 'the new password' } };
  },
  async confirmEmail(context) {
    return { body: { token: await linkFor(context, await buildUser(context), 'email', 'countess@example.org') } };
  },
  cancelEmail: async (context) => ({
    body: { token: await linkFor(context, await buildUser(context), 'email-cancel') },
  }),
  showForgotPassword: async () => ({}),
  forgotPassword: async () => ({ body: { identifier: ada.email } }),
  async register(context) {
    const { token } = await signIn(context, { role: 'super_admin' });
    return { token, body: { ...ada, role: 'trainer', isActive: false } };
  },
  showOidc: async () => ({}),
  startOidc: async () => ({ query: { returnTo: '/people' } }),
  finishOidc: async () => ({}),
  listOwnIdentities: signedIn,
  async linkIdentity(context) {
    const { token } = await signIn(context);
    return { token, body: { currentPassword: factoryPassword }, headers: ownPage };
  },
  async removeOwnIdentity(context) {
    const { user, token } = await signIn(context);
    return { token, params: { id: (await buildIdentity(context, user)).id } };
  },
  async listUserIdentities(context) {
    const user = await buildUser(context);
    await buildIdentity(context, user);
    return { ...(await admin(context)), params: { id: user.id } };
  },
  async removeUserIdentity(context) {
    const user = await buildUser(context);
    const { id: identityId } = await buildIdentity(context, user);
    return { ...(await admin(context)), params: { id: user.id, identityId } };
  },
  me: signedIn,
  showCalendar: signedIn,
  createCalendar: signedIn,
  revokeCalendar: signedIn,
  privateCalendar: async (context) => ({ params: { key: await calendarKeyOf(context, await buildUser(context)) } }),
  async updateProfile(context) {
    const { token } = await signIn(context);
    return { token, body: { firstName: 'Grace', lastName: 'Hopper', phone: 12025550123 } };
  },
  async changePassword(context) {
    const { token } = await signIn(context);
    return { token, body: { currentPassword: factoryPassword, newPassword: 'the new password' } };
  },
  async changeFirstPassword(context) {
    const { token } = await signIn(context, { requiresPasswordChange: true });
    return { token, body: { newPassword: 'the new password' } };
  },
  async requestEmailChange(context) {
    const { token } = await signIn(context);
    return { token, body: { email: 'countess@example.org', currentPassword: factoryPassword } };
  },
  checkEnrollment: async (context) => ({ token: (await buildCatalogue(context)).trainee.token }),
  async startWebSession(context) {
    await buildUser(context, { email: ada.email });
    return { body: { identifier: ada.email, password: factoryPassword }, headers: ownPage };
  },
  showWebSession: signedIn,
  endWebSession: async () => ({ headers: ownPage }),
  logout: signedIn,
  logoutAll: signedIn,
  listSessions: async (context) => ({ token: (await signIn(context)).token, query: { page: '1', limit: '5' } }),
  async endSession(context) {
    const { token, id } = await ownSession(context);
    return { token, params: { id } };
  },
  setAvatar: async (context) => ({ token: (await signIn(context)).token, upload: await imageUpload() }),
  removeAvatar: signedIn,
  showMailPreferences: signedIn,
  async changeMailPreferences(context) {
    const { token } = await signIn(context, { role: 'trainer' });
    return { token, body: { language: 'de', off: ['requests'] } };
  },
  async listUsers(context) {
    await buildUser(context, { email: ada.email });
    const filter = { role: 'trainee', isActive: 'true', requiresPasswordChange: 'false', locked: 'false' };
    const query = { ...filter, search: 'ada', sortBy: 'lastName', sortOrder: 'ASC', page: '1', limit: '5' };
    return { ...(await admin(context)), query };
  },
  async createUser(context) {
    const { password: _, ...person } = ada;
    return { ...(await admin(context)), body: { ...person, role: 'trainee', credentials: 'generated' } };
  },
  exportUsers: async (context) => ({
    ...(await admin(context)),
    query: {
      role: 'super_admin',
      isActive: 'true',
      requiresPasswordChange: 'false',
      locked: 'false',
      search: 'test',
      fields: 'email,role',
      format: 'csv',
    },
  }),
  showUser: someAccount,
  async updateUser(context) {
    const { password: _, ...person } = ada;
    return { ...(await someAccount(context)), body: { ...person, email: 'countess@example.org', role: 'trainer' } };
  },
  deleteUser: someAccount,
  changeActivation: async (context) => ({ ...(await someAccount(context)), body: { isActive: false } }),
  resetPassword: async (context) => ({ ...(await someAccount(context)), body: { link: false } }),
  async listUserSessions(context) {
    const { user } = await signIn(context);
    return { ...(await admin(context)), params: { id: user.id }, query: { page: '1', limit: '5' } };
  },
  async endUserSession(context) {
    const { user, id } = await ownSession(context);
    return { ...(await admin(context)), params: { id: user.id, sessionId: id } };
  },
  async endUserSessions(context) {
    const { user } = await signIn(context);
    return { ...(await admin(context)), params: { id: user.id } };
  },
  async findUsersByEmail(context) {
    const { email } = await buildUser(context);
    return { ...(await admin(context)), body: { emails: [email, 'nobody@example.org'] } };
  },
  async changeManyUsers(context) {
    const { token, params } = await someAccount(context);
    return { token, body: { action: 'deactivate', ids: [params.id], dryRun: false } };
  },
  async unlockUser(context) {
    const example = await someAccount(context);
    await buildLock(context, { accountId: example.params.id });
    return example;
  },
  async listCourses(context) {
    const { course } = await buildCatalogue(context);
    await course.update({ isPublished: true, category: 'Crafts', level: 'beginner', courseType: 'online' });
    const kind = { category: 'Crafts', level: 'beginner', courseType: 'online', trainerId: course.trainerId };
    const filter = { ...kind, isPublished: 'true', seatsLeft: 'true', include: 'seats', search: 'comp' };
    return { query: { ...filter, sortBy: 'title', sortOrder: 'ASC', page: '1', limit: '5' } };
  },
  async exportCourses(context) {
    const { trainer, course } = await buildCatalogue(context);
    await course.update({ category: 'Crafts', level: 'beginner', courseType: 'online' });
    const kind = { category: 'Crafts', level: 'beginner', courseType: 'online', trainerId: course.trainerId };
    const filter = { ...kind, isPublished: 'false', seatsLeft: 'true', search: 'comp' };
    return { token: trainer.token, query: { ...filter, fields: 'title,seatsTaken', format: 'csv' } };
  },
  async createCourse(context) {
    const { token } = await signIn(context, { role: 'trainer' });
    // The service ignores this field for trainers.
    const { id: trainerId } = await buildUser(context, { role: 'trainer' });
    return { token, body: { ...weaving, trainerId } };
  },
  async listCategories(context) {
    const { course } = await buildCatalogue(context);
    await course.update({ isPublished: true, category: 'Crafts' });
    return {};
  },
  async listAvailableTrainers(context) {
    await buildCatalogue(context);
    return { ...(await admin(context)), query: { search: 'test', page: '1', limit: '5' } };
  },
  courseStatistics: async (context) => ({ token: (await buildCatalogue(context)).trainer.token }),
  showCourse: async (context) => ({ ...(await ownCourse(context)), query: { include: 'seats' } }),
  async courseCalendar(context) {
    const { course } = await buildCatalogue(context);
    await course.update({ isPublished: true, startDate: '2026-02-01' });
    return { params: { id: course.id } };
  },
  updateCourse: async (context) => ({ ...(await ownCourse(context)), body: weaving }),
  async deleteCourse(context) {
    const { token, params } = await ownCourse(context);
    await context.database.models.Enrollment.update({ status: 'completed' }, { where: {} });
    return { token, params, query: { force: 'false' } };
  },
  publishCourse: async (context) => ({ ...(await ownCourse(context)), body: { isPublished: true } }),
  async assignTrainer(context) {
    const { params } = await ownCourse(context);
    const other = await buildUser(context, { role: 'trainer' });
    return { ...(await admin(context)), params, body: { trainerId: other.id } };
  },
  async listEnrollments(context) {
    const { trainee, course } = await buildCatalogue(context);
    const which = { courseId: course.id, userId: trainee.user.id, trainerId: course.trainerId, search: 'test' };
    const filter = { ...which, status: 'active,pending', progress: '10' };
    const query = { ...filter, sortBy: 'progress', sortOrder: 'ASC', page: '1', limit: '5' };
    return { token: trainee.token, query };
  },
  async exportEnrollments(context) {
    const { trainer, trainee, course } = await buildCatalogue(context);
    const which = { courseId: course.id, userId: trainee.user.id, trainerId: course.trainerId, search: 'test' };
    return {
      token: trainer.token,
      query: { ...which, status: 'active', progress: '10', fields: 'email,status', format: 'csv' },
    };
  },
  async requestEnrollment(context) {
    const { course } = await buildCatalogue(context);
    await course.update({ isPublished: true });
    const { token } = await signIn(context);
    return { token, body: { courseId: course.id, notes: 'Mornings only' } };
  },
  async listOwnEnrollments(context) {
    const { trainee, course } = await buildCatalogue(context);
    return { token: trainee.token, query: { courseId: course.id, search: 'comp', ...inOrder } };
  },
  async assignEnrollment(context) {
    const { trainer, course } = await buildCatalogue(context);
    const { id: traineeId } = await buildUser(context);
    const body = { courseId: course.id, traineeId, status: 'pending', reply: 'See you on Monday' };
    return { token: trainer.token, body };
  },
  async assignMany(context) {
    const { trainer, trainee, course } = await buildCatalogue(context);
    const { id } = await buildUser(context);
    const body = { courseId: course.id, traineeIds: [id, trainee.user.id], status: 'active', reply: 'Together' };
    return { token: trainer.token, body };
  },
  async removeMany(context) {
    const { token, params } = await ownEnrollment(context);
    return { token, body: { enrollmentIds: [params.id] } };
  },
  async changeManyStatuses(context) {
    const { token, params } = await ownEnrollment(context);
    const body = { status: 'completed', expectedStatus: 'active', ids: [params.id], reply: 'Well done' };
    return { token, body };
  },
  async listAvailableTrainees(context) {
    const { trainer, course } = await buildCatalogue(context);
    await buildUser(context);
    return { token: trainer.token, query: { courseId: course.id, search: 'test', page: '1', limit: '5' } };
  },
  async findAvailableTrainees(context) {
    const { trainer, course } = await buildCatalogue(context);
    const { email } = await buildUser(context);
    return { token: trainer.token, body: { courseId: course.id, emails: [email, 'nobody@example.org'] } };
  },
  enrollmentStatistics: async (context) => ({ token: (await buildCatalogue(context)).trainee.token }),
  async listCourseTrainees(context) {
    const { trainer, course } = await buildCatalogue(context);
    const query = { search: 'test', progress: '10', ...inOrder, sortBy: 'lastName' };
    return { token: trainer.token, params: { courseId: course.id }, query };
  },
  showEnrollment: ownEnrollment,
  removeEnrollment: ownEnrollment,
  changeStatus: async (context) => ({
    ...(await ownEnrollment(context)),
    body: { status: 'completed', expectedStatus: 'active', notes: 'Well done' },
  }),
  setReply: async (context) => ({ ...(await ownEnrollment(context)), body: { reply: 'See you' } }),
  setProgress: async (context) => ({ ...(await ownEnrollment(context)), body: { progress: 55 } }),
  async listGroups(context) {
    await buildGroup(context, [], 'Year 9');
    const { token } = await signIn(context, { role: 'trainer' });
    return { token, query: { search: 'year', page: '1', limit: '5' } };
  },
  createGroup: async (context) => ({ ...(await admin(context)), body: { name: 'Year 9', note: 'Room 12' } }),
  showGroup: someGroup,
  updateGroup: async (context) => ({ ...(await someGroup(context)), body: { name: 'Year 10', note: null } }),
  deleteGroup: someGroup,
  async changeMembers(context) {
    const [{ id: added }, { id: removed }] = [await buildUser(context), await buildUser(context)];
    return { ...(await someGroup(context)), body: { add: [added], remove: [removed] } };
  },
  async listCertificates(context) {
    const { trainer, trainee, course } = await someCertificate(context);
    const query = { courseId: course.id, userId: trainee.user.id, valid: 'true', page: '1', limit: '5' };
    return { token: trainer.token, query };
  },
  verifyCertificate: async (context) => ({ params: { code: (await someCertificate(context)).code } }),
  async revokeCertificate(context) {
    const { trainer, code } = await someCertificate(context);
    return { token: trainer.token, params: { code } };
  },
  showLogo: async () => ({}),
  setThumbnail: async (context) => ({ ...(await ownCourse(context)), upload: await imageUpload() }),
  removeThumbnail: ownCourse,
  addMaterial: async (context) => ({
    ...(await ownCourse(context)),
    upload: { file: Buffer.from('What was said.'), name: 'notes.txt', fields: {} },
  }),
  async listMaterials(context) {
    const { token, params } = await courseWithFile(context, 'trainee');
    return { token, params: { id: params.id }, query: { page: '1', limit: '5' } };
  },
  openMaterial: (context) => courseWithFile(context, 'trainee'),
  removeMaterial: (context) => courseWithFile(context, 'trainer'),
  async showImage(context) {
    const { user } = await signIn(context);
    const { storageKey } = await buildImage(context, user, await image());
    return { params: { name: path.posix.basename(storageKey) } };
  },
  async listAudit(context) {
    const { token, user } = await signIn(context, { role: 'super_admin' });
    const course = await createCourse(context, operator, {
      title: 'Looms',
      description: 'Wood and thread.',
      trainerId: (await buildUser(context, { role: 'trainer' })).id,
    });
    const which = { action: 'course.create', targetType: 'course', targetId: course.id, actorId: user.id };
    return { token, query: { ...which, from: '2026-01-01', to: '2100-01-01T00:00:00Z', page: '1', limit: '5' } };
  },
  async listTrainerCourses(context) {
    const { trainer } = await buildCatalogue(context);
    const filter = { isPublished: 'false', seatsLeft: 'true', search: 'comp', include: 'seats' };
    const query = { ...filter, sortBy: 'title', sortOrder: 'ASC', page: '1', limit: '5' };
    return { token: trainer.token, params: { trainerId: trainer.user.id }, query };
  },
  async listTrainerEnrollments(context) {
    const { trainer, course } = await buildCatalogue(context);
    const query = { courseId: course.id, search: 'comp', ...inOrder };
    return { token: trainer.token, params: { trainerId: trainer.user.id }, query };
  },
  showOverview: async (context) => {
    await buildCatalogue(context);
    return admin(context);
  },
  importTemplate: async (context) => ({ ...(await admin(context)), query: { format: 'csv' } }),
  importExample: admin,
  async createImport(context) {
    const { token } = await signIn(context, { role: 'super_admin' });
    const file = Buffer.from(people(2));
    return { token, upload: { file, name: 'people.csv', fields: { role: 'trainer', map: 'team=', plan: 'true' } } };
  },
  async listImports(context) {
    const { token } = await buildImport(context);
    return { token, query: { status: 'completed', page: '1', limit: '5' } };
  },
  showImport: buildImport,
  watchImport: buildImport,
  async planImport(context) {
    const map = [
      { column: 0, field: 'firstName' },
      { column: 3, field: null },
    ];
    const options = { role: 'trainer', onExisting: 'update', resetPasswords: true, maxErrors: 5, delimiter: ',' };
    const { title } = await buildCourse(context, await buildUser(context, { role: 'trainer' }));
    const lists = { map, mapCourse: ['1st Aid='], otherCourses: [title] };
    return { ...(await buildPlan(context)), body: { ...options, ...lists } };
  },
  async applyImport(context) {
    const { token, params } = await buildPlan(context);
    const record = await context.database.models.Import.findByPk(params.id, { rejectOnEmpty: true });
    return { token, params, body: { planId: record.planId } };
  },
  async listImportRows(context) {
    const query = { outcome: 'rejected', code: 'EMAIL_INVALID', search: 'nobody', page: '1', limit: '5' };
    return { ...(await buildPlan(context)), query };
  },
  importRejects: buildUpload,
  importOutcome: async (context) => ({ ...(await buildImport(context)), query: { format: 'csv' } }),
  importCredentials: buildUpload,
  async cancelImport(context) {
    const example = await buildImport(context);
    await context.database.models.Import.update({ status: 'queued' }, { where: {} });
    return example;
  },
  async resumeImport(context) {
    const example = await buildUpload(context);
    await context.database.models.Import.update({ status: 'failed' }, { where: {} });
    return example;
  },
  undoImport: async (context) => ({ ...(await buildImport(context)), query: { dryRun: 'false' } }),
  async listMails(context) {
    const { token, mail } = await someMail(context);
    const { state, kind, userId } = mail;
    const query = { state, kind, userId: String(userId), since: '2026-01-01', page: '1', limit: '5' };
    return { token, query };
  },
  async showMail(context) {
    const { token, mail } = await someMail(context);
    return { token, params: { id: mail.id } };
  },
  async changeManyMails(context) {
    const { token, mail } = await someMail(context);
    return { token, body: { action: 'withdraw', ids: [mail.id] } };
  },
  sendTestMail: async (context) => ({ ...(await admin(context)), body: { email: ada.email } }),
  health: async () => ({}),
  readiness: async () => ({}),
  showDemo: admin,
  loadDemo: admin,
  openapi: async () => ({}),
  docs: async () => ({}),
  metrics: async () => ({}),
};

/** All operations with their names. */
export const operations = Object.entries(contract) as [keyof Contract, Operation][];

/** Sends the request of an example. @param token replaces the token of the example */
export function sendExample(
  { api }: Pick<Harness, 'api'>,
  { method, path, upload }: Operation,
  given: Example,
  token: string | undefined = given.token,
): Test {
  const call = api(method, pathOf(path, given), token).set(given.headers ?? {});
  if (!given.upload) return given.body === undefined ? call : call.send(given.body);
  const { file, name, fields } = given.upload;
  return call.attach(upload?.field ?? '', file, name).field(fields);
}

/** Returns the path of an operation with the parameters of the example, or with any text for missing parameters. */
export function pathOf(path: string, { params = {}, query = {} }: Example): string {
  const filled = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? 'anything'));
  const search = new URLSearchParams(query).toString();
  return search === '' ? filled : `${filled}?${search}`;
}

/** Returns the roles that an access rule admits. */
export function admittedRoles(access: Access): readonly Role[] {
  if ('roles' in access) return access.roles;
  return access.kind === 'own-trainer' ? ['super_admin', 'trainer'] : ['super_admin', 'trainer', 'trainee'];
}
