import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { Response } from 'supertest';
import { generatedPasswordCost, generatePassword } from '../../src/services/credentials/passwords.js';
import { buildUser, factoryPassword } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { ada, expectFailure, expectInvalid } from './support/expectations.js';

const credentials = { identifier: ada.email, password: factoryPassword };
const day = 86_400_000;

for (const path of ['/api/auth/login', '/api/auth/trainee-login'])
  describe(`POST ${path}`, () => {
    const harness = useHarness();
    const login = (body: object) => harness.api('post', path).send(body);
    const as = (identifier: string) => login({ ...credentials, identifier });
    const trainee = (given: object = {}) =>
      buildUser(harness.context, { email: ada.email, phone: ada.phone, ...given });

    it('returns a token that signs the user in, and the listed fields of the user', async () => {
      const user = await trainee({ firstName: 'Ada', lastName: 'Lovelace', requiresPasswordChange: true });
      await user.update({ avatar: '/uploads/ada.webp' });
      const { body } = await login(credentials).expect(200);
      expect(body).to.have.all.keys('token', 'user');
      const names = { id: user.id, firstName: 'Ada', lastName: 'Lovelace', email: ada.email, phone: ada.phone };
      const others = { role: 'trainee', avatar: '/uploads/ada.webp', requiresPasswordChange: true };
      expect(body.user).to.deep.equal({ ...names, ...others });
      const me = await harness.api('get', '/api/auth/me', body.token).expect(200);
      expect(me.body.user.id).to.equal(user.id);
    });

    it('matches an email or phone in every notation, but neither names nor parts', async () => {
      await trainee({ firstName: 'Ada' });
      const emails = ['ADA@Example.Org', '  ada@example.org\t', 'ａｄａ＠ｅｘａｍｐｌｅ．ｏｒｇ', '𝐀da@example.org'];
      const phones = [ada.phone, '+442079460001', ' +44 20 7946 0001 ', '+44.20.7946.0001'];
      for (const identifier of [...emails, ...phones]) expect((await as(identifier)).status, identifier).to.equal(200);
      const parts = ['Ada', 'ada@example', '442079460001', '%', 'ada%', '_da@example.org', 'nobody@example.org'];
      for (const identifier of [...parts, 'x'.repeat(5000), 'a\u0000b', '\ud800', "' OR 1=1 --"])
        expectFailure(await as(identifier), 'NO_MATCHING_ACCOUNT');
    });

    it('prefers the email of one account to the same text as the phone of another', async () => {
      const byEmail = await trainee({ password: 'password by email' });
      await buildUser(harness.context, { phone: ada.email, password: 'password by phone' });
      const { body } = await login({ identifier: ada.email, password: 'password by email' }).expect(200);
      expect(body.user.id).to.equal(byEmail.id);
      expectFailure(await login({ identifier: ada.email, password: 'password by phone' }), 'WRONG_PASSWORD');
    });

    it('refuses an inactive user like an unknown one, and a wrong password, without "invalid_token"', async () => {
      const user = await trainee({ isActive: false });
      for (const password of [factoryPassword, 'wrong password'])
        expectFailure(await login({ ...credentials, password }), 'NO_MATCHING_ACCOUNT');
      await user.update({ isActive: true });
      for (const password of ['wrong password', factoryPassword.toUpperCase(), `${factoryPassword} `]) {
        const refused = await login({ ...credentials, password });
        expectFailure(refused, 'WRONG_PASSWORD');
        expect(refused.headers['www-authenticate']).to.equal('Bearer');
      }
      expect((await user.reload()).lastLogin).to.equal(null);
    });

    it('sets lastLogin to the time of the login', async () => {
      await trainee();
      for (const ahead of [0, day]) {
        harness.advance(ahead);
        const earliest = Date.now() + ahead;
        const { body } = await login(credentials).expect(200);
        const { user } = (await harness.api('get', '/api/auth/me', body.token).expect(200)).body;
        expect(new Date(user.lastLogin).getTime()).to.be.within(earliest, Date.now() + ahead);
      }
    });

    it('requires an identifier, and a password of at least 6 characters', async () => {
      for (const identifier of [undefined, '', '   '])
        expectInvalid(await login({ ...credentials, identifier }), ['identifier']);
      for (const password of [undefined, '', '12345'])
        expectInvalid(await login({ ...credentials, password }), ['password']);
      expectInvalid(await login({}), ['identifier', 'password']);
    });

    it('accepts an initial password until it expires', async () => {
      await trainee({ requiresPasswordChange: true, initialPasswordExpiresAt: new Date(Date.now() + day) });
      await login(credentials).expect(200);
      harness.advance(day);
      expectFailure(await login(credentials), 'WRONG_PASSWORD');
    });

    it('accepts a generated password with blanks and capitals, until it is changed', async () => {
      const password = generatePassword();
      const passwordHash = await harness.context.hasher.hash(password, generatedPasswordCost);
      const user = await trainee({ passwordHash, requiresPasswordChange: true });
      const copies = [` ${password}`, `${password}\n`, password.toUpperCase(), password.replace('-', '- ')];
      for (const copy of copies) await login({ ...credentials, password: copy }).expect(200);
      expect((await user.reload()).passwordHash).to.equal(passwordHash);
      for (const wrong of [`${password}x`, password.replaceAll('-', ''), ` ${generatePassword()}`])
        expectFailure(await login({ ...credentials, password: wrong }), 'WRONG_PASSWORD');
      const { token } = (await login({ ...credentials, password }).expect(200)).body;
      const newPassword = password.toUpperCase();
      expectInvalid(await harness.api('put', '/api/auth/first-password-change', token).send({ newPassword }), [
        'newPassword',
      ]);
      await user.update({ requiresPasswordChange: false });
      await login({ ...credentials, password }).expect(200);
      for (const copy of copies) expectFailure(await login({ ...credentials, password: copy }), 'WRONG_PASSWORD');
    });

    it('accepts a chosen initial password only exactly as it was set', async () => {
      await trainee({ requiresPasswordChange: true });
      for (const password of [` ${factoryPassword}`, factoryPassword.toUpperCase()])
        expectFailure(await login({ ...credentials, password }), 'WRONG_PASSWORD');
    });
  });

describe('Logins of other roles', () => {
  const harness = useHarness();
  const login = (path: string, identifier = ada.email) =>
    harness.api('post', `/api/auth/${path}`).send({ ...credentials, identifier });

  it('are accepted by login, and refused by trainee-login like unknown accounts', async () => {
    for (const role of ['super_admin', 'trainer'] as const) {
      const user = await buildUser(harness.context, { role });
      expectFailure(await login('trainee-login', user.email), 'NO_MATCHING_ACCOUNT');
      expect((await user.reload()).lastLogin).to.equal(null);
      expect((await login('login', user.email).expect(200)).body.user.role).to.equal(role);
    }
  });

  it('are refused by trainee-login if the account becomes a trainer during the login', async () => {
    const user = await buildUser(harness.context);
    let response: Promise<Response> | undefined;
    await harness.context.database.inTransaction(async (transaction) => {
      await harness.context.database.models.User.update({ role: 'trainer' }, { where: { id: user.id }, transaction });
      response ??= (async () => login('trainee-login', user.email))();
      await sleep(300);
    });
    if (!response) throw new Error('No login succeeded.');
    expectFailure(await response, 'NO_MATCHING_ACCOUNT');
    expect(await harness.context.database.models.Session.count()).to.equal(0);
  });

  it("keep a trainee's phone from being matched where a trainer's email has the same text", async () => {
    await buildUser(harness.context, { email: ada.email, role: 'trainer' });
    await buildUser(harness.context, { phone: ada.email });
    expectFailure(await login('trainee-login'), 'NO_MATCHING_ACCOUNT');
  });
});
