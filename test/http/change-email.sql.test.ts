import { expect } from 'chai';
import type { Response } from 'supertest';
import type { MailKind } from '../../src/services/mail/kinds.js';
import { mailSettings } from '../support/environment.js';
import { buildUser, factoryPassword, linkFor, signIn } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { tokenOf, useMailServer } from '../support/mailbox.js';
import { statementsOf } from '../support/statements.js';
import { expectFailure, expectInvalid, messageOf } from './support/expectations.js';

const newEmail = 'countess@example.org';

describe("A user's own email", () => {
  const harness = useHarness(mailSettings);
  const mailbox = useMailServer(harness);
  const models = () => harness.context.database.models;
  const request = (token: string, email = newEmail, currentPassword = factoryPassword) =>
    harness.api('post', '/api/auth/email', token).send({ email, currentPassword });

  /** Returns the unsent mails of an account. */
  async function queued(userId: string) {
    const mails = await models().Mail.findAll({ where: { userId, state: 'queued' }, order: ['kind'] });
    return mails.map(({ kind, address, data }) => ({ kind: kind as MailKind, address, data: JSON.parse(data) }));
  }

  it('stays until the change is confirmed; both addresses get a mail, the new one without names', async () => {
    const { user, token } = await signIn(harness.context);
    const { body } = await request(token, ' Countess@Example.org ').expect(202);
    expect(body).to.deep.equal({
      message: 'A link was sent to the new email, unless it belongs to another account.',
    });
    expect(await queued(user.id)).to.deep.equal([
      { kind: 'email-confirm', address: newEmail, data: {} },
      { kind: 'email-notice', address: user.email, data: { newEmail } },
    ]);
    const { email } = user;
    expect(await user.reload()).to.include({ email });
  });

  describe('on request', () => {
    const volatile = ['date', 'etag', 'x-request-id'];
    const seen = ({ status, body, headers }: Response) => ({
      status,
      body,
      headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !volatile.includes(name))),
    });

    /** Returns the response to a request, and its SQL statements without values. */
    async function observed(email: string, password?: string) {
      const { token } = await signIn(harness.context);
      const { sequelize } = harness.context.database;
      const { result, statements } = await statementsOf(sequelize, () => request(token, email, password));
      return {
        ...seen(result),
        statements: statements.map((sql) => sql.replace(/'[^']*'|(?<=MICROSECOND, )\d+/g, '?')),
      };
    }

    it('gets the same response by the same statements, whether or not another account has the email', async () => {
      await buildUser(harness.context, { email: 'taken@example.org' });
      await buildUser(harness.context, { email: 'asleep@example.org', isActive: false });
      const free = await observed('nobody@example.org');
      expect(free.status).to.equal(202);
      expect(free.statements).to.have.lengthOf.above(5);
      expect(await observed('taken@example.org')).to.deep.equal(free);
      expect(await observed('asleep@example.org')).to.deep.equal(free);
      const wrong = await observed('nobody@example.org', 'a wrong password');
      expect(wrong.status).to.equal(400);
      expect(await observed('taken@example.org', 'a wrong password')).to.deep.equal(wrong);
    });

    it('sends a link to a free email, and nothing to the email of another account', async () => {
      const { email: taken } = await buildUser(harness.context);
      const { user, token } = await signIn(harness.context);
      await request(token, taken).expect(202);
      expect((await mailbox.deliver()).flatMap(({ to }) => to)).to.deep.equal([user.email]);
      await request(token).expect(202);
      const sent = await mailbox.deliver();
      expect(sent.flatMap(({ to }) => to)).to.have.members([newEmail, user.email]);
      const [confirmation] = sent.filter(({ to }) => to.includes(newEmail));
      expect(confirmation?.text).not.to.include(user.lastName);
    });

    it('is refused if it is the current one, or not an email', async () => {
      const { user, token } = await signIn(harness.context);
      const same = await request(token, user.email.toUpperCase());
      expectInvalid(same, ['email']);
      expect(messageOf(same)).to.equal('The account has this email already. Give another one.');
      expectInvalid(await request(token, 'nobody'), ['email']);
      expectInvalid(await request(token, newEmail, ''), ['currentPassword']);
      expect(await queued(user.id)).to.deep.equal([]);
    });

    it('requires the password; wrong passwords lock the account as in logins', async () => {
      const { user, token } = await signIn(harness.context);
      for (let attempt = 0; attempt < 10; attempt += 1)
        expectFailure(await request(token, newEmail, 'a wrong password'), 'CURRENT_PASSWORD_INCORRECT');
      expect((await request(token)).status).to.equal(429);
      const login = { identifier: user.email, password: factoryPassword };
      expect((await harness.api('post', '/api/auth/login').send(login)).status).to.equal(429);
      expect(await queued(user.id)).to.deep.equal([]);
    });

    it('replaces an unconfirmed change, up to five times a day', async () => {
      const { user, token } = await signIn(harness.context);
      for (let time = 1; time <= 5; time += 1) await request(token, `address${time}@example.org`).expect(202);
      expect((await queued(user.id)).filter(({ kind }) => kind === 'email-confirm')).to.deep.equal([
        { kind: 'email-confirm', address: 'address5@example.org', data: {} },
      ]);
      harness.advance(60 * 60_000);
      const refused = await request(token);
      expectFailure(refused, 'TOO_MANY_ATTEMPTS', 'Too many changes of the email today. Try again tomorrow.');
      expect(Number(refused.headers['retry-after'])).to.be.within(22 * 3600, 23 * 3600);
      await request((await signIn(harness.context)).token).expect(202);
      harness.advance(23 * 60 * 60_000);
      await request(token).expect(202);
    });
  });

  describe('changed by the super admin', () => {
    const update = (token: string, id: string, body: object) =>
      harness.api('put', `/api/users/${id}`, token).send(body);

    it('causes a notice to the old address, and becomes unconfirmed', async () => {
      const { token } = await signIn(harness.context, { role: 'super_admin' });
      const user = await buildUser(harness.context);
      const before = user.email;
      await user.update({ emailConfirmedAt: new Date(), mailFailedAt: new Date() });
      await update(token, user.id, { firstName: 'Augusta', email: before }).expect(200);
      expect(await queued(user.id)).to.deep.equal([]);
      await update(token, user.id, { email: newEmail }).expect(200);
      expect(await queued(user.id)).to.deep.equal([{ kind: 'email-changed', address: before, data: { newEmail } }]);
      expect(await user.reload()).to.include({ email: newEmail, emailConfirmedAt: null, mailFailedAt: null });
    });

    it('stays with verify until the link is used; other fields change immediately', async () => {
      const { token } = await signIn(harness.context, { role: 'super_admin' });
      const user = await buildUser(harness.context);
      const verified = { email: newEmail, verify: true };
      const { body } = await update(token, user.id, { ...verified, firstName: 'Augusta', role: 'trainer' }).expect(200);
      expect(body.user).to.include({ email: user.email, firstName: 'Augusta', role: 'trainer' });
      expect((await queued(user.id)).map(({ kind, address }) => [kind, address])).to.deep.equal([
        ['email-confirm', newEmail],
        ['email-notice', user.email],
      ]);
      const entry = await models().AuditEntry.findOne({ where: { action: 'user.verify-email' }, rejectOnEmpty: true });
      expect(entry).to.include({ targetId: user.id, afterJson: JSON.stringify({ email: newEmail }) });
    });

    it('is refused with verify for a taken, current or missing address, and for inactive accounts', async () => {
      const { user: admin, token } = await signIn(harness.context, { role: 'super_admin' });
      const user = await buildUser(harness.context);
      const verify = { verify: true };
      expectFailure(await update(token, user.id, { ...verify, email: admin.email }), 'EMAIL_TAKEN');
      expectInvalid(await update(token, user.id, { ...verify, email: user.email }), ['email']);
      expectInvalid(await update(token, user.id, verify), ['verify']);
      await user.update({ isActive: false });
      expectFailure(await update(token, user.id, { ...verify, email: newEmail }), 'ACCOUNT_INACTIVE');
      expect(await queued(user.id)).to.deep.equal([]);
    });
  });
});

describe('The links of a change of email', () => {
  const harness = useHarness(mailSettings);
  const mailbox = useMailServer(harness);
  const models = () => harness.context.database.models;
  const confirm = (token: string) => harness.api('post', '/api/links/confirm-email').send({ token });
  const cancel = (token: string) => harness.api('post', '/api/links/cancel-email').send({ token });
  const login = (identifier: string, password = factoryPassword) =>
    harness.api('post', '/api/auth/login').send({ identifier, password });
  const linkInvalid = 'This link is no longer valid.';

  /** Requests the new email for a new account. @returns the account and the tokens of both mailed links */
  async function asked(given: Parameters<typeof signIn>[1] = {}, email = newEmail) {
    const person = await signIn(harness.context, given);
    return { ...person, old: person.user.email, ...(await ask(person.token, email)) };
  }

  async function ask(session: string, email: string, currentPassword = factoryPassword) {
    await harness.api('post', '/api/auth/email', session).send({ email, currentPassword }).expect(202);
    const sent = await mailbox.deliver();
    const tokenTo = (page: string) => {
      const mail = sent.find(({ text }) => text.includes(`/${page}#`));
      return mail ? tokenOf(mail) : '';
    };
    return { confirmation: tokenTo('confirm-email'), cancellation: tokenTo('cancel-email') };
  }

  describe('to confirm the new email', () => {
    it('change it only the first time, for sign-in and search, and end all sessions', async () => {
      const { user, token, old, confirmation } = await asked({ role: 'super_admin' });
      await user.update({ mailFailedAt: new Date() });
      const { body } = await confirm(confirmation).expect(200);
      expect(body).to.deep.equal({ message: 'Email changed successfully.', email: newEmail });
      await harness.api('get', '/api/auth/me', token).expect(401);
      expectFailure(await login(old), 'NO_MATCHING_ACCOUNT');
      const { token: admin } = (await login(newEmail).expect(200)).body as { token: string };
      const found = await harness.api('get', '/api/users?search=countess@example.org', admin).expect(200);
      expect((found.body as { users: object[] }).users).to.have.lengthOf(1);
      // The owner of the new email has clicked, but may not know the password.
      expect((await user.reload()).emailConfirmedAt).to.equal(null);
      expect(user.mailFailedAt).to.equal(null);
      const entry = await models().AuditEntry.findOne({ where: { action: 'user.confirm-email' }, rejectOnEmpty: true });
      expect(entry).to.include({ actorId: user.id, targetId: user.id, origin: 'http' });
      expect(entry).to.include({
        beforeJson: JSON.stringify({ email: old }),
        afterJson: JSON.stringify({ email: newEmail }),
      });
      expectFailure(await confirm(confirmation), 'LINK_INVALID');
    });

    it('are refused if another account has the new email', async () => {
      const { user, old, confirmation } = await asked();
      const other = await buildUser(harness.context, { email: newEmail });
      expectFailure(await confirm(confirmation), 'EMAIL_TAKEN');
      expect(await user.reload()).to.include({ email: old });
      await other.destroy();
      await confirm(confirmation).expect(200);
    });

    it('let one of two concurrent confirmations succeed', async () => {
      const [one, other] = [await asked(), await asked()];
      const answers = await Promise.all([confirm(one.confirmation), confirm(other.confirmation)]);
      expect(answers.map(({ status }) => status)).to.have.members([200, 400]);
      expect(answers.map(({ headers }) => headers['error-code'])).to.include('EMAIL_TAKEN');
      expect(await models().User.count({ where: { email: newEmail } })).to.equal(1);
    });

    it('are refused after a day, and for inactive and deleted accounts', async () => {
      const ends: Readonly<Record<string, (person: Awaited<ReturnType<typeof asked>>) => Promise<unknown>>> = {
        time: async () => harness.advance(24 * 60 * 60_000 + 1),
        inactive: ({ user }) => user.update({ isActive: false }),
        deleted: ({ user }) => user.destroy(),
      };
      for (const [what, end] of Object.entries(ends)) {
        const person = await asked();
        await end(person);
        const { status, body } = await confirm(person.confirmation);
        expect({ status, body }, what).to.deep.equal({ status: 400, body: { error: linkInvalid } });
      }
      const { confirmation, cancellation } = await asked();
      expectFailure(await confirm(cancellation), 'LINK_INVALID');
      expectFailure(await cancel(confirmation), 'LINK_INVALID');
    });
  });

  describe('to cancel the change', () => {
    /** Expects that the account has its email again, nobody can sign in, and a link for a new password is queued. */
    async function expectRestored({ user, old }: Pick<Awaited<ReturnType<typeof asked>>, 'user' | 'old'>) {
      expect(await user.reload()).to.include({ email: old, hasPassword: false });
      expect(await models().Session.count({ where: { userId: user.id } })).to.equal(0);
      expect(await models().Link.count({ where: { userId: user.id } })).to.equal(0);
      expectFailure(await login(old), 'WRONG_PASSWORD');
      const [mail, ...others] = await mailbox.deliver();
      expect([mail?.to, others]).to.deep.equal([[old], []]);
      const token = mail ? tokenOf(mail) : '';
      const body = { token, newPassword: 'my own password' };
      await harness.api('post', '/api/links/set-password').send(body).expect(200);
      await login(old, body.newPassword).expect(200);
    }

    it('cancel it before the confirmation, which then is impossible', async () => {
      const person = await asked();
      const { body } = await cancel(person.cancellation).expect(200);
      expect(body).to.deep.equal({ message: 'Change of email cancelled.', restored: true });
      expectFailure(await confirm(person.confirmation), 'LINK_INVALID');
      await expectRestored(person);
      const entry = await models().AuditEntry.findOne({ where: { action: 'user.cancel-email' }, rejectOnEmpty: true });
      expect(entry).to.include({ actorId: person.user.id, targetId: person.user.id, ip: '127.0.0.1' });
      expectFailure(await cancel(person.cancellation), 'LINK_INVALID');
    });

    it('cancel it after its confirmation, a new password and another change of the email', async () => {
      const person = await asked();
      await confirm(person.confirmation).expect(200);
      const signedIn = async (password?: string) =>
        ((await login(newEmail, password).expect(200)).body as { token: string }).token;
      const passwords = { currentPassword: factoryPassword, newPassword: 'of a stranger' };
      await harness
        .api('put', '/api/auth/change-password', await signedIn())
        .send(passwords)
        .expect(200);
      const second = await ask(await signedIn('of a stranger'), 'third@example.org', 'of a stranger');
      await confirm(second.confirmation).expect(200);
      harness.advance(6 * 24 * 60 * 60_000);
      await mailbox.deliver();
      await cancel(person.cancellation).expect(200);
      expectFailure(await cancel(second.cancellation), 'LINK_INVALID');
      await expectRestored(person);
    });

    const asStranger = 'of a stranger';
    const tokenBy = async (email: string, password?: string) =>
      ((await login(email, password).expect(200)).body as { token: string }).token;
    const kindsTo = (sent: Awaited<ReturnType<typeof mailbox.deliver>>, email: string) =>
      sent.filter(({ to }) => to.includes(email)).map(({ subject }) => subject);

    it('cancel it after a stranger has cancelled a later change, which restores the email of the stranger', async () => {
      const person = await asked();
      await confirm(person.confirmation).expect(200);
      const second = await ask(await tokenBy(newEmail), 'third@example.org');
      await cancel(second.cancellation).expect(200);
      const [reset] = await mailbox.deliver();
      expect(reset?.to).to.deep.equal([newEmail]);
      const body = { token: reset ? tokenOf(reset) : '', newPassword: asStranger };
      await harness.api('post', '/api/links/set-password').send(body).expect(200);
      await cancel(person.cancellation).expect(200);
      await expectRestored(person);
    });

    it('are in mails that a stranger can neither withdraw nor redirect, even if they arrive late', async () => {
      const { user, token } = await signIn(harness.context);
      const old = user.email;
      mailbox.server.refuse('RCPT', (address) =>
        address === old ? { code: 451, text: '4.7.1 Greylisted' } : undefined,
      );
      const passwords = { currentPassword: factoryPassword, newPassword: asStranger };
      await harness.api('put', '/api/auth/change-password', token).send(passwords).expect(200);
      const first = await ask(token, newEmail, asStranger);
      expect(first.cancellation).to.equal('');
      await confirm(first.confirmation).expect(200);
      const second = await ask(await tokenBy(newEmail, asStranger), 'third@example.org', asStranger);
      await confirm(second.confirmation).expect(200);
      const third = await ask(await tokenBy('third@example.org', asStranger), 'fourth@example.org', asStranger);
      await cancel(third.cancellation).expect(200);
      await mailbox.deliver();
      mailbox.server.refuse('RCPT', undefined);
      harness.advance(5 * 60 * 60_000);
      const late = await mailbox.deliver();
      expect(kindsTo(late, old)).to.have.lengthOf(2);
      expect(late.flatMap(({ to }) => to)).to.deep.equal([old, old]);
      // This change was requested later than the one in the owner's mail, although its link is older.
      await cancel(second.cancellation).expect(200);
      await mailbox.deliver();
      const notice = late.find(({ text }) => text.includes('/cancel-email#'));
      await cancel(notice ? tokenOf(notice) : '').expect(200);
      await expectRestored({ user, old });
    });

    it('are not sent again if the change happens while the server accepts the mails', async () => {
      const { token: admin } = await signIn(harness.context, { role: 'super_admin' });
      const { user, token } = await signIn(harness.context);
      const body = { email: newEmail, currentPassword: factoryPassword };
      await harness.api('post', '/api/auth/email', token).send(body).expect(202);
      const { Mail } = harness.context.database.models;
      await Mail.update({ state: 'sending', attempts: 1, nextAt: null }, { where: { userId: user.id } });
      await harness.api('put', `/api/users/${user.id}`, admin).send({ email: 'safe@example.org' }).expect(200);
      const sent = await mailbox.deliver();
      expect(sent.filter(({ text }) => text.includes('#'))).to.deep.equal([]);
    });

    it('cancel it after new passwords by the super admin and by a reset link', async () => {
      const { token: admin } = await signIn(harness.context, { role: 'super_admin' });
      const person = await asked();
      await harness.api('post', `/api/users/${person.user.id}/reset-password`, admin).expect(200);
      const token = await linkFor(harness.context, person.user);
      await harness.api('post', '/api/links/set-password').send({ token, newPassword: asStranger }).expect(200);
      await mailbox.deliver();
      await cancel(person.cancellation).expect(200);
      await expectRestored(person);
    });

    it('end the access of strangers even if another account has the old email', async () => {
      const { user, token, old, confirmation, cancellation } = await asked();
      await confirm(confirmation).expect(200);
      await buildUser(harness.context, { email: old });
      const { body } = await cancel(cancellation).expect(200);
      expect(body).to.deep.equal({ message: 'Change of email cancelled.', restored: false });
      expect(await user.reload()).to.include({ email: newEmail, hasPassword: false });
      expectFailure(await login(newEmail), 'WRONG_PASSWORD');
      await harness.api('get', '/api/auth/me', token).expect(401);
      expect(await mailbox.deliver()).to.deep.equal([]);
    });

    it('cancel it for seven days, but not for inactive and deleted accounts', async () => {
      const [late, inactive, deleted] = [await asked(), await asked(), await asked()];
      await inactive.user.update({ isActive: false });
      await deleted.user.destroy();
      for (const { cancellation } of [inactive, deleted]) expectFailure(await cancel(cancellation), 'LINK_INVALID');
      harness.advance(7 * 24 * 60 * 60_000 + 1);
      expectFailure(await cancel(late.cancellation), 'LINK_INVALID');
    });
  });
});

describe("A user's own email without a mail server", () => {
  const harness = useHarness();

  it('is changed by the super admin only, without a mail', async () => {
    const { user, token } = await signIn(harness.context, { role: 'super_admin' });
    const asked = { email: newEmail, currentPassword: factoryPassword };
    expectFailure(await harness.api('post', '/api/auth/email', token).send(asked), 'MAIL_NOT_SET_UP');
    const update = (body: object) => harness.api('put', `/api/users/${user.id}`, token).send(body);
    expectFailure(await update({ email: newEmail, verify: true }), 'MAIL_NOT_SET_UP');
    await update({ email: newEmail }).expect(200);
    expect(await harness.context.database.models.Mail.count()).to.equal(0);
  });
});
