import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { loadConfig } from '../../src/config/config.js';
import { isAppError } from '../../src/errors.js';
import { mailSettings } from '../support/environment.js';
import { buildUser, factoryPassword, linkFor, signIn, tokenFor } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { issuerSettings, useIssuer } from '../support/issuer.js';
import { tokenOf, useMailServer } from '../support/mailbox.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { useListeningService } from './support/listening-service.js';
import { ada, cookieOf, oidcBrowser, refused, stateName } from './support/oidc-browser.js';

const eve = { ...ada, sub: 'eve', email: 'eve@example.org', given_name: 'Eve' };
const noAccount = refused('OIDC_NO_ACCOUNT');
const stateOf = (location: string) => new URL(location).searchParams.get('state') ?? '';
const wanted = 'chosen by the person';

describe('A person who has signed in with the initial password of somebody else', () => {
  const given = useIssuer();
  const harness = useHarness(() => ({ ...issuerSettings(given.issuer), ...mailSettings }));
  const mailbox = useMailServer(harness);
  const { sendAnswer, placeAs } = oidcBrowser(harness, given);
  const post = (path: string, body: object, token?: string) => harness.api('post', path, token).send(body);

  /** Signs in with the initial password, chooses another one, and links the identity of the attacker. */
  async function takeOver() {
    const user = await buildUser(harness.context, { email: ada.email, requiresPasswordChange: true });
    const { token } = (await post('/api/auth/login', { identifier: ada.email, password: factoryPassword })).body;
    const newPassword = 'of the attacker';
    await harness.api('put', '/api/auth/first-password-change', token).send({ newPassword }).expect(200);
    const begun = await post('/api/auth/identities', { currentPassword: newPassword }, token).expect(200);
    const answer = given.issuer.signIn(begun.body.url, eve);
    const end = await sendAnswer(answer, cookieOf(begun, stateName) ?? '');
    expect(end.headers.location).to.equal('/profile#oidc=linked');
    expect(await placeAs(eve)).to.equal('/people');
    return { user, token, newPassword };
  }

  it('is out when the owner sets a password with a mailed link', async () => {
    const { user } = await takeOver();
    const token = await linkFor(harness.context, user, 'reset');
    await post('/api/links/set-password', { token, newPassword: wanted }).expect(200);
    await placeAs(ada);
    expect(await placeAs(eve)).to.equal(noAccount);
  });

  it('is out when the owner cancels a change of email', async () => {
    const { token, newPassword } = await takeOver();
    await post('/api/auth/email', { email: 'eve@example.com', currentPassword: newPassword }, token).expect(202);
    const sent = await mailbox.deliver();
    const tokenTo = (page: string) => {
      const mail = sent.find(({ text }) => text.includes(`/${page}#`));
      return mail ? tokenOf(mail) : '';
    };
    await post('/api/links/confirm-email', { token: tokenTo('confirm-email') }).expect(200);
    await post('/api/links/cancel-email', { token: tokenTo('cancel-email') }).expect(200);
    expect(await placeAs(eve)).to.equal(noAccount);
  });

  it('is out when the super admin resets the password', async () => {
    const { user } = await takeOver();
    const admin = await signIn(harness.context, { role: 'super_admin' });
    await post(`/api/users/${user.id}/reset-password`, {}, admin.token).expect(200);
    expect(await placeAs(eve)).to.equal(noAccount);
  });
});

describe('A person whose account has an email that its owner did not prove with the password', () => {
  const given = useIssuer();
  const harness = useHarness(() => ({ ...issuerSettings(given.issuer), ...mailSettings, OIDC_CREATE: 'trainee' }));
  const mailbox = useMailServer(harness);
  const { placeAs } = oidcBrowser(harness, given);
  const login = (password: string) => harness.api('post', '/api/auth/login').send({ identifier: ada.email, password });
  async function confirmFromMail() {
    const mail = (await mailbox.deliver()).find(({ text }) => text.includes('/confirm-email#'));
    const token = mail ? tokenOf(mail) : '';
    await harness.api('post', '/api/links/confirm-email').send({ token }).expect(200);
  }

  it('does not get into the account of the newcomer who has confirmed the email by a click', async () => {
    // The attacker has an own account. The newcomer has none yet, gets a genuine mail of the service, and clicks.
    const { token } = await signIn(harness.context, { email: 'eve@example.org' });
    const change = { email: ada.email, currentPassword: factoryPassword };
    await harness.api('post', '/api/auth/email', token).send(change).expect(202);
    await confirmFromMail();
    expect(await placeAs(ada)).to.equal('/people');
    await login(factoryPassword).expect(401);
  });

  it('does not get in with the initial password after the super admin has corrected the email', async () => {
    const admin = await signIn(harness.context, { role: 'super_admin' });
    const user = await buildUser(harness.context, { email: 'adda@example.org', requiresPasswordChange: true });
    const correction = { email: ada.email, verify: true };
    await harness.api('put', `/api/users/${user.id}`, admin.token).send(correction).expect(200);
    await confirmFromMail();
    expect(await placeAs(ada)).to.equal('/people');
    await login(factoryPassword).expect(401);
  });
});

describe('A former holder of an account', () => {
  const given = useIssuer();
  const harness = useHarness(() => issuerSettings(given.issuer));
  const { placeAs } = oidcBrowser(harness, given);

  it('is out when the super admin gives the account another email', async () => {
    const admin = await signIn(harness.context, { role: 'super_admin' });
    const user = await buildUser(harness.context, { email: eve.email });
    expect(await placeAs(eve)).to.equal('/people');
    await harness.api('put', `/api/users/${user.id}`, admin.token).send({ email: ada.email }).expect(200);
    expect(await placeAs(eve)).to.equal(noAccount);
  });
});

describe('A page of another site', () => {
  const given = useIssuer();
  const harness = useHarness(() => ({ ...issuerSettings(given.issuer), MAX_SESSIONS: '5' }));
  const { get, begin, signInAs } = oidcBrowser(harness, given);

  it('does not begin a sign-in in the browser of its visitor', async () => {
    for (const site of ['cross-site', 'same-site']) {
      const response = await get('/api/oidc/start').set('Sec-Fetch-Site', site);
      expect(cookieOf(response, stateName), site).to.equal(undefined);
    }
  });

  it('does not end the sessions of its visitor with a chain of sign-ins', async () => {
    const user = await buildUser(harness.context, { email: ada.email });
    await user.update({ emailConfirmedAt: new Date() });
    const elsewhere = await tokenFor(harness.context, user);
    // The issuer asks nothing while the visitor has a session there.
    let next = `/api/oidc/start?returnTo=${'/api/oidc/start?returnTo='.repeat(5)}/people`;
    for (let redirects = 0; redirects < 6 && next.startsWith('/api/oidc/start'); redirects += 1) {
      const begun = await begin(next.slice('/api/oidc/start?returnTo='.length));
      next = (await signInAs(ada, begun)).headers.location ?? '';
    }
    await harness.api('get', '/api/auth/me', elsewhere).expect(200);
  });
});

describe('A single client without an account', () => {
  const given = useIssuer();
  const harness = useHarness(() => issuerSettings(given.issuer));
  const { begin, sendAnswer } = oidcBrowser(harness, given);
  const asked = (path: string, since: number) =>
    given.issuer.requests.slice(since).filter((one) => one === path).length;

  it('does not make the service discover the issuer again and again', async () => {
    const { location, cookie } = await begin();
    const since = given.issuer.requests.length;
    const state = stateOf(location);
    for (let count = 0; count < 10; count += 1)
      await sendAnswer(new URLSearchParams({ error: 'server_error', state }), cookie);
    for (let count = 0; count < 10; count += 1)
      await sendAnswer(new URLSearchParams({ code: 'x', iss: 'https://evil.example', state }), cookie);
    expect(asked('/.well-known/openid-configuration', since)).to.be.at.most(2);
  });
});

describe('A single client while the issuer is silent', () => {
  const given = useIssuer();
  const service = useListeningService();
  afterEach(() => service.end());

  it('does not make the service open a connection to the issuer for each of its requests', async () => {
    await service.start(issuerSettings(given.issuer));
    const begun = await fetch(`${service.url}/api/oidc/start`, { redirect: 'manual' });
    const cookie = begun.headers.get('set-cookie')?.split(';')[0] ?? '';
    const state = stateOf(begun.headers.get('location') ?? '');
    given.issuer.faults = { answer: { '/token': {} } };
    const since = given.issuer.requests.length;
    const answers = Array.from({ length: 100 }, (_, code) =>
      fetch(`${service.url}/api/oidc/callback?code=${code}&state=${state}`, {
        redirect: 'manual',
        headers: { cookie },
      }),
    );
    await sleep(2500);
    const open = given.issuer.requests.length - since;
    await Promise.all(answers);
    expect(open).to.be.at.most(20);
  }).timeout(30_000);
});

describe('An issuer with an endless answer', () => {
  const given = useIssuer();
  const harness = useHarness(() => issuerSettings(given.issuer));
  const { begin, sendAnswer } = oidcBrowser(harness, given);
  let server: Server;
  let sentBytes = 0;
  before(async () => {
    const piece = Buffer.alloc(256 * 1024, ' ');
    server = createServer((_request, response) => {
      const send = () => {
        while (!response.destroyed && sentBytes < 200 * 1024 * 1024) {
          sentBytes += piece.length;
          if (!response.write(piece)) return;
        }
        response.end('{}');
      };
      response.on('drain', send).writeHead(200, { 'Content-Type': 'application/json' });
      send();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  it('does not fill the memory of the service', async () => {
    // A listening TCP server has an address with a port.
    const { port } = server.address() as AddressInfo;
    given.issuer.faults = { metadata: { token_endpoint: `http://127.0.0.1:${port}/token` } };
    harness.advance(2 * 60 * 60_000);
    const { location, cookie } = await begin();
    const answer = given.issuer.signIn(location, ada);
    const { headers } = await sendAnswer(answer, cookie);
    expect(headers.location).to.equal(refused('OIDC_UNAVAILABLE'));
    expect(sentBytes / 1024 / 1024).to.be.below(16);
  }).timeout(30_000);
});

describe('Settings that trust an issuer of everybody', () => {
  const folder = temporaryFolder();
  after(() => folder.remove());
  const issuers = [
    'https://ACCOUNTS.google.com',
    'https://login.microsoftonline.com:443/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0',
  ];
  for (const url of issuers)
    it(`are refused, however its name is written: ${url}`, () => {
      const env = { ...issuerSettings({ url }), OIDC_EMAIL_VERIFIED: 'trusted' };
      let refusal: unknown;
      try {
        loadConfig({ env, cwd: folder.path });
      } catch (error) {
        refusal = error;
      }
      expect(refusal).to.satisfy((error: unknown) => isAppError(error, 'CONFIG_INVALID'));
    });
});
