import type { Response, Test } from 'supertest';
import type { Context } from '../../../src/context.js';
import { contract } from '../../../src/http/api/contract.js';
import type { Operation } from '../../../src/http/api/operation.js';
import type { Role } from '../../../src/schemas/fields.js';
import type { Access } from '../../../src/services/auth/permissions.js';
import { buildUser, signIn, tokenFor } from '../../support/factories.js';
import { type Example, examples, pathOf } from './examples.js';

/** Role x operation x ownership, derived from the contract's access rules. An operation without an example doesn't compile. */

export const callers = [
  'anonymous',
  'super admin',
  'own trainer',
  'other trainer',
  'own trainee',
  'other trainee',
  'inactive account',
  'account with an initial password',
] as const;
export type CallerKind = (typeof callers)[number];

/** What an operation answers: it succeeds, or with one of these statuses. */
type Verdict = 'yes' | 400 | 401 | 403 | 404;

const roleOf: Partial<Record<CallerKind, Role>> = {
  'super admin': 'super_admin',
  'own trainer': 'trainer',
  'other trainer': 'trainer',
  'own trainee': 'trainee',
  'other trainee': 'trainee',
};

/** What the access rule says of an account with a role; `own`: what the request is about is theirs. */
function verdictOf(access: Access, role: Role, own: boolean, published: boolean): Verdict {
  switch (access.kind) {
    case 'public':
    case 'optional':
    case 'signed-in':
      return 'yes';
    case 'own-trainer':
      return role === 'super_admin' || (role === 'trainer' && own) ? 'yes' : 403;
    case 'roles':
    case 'scoped':
      return access.roles.includes(role) ? 'yes' : 403;
    case 'owner':
      if (!access.roles.includes(role)) return 403;
      if (role === 'super_admin' || own || (access.open && published)) return 'yes';
      // That there is such an enrollment is a secret, and that there is a course as long as it isn't published.
      return access.of === 'course' && published ? 403 : 404;
  }
}

const signedIn = ['super admin', 'own trainer', 'other trainer', 'own trainee', 'other trainee'] as const;

/** Who is let in, but can't be helped: what they ask for isn't there, or was done before. */
const otherwise: Partial<Record<keyof typeof contract, Partial<Record<CallerKind, Verdict>>>> = {
  // There is a super admin then.
  setup: { 'super admin': 400 },
  // Their passwords are their own.
  changeFirstPassword: Object.fromEntries(signedIn.map((caller) => [caller, 400])),
  // The session is another account's.
  endSession: Object.fromEntries(signedIn.map((caller) => [caller, 404])),
  // The trainee is enrolled already.
  requestEnrollment: { 'own trainee': 400 },
};

export function expected(name: keyof typeof contract, caller: CallerKind, published: boolean): Verdict {
  const { access, allowsInitialPassword }: Operation = contract[name];
  const exception = otherwise[name]?.[caller];
  if (exception !== undefined) return exception;
  const free = access.kind === 'public';
  if (caller === 'anonymous') return free || access.kind === 'optional' ? 'yes' : 401;
  if (caller === 'inactive account') return free ? 'yes' : 401;
  if (caller === 'account with an initial password') {
    return free || allowsInitialPassword ? 'yes' : 403;
  }
  const role = roleOf[caller];
  if (role === undefined) throw new Error(`No role for ${caller}.`);
  return verdictOf(access, role, caller.startsWith('own'), published);
}

/** What a trainee asks for where others may ask for more. */
const asTrainee: Partial<Record<keyof typeof contract, Record<string, unknown>>> = {
  changeStatus: { status: 'cancelled' },
};

export const operations = Object.entries(contract) as [keyof typeof contract, Operation][];

/** One step of the walk. */
export interface Walked {
  name: keyof typeof contract;
  caller: CallerKind;
  /** Whether the course that it is about is published. */
  published: boolean;
}

/** Whether the operation is about a course, which answers differently as a draft. */
export const isAboutCourse = ({ access }: Operation) => access.kind === 'owner' && access.of === 'course';

/** Every step: each operation as every kind of caller. */
export const walk: readonly Walked[] = operations.flatMap(([name, operation]) =>
  (isAboutCourse(operation) ? [true, false] : [true]).flatMap((published) =>
    callers.map((caller) => ({ name, caller, published })),
  ),
);

/** The status that a step must be answered with. */
export function expectedStatus({ name, caller, published }: Walked): number {
  const verdict = expected(name, caller, published);
  return verdict === 'yes' ? contract[name].success.status : verdict;
}

/** What is walked. */
export interface Service {
  context: Context;
  api(method: Operation['method'], path: string, token?: string): Test;
}

/** A caller of this kind, as the example has left the database: those whose own it is are in it. */
async function tokenOf(context: Context, caller: CallerKind, given: Example): Promise<string | undefined> {
  const { Course, Enrollment, User } = context.database.models;
  switch (caller) {
    case 'anonymous':
      return undefined;
    case 'super admin': {
      const existing = await User.findOne({ where: { role: 'super_admin' } });
      return tokenFor(context, existing ?? (await buildUser(context, { role: 'super_admin' })));
    }
    case 'own trainer': {
      const course = await Course.findOne();
      const trainer = await User.findOne({ where: course ? { id: course.trainerId } : { role: 'trainer' } });
      return tokenFor(context, trainer ?? (await buildUser(context, { role: 'trainer' })));
    }
    case 'own trainee': {
      const enrollment = await Enrollment.findOne();
      const trainee = enrollment && (await User.findByPk(enrollment.userId));
      return tokenFor(context, trainee ?? (await buildUser(context)));
    }
    case 'inactive account': {
      const { user, token } = await signIn(context, { role: 'trainer' });
      await user.update({ isActive: false });
      return token;
    }
    case 'account with an initial password': {
      await User.update({ requiresPasswordChange: true }, { where: {} });
      return given.token ?? (await signIn(context, { requiresPasswordChange: true })).token;
    }
    default:
      return (await signIn(context, { role: roleOf[caller] ?? 'trainee' })).token;
  }
}

/** Puts what an operation's example needs into the database. @param published whether the course that it is about is */
export async function prepare(
  { context }: Service,
  { name, published }: Pick<Walked, 'name' | 'published'>,
): Promise<Example> {
  const given: Example = await examples[name](context);
  await context.database.models.Course.update({ isPublished: published }, { where: {} });
  return given;
}

/** Sends a prepared example as a caller of a kind. */
export async function send(
  { context, api }: Service,
  { name, caller }: Pick<Walked, 'name' | 'caller'>,
  given: Example,
): Promise<Response> {
  const { method, path, upload }: Operation = contract[name];
  const token = await tokenOf(context, caller, given);
  const call = api(method, pathOf(path, given), token).set(given.headers ?? {});
  if (given.upload) {
    const { file, name: fileName, fields } = given.upload;
    return call.attach(upload?.field ?? '', file, fileName).field(fields);
  }
  const body = (roleOf[caller] === 'trainee' && asTrainee[name]) || given.body;
  return body === undefined ? call : call.send(body);
}

/** Sends an operation's example as a caller of a kind. */
export async function askAs(service: Service, step: Walked): Promise<Response> {
  return send(service, step, await prepare(service, step));
}
