import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';
import type { Certificate } from './certificate.js';

type Keys = Awaited<ReturnType<typeof generateKeyPair>>;

/** Faults of the next answers of the issuer. */
export interface IssuerFaults {
  /** Replaces the answer of a path, such as `/token`. Without a status, the issuer stays silent. */
  answer?: Partial<Record<string, { status?: number; body?: unknown }>>;
  /** Signs tokens with another key than the published one, or not at all. */
  signature?: 'foreign' | 'none';
  /** Fields of the discovery document. */
  metadata?: Record<string, unknown>;
  /** Difference of the issuer's clock to this machine's, in milliseconds. */
  clockMs?: number;
}

/** An issuer of OpenID Connect on 127.0.0.1 that signs in whom a test names, and can be hostile. */
export interface Issuer {
  url: string;
  faults: IssuerFaults;
  /** Requests so far, as paths. */
  requests: string[];
  /**
   * Signs a person in, as the page of the issuer would do.
   * @param location address to which the service has sent the browser
   * @param claims claims of the ID token in addition to the usual ones, or instead of them
   * @returns the query of the callback
   */
  signIn(location: string, claims: JWTPayload): URLSearchParams;
  /** Publishes a new key and signs with it. */
  rotateKeys(): Promise<void>;
  close(): Promise<void>;
}

export const issuerClient = { OIDC_CLIENT_ID: 'courses', OIDC_CLIENT_SECRET: 'the secret of the client' };

/** Settings of a program that uses an issuer. */
export const issuerSettings = ({ url }: Pick<Issuer, 'url'>) => ({
  ...issuerClient,
  OIDC_ISSUER: url,
  OIDC_NAME: 'Example Org',
  OIDC_DOMAINS: 'example.org',
  PUBLIC_URL: 'https://courses.example.org',
});

async function bodyOf(request: IncomingMessage): Promise<URLSearchParams> {
  let text = '';
  for await (const piece of request) text += String(piece);
  return new URLSearchParams(text);
}

/** A code that was given out and not redeemed yet. */
interface Grant {
  challenge: string;
  redirectUri: string;
  claims: JWTPayload;
}

export async function startIssuer({ port = 0, tls }: { port?: number; tls?: Certificate } = {}): Promise<Issuer> {
  let keys: Keys = await generateKeyPair('RS256');
  let kid = randomUUID();
  const foreign = await generateKeyPair('RS256');
  const grants = new Map<string, Grant>();
  const issuer = { faults: {}, requests: [] as string[] } as unknown as Issuer;

  const metadata = () => ({
    issuer: issuer.url,
    authorization_endpoint: `${issuer.url}/authorize`,
    token_endpoint: `${issuer.url}/token`,
    jwks_uri: `${issuer.url}/jwks`,
    end_session_endpoint: `${issuer.url}/end`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['client_secret_post'],
    ...issuer.faults.metadata,
  });

  async function idToken(claims: JWTPayload): Promise<string> {
    const { signature } = issuer.faults;
    if (signature === 'none') return new UnsecuredJWT(claims).encode();
    const { privateKey } = signature === 'foreign' ? foreign : keys;
    return new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid }).sign(privateKey);
  }

  async function token(request: IncomingMessage): Promise<{ status: number; body: unknown }> {
    const form = await bodyOf(request);
    const code = form.get('code') ?? '';
    const grant = grants.get(code);
    grants.delete(code);
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    const isClient =
      form.get('client_id') === issuerClient.OIDC_CLIENT_ID &&
      form.get('client_secret') === issuerClient.OIDC_CLIENT_SECRET;
    if (!isClient) return { status: 401, body: { error: 'invalid_client' } };
    if (grant?.challenge !== challenge || grant.redirectUri !== form.get('redirect_uri'))
      return { status: 400, body: { error: 'invalid_grant' } };
    const body = { access_token: randomUUID(), token_type: 'Bearer', id_token: await idToken(grant.claims) };
    return { status: 200, body };
  }

  async function answerTo(request: IncomingMessage, path: string): Promise<{ status: number; body: unknown }> {
    if (path === '/.well-known/openid-configuration') return { status: 200, body: metadata() };
    if (path === '/jwks') {
      const key = { ...(await exportJWK(keys.publicKey)), kid, alg: 'RS256', use: 'sig' };
      return { status: 200, body: { keys: [key] } };
    }
    return path === '/token' ? token(request) : { status: 404, body: {} };
  }

  const listener = (request: IncomingMessage, response: ServerResponse) => {
    const path = new URL(request.url ?? '/', issuer.url).pathname;
    issuer.requests.push(path);
    void (async () => {
      const usual = await answerTo(request, path);
      const fault = issuer.faults.answer?.[path];
      if (fault && fault.status === undefined) return;
      const { status, body } = { ...usual, ...fault };
      const date = new Date(Date.now() + (issuer.faults.clockMs ?? 0)).toUTCString();
      response.writeHead(status, { 'Content-Type': 'application/json', Date: date }).end(JSON.stringify(body));
    })();
  };
  const server = tls ? createTlsServer({ cert: tls.certificate, key: tls.key }, listener) : createServer(listener);
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  // A listening TCP server has an address with a port.
  issuer.url = `${tls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}`;

  issuer.signIn = (location, claims) => {
    const query = new URL(location).searchParams;
    const text = (name: string) => query.get(name) ?? '';
    const code = randomUUID();
    const seconds = Math.floor(Date.now() / 1000);
    grants.set(code, {
      challenge: text('code_challenge'),
      redirectUri: text('redirect_uri'),
      claims: {
        iss: issuer.url,
        aud: text('client_id'),
        nonce: text('nonce'),
        iat: seconds,
        exp: seconds + 300,
        ...claims,
      },
    });
    return new URLSearchParams({ code, state: text('state') });
  };
  issuer.rotateKeys = async () => {
    [keys, kid] = [await generateKeyPair('RS256'), randomUUID()];
  };
  issuer.close = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return issuer;
}

/** Gives the enclosing `describe` an issuer. */
export function useIssuer(): { issuer: Issuer } {
  const given = {} as { issuer: Issuer };
  before(async () => {
    given.issuer = await startIssuer();
  });
  beforeEach(() => {
    given.issuer.faults = {};
  });
  after(() => given.issuer.close());
  return given;
}
