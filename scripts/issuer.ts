/**
 * `npm run issuer`: runs a provider of OpenID Connect on this machine, for trying the organisation's sign-in. Accepts every
 * login without a check of the password, so it must not be used for anything else. Ctrl-C ends it.
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import { exportJWK, generateKeyPair } from 'jose';
import Provider from 'oidc-provider';

const { values } = parseArgs({
  options: {
    /** Port of the provider. */
    port: { type: 'string', default: '4444' },
    /** PUBLIC_URL of coursectl. */
    service: { type: 'string', default: 'http://127.0.0.1:3000' },
  },
});
const client = { id: 'coursectl', secret: 'only-for-trying' };

/** Returns the claims of a login such as `anna.berg@example.org`. */
function claimsOf(login: string) {
  const email = login.includes('@') ? login : `${login}@example.org`;
  const [given = '', family = 'Example'] = email
    .replace(/@.*/, '')
    .split(/[._]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  const names = { given_name: given, family_name: family, name: `${given} ${family}` };
  return { sub: login, email, email_verified: true, ...names };
}

const { privateKey } = await generateKeyPair('RS256', { extractable: true });
const server = createServer().listen(Number(values.port), '127.0.0.1');
await once(server, 'listening');
// A listening TCP server has an address with a port.
const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const provider = new Provider(issuer, {
  clients: [
    {
      client_id: client.id,
      client_secret: client.secret,
      redirect_uris: [`${values.service}/api/oidc/callback`],
      post_logout_redirect_uris: [`${values.service}/sign-in`],
    },
  ],
  jwks: { keys: [{ ...(await exportJWK(privateKey)), alg: 'RS256', use: 'sig' }] },
  cookies: { keys: [randomBytes(32).toString('hex')] },
  claims: { email: ['email', 'email_verified'], profile: ['name', 'given_name', 'family_name'] },
  // The service reads the ID token only.
  conformIdTokenClaims: false,
  findAccount: (_context, login) => ({ accountId: login, claims: () => claimsOf(login) }),
});
server.on('request', provider.callback());
console.log(`The provider runs at ${issuer}. It accepts every login, such as anna.berg@example.org, with any password.
Add these lines to .env and restart coursectl. Ctrl-C ends the provider.

OIDC_ISSUER=${issuer}
OIDC_CLIENT_ID=${client.id}
OIDC_CLIENT_SECRET=${client.secret}
OIDC_NAME="Example account"
OIDC_DOMAINS=example.org
OIDC_CREATE=trainee
PUBLIC_URL=${values.service}`);
