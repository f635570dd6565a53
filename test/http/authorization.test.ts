import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import type { Response } from 'supertest';
import { contract } from '../../src/http/contract.js';
import type { Operation } from '../../src/http/operation.js';
import type { Role } from '../../src/schemas/fields.js';
import type { Access } from '../../src/services/permissions.js';
import { buildUser, signIn, tokenFor } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { type Example, examples, pathOf } from './examples.js';

/**
 * Role x operation x ownership, derived from the contract's access rules and walked from end to end. An operation without
 * an example doesn't compile; docs/AUTHORIZATION.md is the same table for people.
 */

const callers = [
  'anonymous',
  'super admin',
  'own trainer',
  'other trainer',
  'own trainee',
  'other trainee',
  'inactive account',
  'account with an initial password',
] as const;
type CallerKind = (typeof callers)[number];

/** What an operation answers: it succeeds, or with one of these statuses. */
type Verdict = 'yes' | 400 | 401 | 403 | 404;

const roleOf: Partial<Record<CallerKind, Role>> = {
  'super admin': 'super_admin',
  'own trainer': 'trainer',
  'other trainer': 'trainer',
  'own trainee': 'trainee',
  'other trainee': 'trainee',
};

/** What the access rule says of somebody with a role; `own`: what the request is about is theirs. */
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
  // The session is somebody else's.
  endSession: Object.fromEntries(signedIn.map((caller) => [caller, 404])),
  // Whoever is in the course already can't ask for a place in it.
  requestEnrollment: { 'own trainee': 400 },
};

function expected(name: keyof typeof contract, caller: CallerKind, published: boolean): Verdict {
  const { access, path }: Operation = contract[name];
  const exception = otherwise[name]?.[caller];
  if (exception !== undefined) return exception;
  const free = access.kind === 'public';
  if (caller === 'anonymous') return free || access.kind === 'optional' ? 'yes' : 401;
  if (caller === 'inactive account') return free ? 'yes' : 401;
  if (caller === 'account with an initial password') {
    return free || path.startsWith('/api/auth/') ? 'yes' : 403;
  }
  const role = roleOf[caller];
  if (role === undefined) throw new Error(`No role for ${caller}.`);
  return verdictOf(access, role, caller.startsWith('own'), published);
}

/** What a trainee asks for where others may ask for more. */
const asTrainee: Partial<Record<keyof typeof contract, Record<string, unknown>>> = {
  changeStatus: { status: 'cancelled' },
};

const operations = Object.entries(contract) as [keyof typeof contract, Operation][];

describe('Authorization', () => {
  const harness = useHarness();

  /** Somebody of this kind, as the example has left the database: those whose own it is are in it. */
  async function tokenOf(caller: CallerKind, given: Example): Promise<string | undefined> {
    const { context } = harness;
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

  async function send(name: keyof typeof contract, caller: CallerKind, published: boolean): Promise<Response> {
    const { method, path, upload }: Operation = contract[name];
    const { context } = harness;
    const given: Example = await examples[name](context);
    await context.database.models.Course.update({ isPublished: published }, { where: {} });
    const token = await tokenOf(caller, given);
    const call = harness.api(method, pathOf(path, given), token);
    if (given.upload) {
      const { file, name: fileName, fields } = given.upload;
      return call.attach(upload?.field ?? '', file, fileName).field(fields);
    }
    const body = (roleOf[caller] === 'trainee' && asTrainee[name]) || given.body;
    return body === undefined ? call : call.send(body);
  }

  for (const [name, operation] of operations) {
    const { method, path, access, success } = operation;
    const aboutCourse = access.kind === 'owner' && access.of === 'course';
    describe(`${method.toUpperCase()} ${path}`, () => {
      for (const published of aboutCourse ? [true, false] : [true]) {
        for (const caller of callers) {
          const verdict = expected(name, caller, published);
          const which = aboutCourse ? ` of a ${published ? 'published' : 'draft'} course` : '';
          it(`answers ${verdict === 'yes' ? success.status : verdict} to: ${caller}${which}`, async () => {
            const response = await send(name, caller, published);
            expect(response.status, response.text).to.equal(verdict === 'yes' ? success.status : verdict);
          });
        }
      }
    });
  }

  it('of listings shows nobody what is not theirs', async () => {
    for (const name of ['listEnrollments', 'listOwnEnrollments', 'enrollmentStatistics', 'courseStatistics'] as const) {
      for (const caller of ['other trainer', 'other trainee'] as const) {
        if (expected(name, caller, true) !== 'yes') continue;
        const { body } = await send(name, caller, false);
        expect(body.stats?.total ?? body.pagination.totalItems, `${name}, ${caller}`).to.equal(0);
        await harness.context.database.models.User.destroy({ where: { role: 'trainee' } });
        await harness.context.database.models.Course.destroy({ where: {} });
      }
    }
  });
});

/** A cell of the table: where drafts differ, after a slash. */
function cell(name: keyof typeof contract, caller: CallerKind): string {
  const [published, draft] = [expected(name, caller, true), expected(name, caller, false)];
  return published === draft ? String(published) : `${published} / ${draft}`;
}

/** The table as Markdown. */
function table(): string {
  const rows = operations.map(([name, operation]) => [
    `\`${operation.method.toUpperCase()} ${operation.path}\``,
    ...callers.map((caller) => cell(name, caller)),
  ]);
  return [['Operation', ...callers], ['', ...callers].map(() => '---'), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}

describe('docs/AUTHORIZATION.md', () => {
  it('is the table that the contract gives', () => {
    const file = fileURLToPath(new URL('../../docs/AUTHORIZATION.md', import.meta.url));
    expect(readFileSync(file, 'utf8'), `The table should be:\n\n${table()}\n`).to.include(table());
  });
});
