import type { JWTPayload } from 'jose';
import type { Response, Test } from 'supertest';
import type { Harness } from '../../support/harness.js';
import type { Issuer } from '../../support/issuer.js';

export const stateName = '__Host-coursectl-oidc';
export const sessionName = '__Host-coursectl';

/** Claims of a person whose email the issuer vouches for. */
export const ada = {
  sub: 'ada',
  email: 'ada@example.org',
  email_verified: true,
  given_name: 'Ada',
  family_name: 'Lovelace',
};

/** Address of the sign-in page with a failure. */
export const refused = (code: string) => `/sign-in#oidc=${code}`;

/** Returns the value of a cookie that a response sets; empty for a removed cookie, undefined without one. */
export function cookieOf({ headers }: Response, name: string): string | undefined {
  // Node gives several headers of this name as a list.
  const set = (headers['set-cookie'] ?? []) as unknown as string[];
  return set.map((cookie) => cookie.split(';')[0]?.split('=') ?? []).find(([given]) => given === name)?.[1];
}

/** A browser that has begun a sign-in. */
export interface Begun {
  /** Address at the issuer. */
  location: string;
  /** State in the cookie. */
  cookie: string;
}

/** Returns the steps of a browser that signs in at a test issuer. */
export function oidcBrowser(harness: Harness, given: { issuer: Issuer }) {
  // Sets `Secure` cookies, as over https.
  const get = (path: string): Test => harness.api('get', path).set('Host', '127.0.0.1');
  async function begin(returnTo = '/people'): Promise<Begun> {
    const response = await get('/api/oidc/start').query({ returnTo }).expect(303);
    return { location: response.headers.location ?? '', cookie: cookieOf(response, stateName) ?? '' };
  }
  /** Sends the answer of the issuer to the service, as the browser does. */
  const sendAnswer = (query: URLSearchParams, cookie: string): Test =>
    get(`/api/oidc/callback?${query}`).set('Cookie', `${stateName}=${cookie}`).expect(303);
  async function signInAs(claims: JWTPayload, begun?: Begun): Promise<Response> {
    const { location, cookie } = begun ?? (await begin());
    return sendAnswer(given.issuer.signIn(location, claims), cookie);
  }
  /** Returns the address after a sign-in. */
  const placeAs = async (claims: JWTPayload, begun?: Begun) => (await signInAs(claims, begun)).headers.location;
  return { get, begin, sendAnswer, signInAs, placeAs };
}
