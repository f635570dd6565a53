import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { Response } from 'supertest';
import { buildUser, factoryPassword } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { ada, expectFailure, expectInvalid, messages } from './support/expectations.js';

const userKeys = ['id', 'firstName', 'lastName', 'email', 'phone', 'role', 'avatar', 'requiresPasswordChange'];
const credentials = { identifier: ada.email, password: factoryPassword };
const day = 86_400_000;

for (const path of ['/api/auth/login', '/api/auth/trainee-login']) {
  describe(`POST ${path}`, () => {
    const harness = useHarness();
    const login = (body: object) => harness.api('post', path).send(body);
    const trainee = (given: object = {}) =>
      buildUser(harness.context, { email: ada.email, phone: ada.phone, ...given });

    it('answers with a token and the listed fields of the user', async () => {
      const user = await trainee({ firstName: 'Ada', lastName: 'Lovelace' });
      const { body } = await login(credentials).expect(200);
      expect(body).to.have.all.keys('token', 'user');
      expect(body.user).to.deep.equal({
        id: user.id,
        firstName: 'Ada',
        lastName: 'Lovelace',
        email: ada.email,
        phone: ada.phone,
        role: 'trainee',
        avatar: null,
        requiresPasswordChange: false,
      });
    });

    it('gives a token that signs the user in', async () => {
      const user = await trainee();
      const { body } = await login(credentials).expect(200);
      const me = await harness.api('get', '/api/auth/me', body.token).expect(200);
      expect(me.body.user.id).to.equal(user.id);
    });

    it('matches the email in any case, with spaces around it and in compatibility forms', async () => {
      await trainee();
      for (const identifier of [
        'ADA@Example.Org',
        '  ada@example.org\t',
        'ａｄａ＠ｅｘａｍｐｌｅ．ｏｒｇ',
        '𝐀da@example.org',
      ]) {
        await login({ ...credentials, identifier }).expect(200);
      }
    });

    it('matches the phone with other separators', async () => {
      await trainee();
      for (const identifier of [
        ada.phone,
        '+442079460001',
        ' +44 20 7946 0001 ',
        '+44.20.7946.0001',
        '+44-20-7946-0001',
      ]) {
        await login({ ...credentials, identifier }).expect(200);
      }
    });

    it('matches neither names nor parts of an email or phone', async () => {
      await trainee({ firstName: 'Ada' });
      for (const identifier of ['Ada', 'ada', 'ada@example', '442079460001', '%', 'ada%', '_da@example.org']) {
        expectFailure(await login({ ...credentials, identifier }), 401, messages.noMatch);
      }
    });

    it('prefers the email of one account to the same text as the phone of another', async () => {
      const byEmail = await trainee({ password: 'password by email' });
      await buildUser(harness.context, { phone: ada.email, password: 'password by phone' });
      const { body } = await login({ identifier: ada.email, password: 'password by email' }).expect(200);
      expect(body.user.id).to.equal(byEmail.id);
      expectFailure(await login({ identifier: ada.email, password: 'password by phone' }), 401, messages.wrongPassword);
    });

    it('refuses an identifier that no user has', async () => {
      await trainee();
      expectFailure(await login({ ...credentials, identifier: 'nobody@example.org' }), 401, messages.noMatch);
    });

    it('looks up any identifier that is not empty, whatever its characters', async () => {
      for (const identifier of ['x'.repeat(5000), 'a\u0000b', '\ud800', "' OR 1=1 --"]) {
        expectFailure(await login({ identifier, password: factoryPassword }), 401, messages.noMatch);
      }
    });

    it('challenges the client, without calling a token invalid', async () => {
      const { headers } = await login(credentials).expect(401);
      expect(headers['www-authenticate']).to.equal('Bearer');
    });

    it('refuses an inactive user, whether the password is right or wrong', async () => {
      await trainee({ isActive: false });
      expectFailure(await login(credentials), 401, messages.noMatch);
      expectFailure(await login({ ...credentials, password: 'wrong password' }), 401, messages.noMatch);
    });

    it('refuses a wrong password', async () => {
      await trainee();
      for (const password of ['wrong password', factoryPassword.toUpperCase(), `${factoryPassword} `]) {
        expectFailure(await login({ ...credentials, password }), 401, messages.wrongPassword);
      }
    });

    it('sets lastLogin to the time of the login', async () => {
      await trainee();
      const earliest = Date.now();
      const { body } = await login(credentials).expect(200);
      const me = await harness.api('get', '/api/auth/me', body.token).expect(200);
      expect(new Date(me.body.user.lastLogin).getTime()).to.be.within(earliest, Date.now());
      harness.advance(day);
      await login(credentials).expect(200);
      const later = await harness.api('get', '/api/auth/me', body.token).expect(200);
      expect(new Date(later.body.user.lastLogin).getTime()).to.be.within(earliest + day, Date.now() + day);
    });

    it('leaves lastLogin alone when it refuses', async () => {
      const user = await trainee();
      await login({ ...credentials, password: 'wrong password' }).expect(401);
      expect((await user.reload()).lastLogin).to.equal(null);
    });

    it('requires an identifier that is not empty', async () => {
      for (const identifier of [undefined, '', '   ']) {
        expectInvalid(await login({ identifier, password: factoryPassword }), ['identifier']);
      }
    });

    it('requires a password of at least 6 characters', async () => {
      for (const password of [undefined, '', '12345']) {
        expectInvalid(await login({ identifier: ada.email, password }), ['password']);
      }
    });

    it('names every invalid field', async () => {
      expectInvalid(await login({}), ['identifier', 'password']);
    });

    it('tells the client that the password must be changed', async () => {
      await trainee({ requiresPasswordChange: true });
      const { body } = await login(credentials).expect(200);
      expect(body.user.requiresPasswordChange).to.equal(true);
    });

    it('shows the avatar', async () => {
      const user = await trainee();
      await user.update({ avatar: '/uploads/ada.webp' });
      const { body } = await login(credentials).expect(200);
      expect(body.user).to.have.all.keys(userKeys).and.to.include({ avatar: '/uploads/ada.webp' });
    });

    it('takes an initial password until it expires, and not after', async () => {
      await trainee({ requiresPasswordChange: true, initialPasswordExpiresAt: new Date(Date.now() + day) });
      await login(credentials).expect(200);
      harness.advance(day);
      expectFailure(await login(credentials), 401, messages.wrongPassword);
    });
  });
}

describe('POST /api/auth/login, every role', () => {
  const harness = useHarness();

  for (const role of ['super_admin', 'trainer', 'trainee'] as const) {
    it(`signs in a ${role}`, async () => {
      await buildUser(harness.context, { email: ada.email, role });
      const { body } = await harness.api('post', '/api/auth/login').send(credentials).expect(200);
      expect(body.user.role).to.equal(role);
    });
  }
});

describe('POST /api/auth/trainee-login, other roles', () => {
  const harness = useHarness();
  const login = (body: object) => harness.api('post', '/api/auth/trainee-login').send(body);

  for (const role of ['super_admin', 'trainer'] as const) {
    it(`refuses a ${role} as if there were no such account`, async () => {
      const user = await buildUser(harness.context, { email: ada.email, role });
      expectFailure(await login(credentials), 401, messages.noMatch);
      expectFailure(await login({ ...credentials, password: 'wrong password' }), 401, messages.noMatch);
      expect((await user.reload()).lastLogin).to.equal(null);
    });
  }

  it('refuses an account that becomes a trainer while its password is compared', async () => {
    const user = await buildUser(harness.context);
    let answer: Promise<Response> | undefined;
    await harness.context.database.inTransaction(async (transaction) => {
      await harness.context.database.models.User.update({ role: 'trainer' }, { where: { id: user.id }, transaction });
      answer ??= (async () => login({ ...credentials, identifier: user.email }))();
      await sleep(300);
    });
    if (!answer) throw new Error('No login succeeded.');
    expectFailure(await answer, 401, messages.noMatch);
    expect(await harness.context.database.models.Session.count()).to.equal(0);
  });

  it("matches no trainee's phone where a trainer's email has the same text", async () => {
    await buildUser(harness.context, { email: ada.email, role: 'trainer' });
    await buildUser(harness.context, { phone: ada.email });
    expectFailure(await login(credentials), 401, messages.noMatch);
  });
});
