import { expect } from 'chai';
import type { User } from '../../src/db/models/user.js';
import { mailSettings } from '../support/environment.js';
import { buildUser, factoryPassword, signIn } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { tokenOf, useMailServer } from '../support/mailbox.js';
import { castOf, changesOf, useCast } from './support/cast.js';
import { expectFailure, expectInvalid, without } from './support/expectations.js';

const person = { firstName: 'Katherine', lastName: 'Johnson', email: 'kate@example.org', phone: '+1 757 555 0118' };

describe('Invitations', () => {
  const harness = useHarness(mailSettings);
  const cast = useCast(harness);
  const api = (method: 'get' | 'post' | 'put', path: string) => harness.api(method, path, cast.admin.token);
  const create = (body: object) => api('post', '/api/users').send(body);
  const bulk = (body: object) => api('post', '/api/users/bulk').send(body);
  const invite = (users: readonly User[], more: object = {}) =>
    bulk({ action: 'invite', ids: users.map(({ id }) => id), ...more });
  /** Returns the mails in the outbox, oldest first. */
  const mails = async () =>
    (await harness.context.database.models.Mail.findAll({ order: ['id'] })).map(
      ({ kind, userId, state, data, importId }) => ({ kind, userId, state, data, importId }),
    );
  const queuedFor = (userId: string, data: object = {}) => ({
    kind: 'invitation',
    userId,
    state: 'queued',
    data: JSON.stringify(data),
    importId: null,
  });
  const login = (identifier: string, password: string) =>
    harness.api('post', '/api/auth/login').send({ identifier, password });
  /** Creates an account with an unused generated password. */
  const waiting = (given: object = {}) =>
    buildUser(harness.context, {
      requiresPasswordChange: true,
      initialPasswordExpiresAt: new Date(Date.now() + 86_400_000),
      ...given,
    });
  const listed = async (query: string) =>
    ((await api('get', `/api/users?${query}`).expect(200)).body.users as { id: string }[]).map(({ id }) => id);

  describe('POST /api/users', () => {
    it('creates an account without a password and queues its invitation, with the message', async () => {
      const body = { ...person, role: 'trainer', credentials: 'invite', message: ' Welcome!\nSee you on Monday. ' };
      const response = await create(body).expect(201);
      expect(response.body.temporaryPassword).to.equal(null);
      const { id } = response.body.user;
      expect(await mails()).to.deep.equal([queuedFor(id, { message: 'Welcome!\nSee you on Monday.' })]);
      const shown = (await api('get', `/api/users/${id}`).expect(200)).body.user;
      expect(shown).to.include({
        role: 'trainer',
        requiresPasswordChange: true,
        inviteState: 'queued',
        inviteError: null,
      });
      expect(shown.invitedAt).to.be.a('string');
      expectFailure(await login(person.email, factoryPassword), 'WRONG_PASSWORD');
      expect((await changesOf(harness, cast, id, cast.admin)).map(({ action }) => action)).to.deep.equal([
        'user.register',
      ]);
    });

    it('shows a generated password only once, also for an account without a phone, and sends no mail', async () => {
      const { body } = await create({ ...without(person, 'phone'), role: 'trainee', credentials: 'generated' }).expect(
        201,
      );
      expect(body.user).to.include({ phone: '', requiresPasswordChange: true });
      const signedIn = await login(person.email, body.temporaryPassword).expect(200);
      expect(signedIn.body.user.requiresPasswordChange).to.equal(true);
      expect(await mails()).to.deep.equal([]);
    });

    it('refuses taken emails and phones, a second super admin, and a message without an invitation', async () => {
      const first = { ...person, role: 'trainee', credentials: 'invite' };
      await create(first).expect(201);
      expectFailure(await create(first), 'EMAIL_TAKEN');
      expectFailure(await create({ ...first, email: 'other@example.org' }), 'PHONE_TAKEN');
      expectInvalid(await create({ ...first, role: 'super_admin' }), ['role']);
      expectInvalid(await create({ ...first, credentials: 'generated', message: 'Hello' }), ['message']);
      expectInvalid(await create({ ...first, message: 'x'.repeat(1001) }), ['message']);
      expect(await mails()).to.have.length(1);
    });
  });

  describe('The action "invite"', () => {
    it('replaces an initial password, and names the people who have set their own password', async () => {
      const { trainee } = cast;
      const [invited, signedIn, own] = [
        await waiting({ password: 'initial-password' }),
        (await signIn(harness.context)).user,
        await buildUser(harness.context),
      ];
      await signedIn.update({ lastLogin: new Date(), requiresPasswordChange: true });
      const { body } = await invite([invited, signedIn, own, trainee.user]).expect(200);
      expect(
        body.outcomes.map(({ outcome, message }: { outcome: string; message: string }) => [outcome, message]),
      ).to.deep.equal([
        ['done', null],
        ['refused', 'The person has signed in already.'],
        ['refused', 'The person has a password of their own.'],
        ['refused', 'The person has a password of their own.'],
      ]);
      expect(await mails()).to.deep.equal([queuedFor(invited.id)]);
      expectFailure(await login(invited.email, 'initial-password'), 'WRONG_PASSWORD');
      await login(own.email, factoryPassword).expect(200);
      const changes = await changesOf(harness, cast, invited.id, cast.admin);
      expect(changes.map(({ action }) => action)).to.deep.equal(['user.invite']);
      const { createdAt, updatedAt } = await invited.reload();
      expect(updatedAt).to.deep.equal(createdAt);
    });

    it('changes nothing in a dry run', async () => {
      const user = await waiting();
      const { body } = await invite([user], { dryRun: true }).expect(200);
      expect(body.counts).to.deep.equal({ done: 1, unchanged: 0, refused: 0 });
      expect(await mails()).to.deep.equal([]);
      expect((await user.reload()).inviteState).to.equal(null);
    });

    it('refuses people who have accepted', async () => {
      const user = await waiting();
      await user.update({ inviteState: 'accepted' });
      const { body } = await invite([user]).expect(200);
      expect(body.outcomes[0]).to.include({
        outcome: 'refused',
        code: 'INVITATION_NOT_NEEDED',
        message: 'The person has accepted an invitation already.',
      });
    });
  });

  it('are listed by state, with the reason if an invitation was not sent', async () => {
    const { Mail } = harness.context.database.models;
    const [queued, failed, never] = [await waiting(), await waiting(), await waiting()];
    await invite([queued, failed]).expect(200);
    await failed.update({ inviteState: 'failed', mailFailedAt: new Date() }, { silent: true });
    const reason = '550 5.1.1 No such user';
    await Mail.update({ state: 'failed', lastError: reason, nextAt: null }, { where: { userId: failed.id } });
    expect(await listed('invited=queued')).to.deep.equal([queued.id]);
    expect(await listed('invited=failed')).to.deep.equal([failed.id]);
    expect(await listed('invited=sent')).to.deep.equal([]);
    expect(await listed('invited=no'))
      .to.include(never.id)
      .and.not.include.members([queued.id, failed.id]);
    const { users } = (await api('get', '/api/users?invited=failed')).body;
    expect(users[0]).to.include({ inviteState: 'failed', inviteError: reason });
    expect(users[0].mailFailedAt).to.be.a('string');
    const again = await bulk({ action: 'invite', filter: { invited: 'failed' } }).expect(200);
    expect(again.body.outcomes.map(({ id }: { id: string }) => id)).to.deep.equal([failed.id]);
    expect((await api('get', `/api/users/${failed.id}`)).body.user).to.include({
      inviteState: 'queued',
      inviteError: null,
    });
  });
});

describe('An invitation that arrives', () => {
  const harness = useHarness(mailSettings);
  const mailbox = useMailServer(harness);

  it('contains the message of the super admin, and its link sets the password only once', async () => {
    const { admin } = await castOf(harness.context);
    const post = (path: string, body: object, token?: string) => harness.api('post', path, token).send(body);
    const body = { ...person, role: 'trainee', credentials: 'invite', message: 'See you on Monday.' };
    const { id } = (await post('/api/users', body, admin.token).expect(201)).body.user;
    const [mail, ...others] = await mailbox.deliver();
    if (!mail || others.length > 0) throw new Error('One mail should have arrived.');
    expect(mail.to).to.deep.equal([person.email]);
    expect(mail.text).to.include('See you on Monday.');
    const shown = async () => (await harness.api('get', `/api/users/${id}`, admin.token)).body.user.inviteState;
    expect(await shown()).to.equal('sent');
    const chosen = { token: tokenOf(mail), newPassword: 'chosen by Katherine' };
    await post('/api/links/set-password', chosen).expect(200);
    expect((await post('/api/links/set-password', chosen)).status).to.equal(400);
    expect(await shown()).to.equal('accepted');
    await post('/api/auth/login', { identifier: person.email, password: chosen.newPassword }).expect(200);
    const again = await post('/api/users/bulk', { action: 'invite', ids: [id] }, admin.token);
    expect(again.body.outcomes[0]).to.include({ code: 'INVITATION_NOT_NEEDED' });
  });
});

describe('Invitations without a mail server', () => {
  const harness = useHarness();

  it('are refused before anything is written', async () => {
    const { admin } = await castOf(harness.context);
    const user = await buildUser(harness.context);
    const post = (path: string, body: object) => harness.api('post', path, admin.token).send(body);
    const invited = { ...person, role: 'trainee', credentials: 'invite' };
    expectFailure(await post('/api/users', invited), 'MAIL_NOT_SET_UP');
    expectFailure(await post('/api/users/bulk', { action: 'invite', ids: [user.id], dryRun: true }), 'MAIL_NOT_SET_UP');
    await post('/api/users', { ...invited, credentials: 'generated' }).expect(201);
    expect((await user.reload()).inviteState).to.equal(null);
  });
});
