import { expect } from 'chai';
import { factoryPassword, signIn } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { ada, expectFailure, expectInvalid, messages } from './support/expectations.js';

/** Operations with text to check: what they take, and which accounts call them. */
interface TextOperation {
  method: 'post' | 'put';
  path: string;
  caller?: Parameters<typeof signIn>[1];
  body: Record<string, string>;
  status: number;
  /** Empty fields are left unchanged rather than refused. */
  optional?: true;
}

const operations: readonly TextOperation[] = [
  { method: 'post', path: 'setup', body: ada, status: 201 },
  { method: 'post', path: 'login', body: { identifier: ada.email, password: factoryPassword }, status: 401 },
  { method: 'post', path: 'trainee-login', body: { identifier: ada.email, password: factoryPassword }, status: 401 },
  { method: 'post', path: 'register', caller: { role: 'super_admin' }, body: { ...ada, role: 'trainee' }, status: 201 },
  {
    method: 'put',
    path: 'profile',
    caller: {},
    body: { firstName: 'Grace', lastName: 'Hopper' },
    status: 200,
    optional: true,
  },
  {
    method: 'put',
    path: 'change-password',
    caller: {},
    body: { currentPassword: factoryPassword, newPassword: 'the new password' },
    status: 200,
  },
  {
    method: 'put',
    path: 'first-password-change',
    caller: { requiresPasswordChange: true },
    body: { newPassword: 'the new password' },
    status: 200,
  },
];

const canary = 987_654_321;
/** Everything that JSON has and that is no string; each holds the canary where it can hold anything. */
const noStrings = [
  canary,
  canary / 7,
  true,
  false,
  [String(canary)],
  [],
  { value: canary },
  {},
  { length: 9 },
  [[canary]],
];

for (const { method, path, caller, body, status, optional } of operations) {
  describe(`Input of ${method.toUpperCase()} /api/auth/${path}`, () => {
    const harness = useHarness();
    let token: string | undefined;
    beforeEach(async () => {
      token = caller && (await signIn(harness.context, caller)).token;
    });
    const send = (input: object) => harness.api(method, `/api/auth/${path}`, token).send(input);

    it('is taken when all is well', async () => {
      await send(body).expect(status);
    });

    for (const field of Object.keys(body)) {
      it(`has text as ${field}: nothing else is taken, read as text or repeated`, async () => {
        for (const value of optional ? noStrings : [...noStrings, null]) {
          const response = await send({ ...body, [field]: value });
          expectInvalid(response, [field]);
          expect(response.text).not.to.include(String(canary));
        }
      });
    }

    it('is an object: an array is refused as a whole', async () => {
      for (const array of [[], [body], ['firstName', String(canary)]]) {
        const response = await send(array);
        expectInvalid(response, ['']);
        expect(response.text).not.to.include(String(canary));
      }
    });
  });
}

/** Where a password is set or compared. */
const passwordFields = operations.flatMap((operation) =>
  Object.keys(operation.body)
    .filter((field) => /password/i.test(field))
    .map((field) => ({ ...operation, field })),
);

for (const { method, path, caller, body, status, field } of passwordFields) {
  describe(`${field} of ${method.toUpperCase()} /api/auth/${path}`, () => {
    const harness = useHarness();
    let token: string | undefined;
    beforeEach(async () => {
      token = caller && (await signIn(harness.context, caller)).token;
    });
    const send = (value: string) => harness.api(method, `/api/auth/${path}`, token).send({ ...body, [field]: value });

    it('has at least 6 characters, counted as people do', async () => {
      expectInvalid(await send('😀'.repeat(5)), [field]);
    });

    const isPresented = field === 'currentPassword' || path.endsWith('login');

    if (isPresented)
      it('is measured and not judged: what no password can be is a wrong one', async () => {
        const wrong: [number, string] =
          field === 'currentPassword' ? [400, 'Current password is incorrect.'] : [401, messages.noMatch];
        for (const value of ['x'.repeat(73), '😀'.repeat(2000), 'x'.repeat(20_000), 'secret\0and more', 'secret\ud800'])
          expectFailure(await send(value), ...wrong);
      });
    else {
      it('has at most 1,000 characters, counted as people do', async () => {
        const response = await send('😀'.repeat(1001));
        expectInvalid(response, [field]);
        expect(response.text).not.to.include('😀');
      });

      it('has no character that a hash would end at, and no half of one', async () => {
        for (const value of ['secret\0and more', 'secret\ud800']) expectInvalid(await send(value), [field]);
      });

      it('may have 100 generated characters', async () => {
        expect((await send('k7_Qx!3#zP'.repeat(10))).status).to.equal(status);
      });
    }
  });
}

describe('A password', () => {
  const harness = useHarness();
  let token: string;
  beforeEach(async () => {
    ({ token } = await signIn(harness.context, { email: ada.email }));
  });
  const change = (currentPassword: string, newPassword: string) =>
    harness.api('put', '/api/auth/change-password', token).send({ currentPassword, newPassword });
  const login = (password: string) => harness.api('post', '/api/auth/login').send({ identifier: ada.email, password });

  for (const [what, password, almost] of [
    ['six emoji', '😀😀😀😀😀😀', '😀😀😀😀😀😁'],
    ['72 bytes, of which the last counts', 'x'.repeat(72), `${'x'.repeat(71)}y`],
    ['73 bytes, of which the last counts', 'x'.repeat(73), `${'x'.repeat(72)}y`],
    ['1,000 emoji, of which the last counts', '😀'.repeat(1000), `${'😀'.repeat(999)}😁`],
    ['36 letters of two bytes', 'é'.repeat(36), 'e'.repeat(36)],
    ['spaces around it', '  spaced  ', 'spaced'],
    ['nothing but spaces', '      ', '       '],
  ] as const) {
    it(`may be ${what}`, async () => {
      await change(factoryPassword, password).expect(200);
      await login(password).expect(200);
      expect((await login(almost)).status).to.be.oneOf([400, 401]);
    });
  }

  it('is compared as sent: an accent written another way is another password', async () => {
    await change(factoryPassword, 'caf\u00e9-caf\u00e9').expect(200);
    expectFailure(await login('cafe\u0301-cafe\u0301'), 401, messages.wrongPassword);
  });
});
