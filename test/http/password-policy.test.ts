import { expect } from 'chai';
import type { Response } from 'supertest';
import { buildUser, factoryPassword, signIn } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { ada, expectInvalid, messageOf, without } from './support/expectations.js';

const person = without(ada, 'password');

describe('The password policy', () => {
  const harness = useHarness({ PASSWORD_BLOCKLIST: 'on', PASSWORD_MIN_LENGTH: '8' });
  const common = /is one of the most common ones\. Choose another\.$/;
  const own = /must not be the account's own email, phone or name\.$/;
  const short = /must be at least 8 characters\.$/;

  /** All operations that set a password, for the same person. */
  const ways: Record<string, () => Promise<(password: string) => PromiseLike<Response>>> = {
    setup: async () => (password) => harness.api('post', '/api/auth/setup').send({ ...ada, password }),
    register: async () => {
      const { token } = await signIn(harness.context, { role: 'super_admin' });
      return (password) => harness.api('post', '/api/auth/register', token).send({ ...ada, role: 'trainee', password });
    },
    'change-password': async () => {
      const { token } = await signIn(harness.context, person);
      const current = { currentPassword: factoryPassword };
      return (newPassword) => harness.api('put', '/api/auth/change-password', token).send({ ...current, newPassword });
    },
    'first-password-change': async () => {
      const { token } = await signIn(harness.context, { ...person, requiresPasswordChange: true });
      return (newPassword) => harness.api('put', '/api/auth/first-password-change', token).send({ newPassword });
    },
  };

  for (const [way, prepare] of Object.entries(ways))
    it(`refuses short and common passwords and the account's own data on ${way}, and accepts others`, async () => {
      const set = await prepare();
      const owned = [ada.email, ada.email.toUpperCase(), 'AdaLovelace', 'ada lovelace', 'Lovelace', ada.phone];
      for (const [passwords, message] of [
        [['short77', '日本語日本語日'], short],
        [['password', 'PassWord', '12345678', 'baseball'], common],
        [owned, own],
      ] as const)
        for (const password of passwords) {
          const response = await set(password);
          expectInvalid(response, [way.includes('change') ? 'newPassword' : 'password']);
          expect(messageOf(response), password).to.match(message);
        }
      const response = await set('difference engine');
      expect(response.status, response.text).to.be.oneOf([200, 201]);
    });

  it("recognises the account's own data with accents and in other forms", async () => {
    const { token } = await signIn(harness.context, { role: 'super_admin' });
    const zoe = { ...ada, firstName: 'Zoë', email: 'zoë.ångström@exämple.org', role: 'trainee' };
    const forms = ['ZOË.ÅNGSTRÖM', 'zoe.angstrom', 'zoe\u0308.a\u030angstro\u0308m', 'zoelovelace'];
    for (const password of [zoe.email, ...forms]) {
      const response = await harness.api('post', '/api/auth/register', token).send({ ...zoe, password });
      expectInvalid(response, ['password']);
      expect(messageOf(response), password).to.match(own);
    }
  });

  it('accepts existing passwords at login', async () => {
    const { email } = await buildUser(harness.context, { password: '123456' });
    await harness.api('post', '/api/auth/login').send({ identifier: email, password: '123456' }).expect(200);
  });
});
