import { expect } from 'chai';
import type { User } from '../../src/db/models/user.js';
import { buildUser, factoryPassword, signIn } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { ada, without } from './support/expectations.js';

/** Messages of the specification. */
const messages = {
  setupCompleted: 'System setup already completed.',
  emailTaken: 'User with this email already exists.',
  phoneTaken: 'User with this phone number already exists.',
  superAdminExists: 'Super Admin account already exists. Cannot create another one.',
  noMatch: 'Invalid credentials or account inactive.',
  wrongPassword: 'Invalid credentials.',
  noToken: 'Access denied. No token provided.',
  badToken: 'Invalid or expired token.',
};

/** A request of the specification with its refusal. */
interface Refused {
  request: readonly [method: 'get' | 'post' | 'put', path: string, body?: unknown];
  /** Caller; absent for a request without a token. */
  by?: Partial<User>;
  status: number;
  code: string;
  error: string;
}

const jsonHeader = { 'Content-Type': 'application/json' };
const passwords = (currentPassword: string) => ({ currentPassword, newPassword: 'another engine' });
const login = (identifier: string, password: string) => ['post', '/api/auth/login', { identifier, password }] as const;
const traineeLogin = [
  'post',
  '/api/auth/trainee-login',
  { identifier: 'root@x.org', password: factoryPassword },
] as const;
const register = (more: object) => ['post', '/api/auth/register', { ...ada, role: 'trainee', ...more }] as const;
const superAdmin = { role: 'super_admin' } as const;
const trainer = { role: 'trainer' } as const;
const initial = { requiresPasswordChange: true } as const;

/** One request for each kind of refusal in sections 4 and 7, and for kinds without an example in the specification. */
const cases: readonly Refused[] = [
  { request: ['post', '/api/auth/setup', {}], status: 400, code: 'SETUP_COMPLETED', error: messages.setupCompleted },
  { request: login('nobody@x.org', 'password'), status: 401, code: 'NO_MATCHING_ACCOUNT', error: messages.noMatch },
  { request: traineeLogin, status: 401, code: 'NO_MATCHING_ACCOUNT', error: messages.noMatch },
  { request: login('root@x.org', 'password'), status: 401, code: 'WRONG_PASSWORD', error: messages.wrongPassword },
  {
    request: register({ email: 'root@x.org' }),
    by: superAdmin,
    status: 400,
    code: 'EMAIL_TAKEN',
    error: messages.emailTaken,
  },
  {
    request: register(superAdmin),
    by: superAdmin,
    status: 400,
    code: 'SUPER_ADMIN_EXISTS',
    error: messages.superAdminExists,
  },
  {
    request: ['put', '/api/auth/change-password', passwords('not the password')],
    by: {},
    status: 400,
    code: 'CURRENT_PASSWORD_INCORRECT',
    error: 'Current password is incorrect.',
  },
  {
    request: ['put', '/api/auth/first-password-change', { newPassword: 'another engine' }],
    by: {},
    status: 400,
    code: 'PASSWORD_CHANGE_NOT_REQUIRED',
    error: 'Password change not required.',
  },
  {
    request: ['post', '/api/auth/check-enrollment', {}],
    by: trainer,
    status: 403,
    code: 'TRAINEE_REQUIRED',
    error: 'Only trainees can check enrollment.',
  },
  {
    request: register({}),
    by: trainer,
    status: 403,
    code: 'SUPER_ADMIN_REQUIRED',
    error: 'Access denied. Super admin role required.',
  },
  {
    request: ['get', '/api/courses/trainer/somebody'],
    by: {},
    status: 403,
    code: 'TRAINER_REQUIRED',
    error: 'Access denied. Trainer or Super admin role required.',
  },
  {
    request: ['get', '/api/enrollments/trainer/somebody'],
    by: trainer,
    status: 403,
    code: 'OTHER_TRAINER',
    error: "Access denied. Another trainer's data can't be read.",
  },
  { request: ['get', '/api/auth/me'], status: 401, code: 'TOKEN_MISSING', error: messages.noToken },
  { request: ['post', '/api/auth/login', '{'], status: 400, code: 'MALFORMED_JSON', error: 'Malformed JSON.' },
];

describe('A refusal of the specification', () => {
  const harness = useHarness();
  let root: Awaited<ReturnType<typeof signIn>>;
  beforeEach(async () => {
    root = await signIn(harness.context, { ...superAdmin, email: 'root@x.org' });
  });

  async function tokenOf(by: Partial<User> | undefined): Promise<string | undefined> {
    if (by === undefined) return undefined;
    return by === superAdmin ? root.token : (await signIn(harness.context, by)).token;
  }

  async function ask({ request: [method, path, body], by }: Pick<Refused, 'request' | 'by'>) {
    const call = harness.api(method, path, await tokenOf(by)).set(jsonHeader);
    return method === 'get' ? call : call.send(body as object);
  }

  for (const { status, code, error, ...asked } of cases)
    it(`contains only its message, and its code in the header: ${code}, ${asked.request[1]}`, async () => {
      const { status: answered, headers, text } = await ask(asked);
      const expected = [status, code, JSON.stringify({ error })];
      expect([answered, headers['error-code'], text]).to.deep.equal(expected);
    });

  it('of a taken phone has this message only at setup', async () => {
    await root.user.destroy();
    await buildUser(harness.context, { phone: ada.phone });
    const { headers, text } = await harness.api('post', '/api/auth/setup').send(ada).expect(400);
    expect([headers['error-code'], text]).to.deep.equal([
      'PHONE_TAKEN',
      JSON.stringify({ error: messages.phoneTaken }),
    ]);
  });

  it('of an initial password has its code also in the body', async () => {
    const { headers, text } = await ask({
      request: ['get', '/api/enrollments/trainer/x'],
      by: { ...trainer, ...initial },
    });
    const code = 'PASSWORD_CHANGE_REQUIRED';
    const body = JSON.stringify({ error: 'Password change required.', code });
    expect([headers['error-code'], text]).to.deep.equal([code, body]);
  });

  it('of invalid fields has entries with the specified keys, code and params', async () => {
    const weak = { newPassword: 'short' };
    for (const [request, by] of [
      [login('', ''), undefined],
      [['post', '/api/auth/trainee-login', {}], undefined],
      [register({ firstName: 'A', role: 'king', isActive: 'yes' }), superAdmin],
      [['put', '/api/auth/profile', { firstName: 'A' }], {}],
      [['put', '/api/auth/change-password', weak], {}],
      [['put', '/api/auth/first-password-change', weak], initial],
      [['get', '/api/courses/trainer/x?page=0'], superAdmin],
    ] as [Refused['request'], Refused['by']][]) {
      const { status, headers, body } = await ask({ request, ...(by && { by }) });
      expect([status, headers['error-code']], request[1]).to.deep.equal([400, 'VALIDATION']);
      expect(body, request[1]).to.have.all.keys('errors');
      for (const entry of (body as { errors: object[] }).errors)
        expect(Object.keys(entry), request[1]).to.deep.equal(['type', 'path', 'location', 'msg', 'code', 'params']);
    }
    await root.user.destroy();
    const { body } = await harness.api('post', '/api/auth/setup').send(without(ada, 'phone')).expect(400);
    const entry = { type: 'field', path: 'phone', location: 'body', msg: 'Phone is required.' };
    expect(body).to.deep.equal({ errors: [{ ...entry, code: 'REQUIRED', params: {} }] });
  });
});
