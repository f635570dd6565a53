import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair } from 'jose';
import { Provider } from 'oidc-provider';
import { issuerClient, issuerSettings } from './issuer.js';

/** A provider of OpenID Connect on 127.0.0.1 with pages to sign in and out, for journeys of browsers. */
export interface OidcProvider {
  /** Settings of a program that uses the provider. */
  settings: Record<string, string>;
  close(): Promise<void>;
}

/**
 * Starts a provider whose people have any name as login, such as "ada" for ada@example.org, and any password.
 * @param publicUrl address of the service in the browser
 */
export async function startOidcProvider(publicUrl: string): Promise<OidcProvider> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A listening TCP server has an address with a port.
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const provider = new Provider(url, {
    clients: [
      {
        client_id: issuerClient.OIDC_CLIENT_ID,
        client_secret: issuerClient.OIDC_CLIENT_SECRET,
        token_endpoint_auth_method: 'client_secret_post',
        redirect_uris: [`${publicUrl}/api/oidc/callback`],
        post_logout_redirect_uris: [`${publicUrl}/sign-in`],
      },
    ],
    jwks: { keys: [{ ...(await exportJWK(privateKey)), alg: 'RS256', use: 'sig' }] },
    cookies: { keys: ['any text'] },
    // In seconds. The defaults would print warnings.
    ttl: { Interaction: 600, Session: 600, Grant: 600, AccessToken: 600, IdToken: 600 },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['given_name', 'family_name'] },
    // Puts the claims into the ID token, as the usual providers do.
    conformIdTokenClaims: false,
    findAccount: (_context, login) => ({
      accountId: login,
      claims: () => ({ sub: login, email: `${login}@example.org`, email_verified: true }),
    }),
    features: {
      devInteractions: { enabled: true },
      rpInitiatedLogout: {
        // Without the fonts of the default page, which tests can't load.
        logoutSource: (context, form) => {
          context.body = `<!doctype html><title>Sign out</title><body>${form}<button type="submit" form="op.logoutForm" name="logout" value="yes">Yes, sign me out</button>`;
        },
      },
    },
  });
  const answer = provider.callback();
  server.on('request', (request, response) => void answer(request, response));
  return {
    settings: { ...issuerSettings({ url }), PUBLIC_URL: publicUrl },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
