import { mkdtempSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { ObjectSchema } from 'joi';
import type { Context } from '../../src/context.js';
import type { Contract } from '../../src/http/contract.js';
import type { Role } from '../../src/schemas/fields.js';
import type { Access } from '../../src/services/permissions.js';
import { people } from '../imports/importing.js';
import { importFile } from '../imports/running.js';
import { buildCourse, buildEnrollment, buildUser, factoryPassword, signIn } from '../support/factories.js';
import { ada } from './expectations.js';

/** What the tests of the whole contract read of any example. */
export interface Example {
  token?: string;
  body?: Record<string, unknown>;
  /** A form with a file, and its other fields. */
  upload?: { csv: string; fields: Record<string, string> };
  params?: Record<string, string>;
  query?: Record<string, string>;
}

type Needs<Operation, Key extends string, Type> =
  Operation extends Record<Key, ObjectSchema> ? { [K in Key]: Type } : unknown;

/** A request that goes well: with a token unless the operation is public, a body and parameters where it takes them. */
type ExampleOf<Operation> = Example &
  (Operation extends { access: { kind: 'public' } } ? unknown : { token: string }) &
  Needs<Operation, 'body', Record<string, unknown>> &
  Needs<Operation, 'upload', NonNullable<Example['upload']>> &
  Needs<Operation, 'params', Record<string, string>> &
  Needs<Operation, 'query', Record<string, string>>;

/** A trainer with a course and a trainee enrolled in it. */
async function buildCatalogue(context: Context) {
  const trainer = await signIn(context, { role: 'trainer' });
  const trainee = await signIn(context);
  const course = await buildCourse(context, trainer.user, { title: 'Compilers' });
  const enrollment = await buildEnrollment(context, trainee.user, course, { status: 'active', progress: 10 });
  return { trainer, trainee, course, enrollment };
}

/** An import that created two accounts and rejected a row, and the super admin's token. */
async function buildImport(context: Context, origin: 'cli' | 'http' = 'cli') {
  const { token } = await signIn(context, { role: 'super_admin' });
  const folder = mkdtempSync(path.join(context.config.dataDir, 'example-'));
  const file = path.join(folder, 'people.csv');
  writeFileSync(file, `${people(2)}A,B,nobody,\n`);
  const { id } = await importFile(context, file);
  await context.database.models.Import.update({ origin }, { where: { id } });
  return { token, params: { id } };
}

/** One example an operation, made on an empty database: an operation without one doesn't compile. */
export const examples: { [K in keyof Contract]: (context: Context) => Promise<ExampleOf<Contract[K]>> } = {
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
  async register(context) {
    const { token } = await signIn(context, { role: 'super_admin' });
    return { token, body: { ...ada, role: 'trainer', isActive: false } };
  },
  me: async (context) => ({ token: (await signIn(context)).token }),
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
  checkEnrollment: async (context) => ({ token: (await buildCatalogue(context)).trainee.token }),
  logout: async (context) => ({ token: (await signIn(context)).token }),
  logoutAll: async (context) => ({ token: (await signIn(context)).token }),
  listSessions: async (context) => ({ token: (await signIn(context)).token }),
  async endSession(context) {
    const { user, token } = await signIn(context);
    const session = await context.database.models.Session.findOne({ where: { userId: user.id }, rejectOnEmpty: true });
    return { token, params: { id: session.id } };
  },
  async listTrainerCourses(context) {
    const { trainer } = await buildCatalogue(context);
    const query = { isPublished: 'false', search: 'comp', sortBy: 'title', sortOrder: 'ASC', page: '1', limit: '5' };
    return { token: trainer.token, params: { trainerId: trainer.user.id }, query };
  },
  async listTrainerEnrollments(context) {
    const { trainer, course } = await buildCatalogue(context);
    const query = { courseId: course.id, status: 'active', search: 'comp', page: '1', limit: '5' };
    return { token: trainer.token, params: { trainerId: trainer.user.id }, query };
  },
  importTemplate: async (context) => ({ token: (await signIn(context, { role: 'super_admin' })).token }),
  async createImport(context) {
    const { token } = await signIn(context, { role: 'super_admin' });
    return { token, upload: { csv: people(2), fields: { role: 'trainer', map: 'team=' } } };
  },
  async listImports(context) {
    const { token } = await buildImport(context);
    return { token, query: { status: 'completed', page: '1', limit: '5' } };
  },
  showImport: buildImport,
  watchImport: buildImport,
  importRejects: buildImport,
  importOutcome: buildImport,
  importCredentials: async (context) => buildImport(context, 'http'),
  async cancelImport(context) {
    const example = await buildImport(context);
    await context.database.models.Import.update({ status: 'queued' }, { where: {} });
    return example;
  },
  async resumeImport(context) {
    const example = await buildImport(context, 'http');
    await context.database.models.Import.update({ status: 'failed' }, { where: {} });
    return example;
  },
  undoImport: async (context) => ({ ...(await buildImport(context)), query: { dryRun: 'false' } }),
  health: async () => ({}),
  readiness: async () => ({}),
  openapi: async () => ({}),
};

/** The path of an operation with its parameters filled in: by the example, or by a word where it doesn't matter. */
export function pathOf(path: string, { params = {}, query = {} }: Example): string {
  const filled = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? 'anything'));
  const search = new URLSearchParams(query).toString();
  return search === '' ? filled : `${filled}?${search}`;
}

/** The roles that an operation's access rule admits. */
export function admittedRoles(access: Access): readonly Role[] {
  switch (access.kind) {
    case 'roles':
      return access.roles;
    case 'own-trainer':
      return ['super_admin', 'trainer'];
    default:
      return ['super_admin', 'trainer', 'trainee'];
  }
}
