import { expect } from 'chai';
import { login as logIn } from '../../src/services/auth/login.js';
import { failureOf } from '../db/support/failure.js';
import { buildUser, signIn, tokenFor } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { ada, expectFailure, expectInvalid, messages, without } from './support/expectations.js';

const oldPassword = 'the old password';
const newPassword = 'the new password';
const person = { ...without(ada, 'password'), password: oldPassword };

describe('PUT /api/auth/change-password', () => {
  const harness = useHarness();
  const change = (token: string, body: object = { currentPassword: oldPassword, newPassword }) =>
    harness.api('put', '/api/auth/change-password', token).send(body);
  const login = (password: string) => harness.api('post', '/api/auth/login').send({ identifier: ada.email, password });

  it('replaces the password and answers with the message alone', async () => {
    const { token } = await signIn(harness.context, person);
    const { body } = await change(token).expect(200);
    expect(body).to.deep.equal({ message: 'Password changed successfully.' });
    await login(newPassword).expect(200);
    expectFailure(await login(oldPassword), 401, messages.wrongPassword);
  });

  it('refuses a wrong current password', async () => {
    const { token } = await signIn(harness.context, person);
    const response = await change(token, { currentPassword: 'a wrong password', newPassword });
    expectFailure(response, 400, 'Current password is incorrect.');
    await login(oldPassword).expect(200);
  });

  it('requires both passwords with at least 6 characters, and names every invalid field', async () => {
    const { token } = await signIn(harness.context, person);
    expectInvalid(await change(token, {}), ['currentPassword', 'newPassword']);
    expectInvalid(await change(token, { currentPassword: '12345', newPassword: '12345' }), [
      'currentPassword',
      'newPassword',
    ]);
    expectInvalid(await change(token, { currentPassword: oldPassword, newPassword: '' }), ['newPassword']);
    expectInvalid(await change(token, { newPassword }), ['currentPassword']);
  });

  it('validates before it compares the current password', async () => {
    const { token } = await signIn(harness.context, person);
    expectInvalid(await change(token, { currentPassword: 'a wrong password', newPassword: '12345' }), ['newPassword']);
  });

  it("ends the account's other sessions; the caller's own stays", async () => {
    const { user, token } = await signIn(harness.context, person);
    const others = [await tokenFor(harness.context, user), await tokenFor(harness.context, user)];
    await change(token).expect(200);
    await harness.api('get', '/api/auth/me', token).expect(200);
    for (const other of others) expectFailure(await harness.api('get', '/api/auth/me', other), 401, messages.badToken);
  });

  it("leaves other accounts' sessions alone", async () => {
    const { token } = await signIn(harness.context, person);
    const other = await signIn(harness.context);
    await change(token).expect(200);
    await harness.api('get', '/api/auth/me', other.token).expect(200);
  });

  it('ends no session when it refuses', async () => {
    const { user, token } = await signIn(harness.context, person);
    const other = await tokenFor(harness.context, user);
    await change(token, { currentPassword: 'a wrong password', newPassword }).expect(400);
    await harness.api('get', '/api/auth/me', other).expect(200);
  });

  it('clears requiresPasswordChange, so that everything is open', async () => {
    const { user, token } = await signIn(harness.context, { ...person, role: 'trainer', requiresPasswordChange: true });
    const courses = `/api/courses/trainer/${user.id}`;
    await harness.api('get', courses, token).expect(403);
    await change(token).expect(200);
    await harness.api('get', courses, token).expect(200);
    const { body } = await login(newPassword).expect(200);
    expect(body.user.requiresPasswordChange).to.equal(false);
  });

  it('makes the new password last beyond the day the initial one would have expired', async () => {
    const initialPasswordExpiresAt = new Date(Date.now() + 60_000);
    const { token } = await signIn(harness.context, {
      ...person,
      requiresPasswordChange: true,
      initialPasswordExpiresAt,
    });
    await change(token).expect(200);
    harness.advance(120_000);
    await login(newPassword).expect(200);
  });

  it('refuses the initial password as the new one', async () => {
    const { token } = await signIn(harness.context, { ...person, requiresPasswordChange: true });
    expectInvalid(await change(token, { currentPassword: oldPassword, newPassword: oldPassword }), ['newPassword']);
  });
});

describe('PUT /api/auth/first-password-change', () => {
  const harness = useHarness();
  const imported = { ...person, requiresPasswordChange: true };
  const change = (token: string, body: object = { newPassword }) =>
    harness.api('put', '/api/auth/first-password-change', token).send(body);
  const login = (password: string) => harness.api('post', '/api/auth/login').send({ identifier: ada.email, password });

  it('replaces the password and answers with message and the listed fields of the user', async () => {
    const { user, token } = await signIn(harness.context, imported);
    const { body } = await change(token).expect(200);
    expect(body).to.deep.equal({
      message: 'Password changed successfully.',
      user: { id: user.id, ...without(ada, 'password'), role: 'trainee', avatar: null, requiresPasswordChange: false },
    });
    await login(newPassword).expect(200);
    expectFailure(await login(oldPassword), 401, messages.wrongPassword);
  });

  it('clears requiresPasswordChange, so that it is refused the next time', async () => {
    const { token } = await signIn(harness.context, imported);
    await change(token).expect(200);
    expectFailure(await change(token, { newPassword: 'yet another one' }), 400, 'Password change not required.');
    await login(newPassword).expect(200);
  });

  it('refuses a caller whose requiresPasswordChange is false', async () => {
    const { token } = await signIn(harness.context, person);
    expectFailure(await change(token), 400, 'Password change not required.');
    await login(oldPassword).expect(200);
  });

  it('validates before it looks whether the change is required', async () => {
    const { token } = await signIn(harness.context, person);
    for (const body of [{}, { newPassword: '' }, { newPassword: '12345' }]) {
      expectInvalid(await change(token, body), ['newPassword']);
    }
  });

  it('refuses the initial password itself', async () => {
    const { token } = await signIn(harness.context, imported);
    const response = await change(token, { newPassword: oldPassword });
    expectInvalid(response, ['newPassword']);
    expect(response.text).not.to.include(oldPassword);
    const me = await login(oldPassword).expect(200);
    expect(me.body.user.requiresPasswordChange).to.equal(true);
  });

  it("ends the account's other sessions; the caller's own stays", async () => {
    const { user, token } = await signIn(harness.context, imported);
    const other = await tokenFor(harness.context, user);
    await change(token).expect(200);
    await harness.api('get', '/api/auth/me', token).expect(200);
    expectFailure(await harness.api('get', '/api/auth/me', other), 401, messages.badToken);
  });

  it('makes the new password last beyond the day the initial one would have expired', async () => {
    const { token } = await signIn(harness.context, {
      ...imported,
      initialPasswordExpiresAt: new Date(Date.now() + 60_000),
    });
    await change(token).expect(200);
    harness.advance(120_000);
    await login(newPassword).expect(200);
  });
});

describe('An account whose password must be changed', () => {
  const harness = useHarness();

  it('can sign in until the moment at which its initial password expires', async () => {
    const initialPasswordExpiresAt = new Date('2026-11-20T12:00:00Z');
    await buildUser(harness.context, { ...person, requiresPasswordChange: true, initialPasswordExpiresAt });
    const loginAt = (ms: number) => {
      const now = () => new Date(initialPasswordExpiresAt.getTime() + ms);
      const input = { identifier: person.email, password: oldPassword };
      return logIn({ ...harness.context, now }, input, { ip: null, userAgent: null });
    };
    expect(await failureOf(() => loginAt(0))).to.include({ code: 'WRONG_PASSWORD' });
    expect((await loginAt(-1)).user).to.include({ email: person.email });
  });

  it('may use everything below /api/auth', async () => {
    const { token } = await signIn(harness.context, { ...person, requiresPasswordChange: true });
    await harness.api('get', '/api/auth/me', token).expect(200);
    await harness.api('put', '/api/auth/profile', token).send({ firstName: 'Grace' }).expect(200);
    await harness.api('post', '/api/auth/check-enrollment', token).expect(200);
    await harness.api('get', '/api/auth/sessions', token).expect(200);
    await harness.api('post', '/api/auth/logout', token).expect(200);
  });

  it('is refused everything else, with a code to tell the case by', async () => {
    const { user, token } = await signIn(harness.context, { ...person, role: 'trainer', requiresPasswordChange: true });
    for (const listing of ['courses', 'enrollments']) {
      const response = await harness.api('get', `/api/${listing}/trainer/${user.id}`, token).expect(403);
      expect(response.body).to.deep.equal({ error: 'Password change required.', code: 'PASSWORD_CHANGE_REQUIRED' });
    }
  });
});
