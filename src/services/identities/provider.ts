import type * as OpenidClient from 'openid-client';
import type { Config } from '../../config/config.js';
import { AppError } from '../../errors.js';
import type { Core } from '../core.js';
import { providerFault } from './provider-faults.js';

/** Deadline of each request to the issuer, in seconds. */
export const requestSeconds = 5;

/** Time that the addresses and keys of the issuer are kept, in milliseconds. */
const cachedMs = 60 * 60_000;

/** Tolerance for the clock of the issuer, in seconds. */
export const clockToleranceSeconds = 60;

/** Settings of the organisation's sign-in that must all be set. */
interface SignInSettings {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** Name of the organisation's account, for people. */
  name: string;
  /** Address of this service for people. */
  publicUrl: string;
}

/** @throws AppError `OIDC_NOT_SET_UP` */
export function oidcSettings({ oidc, mail }: Config): SignInSettings {
  const { issuer, clientId, clientSecret, name } = oidc;
  const { publicUrl } = mail;
  // config/cross-checks.ts makes sure that all of them are set together.
  if (!issuer || !clientId || !clientSecret || !name || !publicUrl) throw new AppError('OIDC_NOT_SET_UP');
  return { issuer, clientId, clientSecret, name, publicUrl };
}

/** Addresses of this service that the operator enters at the issuer. */
export const addressesOf = (publicUrl: string) => ({
  redirect: `${publicUrl}/api/oidc/callback`,
  afterSignOut: `${publicUrl}/sign-in`,
});

/** The issuer after its discovery. */
export interface Provider {
  library: typeof OpenidClient;
  configuration: OpenidClient.Configuration;
}

/** Maximum size of an answer of the issuer, in bytes. */
const answerBytes = 1024 * 1024;

/** Fetches an answer of limited size. @throws Error for a larger answer */
const limitedFetch: OpenidClient.CustomFetch = async (url, options) => {
  // The library's type of a body is narrower than the one of Node.
  const response = await fetch(url, options as RequestInit);
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of response.body ?? []) {
    bytes += piece.length;
    if (bytes > answerBytes) throw new Error('the answer of the issuer is larger than 1 MiB');
    pieces.push(piece);
  }
  const { status, statusText, headers } = response;
  return new Response(bytes === 0 ? null : Buffer.concat(pieces), { status, statusText, headers });
};

/**
 * Reads the addresses of the issuer (OpenID Connect Discovery 1.0, section 4).
 * @throws AppError `OIDC_NOT_SET_UP`; `OIDC_UNAVAILABLE` if the issuer has another name than the setting; errors of
 *   openid-client
 */
export async function discover(config: Config): Promise<Provider> {
  const { issuer, clientId, clientSecret } = oidcSettings(config);
  const library = await import('openid-client');
  // The settings permit http for this machine only.
  const execute = issuer.startsWith('http:') ? [library.allowInsecureRequests] : [];
  const discovered = await library.discovery(new URL(issuer), clientId, clientSecret, undefined, {
    timeout: requestSeconds,
    execute,
    [library.customFetch]: limitedFetch,
  });
  const server = discovered.serverMetadata();
  // The library accepts any name for Entra ID.
  if (new URL(server.issuer).href !== new URL(issuer).href)
    throw new AppError('OIDC_UNAVAILABLE', `The issuer calls itself ${server.issuer}. Set OIDC_ISSUER to this name.`);
  const methods = server.token_endpoint_auth_methods_supported ?? [];
  const authentication = methods.includes('client_secret_post') ? library.ClientSecretPost : library.ClientSecretBasic;
  const metadata = { client_secret: clientSecret, [library.clockTolerance]: clockToleranceSeconds };
  const configuration = new library.Configuration(server, clientId, metadata, authentication(clientSecret));
  configuration.timeout = requestSeconds;
  configuration[library.customFetch] = limitedFetch;
  for (const extend of execute) extend(configuration);
  // Without this, the library doesn't check signatures of tokens that come from the issuer directly.
  library.enableNonRepudiationChecks(configuration);
  return { library, configuration };
}

/** Discovered issuers by the program's settings. */
const providers = new WeakMap<Config, { opened: Promise<Provider>; openedAt: number }>();

/** Returns the issuer, after its discovery when it is first needed. @throws AppError `OIDC_NOT_SET_UP`, `OIDC_UNAVAILABLE` */
export async function openProvider({ config, now, logger }: Core): Promise<Provider> {
  const at = now().getTime();
  const cached = providers.get(config);
  const opened = cached && at - cached.openedAt < cachedMs ? cached.opened : discover(config);
  if (opened !== cached?.opened) providers.set(config, { opened, openedAt: at });
  try {
    return await opened;
  } catch (error) {
    // The next sign-in tries again.
    if (providers.get(config)?.opened === opened) providers.delete(config);
    throw unavailable(logger, error);
  }
}

/** Shortest time between two discoveries after faults of tokens, in milliseconds. */
const rediscoveryMs = 60_000;

/** Forgets the keys of the issuer, which may have changed, unless they are new. */
export function forgetProvider({ config, now }: Core): void {
  const cached = providers.get(config);
  if (cached && now().getTime() - cached.openedAt > rediscoveryMs) providers.delete(config);
}

/** Logs why the issuer can't be used, without values of tokens. */
export function unavailable(logger: Core['logger'], error: unknown): AppError {
  if (error instanceof AppError && error.code === 'OIDC_NOT_SET_UP') return error;
  logger.warn({ reason: providerFault(error) }, "the organisation's sign-in can't be used");
  return new AppError('OIDC_UNAVAILABLE');
}
