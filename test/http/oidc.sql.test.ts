import { expect } from 'chai';
import type { JWTPayload } from 'jose';
import type { Response } from 'supertest';
import { buildUser } from '../support/factories.js';
import { type Harness, useHarness } from '../support/harness.js';
import { type Issuer, issuerSettings, useIssuer } from '../support/issuer.js';

const stateName = '__Host-coursectl-oidc';
const sessionName = '__Host-coursectl';
const hour = 60 * 60_000;

/** Returns the value of a cookie that a response sets; empty for a removed cookie, undefined without one. */
function cookieOf({ headers }: Response, name: string): string | undefined {
  // Node gives several headers of this name as a list.
  const set = (headers['set-cookie'] ?? []) as unknown as string[];
  return set.map((cookie) => cookie.split(';')[0]?.split('=') ?? []).find(([given]) => given === name)?.[1];
}

/** A browser at the beginning of a sign-in. */
interface Begun {
  location: string;
  cookie: string;
}

const browserOf = (harness: Harness, given: { issuer: Issuer }) => {
  const get = (path: string) => harness.api('get', path).set('Host', '127.0.0.1');
  async function begin(returnTo = '/people'): Promise<Begun> {
    const response = await get('/api/oidc/start').query({ returnTo }).expect(303);
    return { location: response.headers.location ?? '', cookie: cookieOf(response, stateName) ?? '' };
  }
  const answer = (query: URLSearchParams, cookie: string) =>
    get(`/api/oidc/callback?${query}`).set('Cookie', `${stateName}=${cookie}`).expect(303);
  async function signInAs(claims: JWTPayload, begun?: Begun): Promise<Response> {
    const { location, cookie } = begun ?? (await begin());
    return answer(given.issuer.signIn(location, claims), cookie);
  }
  return { get, begin, answer, signInAs };
};

const ada = { sub: 'ada', email: 'ada@example.org', email_verified: true, given_name: 'Ada', family_name: 'Lovelace' };

describe("Signing in with the organisation's account", () => {
  const given = useIssuer();
  const harness = useHarness(() => issuerSettings(given.issuer));
  const { signInAs } = browserOf(harness, given);
  const accountOf = async (response: Response) => {
    const token = cookieOf(response, sessionName);
    return (await harness.api('get', '/api/auth/web-session', token).expect(200)).body;
  };

  it('links the account with the verified email, and later finds it by the subject', async () => {
    const user = await buildUser(harness.context, { email: ada.email });
    const first = await signInAs(ada);
    expect(first.headers.location).to.equal('/people');
    expect(cookieOf(first, stateName)).to.equal('');
    const session = await accountOf(first);
    expect(session).to.deep.include({ method: 'oidc', requiresPasswordChange: false });
    expect(session.user.id).to.equal(user.id);
    expect(Date.parse(session.expiresAt) - Date.now()).to.be.within(12 * hour - 60_000, 12 * hour);
    const again = await accountOf(await signInAs({ ...ada, email: 'other@example.org', email_verified: false }));
    expect(again.user.id).to.equal(user.id);
  });
});
