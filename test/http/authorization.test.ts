import { expect } from 'chai';
import { isAppError } from '../../src/errors.js';
import { statusOf } from '../../src/http/api/failures.js';
import type { Operation } from '../../src/http/api/operation.js';
import { failure } from '../../src/http/api/response-schemas.js';
import { assertAuthorized } from '../../src/http/routing/caller.js';
import { type Role, roles } from '../../src/schemas/fields.js';
import type { Access } from '../../src/services/auth/permissions.js';
import type { Caller } from '../../src/services/core.js';
import { expectDerived } from '../support/derived.js';
import { buildUser, signIn, tokenFor } from '../support/factories.js';
import { emptyDatabase, useHarness } from '../support/harness.js';
import { admittedRoles, type Example, examples, operations, ownPage, pathOf, sendExample } from './support/examples.js';
import { expectFailure } from './support/expectations.js';

const titleOf = ({ method, path }: Operation) => `${method.toUpperCase()} ${path}`;
const isOpen = ({ access }: Operation) => access.kind === 'public' || access.kind === 'optional';

/** Columns of docs/AUTHORIZATION.md with a role. */
const people = {
  'super admin': { role: 'super_admin', own: false },
  'own trainer': { role: 'trainer', own: true },
  'other trainer': { role: 'trainer', own: false },
  'own trainee': { role: 'trainee', own: true },
  'other trainee': { role: 'trainee', own: false },
} as const;

/** Returns the refusal by the access rule, before the service reads the subject of the request. */
function refusal(operation: Operation, role: Role, own: boolean, requiresPasswordChange = false): number | undefined {
  const caller = { user: { id: 'own', role, requiresPasswordChange } } as Caller;
  try {
    assertAuthorized(operation, caller, { trainerId: own ? 'own' : 'other' });
    return undefined;
  } catch (error) {
    if (isAppError(error)) return statusOf(error.code);
    throw error;
  }
}

/** Returns the refusal for courses or enrollments of others. "Ownership" below tests the same over HTTP. */
function refusalOfOthers(access: Access, role: Role, isPublished: boolean): 403 | 404 | undefined {
  if (access.kind !== 'owner' || role === 'super_admin' || (access.open && isPublished)) return undefined;
  // The existence of enrollments and unpublished courses is secret.
  return access.of === 'course' && isPublished ? 403 : 404;
}

/** Returns a cell of the table. If drafts differ, their response follows after a slash. */
function cell(operation: Operation, { role, own }: { role: Role; own: boolean }): string {
  const responses = [true, false].map(
    (isPublished) =>
      refusal(operation, role, own) ??
      (own ? undefined : refusalOfOthers(operation.access, role, isPublished)) ??
      'yes',
  );
  return [...new Set(responses)].join(' / ');
}

/** Returns the responses to all callers, in the order of the columns. */
function row(operation: Operation): string {
  const withInitial = refusal(operation, admittedRoles(operation.access)[0] ?? 'trainee', true, true);
  const isPublic = operation.access.kind === 'public';
  const cells = [
    isOpen(operation) ? 'yes' : '401',
    ...Object.values(people).map((person) => (isPublic ? 'yes' : cell(operation, person))),
    isPublic ? 'yes' : '401',
    isPublic ? 'yes' : (withInitial ?? 'yes'),
  ];
  return cells.join(' | ');
}

/** Returns one row for all operations with the same responses. */
function table(): string {
  const callers = ['anonymous', ...Object.keys(people), 'inactive account', 'initial password'];
  const titles = new Map<string, string[]>();
  for (const [, operation] of operations) {
    const responses = row(operation);
    titles.set(responses, [...(titles.get(responses) ?? []), `\`${titleOf(operation)}\``]);
  }
  const rows = [
    ['Operations', ...callers].join(' | '),
    ['', ...callers].map(() => '---').join(' | '),
    ...[...titles].map(([responses, group]) => `${group.join('<br>')} | ${responses}`),
  ];
  return rows.map((cells) => `| ${cells} |\n`).join('');
}

describe('The access rules', () => {
  it('derives the table in docs/AUTHORIZATION.md', () => {
    expectDerived('docs/AUTHORIZATION.md', table(), /^\| Operations \|.*\n(\|.*\n)+/m);
  });
});

/** Access rules are checked before the input, so these requests don't need an existing subject. */
describe('Every operation over HTTP', () => {
  const harness = useHarness();
  const guarded = operations.flatMap(([, operation]) => (isOpen(operation) ? [] : [operation]));

  /** Returns the responses to a caller whose requests are also invalid in all other ways. */
  async function* responses(which: readonly Operation[], token?: string) {
    for (const operation of which) {
      const { method, path } = operation;
      const response = await harness.api(method, pathOf(path, {}), token).send({ surplus: true });
      yield { title: titleOf(operation), response };
    }
  }

  it('is refused with 401 without a token, unless it is public', async () => {
    for await (const { title, response } of responses(guarded)) {
      expect(response.headers['www-authenticate'], title).to.equal('Bearer');
      expectFailure(response, 'TOKEN_MISSING');
    }
  });

  for (const role of roles)
    it(`is refused with 403 to a ${role} if the contract permits only other roles or another trainer`, async () => {
      const { token } = await signIn(harness.context, { role });
      const refused = guarded.filter((operation) => refusal(operation, role, false) === 403);
      for await (const { title, response } of responses(refused, token)) {
        expect(response.status, title).to.equal(403);
        expect(failure.validate(response.body).error, title).to.equal(undefined);
      }
    });

  it('is refused with 403 to an account that must change its password first, except below /api/auth', async () => {
    const refused = guarded.filter(({ allowsInitialPassword }) => !allowsInitialPassword);
    const { token } = await signIn(harness.context, { role: 'super_admin', requiresPasswordChange: true });
    for await (const { title, response } of responses(refused, token)) {
      expect(response.status, title).to.equal(403);
      expect(response.body).to.deep.equal({ error: 'Password change required.', code: 'PASSWORD_CHANGE_REQUIRED' });
    }
  });

  it('is refused with 403 to other pages and programs if only pages of the service may call it', async () => {
    for (const [, { method, path, ownPagesOnly }] of operations) {
      const others = [{}, { ...ownPage, 'Sec-Fetch-Site': 'same-site' }, { 'Sec-Fetch-Site': 'same-origin' }];
      for (const headers of ownPagesOnly ? others : []) {
        const response = await harness.api(method, path).set(headers).send('{').type('json');
        expectFailure(response, 'OTHER_ORIGIN');
        expect(response.headers).not.to.have.property('set-cookie');
      }
    }
  });
});

/** A read-only operation for each kind of access. */
const kinds = ['setupStatus', 'listCourses', 'me', 'listUsers', 'listOwnEnrollments', 'listTrainerCourses'] as const;

describe('Access over HTTP', () => {
  const harness = useHarness();

  for (const [name, operation] of operations.filter(([each]) => kinds.some((kind) => kind === each)))
    it(`of ${titleOf(operation)}: ${operation.access.kind}`, async () => {
      const given: Example = await examples[name](harness.context);
      const { User } = harness.context.database.models;
      const trainer = await User.findOne({ where: { role: 'trainer' } });
      const statusFor = async (token?: string) =>
        (await harness.api(operation.method, pathOf(operation.path, given), token)).status;
      for (const [title, { role, own }] of Object.entries(people)) {
        const admin = await User.findOne({ where: { role: 'super_admin' } });
        const existing = role === 'super_admin' ? admin : own && role === 'trainer' ? trainer : undefined;
        const user = existing ?? (await buildUser(harness.context, { role }));
        const expected = operation.access.kind === 'public' ? 200 : (refusal(operation, role, own) ?? 200);
        expect(await statusFor(await tokenFor(harness.context, user)), title).to.equal(expected);
      }
      expect(await statusFor(), 'anonymous').to.equal(isOpen(operation) ? 200 : 401);
      expect(await statusFor('not-a-token'), 'a bad token').to.equal(operation.access.kind === 'public' ? 200 : 401);
    });

  it('of accounts with an initial password is possible below /api/auth', async () => {
    for (const [name, operation] of operations.filter(([, { allowsInitialPassword }]) => allowsInitialPassword)) {
      await emptyDatabase(harness.context);
      const given: Example = await examples[name](harness.context);
      await harness.context.database.models.User.update({ requiresPasswordChange: true }, { where: {} });
      const { status } = await sendExample(harness, operation, given);
      expect(status, titleOf(operation)).to.equal(operation.success.status);
    }
  });

  it('to listings is limited to the rows of the caller', async () => {
    for (const name of [
      'listImports',
      'listEnrollments',
      'listOwnEnrollments',
      'enrollmentStatistics',
      'courseStatistics',
    ] as const) {
      await emptyDatabase(harness.context);
      const [, operation] = operations.find(([each]) => each === name) ?? [];
      if (!operation) throw new Error(`There is no ${name}.`);
      const given: Example = await examples[name](harness.context);
      for (const role of ['trainer', 'trainee'] as const) {
        if (refusal(operation, role, false)) continue;
        const { token } = await signIn(harness.context, { role });
        const { body } = await sendExample(harness, operation, given, token).expect(200);
        expect(body.stats?.total ?? body.pagination.totalItems, `${name} as another ${role}`).to.equal(0);
      }
    }
  });
});

/** Each service function checks ownership itself, so all operations on courses and enrollments are tested. */
describe('Ownership', () => {
  const harness = useHarness();

  for (const [name, operation] of operations) {
    const { access, success } = operation;
    if (access.kind !== 'owner') continue;
    it(`is required for ${titleOf(operation)}`, async () => {
      const given: Example = await examples[name](harness.context);
      const { Course, Enrollment } = harness.context.database.models;
      const others = (['trainer', 'trainee'] as const).filter((role) => access.roles.includes(role));
      for (const isPublished of access.of === 'course' ? [true, false] : [true]) {
        await Course.update({ isPublished }, { where: {} });
        for (const role of others) {
          const { token } = await signIn(harness.context, { role });
          const { status } = await sendExample(harness, operation, given, token);
          const expected = refusalOfOthers(access, role, isPublished) ?? success.status;
          expect(status, `another ${role}, ${isPublished ? 'published' : 'draft'}`).to.equal(expected);
        }
      }
      if (!access.roles.includes('trainee')) return;
      const enrollment = await Enrollment.findOne({ rejectOnEmpty: true });
      const trainee = await harness.context.database.models.User.findByPk(enrollment.userId, { rejectOnEmpty: true });
      const own = name === 'changeStatus' ? { ...given, body: { status: 'cancelled' } } : given;
      const { status } = await sendExample(harness, operation, own, await tokenFor(harness.context, trainee));
      expect(status, 'their own trainee').to.equal(success.status);
    });
  }

  it('is not required of the super admin', async () => {
    for (const [name, operation] of operations.filter(([, { access }]) => access.kind === 'owner')) {
      await emptyDatabase(harness.context);
      const given: Example = await examples[name](harness.context);
      // Imports of the examples are the super admin's.
      const admin = await harness.context.database.models.User.findOne({ where: { role: 'super_admin' } });
      const user = admin ?? (await buildUser(harness.context, { role: 'super_admin' }));
      const { status } = await sendExample(harness, operation, given, await tokenFor(harness.context, user));
      expect(status, titleOf(operation)).to.equal(operation.success.status);
    }
  });
});
