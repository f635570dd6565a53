import { expect } from 'chai';
import { lockOf } from '../../src/services/auth/current-locks.js';
import { lockedAddresses, sweepThrottle } from '../../src/services/auth/throttle-locks.js';
import { unmatchableHash } from '../../src/services/credentials/passwords.js';
import { mailSettings } from '../support/environment.js';
import { buildLock, buildUser, factoryPassword, linkFor, signIn, tokenFor } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { expectFailure, messageOf } from './support/expectations.js';

const hourMs = 60 * 60_000;
const newPassword = 'a password of my own';

describe('A link to set a password', () => {
  const harness = useHarness({ ...mailSettings, TRUST_PROXY: '1', BCRYPT_COST: '5', PASSWORD_BLOCKLIST: 'on' });

  const post = (operation: 'check' | 'set-password', body: object, address = '192.0.2.1') =>
    harness.api('post', `/api/links/${operation}`).set('X-Forwarded-For', address).send(body);
  const check = (token: string, address?: string) => post('check', { token }, address);
  const set = (token: string, password = newPassword) => post('set-password', { token, newPassword: password });
  const login = (identifier: string, password: string) =>
    harness.api('post', '/api/auth/login').set('X-Forwarded-For', '192.0.2.1').send({ identifier, password });
  const mails = async () =>
    (await harness.context.database.models.Mail.findAll()).map(({ kind, userId, address }) => ({
      kind,
      userId,
      address,
    }));
  const invited = () =>
    buildUser(harness.context, { passwordHash: unmatchableHash(5), requiresPasswordChange: true }).then((user) =>
      user.update({ hasPassword: false, inviteState: 'sent' }, { silent: true }),
    );

  async function expectInvalid(token: string): Promise<void> {
    expectFailure(await check(token), 'LINK_INVALID');
    expectFailure(await set(token), 'LINK_INVALID');
  }

  it('names its account each time it is opened, but sets the password only once', async () => {
    const user = await buildUser(harness.context, { firstName: 'Ada' });
    const { email } = user;
    const token = await linkFor(harness.context, user);
    for (const _ of [1, 2]) {
      const { body } = await check(token).expect(200);
      const { expiresAt, ...shown } = body;
      expect(shown).to.deep.equal({ purpose: 'reset', firstName: 'Ada', email });
      expect(Date.parse(expiresAt) - Date.now()).to.be.within(hourMs - 60_000, hourMs);
    }
    expect((await set(token).expect(200)).body).to.deep.equal({ message: 'Password set successfully.' });
    await login(email, newPassword).expect(200);
    expectFailure(await login(email, factoryPassword), 'WRONG_PASSWORD');
    await expectInvalid(token);
  });

  it('ends sessions, other links and the lock of the account, is audited, and notifies the person', async () => {
    const user = await buildUser(harness.context);
    const session = await tokenFor(harness.context, user);
    const [token, other] = [await linkFor(harness.context, user), await linkFor(harness.context, user)];
    await buildLock(harness.context, { accountId: user.id });
    await set(token).expect(200);
    await harness.api('get', '/api/auth/me', session).expect(401);
    await expectInvalid(other);
    expect(await lockOf(harness.context, user.id)).to.equal(null);
    // A new lock by strangers doesn't affect the address where the link was used.
    await buildLock(harness.context, { accountId: user.id });
    await login(user.email, newPassword).expect(200);
    const entries = await harness.context.database.models.AuditEntry.findAll();
    expect(entries.map(({ action, actorId, targetId, ip }) => ({ action, actorId, targetId, ip }))).to.deep.equal([
      { action: 'user.set-password', actorId: user.id, targetId: user.id, ip: '192.0.2.1' },
    ]);
    expect(JSON.stringify(entries)).not.to.include(token).and.not.to.include(newPassword);
    expect(await mails()).to.deep.equal([{ kind: 'password-changed', userId: user.id, address: user.email }]);
  });

  it('gives an invited person the first password, without a notice that it was changed', async () => {
    const user = await invited();
    expectFailure(await login(user.email, ''.padEnd(20, 'x')), 'WRONG_PASSWORD');
    const token = await linkFor(harness.context, user, 'invite');
    expect((await check(token).expect(200)).body).to.include({ purpose: 'invite' });
    await set(token).expect(200);
    const accepted = { hasPassword: true, inviteState: 'accepted', requiresPasswordChange: false };
    expect(await user.reload()).to.include(accepted);
    expect(await mails()).to.deep.equal([]);
    const { body } = await login(user.email, newPassword).expect(200);
    expect(body.user.requiresPasswordChange).to.equal(false);
  });

  it('confirms the address that it was mailed to, but not when it is only opened', async () => {
    for (const purpose of ['invite', 'reset'] as const) {
      const user = await invited();
      const token = await linkFor(harness.context, user, purpose);
      await check(token).expect(200);
      expect((await user.reload()).emailConfirmedAt).to.equal(null);
      await set(token).expect(200);
      expect((await user.reload()).emailConfirmedAt).to.be.an.instanceOf(Date);
    }
  });

  it('sets the first password of an invited person also as a link for a forgotten password', async () => {
    const user = await invited();
    await set(await linkFor(harness.context, user, 'reset')).expect(200);
    expect(await user.reload()).to.include({ hasPassword: true, inviteState: 'accepted' });
    expect(await mails()).to.deep.equal([]);
  });

  it('stays usable when the password is refused: too short, common, own data, or the initial password', async () => {
    const user = await buildUser(harness.context, { requiresPasswordChange: true });
    const token = await linkFor(harness.context, user);
    const refusals = { short: 'at least 6', password1: 'most common', [user.email]: 'own email' };
    for (const [password, expected] of Object.entries({ ...refusals, [factoryPassword]: 'initial password' })) {
      const response = await set(token, password).expect(400);
      expect(messageOf(response)).to.include(expected);
    }
    await set(token).expect(200);
  });

  it('is refused with the same message whether it is guessed or expired', async () => {
    for (const guess of ['x', 'ä', "' OR 1=1 --", 'A'.repeat(43), '0'.repeat(64)]) await expectInvalid(guess);
    const token = await linkFor(harness.context, await buildUser(harness.context));
    harness.advance(hourMs);
    await expectInvalid(token);
    expect(await harness.context.database.models.AuditEntry.count()).to.equal(0);
  });

  it('sets no password if its purpose is to confirm an email, or to cancel a change of it', async () => {
    const user = await buildUser(harness.context, { firstName: 'Ada' });
    const names = { email: null, 'email-cancel': 'Ada' };
    for (const purpose of ['email', 'email-cancel'] as const) {
      const token = await linkFor(harness.context, user, purpose, 'ada@example.org');
      const shown = { purpose, email: 'ada@example.org', firstName: names[purpose] };
      expect((await check(token).expect(200)).body).to.include(shown);
      expectFailure(await set(token), 'LINK_INVALID');
      await check(token).expect(200);
    }
  });

  it('becomes invalid when its account is deleted', async () => {
    const user = await buildUser(harness.context);
    const token = await linkFor(harness.context, user);
    await user.destroy();
    await expectInvalid(token);
  });

  it('becomes invalid when the user changes the password, even while its new password is being hashed', async () => {
    const { user, token: session } = await signIn(harness.context);
    const token = await linkFor(harness.context, user);
    const change = { currentPassword: factoryPassword, newPassword: 'the third password' };
    const [changed, used] = await Promise.all([
      harness.api('put', '/api/auth/change-password', session).send(change),
      set(token),
    ]);
    const password = used.status === 200 ? newPassword : change.newPassword;
    expect([changed.status, used.status]).to.include(200);
    await login(user.email, password).expect(200);
    await expectInvalid(token);
  });

  it('can be used only once by concurrent requests', async () => {
    const user = await buildUser(harness.context);
    const token = await linkFor(harness.context, user);
    const passwords = ['the password of one', 'the password of another'];
    const statuses = (await Promise.all(passwords.map((one) => set(token, one)))).map(({ status }) => status);
    expect(statuses).to.have.members([200, 400]);
    await login(user.email, passwords[statuses.indexOf(200)] ?? '').expect(200);
    expect(await mails()).to.have.length(1);
  });

  it('can be guessed 300 times an hour from an IP address; logins and valid links do not count', async () => {
    const { user, token: admin } = await signIn(harness.context, { role: 'super_admin' });
    const token = await linkFor(harness.context, user);
    for (let count = 0; count < 300; count += 1) await check('a guess', '192.0.2.1').expect(400);
    await check(token).expect(200);
    const refused = await check('a guess');
    expectFailure(refused, 'TOO_MANY_ATTEMPTS', 'Too many links that are not valid. Try again in 60 minutes.');
    expect(Number(refused.headers['retry-after'])).to.be.within(3540, 3600);
    await check(token, '192.0.2.2').expect(200);
    expect(await lockedAddresses(harness.context)).to.deep.equal([]);
    expect((await harness.api('get', '/api/users?locked=true', admin).expect(200)).body.users).to.deep.equal([]);
    await login(user.email, factoryPassword).expect(200);
    harness.advance(hourMs);
    await check(await linkFor(harness.context, user)).expect(200);
    harness.advance(25 * hourMs);
    expect(await sweepThrottle(harness.context)).to.be.at.least(2);
  });
});
