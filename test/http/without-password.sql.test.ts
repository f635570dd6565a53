import { expect } from 'chai';
import type { User } from '../../src/db/models/user.js';
import { withoutPassword } from '../../src/services/accounts/invite.js';
import { newIds } from '../../src/services/new-ids.js';
import { mailSettings, signInSettings } from '../support/environment.js';
import { buildUser, factoryPassword, linkFor } from '../support/factories.js';
import { type Harness, useHarness } from '../support/harness.js';
import { useMailServer } from '../support/mailbox.js';
import { changesOf, useCast } from './support/cast.js';
import { expectFailure, expectInvalid } from './support/expectations.js';

const person = { firstName: 'Katherine', lastName: 'Johnson', email: 'kate@example.org', role: 'trainer' };

/** Links an account to an account of the organisation. */
async function link({ context }: Harness, { id: userId, email }: User): Promise<void> {
  const [id = ''] = newIds(1);
  const { Identity } = context.database.models;
  await Identity.create({
    id,
    userId,
    issuer: signInSettings.OIDC_ISSUER,
    subject: email,
    linkedBy: 'owner',
    createdAt: new Date(),
  });
}

describe('An account without a password', () => {
  const harness = useHarness({ ...mailSettings, ...signInSettings });
  const cast = useCast(harness);
  const api = (method: 'get' | 'post', path: string) => harness.api(method, path, cast.admin.token);
  const shown = async (id: string) => (await api('get', `/api/users/${id}`).expect(200)).body.user;
  const listed = async (query: string) =>
    (await api('get', `/api/users?${query}&limit=100`).expect(200)).body.users as {
      email: string;
      signsIn: string[];
    }[];
  const emails = async (query: string) => (await listed(query)).map(({ email }) => email);

  it('is created without a mail and without a password in the response', async () => {
    const { body } = await api('post', '/api/users')
      .send({ ...person, credentials: 'none' })
      .expect(201);
    expect(body.temporaryPassword).to.equal(null);
    expect(await shown(body.user.id)).to.include({
      role: 'trainer',
      isActive: true,
      requiresPasswordChange: true,
      invitedAt: null,
      inviteState: null,
    });
    const { Mail, User } = harness.context.database.models;
    expect(await Mail.count()).to.equal(0);
    const stored = await User.findByPk(body.user.id, { rejectOnEmpty: true });
    expect(stored).to.include({ hasPassword: false, initialPasswordExpiresAt: null });
    const login = harness.api('post', '/api/auth/login');
    expectFailure(await login.send({ identifier: person.email, password: factoryPassword }), 'WRONG_PASSWORD');
    const changes = await changesOf(harness, cast, body.user.id, cast.admin);
    expect(changes.map(({ action }) => action)).to.deep.equal(['user.register']);
  });

  it('gets no message, which only invitations have', async () => {
    expectInvalid(await api('post', '/api/users').send({ ...person, credentials: 'none', message: 'Hello' }), [
      'message',
    ]);
  });

  it('can be invited later', async () => {
    const { body } = await api('post', '/api/users').send({ ...person, credentials: 'none' });
    await api('post', '/api/users/bulk')
      .send({ action: 'invite', ids: [body.user.id] })
      .expect(200);
    expect(await shown(body.user.id)).to.include({ inviteState: 'queued' });
  });

  it('is listed by its ways to sign in', async () => {
    const { context } = harness;
    const byPassword = await buildUser(context, { email: 'password@x.org' });
    const byBoth = await buildUser(context, { email: 'both@x.org' });
    const linked = await buildUser(context, { email: 'linked@x.org', ...withoutPassword(context) });
    await buildUser(context, { email: 'neither@x.org', ...withoutPassword(context) });
    // An invitation with a generated password besides it.
    await buildUser(context, {
      email: 'generated@x.org',
      hasPassword: false,
      initialPasswordExpiresAt: new Date(Date.now() + 86_400_000),
      inviteState: 'queued',
    });
    for (const user of [byBoth, linked]) await link(harness, user);
    const signsIn = new Map((await listed('search=x.org')).map((user) => [user.email, user.signsIn]));
    expect(Object.fromEntries(signsIn)).to.deep.equal({
      'password@x.org': ['password'],
      'both@x.org': ['password', 'oidc'],
      'linked@x.org': ['oidc'],
      'neither@x.org': [],
      'generated@x.org': ['password'],
    });
    expect((await shown(linked.id)).signsIn).to.deep.equal(['oidc']);
    const sorted = 'sortBy=email&sortOrder=ASC';
    expect(await emails(`search=x.org&signsIn=password&${sorted}`)).to.deep.equal([
      'both@x.org',
      'generated@x.org',
      'password@x.org',
    ]);
    expect(await emails(`signsIn=oidc&${sorted}`)).to.deep.equal(['both@x.org', 'linked@x.org']);
    expect(await emails('signsIn=none')).to.deep.equal(['neither@x.org']);
    expect(await emails('signsIn=none&role=trainee&search=neither')).to.deep.equal(['neither@x.org']);
    expect(await emails('signsIn=oidc&isActive=true')).to.have.length(2);
    expect(await emails('signsIn=none&requiresPasswordChange=false')).to.deep.equal([]);
    expectInvalid(await api('get', '/api/users?signsIn=saml'), ['signsIn'], 'query');
    const exported = await api('get', '/api/users/export.csv?signsIn=oidc&fields=email').expect(200);
    expect(exported.text)
      .to.match(/both@x\.org/)
      .and.not.match(/neither|password@/);
    expect(byPassword.email).to.equal('password@x.org');
    const bulk = await api('post', '/api/users/bulk')
      .send({ action: 'deactivate', filter: { signsIn: 'none' }, dryRun: true })
      .expect(200);
    expect(bulk.body.counts).to.deep.equal({ done: 1, unchanged: 0, refused: 0 });
  });

  it('confirms the address with the password that an invitation or a link sets', async () => {
    for (const purpose of ['invite', 'reset'] as const) {
      const user = await buildUser(harness.context, withoutPassword(harness.context));
      const token = await linkFor(harness.context, user, purpose);
      await harness
        .api('post', '/api/links/set-password')
        .send({ token, newPassword: 'a password of my own' })
        .expect(200);
      expect((await user.reload()).emailConfirmedAt, purpose).to.be.instanceOf(Date);
      expect((await shown(user.id)).signsIn).to.deep.equal(['password']);
    }
  });
});

describe('Ways to sign in without the sign-in of the organisation', () => {
  const harness = useHarness();
  const cast = useCast(harness);

  it('are passwords only, also for accounts that were linked before', async () => {
    const user = await buildUser(harness.context, withoutPassword(harness.context));
    await link(harness, user);
    const api = (path: string) => harness.api('get', path, cast.admin.token).expect(200);
    expect((await api(`/api/users/${user.id}`)).body.user.signsIn).to.deep.equal([]);
    expect((await api('/api/users?signsIn=oidc')).body.users).to.deep.equal([]);
    expect((await api('/api/users?signsIn=none')).body.users.map(({ id }: User) => id)).to.deep.equal([user.id]);
  });
});

describe('PASSWORD_LOGIN=off', () => {
  const harness = useHarness({ ...mailSettings, ...signInSettings, PASSWORD_LOGIN: 'off' });
  const cast = useCast(harness);
  const mailbox = useMailServer(harness);
  const api = (method: 'get' | 'post', path: string) => harness.api(method, path, cast.admin.token);
  const login = (identifier: string, password: string) =>
    harness.api('post', '/api/auth/login').send({ identifier, password });

  it('lets only the super admin sign in with a password, and answers everybody else alike', async () => {
    await login(cast.admin.user.email, factoryPassword).expect(200);
    const inactive = await buildUser(harness.context, { isActive: false });
    const answers = [];
    for (const identifier of [cast.owner.user.email, cast.trainee.user.email, inactive.email, 'nobody@example.org'])
      for (const password of [factoryPassword, 'a wrong one'])
        answers.push((await login(identifier, password).expect(401)).body);
    for (const answer of answers) expect(answer).to.deep.equal(answers[0]);
    expect(answers[0].error).to.equal('Invalid credentials or account inactive.');
    const trainees = harness.api('post', '/api/auth/trainee-login');
    expectFailure(
      await trainees.send({ identifier: cast.trainee.user.email, password: factoryPassword }),
      'NO_MATCHING_ACCOUNT',
    );
  });

  it('counts failures of people with and without an account in the same way', async () => {
    const statuses = async (identifier: string) => {
      const all: number[] = [];
      for (let n = 0; n < 25; n += 1) all.push((await login(identifier, factoryPassword)).status);
      return all;
    };
    const known = await statuses(cast.trainee.user.email);
    expect(known).to.include(429);
    expect(await statuses('nobody@example.org')).to.deep.equal(known);
  });

  it('shows a password as a way to sign in for the super admin only', async () => {
    const all = (await api('get', '/api/users?limit=100').expect(200)).body.users as {
      role: string;
      signsIn: string[];
    }[];
    for (const { role, signsIn } of all)
      expect(signsIn, role).to.deep.equal(role === 'super_admin' ? ['password'] : []);
    const filtered = (await api('get', '/api/users?signsIn=password').expect(200)).body.users as { role: string }[];
    expect(filtered.map(({ role }) => role)).to.deep.equal(['super_admin']);
    const none = (await api('get', '/api/users?signsIn=none').expect(200)).body.users;
    expect(none).to.have.length(all.length - 1);
  });

  it('refuses generated passwords and links to set one, but for the super admin', async () => {
    const { trainee, admin } = cast;
    const reset = (id: string, link: boolean) => api('post', `/api/users/${id}/reset-password`).send({ link });
    expectFailure(await api('post', '/api/users').send({ ...person, credentials: 'generated' }), 'PASSWORD_LOGIN_OFF');
    expectFailure(await reset(trainee.user.id, false), 'PASSWORD_LOGIN_OFF');
    expectFailure(await reset(trainee.user.id, true), 'PASSWORD_LOGIN_OFF');
    const bulk = (action: string, ids: string[]) => api('post', '/api/users/bulk').send({ action, ids });
    expectFailure(await bulk('reset_password', [trainee.user.id]), 'PASSWORD_LOGIN_OFF');
    const { body } = await bulk('mail_reset_link', [trainee.user.id, admin.user.id]).expect(200);
    expect(body.outcomes.map(({ code }: { code: string | null }) => code)).to.deep.equal(['PASSWORD_LOGIN_OFF', null]);
    await api('post', '/api/users')
      .send({ ...person, credentials: 'none' })
      .expect(201);
  });

  it('still creates accounts with a given password, as specified', async () => {
    const body = { ...person, phone: '+1 757 555 0118', password: factoryPassword };
    await harness.api('post', '/api/auth/register', cast.admin.token).send(body).expect(201);
  });

  it('mails forgotten passwords to the super admin only, with the same response', async () => {
    const forgotten = (identifier: string) => harness.api('post', '/api/forgot-password').send({ identifier });
    const answers = [];
    for (const identifier of [cast.trainee.user.email, 'nobody@example.org', cast.admin.user.email])
      answers.push((await forgotten(identifier).expect(202)).body);
    for (const answer of answers) expect(answer).to.deep.equal(answers[0]);
    const mails = await mailbox.deliver();
    expect(mails.map(({ to }) => to)).to.deep.equal([[cast.admin.user.email]]);
    expect(await harness.context.database.models.Link.count()).to.equal(1);
  });

  it('invites people to sign in, and creates no secret link', async () => {
    const { body } = await api('post', '/api/users').send({ ...person, credentials: 'invite', message: 'Hello!' });
    const [mail] = await mailbox.deliver();
    expect(mail?.to).to.deep.equal([person.email]);
    expect(mail?.text.replace(/\s+/g, ' '))
      .to.include('sign in with Example Account')
      .and.include('Hello!')
      .and.include(' https://courses.example.org/sign-in ')
      .and.not.include('#');
    expect(await harness.context.database.models.Link.count()).to.equal(0);
    expect((await api('get', `/api/users/${body.user.id}`)).body.user.inviteState).to.equal('sent');
  });
});
