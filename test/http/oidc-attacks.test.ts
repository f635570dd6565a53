import { expect } from 'chai';
import type { JWTPayload } from 'jose';
import { createLogger } from '../../src/logger.js';
import { buildIdentity, buildUser, signIn, tokenFor } from '../support/factories.js';
import { type Harness, useHarness } from '../support/harness.js';
import { type IssuerFaults, issuerSettings, useIssuer } from '../support/issuer.js';
import { ada, cookieOf, oidcBrowser, refused, sessionName, stateName } from './support/oidc-browser.js';

const seconds = () => Math.floor(Date.now() / 1000);
const unavailable = refused('OIDC_UNAVAILABLE');

let hours = 0;
/** Moves the clock on, so that the addresses and keys of the issuer are read again. */
function later({ advance }: Harness): void {
  // More than all earlier steps together, because each test begins with the clock of the machine.
  hours = 2 * hours + 2;
  advance(hours * 60 * 60_000);
}

describe('A hostile answer of the issuer', () => {
  const given = useIssuer();
  const lines: string[] = [];
  const logger = createLogger('trace', { write: (line) => void lines.push(line) });
  const harness = useHarness(() => ({ ...issuerSettings(given.issuer), OIDC_CREATE: 'trainee' }), logger);
  const { begin, sendAnswer, get, placeAs } = oidcBrowser(harness, given);
  beforeEach(() => void lines.splice(0));
  afterEach('leaves no session, and no value of a token in the log', async () => {
    expect(await harness.context.database.models.Session.count()).to.equal(0);
    for (const secret of ['ada@example.org', 'Lovelace', 'the secret of the client', 'eyJ'])
      expect(lines.join('\n')).not.to.include(secret);
  });

  const claims: Record<string, JWTPayload> = {
    'for another client': { aud: 'another client' },
    'for several clients without the authorized one': { aud: ['courses', 'another client'], azp: 'another client' },
    'of another issuer': { iss: 'https://login.example.com' },
    'with another nonce': { nonce: 'of another sign-in' },
    'without a nonce': { nonce: undefined },
    'that has expired': { iat: seconds() - 1000, exp: seconds() - 120 },
    'of the future': { iat: seconds() + 1000, exp: seconds() + 2000, nbf: seconds() + 900 },
    'without a subject': { sub: undefined as unknown as string },
    'with a subject that is a number': { sub: 7 as unknown as string },
    'with a subject that ends with a space': { sub: 'ada ' },
    'with a subject of 256 characters': { sub: 'x'.repeat(256) },
    'with a subject beyond ASCII': { sub: 'ådå' },
    'with a NUL in the subject': { sub: 'ada\0x' },
  };
  for (const [title, wrong] of Object.entries(claims))
    it(`is refused: a token ${title}`, async () => {
      await buildUser(harness.context, { email: ada.email });
      expect(await placeAs({ ...ada, ...wrong })).to.equal(unavailable);
      expect(lines.join('\n')).to.include("the organisation's sign-in can't be used");
    });

  const faults: Record<string, IssuerFaults> = {
    'a token with a foreign signature': { signature: 'foreign' },
    'a token without a signature': { signature: 'none' },
    'no ID token': { answer: { '/token': { body: { access_token: 'x', token_type: 'Bearer' } } } },
    'a token that is no token': {
      answer: { '/token': { body: { access_token: 'x', token_type: 'Bearer', id_token: 'eyJhbGciOiJub25lIn0.e30.' } } },
    },
    'a failure': { answer: { '/token': { status: 500, body: { error: 'server_error' } } } },
    'an error that is no text': { answer: { '/token': { status: 400, body: { error: { toString: 'x' } } } } },
    'a redirect of the token request': { answer: { '/token': { status: 302, body: {} } } },
    'keys that are no keys': { answer: { '/jwks': { body: { keys: 'none' } } } },
  };
  for (const [title, fault] of Object.entries(faults))
    it(`is refused: ${title}`, async () => {
      await buildUser(harness.context, { email: ada.email });
      // The keys of the last hour are no longer kept.
      later(harness);
      const begun = await begin();
      given.issuer.faults = fault;
      expect(await placeAs(ada, begun)).to.equal(unavailable);
      // The next sign-in succeeds once the issuer is sound again.
      given.issuer.faults = {};
      expect(await placeAs(ada)).to.equal('/people');
      await harness.context.database.models.Session.destroy({ where: {} });
    });

  it('can not lead browsers to an address without https', async () => {
    for (const end of ['javascript:alert(1)', 'ftp://evil.example/end']) {
      given.issuer.faults = { metadata: { end_session_endpoint: end, authorization_endpoint: end } };
      later(harness);
      const response = await get('/api/oidc/start').expect(303);
      expect(response.headers.location).to.equal(unavailable);
    }
    given.issuer.faults = {};
    later(harness);
    await begin();
  });

  it('is refused if the person has declined, and if the answer is of another sign-in', async () => {
    const { location, cookie } = await begin();
    const state = new URL(location).searchParams.get('state') ?? '';
    const place = async (query: Record<string, string>, sent = cookie) =>
      (await sendAnswer(new URLSearchParams(query), sent)).headers.location;
    expect(await place({ error: 'access_denied', state })).to.equal(refused('OIDC_DENIED'));
    expect(await place({ error: 'server_error', state })).to.equal(unavailable);
    for (const query of [{ code: 'x' }, { code: 'x', state: 'another' }, { error: 'access_denied' }, {}] as Record<
      string,
      string
    >[])
      expect(await place(query)).to.equal(refused('OIDC_STATE_INVALID'));
    expect(await place({ code: 'x', state, iss: 'https://login.example.com' })).to.equal(unavailable);
    expect(await place({ code: 'guessed', state })).to.equal(refused('OIDC_STATE_INVALID'));
  });

  it('is refused if one of its parameters is repeated', async () => {
    const { location, cookie } = await begin();
    const answer = given.issuer.signIn(location, ada);
    await get(`/api/oidc/callback?${answer}&state=x`).set('Cookie', `${stateName}=${cookie}`).expect(400);
  });

  it('is refused with the cookie of another browser, with none, and with an older one of two tabs', async () => {
    const first = await begin();
    const second = await begin();
    const answer = given.issuer.signIn(first.location, ada);
    const invalid = refused('OIDC_STATE_INVALID');
    expect((await sendAnswer(answer, second.cookie)).headers.location).to.equal(invalid);
    expect((await get(`/api/oidc/callback?${answer}`).expect(303)).headers.location).to.equal(invalid);
    expect(await placeAs(ada, { ...second, cookie: `${second.cookie.slice(0, -3)}abc` })).to.equal(invalid);
    harness.advance(10 * 60_000 + 1000);
    expect(await placeAs(ada, second)).to.equal(invalid);
  });

  it('is refused the second time, also with the cookie of the first time', async () => {
    const { location, cookie } = await begin();
    const answer = given.issuer.signIn(location, ada);
    expect((await sendAnswer(answer, cookie)).headers.location).to.equal('/people');
    const again = await sendAnswer(answer, cookie);
    expect(again.headers.location).to.equal(refused('OIDC_STATE_INVALID'));
    expect(cookieOf(again, sessionName)).to.equal(undefined);
    await harness.context.database.models.Session.destroy({ where: {} });
  });

  it('finds no account by an address that only looks like the account’s', async () => {
    await buildUser(harness.context, { email: 'kim@example.org' });
    const alike = [
      '\u212Aim@example.org',
      'ｋim@example.org',
      'kim\u200B@example.org',
      'kim@example.org\0',
      'kim@exampl\u0435.org',
    ];
    for (const [index, email] of alike.entries())
      expect(await placeAs({ ...ada, sub: `${index}`, email }), email).to.equal(refused('OIDC_NO_ACCOUNT'));
    for (const email of [['kim@example.org'], { toString: 'kim@example.org' }, 7, null])
      expect(await placeAs({ ...ada, sub: 'x', email })).to.equal(refused('OIDC_NO_ACCOUNT'));
  });

  it('sends the browser back to the address of the setting, whatever the Host header says', async () => {
    const response = await get('/api/oidc/start').set('Host', 'evil.example').set('X-Forwarded-Host', 'evil.example');
    const { searchParams } = new URL(response.headers.location ?? '');
    expect(searchParams.get('redirect_uri')).to.equal('https://courses.example.org/api/oidc/callback');
    expect(searchParams.get('code_challenge_method')).to.equal('S256');
    expect(response.text).not.to.include('evil');
  });

  it('is understood with new keys, and with a clock that is a minute ahead', async () => {
    later(harness);
    await buildUser(harness.context, { email: ada.email });
    expect(await placeAs(ada)).to.equal('/people');
    await given.issuer.rotateKeys();
    harness.advance(61_000);
    // The keys are read again after the first failure, at most once a minute.
    const places = [await placeAs(ada), await placeAs(ada)];
    expect(places).to.deep.equal([unavailable, '/people']);
    expect(await placeAs({ ...ada, iat: seconds() + 50, nbf: seconds() + 50 })).to.equal('/people');
    await harness.context.database.models.Session.destroy({ where: {} });
  });
});

describe('An issuer that is down', () => {
  const given = useIssuer();
  const harness = useHarness(() => issuerSettings(given.issuer));
  const { begin, get, placeAs } = oidcBrowser(harness, given);

  it('delays no start of the service, and is asked again at the next sign-in', async () => {
    later(harness);
    const asked = given.issuer.requests.length;
    given.issuer.faults = { answer: { '/.well-known/openid-configuration': { status: 503, body: {} } } };
    expect((await get('/api/oidc/start').expect(303)).headers.location).to.equal(unavailable);
    given.issuer.faults = {};
    await begin();
    await begin();
    expect(given.issuer.requests.slice(asked)).to.have.length(2);
    harness.advance(60 * 60_000 + 1000);
    await begin();
    expect(given.issuer.requests.slice(asked)).to.have.length(3);
  });

  it('answers within 5 seconds if the issuer stays silent', async () => {
    await buildUser(harness.context, { email: ada.email });
    const begun = await begin();
    given.issuer.faults = { answer: { '/token': {} } };
    const startedAt = performance.now();
    expect(await placeAs(ada, begun)).to.equal(unavailable);
    expect(performance.now() - startedAt).to.be.above(4500);
  }).timeout(30_000);

  it('calls itself otherwise: nobody is sent there', async () => {
    later(harness);
    given.issuer.faults = { metadata: { issuer: 'https://login.example.com' } };
    expect((await get('/api/oidc/start').expect(303)).headers.location).to.equal(unavailable);
  });
});

describe('Tokens and states', () => {
  const given = useIssuer();
  const harness = useHarness(() => issuerSettings(given.issuer));
  const { begin, sendAnswer } = oidcBrowser(harness, given);

  it('have cookies of their own: the state reaches the service from the issuer, the session only from its pages', async () => {
    const start = await harness.api('get', '/api/oidc/start').set('Host', '127.0.0.1').expect(303);
    const [state = ''] = start.headers['set-cookie'] ?? [];
    expect(state).to.match(/^__Host-coursectl-oidc=[\w.-]+; Path=\/; HttpOnly; Secure; SameSite=Lax; Max-Age=600$/);
    await buildUser(harness.context, { email: ada.email });
    const { cookie, location } = await begin();
    const end = await sendAnswer(given.issuer.signIn(location, ada), cookie);
    expect(end.headers['set-cookie']).to.have.length(2);
    expect(end.headers['set-cookie']?.[0]).to.match(/^__Host-coursectl-oidc=; .*Max-Age=0$/);
    expect(end.headers['set-cookie']?.[1]).to.match(
      /^__Host-coursectl=[\w.-]+; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
    );
    expect(end.headers['cache-control']).to.equal('no-store');
  });

  it('do not pass for each other', async () => {
    const { user, token } = await signIn(harness.context);
    const { cookie, location } = await begin();
    await harness.api('get', '/api/auth/me', cookie).expect(401);
    await harness.api('get', '/api/auth/me').set('Cookie', `${sessionName}=${cookie}`).expect(401);
    const linking = await harness
      .api('post', '/api/auth/identities', token)
      .send({ currentPassword: 'factory password' });
    await harness.api('get', '/api/auth/me', cookieOf(linking, stateName) ?? 'x').expect(401);
    const answer = given.issuer.signIn(location, ada);
    const response = await sendAnswer(answer, await tokenFor(harness.context, user));
    expect(response.headers.location).to.equal(refused('OIDC_STATE_INVALID'));
  });
});

describe('The email of the issuer', () => {
  const settings: Record<string, { env: Record<string, string>; accepted: JWTPayload[]; refused: JWTPayload[] }> = {
    'by its claim': {
      env: {},
      accepted: [
        { email_verified: true },
        { email_verified: undefined, xms_edov: true },
        { email_verified: undefined, xms_edov: '1' },
      ],
      refused: [
        { email_verified: undefined },
        { email_verified: false, xms_edov: true },
        { email_verified: 'true' },
        { email_verified: 1 },
        { email_verified: undefined, xms_edov: false },
        { email_verified: undefined, xms_edov: 'yes' },
      ],
    },
    'by trust': {
      env: { OIDC_EMAIL_VERIFIED: 'trusted' },
      accepted: [{ email_verified: true }, { email_verified: undefined }],
      refused: [{ email_verified: false }, { email_verified: 'false' }, { email_verified: undefined, xms_edov: false }],
    },
  };
  for (const [title, { env, accepted, refused: unverified }] of Object.entries(settings))
    describe(title, () => {
      const given = useIssuer();
      const harness = useHarness(() => ({ ...issuerSettings(given.issuer), ...env }));
      const { placeAs } = oidcBrowser(harness, given);

      it('is verified, or not', async () => {
        await buildUser(harness.context, { email: ada.email });
        for (const claims of unverified)
          expect(await placeAs({ ...ada, ...claims }), JSON.stringify(claims)).to.equal(
            refused('OIDC_EMAIL_UNVERIFIED'),
          );
        for (const [index, claims] of accepted.entries())
          expect(await placeAs({ ...ada, sub: `${index}`, ...claims }), JSON.stringify(claims)).to.equal('/people');
      });
    });

  describe('without domains', () => {
    const given = useIssuer();
    const harness = useHarness(() => ({ ...issuerSettings(given.issuer), OIDC_DOMAINS: '' }));
    const { placeAs } = oidcBrowser(harness, given);

    it('finds nobody; only people who have linked themselves sign in', async () => {
      const user = await buildUser(harness.context, { email: ada.email });
      await buildIdentity(harness.context, user, { issuer: 'https://another.example.org', subject: 'ada' });
      for (const sub of ['ada', 'Ada', 'ADA'])
        expect(await placeAs({ ...ada, sub })).to.equal(refused('OIDC_NO_ACCOUNT'));
      await buildIdentity(harness.context, user, { issuer: given.issuer.url, subject: 'ada' });
      expect(await placeAs({ ...ada, sub: 'ADA' })).to.equal(refused('OIDC_NO_ACCOUNT'));
      expect(await placeAs(ada)).to.equal('/people');
    });
  });
});
