import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import type { Response } from 'supertest';
import { transferSuperAdmin } from '../../src/services/accounts/transfer.js';
import { setUserActive } from '../../src/services/accounts/update-user.js';
import { operator } from '../../src/services/core.js';
import { importFile } from '../services/imports/support/running.js';
import {
  buildIdentity,
  buildUser,
  calendarKeyOf,
  factoryPassword,
  linkFor,
  signIn,
  tokenFor,
} from '../support/factories.js';
import { relaxedDeadlines, useHarness } from '../support/harness.js';
import { issuerSettings, useIssuer } from '../support/issuer.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { expectFailure } from './support/expectations.js';
import { ada, cookieOf, oidcBrowser, refused, sessionName, stateName } from './support/oidc-browser.js';

const hour = 60 * 60_000;
const folder = temporaryFolder();
after(() => folder.remove());

describe("Signing in with the organisation's account", () => {
  const given = useIssuer();
  const harness = useHarness(() => issuerSettings(given.issuer));
  const { begin, get, signInAs, placeAs } = oidcBrowser(harness, given);
  const identitiesOf = (userId: string) => harness.context.database.models.Identity.findAll({ where: { userId } });
  const sessionOf = async (response: Response) => {
    const token = cookieOf(response, sessionName);
    return (await harness.api('get', '/api/auth/web-session', token).expect(200)).body;
  };
  const login = (identifier: string) =>
    harness.api('post', '/api/auth/login').send({ identifier, password: factoryPassword });

  it('is announced with its name', async () => {
    const { body } = await get('/api/oidc').expect(200);
    expect(body).to.deep.equal({ name: 'Example Org', passwordLogin: true });
  });

  it('links the account with the verified email, and later finds it by the subject', async () => {
    const user = await buildUser(harness.context, { email: ada.email, requiresPasswordChange: true });
    const first = await signInAs(ada);
    expect(first.headers.location).to.equal('/people');
    expect(cookieOf(first, stateName)).to.equal('');
    const session = await sessionOf(first);
    expect(session.user).to.include({ id: user.id, requiresPasswordChange: true });
    expect(session).to.include({ method: 'oidc', requiresPasswordChange: false });
    const again = await sessionOf(await signInAs({ ...ada, email: 'new@example.org', given_name: 'Augusta' }));
    expect(again.user).to.include({ id: user.id, email: ada.email, firstName: user.firstName });
    const [identity, ...others] = await identitiesOf(user.id);
    expect(others).to.deep.equal([]);
    expect(identity).to.include({ issuer: given.issuer.url, subject: 'ada', email: ada.email, linkedBy: 'email' });
    expect(identity?.lastUsedAt).not.to.equal(null);
    expect((await user.reload()).lastLogin).not.to.equal(null);
  });

  it('lasts 12 hours, and works where an initial password must be changed first', async () => {
    await buildUser(harness.context, { email: ada.email, requiresPasswordChange: true });
    const response = await signInAs(ada);
    const token = cookieOf(response, sessionName);
    const { expiresAt } = await sessionOf(response);
    expect(Date.parse(expiresAt) - Date.now()).to.be.within(12 * hour - 60_000, 12 * hour);
    await harness.api('get', '/api/courses', token).expect(200);
    // Otherwise whoever has the session could set a password without knowing one.
    const change = harness.api('put', '/api/auth/first-password-change', token).send({ newPassword: 'of their own' });
    expectFailure(await change, 'PASSWORD_CHANGE_NOT_REQUIRED');
    harness.advance(12 * hour + 1000);
    await harness.api('get', '/api/auth/me', token).expect(401);
  });

  it('matches emails in any case, and international domains in ASCII', async () => {
    const user = await buildUser(harness.context, { email: ada.email });
    expect((await sessionOf(await signInAs({ ...ada, email: 'ADA@Example.ORG' }))).user.id).to.equal(user.id);
  });

  it('opens the wanted page of this service only', async () => {
    await buildUser(harness.context, { email: ada.email });
    const wanted = ['/courses/1?tab=people#top', '//evil.example', '/\\evil.example', 'https://evil.example'];
    const opened: (string | undefined)[] = [];
    for (const returnTo of [...wanted, `/${'x'.repeat(1000)}`]) opened.push(await placeAs(ada, await begin(returnTo)));
    expect(opened).to.deep.equal(['/courses/1?tab=people#top', '/', '/', '/', '/']);
  });

  it('is refused alike for unknown, inactive and foreign people, and for the super admin', async () => {
    await buildUser(harness.context, { email: 'inactive@example.org', isActive: false });
    await buildUser(harness.context, { email: 'boss@example.org', role: 'super_admin' });
    await buildUser(harness.context, { email: 'foreign@example.com' });
    const answers = [];
    for (const name of ['unknown@example.org', 'inactive@example.org', 'boss@example.org', 'foreign@example.com']) {
      const { status, headers, text } = await signInAs({ ...ada, sub: name, email: name });
      const { date: _, 'x-request-id': __, ...same } = headers;
      answers.push({ status, same, text });
    }
    for (const answer of answers) {
      expect(answer).to.deep.equal(answers[0]);
      expect(answer.same.location).to.equal(refused('OIDC_NO_ACCOUNT'));
    }
    expect(await harness.context.database.models.Identity.count()).to.equal(0);
  });

  it('is refused for a linked person whose account is inactive', async () => {
    const user = await buildUser(harness.context, { email: ada.email });
    await signInAs(ada);
    await setUserActive(harness.context, operator, user.id, false);
    expect(await placeAs(ada)).to.equal(refused('OIDC_NO_ACCOUNT'));
    await setUserActive(harness.context, operator, user.id, true);
    expect(await placeAs(ada)).to.equal('/people');
  });

  it('ends everything that a person with the initial password has, if nobody has confirmed the email', async () => {
    const { context } = harness;
    const user = await buildUser(context, { email: ada.email });
    const token = await tokenFor(context, user);
    const key = await calendarKeyOf(context, user);
    const reset = await linkFor(context, user, 'reset');
    await buildIdentity(context, user, { linkedBy: 'owner', subject: 'mallory' });
    await signInAs(ada);
    await harness.api('get', '/api/auth/me', token).expect(401);
    await harness.api('get', `/api/calendars/${key}.ics`).expect(404);
    await harness.api('post', '/api/links/check').send({ token: reset }).expect(400);
    await login(ada.email).expect(401);
    expect((await identitiesOf(user.id)).map(({ subject }) => subject)).to.deep.equal(['ada']);
    expect(await user.reload()).to.include({ hasPassword: false });
    expect(user.emailConfirmedAt).not.to.equal(null);
  });

  it('keeps the password and sessions of a person who has confirmed the email', async () => {
    const { context } = harness;
    const user = await buildUser(context, { email: ada.email });
    const reset = await linkFor(context, user, 'reset');
    const newPassword = 'chosen by the person';
    await harness.api('post', '/api/links/set-password').send({ token: reset, newPassword }).expect(200);
    const token = await tokenFor(context, user);
    expect(await placeAs(ada)).to.equal('/people');
    await harness.api('get', '/api/auth/me', token).expect(200);
    await harness.api('post', '/api/auth/login').send({ identifier: ada.email, password: newPassword }).expect(200);
  });

  it('treats a new email by an import as unconfirmed', async () => {
    const { context } = harness;
    const user = await buildUser(context, { phone: '+49 30 1234567', email: 'old@example.org' });
    await user.update({ emailConfirmedAt: new Date() });
    const csv = 'firstName,lastName,email,phone\nAda,Lovelace,ada@example.org,+49 30 1234567\n';
    const file = path.join(folder.path, 'people.csv');
    writeFileSync(file, csv);
    await importFile(context, file, {}, { onExisting: 'update', match: 'phone' });
    expect(await user.reload()).to.include({ email: ada.email, emailConfirmedAt: null });
  });

  it('is in the audit log, with the way of linking', async () => {
    const user = await buildUser(harness.context, { email: ada.email });
    await signInAs(ada);
    const entry = await harness.context.database.models.AuditEntry.findOne({ where: { action: 'user.link' } });
    expect(entry).to.include({ actorId: user.id, targetId: user.id, origin: 'http' });
    expect(JSON.parse(entry?.afterJson ?? '{}')).to.deep.equal({
      issuer: given.issuer.url,
      subject: 'ada',
      email: ada.email,
      linkedBy: 'email',
    });
  });

  it('loses its link to a new super admin, unless the owner has linked it', async () => {
    const { context } = harness;
    const from = await buildUser(context, { role: 'super_admin' });
    const to = await buildUser(context, { email: ada.email, role: 'trainer' });
    await signInAs(ada);
    const own = await buildIdentity(context, to, { linkedBy: 'owner' });
    await transferSuperAdmin(context, operator, { from: from.id, to: to.id });
    expect((await identitiesOf(to.id)).map(({ id }) => id)).to.deep.equal([own.id]);
    expect(await placeAs(ada)).to.equal(refused('OIDC_NO_ACCOUNT'));
  });

  it('needs no password for a sign-out, which also leads to the end of the session at the issuer', async () => {
    await buildUser(harness.context, { email: ada.email });
    const token = cookieOf(await signInAs(ada), sessionName);
    const signOut = (value = '') =>
      harness
        .api('delete', '/api/auth/web-session')
        .set({ Host: '127.0.0.1', Cookie: `${sessionName}=${value}` })
        .set({ 'Sec-Fetch-Site': 'same-origin', 'X-Requested-With': 'coursectl' })
        .expect(200);
    const { signOutUrl } = (await signOut(token)).body;
    const url = new URL(signOutUrl);
    expect(url.origin + url.pathname).to.equal(`${given.issuer.url}/end`);
    expect(Object.fromEntries(url.searchParams)).to.deep.equal({
      client_id: 'courses',
      post_logout_redirect_uri: 'https://courses.example.org/sign-in',
    });
    await harness.api('get', '/api/auth/me', token).expect(401);
    const byPassword = await tokenFor(harness.context, await buildUser(harness.context));
    expect((await signOut(byPassword)).body.signOutUrl).to.equal(null);
  });
});

describe('Accounts that the first sign-in creates', () => {
  const given = useIssuer();
  const settings = () => ({ ...issuerSettings(given.issuer), OIDC_CREATE: 'trainee' });
  const harness = useHarness(settings, undefined, { deadlines: relaxedDeadlines });
  const { begin, sendAnswer, signInAs, placeAs } = oidcBrowser(harness, given);
  const findAda = () => harness.context.database.models.User.findOne({ where: { email: ada.email } });

  it('are trainees without a phone and a password', async () => {
    expect(await placeAs(ada)).to.equal('/people');
    const user = await findAda();
    expect(user).to.include({ firstName: 'Ada', lastName: 'Lovelace', phone: '', role: 'trainee', isActive: true });
    expect(user).to.include({ hasPassword: false, inviteState: null });
    const identity = await harness.context.database.models.Identity.findOne({ where: { userId: user?.id ?? '' } });
    expect(identity).to.include({ subject: 'ada', linkedBy: 'creation' });
    const { AuditEntry } = harness.context.database.models;
    const actions = (await AuditEntry.findAll({ order: ['id'] })).map(({ action }) => action);
    expect(actions).to.deep.equal(['user.register', 'user.link']);
    expect(await placeAs(ada)).to.equal('/people');
    expect(await harness.context.database.models.User.count()).to.equal(1);
  });

  it('have the names of the full name if the issuer gives no others, and need both', async () => {
    const { given_name: _, family_name: __, ...nameless } = ada;
    expect(await placeAs({ ...nameless, name: 'Ada' })).to.equal(refused('OIDC_NAME_MISSING'));
    expect(await placeAs({ ...nameless, given_name: 'Ada', family_name: '\u0000' })).to.equal(
      refused('OIDC_NAME_MISSING'),
    );
    expect(await findAda()).to.equal(null);
    expect(await placeAs({ ...nameless, name: 'Pieter van der Berg' })).to.equal('/people');
    expect(await findAda()).to.include({ firstName: 'Pieter', lastName: 'van der Berg' });
  });

  it('are not created for inactive people, foreign domains and unverified emails', async () => {
    await buildUser(harness.context, { email: ada.email, isActive: false });
    expect(await placeAs(ada)).to.equal(refused('OIDC_NO_ACCOUNT'));
    for (const email of ['ada@example.com', 'ada@sub.example.org', 'ada@example.org.evil.example'])
      expect(await placeAs({ ...ada, sub: email, email }), email).to.equal(refused('OIDC_NO_ACCOUNT'));
    const unverified = { ...ada, sub: 'eve', email: 'eve@example.org', email_verified: false };
    expect(await placeAs(unverified)).to.equal(refused('OIDC_EMAIL_UNVERIFIED'));
    expect(await harness.context.database.models.User.count()).to.equal(1);
  });

  it('are one account after 20 first sign-ins at once', async () => {
    const begun = await Promise.all(Array.from({ length: 20 }, () => begin()));
    const answers = begun.map(({ location, cookie }) => ({ query: given.issuer.signIn(location, ada), cookie }));
    const responses = await Promise.all(answers.map(({ query, cookie }) => sendAnswer(query, cookie)));
    expect(responses.map(({ headers }) => headers.location)).to.deep.equal(Array.from({ length: 20 }, () => '/people'));
    const { User, Identity, Session } = harness.context.database.models;
    expect(await User.count()).to.equal(1);
    expect(await Identity.count()).to.equal(1);
    expect(await Session.count()).to.equal(20);
  });

  it('are linked once if 20 first sign-ins of an existing account come at once', async () => {
    const user = await buildUser(harness.context, { email: ada.email });
    const begun = await Promise.all(Array.from({ length: 20 }, () => begin()));
    const responses = await Promise.all(begun.map((one) => signInAs(ada, one)));
    for (const { headers } of responses) expect(headers.location).to.equal('/people');
    expect(await harness.context.database.models.Identity.count({ where: { userId: user.id } })).to.equal(1);
  });
});

describe('Identities', () => {
  const given = useIssuer();
  const harness = useHarness(() => issuerSettings(given.issuer));
  const { sendAnswer, signInAs, placeAs } = oidcBrowser(harness, given);
  async function beginLink(token: string, currentPassword = factoryPassword) {
    const response = await harness.api('post', '/api/auth/identities', token).send({ currentPassword });
    return { response, location: response.body.url, cookie: cookieOf(response, stateName) ?? '' };
  }
  async function link(token: string, claims = ada) {
    const { location, cookie } = await beginLink(token);
    return (await sendAnswer(given.issuer.signIn(location, claims), cookie)).headers.location;
  }

  it('are linked by their owners, with the password, also by the super admin and with any email', async () => {
    const { user, token } = await signIn(harness.context, { role: 'super_admin' });
    expectFailure((await beginLink(token, 'wrong password')).response, 'CURRENT_PASSWORD_INCORRECT');
    expect(await link(token, { ...ada, email: 'private@example.com', email_verified: false })).to.equal(
      '/profile#oidc=linked',
    );
    const { body } = await harness.api('get', '/api/auth/identities', token).expect(200);
    expect(body.hasPassword).to.equal(true);
    expect(body.identities).to.have.length(1);
    expect(body.identities[0]).to.include({ subject: 'ada', email: 'private@example.com', linkedBy: 'owner' });
    const response = await signInAs(ada);
    expect(response.headers.location).to.equal('/people');
    const session = await harness.api('get', '/api/auth/me', cookieOf(response, sessionName)).expect(200);
    expect(session.body.user.id).to.equal(user.id);
    expect(await link(token)).to.equal('/profile#oidc=linked');
    expect(await harness.context.database.models.Identity.count()).to.equal(1);
  });

  it('belong to one account', async () => {
    const first = await signIn(harness.context);
    const second = await signIn(harness.context);
    await link(first.token);
    expect(await link(second.token)).to.equal('/profile#oidc=IDENTITY_TAKEN');
    expect((await harness.api('get', '/api/auth/identities', second.token)).body.identities).to.deep.equal([]);
  });

  it('are not linked after the session, the password or the account of the request has ended', async () => {
    const { context } = harness;
    const ending: [string, (user: Awaited<ReturnType<typeof signIn>>) => Promise<unknown>][] = [
      ['signed out', ({ token }) => harness.api('post', '/api/auth/logout', token).expect(200)],
      ['deactivated', ({ user }) => setUserActive(context, operator, user.id, false)],
      [
        'another password',
        ({ token }) =>
          harness
            .api('put', '/api/auth/change-password', token)
            .send({ currentPassword: factoryPassword, newPassword: 'another password' })
            .expect(200),
      ],
    ];
    for (const [title, end] of ending) {
      const person = await signIn(context);
      const { location, cookie } = await beginLink(person.token);
      await end(person);
      const { headers } = await sendAnswer(given.issuer.signIn(location, ada), cookie);
      expect(headers.location, title).to.equal('/profile#oidc=OIDC_STATE_INVALID');
    }
    expect(await context.database.models.Identity.count()).to.equal(0);
  });

  it('are removed by their owners, except the last one of an account without a password', async () => {
    const { context } = harness;
    const user = await buildUser(context, { email: ada.email });
    const token = cookieOf(await signInAs(ada), sessionName);
    const { body } = await harness.api('get', '/api/auth/identities', token).expect(200);
    expect(body.hasPassword).to.equal(false);
    const [{ id }] = body.identities;
    const remove = (identity: string) => harness.api('delete', `/api/auth/identities/${identity}`, token);
    expectFailure(await remove(id), 'IDENTITY_LAST');
    const other = await buildIdentity(context, user);
    const elsewhere = await tokenFor(context, user);
    await remove(other.id).expect(200);
    await harness.api('get', '/api/auth/me', token).expect(200);
    await harness.api('get', '/api/auth/me', elsewhere).expect(401);
    const foreign = await buildIdentity(context, await buildUser(context));
    expectFailure(await remove(foreign.id), 'NOT_FOUND', 'Identity not found.');
  });

  it('are removed by the super admin, which ends the sessions of the account', async () => {
    const admin = await signIn(harness.context, { role: 'super_admin' });
    const user = await buildUser(harness.context, { email: ada.email });
    const token = cookieOf(await signInAs(ada), sessionName);
    const url = `/api/users/${user.id}/identities`;
    const { body } = await harness.api('get', url, admin.token).expect(200);
    await harness.api('delete', `${url}/${body.identities[0].id}`, admin.token).expect(200);
    await harness.api('get', '/api/auth/me', token).expect(401);
    expect((await harness.api('get', url, admin.token)).body.identities).to.deep.equal([]);
    const entry = await harness.context.database.models.AuditEntry.findOne({ where: { action: 'user.unlink' } });
    expect(JSON.parse(entry?.beforeJson ?? '{}')).to.include({ subject: 'ada', linkedBy: 'email' });
    // The verified email links the account again.
    expect(await placeAs(ada)).to.equal('/people');
  });

  it('go with their account', async () => {
    const admin = await signIn(harness.context, { role: 'super_admin' });
    const user = await buildUser(harness.context);
    await buildIdentity(harness.context, user);
    await harness.api('delete', `/api/users/${user.id}`, admin.token).expect(200);
    expect(await harness.context.database.models.Identity.count()).to.equal(0);
  });
});

describe("Without the organisation's sign-in", () => {
  const harness = useHarness();

  it('the ways to sign in are the password only', async () => {
    const { body } = await harness.api('get', '/api/oidc').expect(200);
    expect(body).to.deep.equal({ name: null, passwordLogin: true });
    const { token } = await signIn(harness.context);
    for (const url of ['/api/oidc/start', '/api/oidc/callback'])
      expectFailure(await harness.api('get', url), 'OIDC_NOT_SET_UP');
    const password = { currentPassword: factoryPassword };
    expectFailure(await harness.api('post', '/api/auth/identities', token).send(password), 'OIDC_NOT_SET_UP');
  });
});
