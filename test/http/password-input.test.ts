import { expect } from 'chai';
import { factoryPassword, signIn } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { ada, expectFailure, expectInvalid } from './support/expectations.js';

/** Operations with passwords, their input and their callers. */
interface PasswordOperation {
  method: 'post' | 'put';
  path: string;
  caller?: Parameters<typeof signIn>[1];
  body: Record<string, string>;
  status: number;
}

const login = { identifier: ada.email, password: factoryPassword };
const newPassword = 'the new password';
const currentPassword = factoryPassword;
const operations: readonly PasswordOperation[] = [
  { method: 'post', path: 'setup', body: ada, status: 201 },
  { method: 'post', path: 'login', body: login, status: 401 },
  { method: 'post', path: 'trainee-login', body: login, status: 401 },
  { method: 'post', path: 'register', caller: { role: 'super_admin' }, body: { ...ada, role: 'trainee' }, status: 201 },
  { method: 'put', path: 'change-password', caller: {}, body: { currentPassword, newPassword }, status: 200 },
  {
    ...{ method: 'put', path: 'first-password-change', body: { newPassword }, status: 200 },
    caller: { requiresPasswordChange: true },
  },
];

describe('A password', () => {
  const harness = useHarness();

  for (const { method, path, caller, body, status } of operations)
    for (const field of Object.keys(body).filter((name) => /password/i.test(name))) {
      const isPresented = field === 'currentPassword' || path.endsWith('login');
      it(`as ${field} of ${path} is text of at least 6 characters, and ${isPresented ? 'otherwise only compared' : 'short enough to be hashed completely'}`, async () => {
        const token = caller && (await signIn(harness.context, caller)).token;
        const send = (value: unknown) =>
          harness.api(method, `/api/auth/${path}`, token).send({ ...body, [field]: value });
        for (const value of ['😀'.repeat(5), 987_654_321, ['987654321'], { length: 9 }, null]) {
          const response = await send(value);
          expectInvalid(response, [field]);
          expect(response.text).not.to.match(/987654321|😀/);
        }
        const damaged = ['secret\0and more', 'secret\ud800'];
        if (isPresented) {
          const code = field === 'currentPassword' ? 'CURRENT_PASSWORD_INCORRECT' : 'NO_MATCHING_ACCOUNT';
          for (const value of ['x'.repeat(73), '😀'.repeat(2000), 'x'.repeat(20_000), ...damaged])
            expectFailure(await send(value), code);
          return;
        }
        for (const value of ['😀'.repeat(1001), ...damaged]) expectInvalid(await send(value), [field]);
        expect((await send('k7_Qx!3#zP'.repeat(10))).status).to.equal(status);
      });
    }

  it('is compared completely and exactly as it was sent', async () => {
    let { token } = await signIn(harness.context, { email: ada.email });
    const logIn = (password: string) => harness.api('post', '/api/auth/login').send({ ...login, password });
    let current = factoryPassword;
    for (const [password, almost] of [
      ['😀😀😀😀😀😀', '😀😀😀😀😀😁'],
      ['x'.repeat(72), `${'x'.repeat(71)}y`],
      ['x'.repeat(73), `${'x'.repeat(72)}y`],
      ['😀'.repeat(1000), `${'😀'.repeat(999)}😁`],
      ['  spaced  ', 'spaced'],
      ['      ', '       '],
      ['caf\u00e9-caf\u00e9', 'cafe\u0301-cafe\u0301'],
    ] as const) {
      const change = harness.api('put', '/api/auth/change-password', token);
      await change.send({ currentPassword: current, newPassword: password }).expect(200);
      expectFailure(await logIn(almost), 'WRONG_PASSWORD');
      ({ token } = (await logIn(password).expect(200)).body);
      current = password;
    }
  });
});
