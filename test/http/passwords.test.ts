import { expect } from 'chai';
import { signIn, tokenFor } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { ada, expectFailure, expectInvalid, without } from './support/expectations.js';

const oldPassword = 'the old password';
const newPassword = 'the new password';
const person = { ...without(ada, 'password'), password: oldPassword };
const imported = { ...person, requiresPasswordChange: true };
const wrong = { currentPassword: 'a wrong password', newPassword };

describe('Passwords', () => {
  const harness = useHarness();
  const change = (token: string, body: object = { currentPassword: oldPassword, newPassword }) =>
    harness.api('put', '/api/auth/change-password', token).send(body);
  const changeFirst = (token: string, body: object = { newPassword }) =>
    harness.api('put', '/api/auth/first-password-change', token).send(body);
  const login = (password: string) => harness.api('post', '/api/auth/login').send({ identifier: ada.email, password });
  const me = (token: string) => harness.api('get', '/api/auth/me', token);

  it('are replaced by change-password, which returns only the message', async () => {
    const { token } = await signIn(harness.context, person);
    expectFailure(await change(token, wrong), 'CURRENT_PASSWORD_INCORRECT');
    const { body } = await change(token).expect(200);
    expect(body).to.deep.equal({ message: 'Password changed successfully.' });
    await login(newPassword).expect(200);
    expectFailure(await login(oldPassword), 'WRONG_PASSWORD');
  });

  it('are validated first: the current and the new one need at least 6 characters, and each invalid field is named', async () => {
    const { token } = await signIn(harness.context, person);
    const both = ['currentPassword', 'newPassword'];
    expectInvalid(await change(token, {}), both);
    expectInvalid(await change(token, { currentPassword: '12345', newPassword: '12345' }), both);
    expectInvalid(await change(token, { ...wrong, newPassword: '12345' }), ['newPassword']);
    for (const body of [{}, { newPassword: '' }, { newPassword: '12345' }])
      expectInvalid(await changeFirst(token, body), ['newPassword']);
    expectFailure(await changeFirst(token), 'PASSWORD_CHANGE_NOT_REQUIRED');
    await login(oldPassword).expect(200);
  });

  it('are replaced by first-password-change only once, which returns the message and the listed fields of the user', async () => {
    const { user, token } = await signIn(harness.context, imported);
    const { body } = await changeFirst(token).expect(200);
    expect(body).to.deep.equal({
      message: 'Password changed successfully.',
      user: { id: user.id, ...without(ada, 'password'), role: 'trainee', avatar: null, requiresPasswordChange: false },
    });
    expectFailure(await changeFirst(token, { newPassword: 'yet another one' }), 'PASSWORD_CHANGE_NOT_REQUIRED');
    await login(newPassword).expect(200);
    expectFailure(await login(oldPassword), 'WRONG_PASSWORD');
  });

  for (const [name, set] of Object.entries({ 'change-password': change, 'first-password-change': changeFirst })) {
    it(`end the account's other sessions after a successful ${name}; all other sessions stay`, async () => {
      const { user, token } = await signIn(harness.context, imported);
      const [other, stranger] = [await tokenFor(harness.context, user), await signIn(harness.context)];
      expect((await set(token, { ...wrong, newPassword: oldPassword })).status).to.equal(400);
      await me(other).expect(200);
      await set(token).expect(200);
      expectFailure(await me(other), 'TOKEN_INVALID');
      for (const kept of [token, stranger.token]) await me(kept).expect(200);
    });

    it(`are no longer initial after ${name}: they don't expire, and all operations are allowed`, async () => {
      const initialPasswordExpiresAt = new Date(Date.now() + 60_000);
      const given = { ...imported, role: 'trainer', initialPasswordExpiresAt } as const;
      const { user, token } = await signIn(harness.context, given);
      const courses = `/api/courses/trainer/${user.id}`;
      const refused = await harness.api('get', courses, token).expect(403);
      expect(refused.body).to.deep.equal({ error: 'Password change required.', code: 'PASSWORD_CHANGE_REQUIRED' });
      // The initial password itself is not a new password.
      const same = await set(token, { currentPassword: oldPassword, newPassword: oldPassword });
      expectInvalid(same, ['newPassword']);
      expect(same.text).not.to.include(oldPassword);
      await set(token).expect(200);
      await harness.api('get', courses, token).expect(200);
      harness.advance(120_000);
      expect((await login(newPassword).expect(200)).body.user.requiresPasswordChange).to.equal(false);
    });
  }
});
