import { expect } from 'chai';
import type { Response } from 'supertest';
import { buildUser, factoryPassword, signIn } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { ada, expectInvalid, messageOf } from './support/expectations.js';

describe('The policy for passwords', () => {
  const harness = useHarness({ PASSWORD_BLOCKLIST: 'on', PASSWORD_MIN_LENGTH: '8' });
  const common = /^(Password|New password) is one of the most common ones\. Choose another\.$/;
  const own = /^(Password|New password) must not be the account's own email, phone or name\.$/;
  const short = /^(Password|New password) must be at least 8 characters\.$/;

  /** Every way to set a password over HTTP, for the same person. */
  const ways: Record<string, (password: string) => Promise<Response>> = {
    setup: async (password) => harness.api('post', '/api/auth/setup').send({ ...ada, password }),
    register: async (password) => {
      const { token } = await signIn(harness.context, { role: 'super_admin' });
      return harness.api('post', '/api/auth/register', token).send({ ...ada, role: 'trainee', password });
    },
    'change-password': async (newPassword) => {
      const { password: _, ...person } = ada;
      const { token } = await signIn(harness.context, person);
      const body = { currentPassword: factoryPassword, newPassword };
      return harness.api('put', '/api/auth/change-password', token).send(body);
    },
    'first-password-change': async (newPassword) => {
      const { password: _, ...person } = ada;
      const { token } = await signIn(harness.context, { ...person, requiresPasswordChange: true });
      return harness.api('put', '/api/auth/first-password-change', token).send({ newPassword });
    },
  };

  for (const [way, set] of Object.entries(ways)) {
    const field = way.includes('change') ? 'newPassword' : 'password';
    const refused: readonly (readonly [string, RegExp])[] = [
      ...(['short77', '日本語日本語日'] as const).map((password) => [password, short] as const),
      ...(['password', 'PassWord', '12345678', 'baseball'] as const).map((password) => [password, common] as const),
      ...[ada.email, ada.email.toUpperCase(), 'AdaLovelace', 'ada lovelace', 'Lovelace', ada.phone].map(
        (password) => [password, own] as const,
      ),
    ];
    for (const [password, message] of refused) {
      it(`refuses "${password}" on ${way}`, async () => {
        const response = await await set(password);
        expectInvalid(response, [field]);
        expect(messageOf(response)).to.match(message);
      });
    }
    it(`takes another password on ${way}`, async () => {
      const response = await await set('difference engine');
      expect(response.status, response.text).to.be.oneOf([200, 201]);
    });
  }

  it("knows the account's own data with accents and in other forms", async () => {
    const { token } = await signIn(harness.context, { role: 'super_admin' });
    const person = { ...ada, firstName: 'Zoë', email: 'zoë.ångström@exämple.org', role: 'trainee' };
    for (const password of [
      'zoë.ångström@exämple.org',
      'ZOË.ÅNGSTRÖM',
      'zoe.angstrom',
      'zoe\u0308.a\u030angstro\u0308m',
      'zoelovelace',
    ]) {
      const response = await harness.api('post', '/api/auth/register', token).send({ ...person, password });
      expectInvalid(response, ['password']);
      expect(messageOf(response), password).to.match(own);
    }
  });

  it('takes what is in force already at login', async () => {
    const { email } = await buildUser(harness.context, { password: '123456' });
    await harness.api('post', '/api/auth/login').send({ identifier: email, password: '123456' }).expect(200);
  });
});
